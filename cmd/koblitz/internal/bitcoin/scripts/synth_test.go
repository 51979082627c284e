package scripts

import (
	"github.com/btcsuite/btcd/btcec/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
)

// key is the generator of secp256k1 in compressed form, and tapKey its x coordinate.
var (
	key    = btcec.Generator().SerializeCompressed()
	tapKey = key[1:]
)

func script(parts ...any) []byte { return bitcointest.Script(parts...) }
