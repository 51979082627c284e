// This is go.mod as a user of the drop-in has it: with the lines that replace the modules.
module github.com/koblitz-go/koblitz/lab/oracle

go 1.25.0

require (
	github.com/btcsuite/btcd/btcec/v2 v2.5.0
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1
	github.com/erigontech/secp256k1 v1.2.0
)

require (
	github.com/btcsuite/btcd/chainhash/v2 v2.0.0 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.1.0 // indirect
	github.com/koblitz-go/koblitz v0.1.0 // indirect
	golang.org/x/sys v0.41.0 // indirect
)

replace (
	github.com/btcsuite/btcd/btcec/v2 => ../../compat/btcec/v2
	github.com/decred/dcrd/dcrec/secp256k1/v4 => ../../compat/dcrec/v4
	github.com/erigontech/secp256k1 => ../../compat/erigon/secp256k1
	github.com/koblitz-go/koblitz => ../..
)
