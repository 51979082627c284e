module github.com/koblitz-go/koblitz/vectors

go 1.25.0

require (
	github.com/btcsuite/btcd/btcec/v2 v2.5.0
	github.com/c2sp/wycheproof v0.0.0-20260105152342-fca0d3ba9f12
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1
	github.com/koblitz-go/koblitz v0.1.0
	github.com/koblitz-go/koblitz/x v0.1.0
)

require (
	github.com/btcsuite/btcd/chainhash/v2 v2.0.0 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.1.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
