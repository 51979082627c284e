package bitcoin

import "github.com/btcsuite/btcd/chainhash/v2"

// An outpoint names an output.
type outpoint struct {
	tx    chainhash.Hash
	index uint32
}
