module example.org/erigon

go 1.26.8

require github.com/erigontech/secp256k1 v1.2.0 // indirect
