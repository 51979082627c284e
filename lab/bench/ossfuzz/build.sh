#!/bin/bash -eu
# Builds FuzzAll and libsecp256k1, which the fuzzer loads from its own folder, in $OUT.
export GOWORK=off

secp=$SRC/secp256k1
$CC -O2 -fPIC -shared -w -DP=secp256k1_ -DUSE_EXTERNAL_DEFAULT_CALLBACKS=1 \
	-DENABLE_MODULE_{ECDH,RECOVERY,EXTRAKEYS,SCHNORRSIG,ELLSWIFT,SILENTPAYMENTS}=1 \
	-I"$secp" -I"$secp"/{include,src} internal/peer/native/internals.c \
	"$secp"/src/precomputed_ecmult{,_gen}.c -o "$OUT/libsecp256k1.so"

# The program that OSS-Fuzz makes imports the package, so its name cannot be main.
sed -i 's/^package main$/package differential/' differential/*.go
go get github.com/AdamKorcz/go-118-fuzz-build/testing
compile_native_go_fuzzer "$(go list ./differential)" FuzzAll fuzz_all
