// Command user calls dcrec, btcec, go-ethereum and Erigon's module for libsecp256k1, as a program
// does that depends on all of them. With cgo it does not link, because the last two contain the
// same C library.
package main

//ci:untested The step rehearsal runs it, with the drop-ins.

import (
	"bytes"
	"fmt"
	"os"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	decred "github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
	erigon "github.com/erigontech/secp256k1"
	"github.com/ethereum/go-ethereum/crypto"
)

func main() {
	hash := bytes.Repeat([]byte{7}, 32)
	key, err := secp256k1.GeneratePrivateKey()
	check(err == nil && ecdsa.Sign(key, hash).Verify(hash, key.PubKey()), "dcrec", err)
	dcr, err := decred.Sign(key, hash)
	check(err == nil && dcr.Verify(hash, key.PubKey()), "EC-Schnorr-DCRv0", err)
	other, public := btcec.PrivKeyFromBytes(key.Serialize())
	bip340, err := schnorr.Sign(other, hash)
	check(err == nil && bip340.Verify(hash, public), "btcec", err)
	standard, err := crypto.ToECDSA(key.Serialize())
	check(err == nil, "go-ethereum", err)
	sig, err := crypto.Sign(hash, standard)
	check(err == nil, "go-ethereum", err)
	got, err := crypto.SigToPub(hash, sig)
	check(err == nil && got.Equal(&standard.PublicKey), "go-ethereum", err)
	same, err := erigon.Sign(hash, key.Serialize())
	check(err == nil && bytes.Equal(same, sig), "Erigon", err)
	encoded, err := erigon.RecoverPubkey(hash, sig)
	check(err == nil && bytes.Equal(encoded, public.SerializeUncompressed()), "Erigon", err)
}

func check(ok bool, what string, err error) {
	fmt.Println(what, ok, err)
	if !ok {
		os.Exit(1)
	}
}
