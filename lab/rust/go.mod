module github.com/koblitz-go/koblitz/lab/rust

go 1.25.0

require (
	github.com/btcsuite/btcd/txscript/v2 v2.0.0
	github.com/btcsuite/btcd/wire/v2 v2.0.1
	github.com/koblitz-go/koblitz v0.1.0
	github.com/koblitz-go/koblitz/bitcoin v0.1.0
	github.com/koblitz-go/koblitz/x v0.1.0
	golang.org/x/crypto v0.55.0
)

require (
	github.com/btcsuite/btcd/address/v2 v2.0.0 // indirect
	github.com/btcsuite/btcd/btcec/v2 v2.5.0 // indirect
	github.com/btcsuite/btcd/chaincfg/v2 v2.0.0 // indirect
	github.com/btcsuite/btcd/chainhash/v2 v2.0.0 // indirect
	github.com/btcsuite/btclog v1.0.0 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.1.0 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace (
	github.com/koblitz-go/koblitz => ../..
	github.com/koblitz-go/koblitz/bitcoin => ../../bitcoin
	github.com/koblitz-go/koblitz/x => ../../x
)
