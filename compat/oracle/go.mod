module github.com/koblitz-go/koblitz/compat/oracle

go 1.25.0

require github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.1

require github.com/decred/dcrd/crypto/blake256 v1.1.0 // indirect
