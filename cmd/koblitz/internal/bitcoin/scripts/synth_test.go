package scripts

import (
	"github.com/btcsuite/btcd/btcec/v2"
)

// key is the generator of secp256k1 in compressed form, and tapKey its x coordinate.
var (
	key    = btcec.Generator().SerializeCompressed()
	tapKey = key[1:]
)
