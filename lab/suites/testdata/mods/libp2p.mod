module example.org/libp2p

go 1.26.8

require (
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1 // indirect
	github.com/libp2p/go-libp2p v0.51.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)
