module github.com/koblitz-go/koblitz/lab/oracle

go 1.26.0

require (
	github.com/btcsuite/btcd/btcec/v2 v2.5.0
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1
	github.com/erigontech/secp256k1 v1.2.0
	golang.org/x/tools v0.51.0
)

require (
	github.com/btcsuite/btcd/chainhash/v2 v2.0.0 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.1.0 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
)
