package undo

import (
	"slices"

	"github.com/btcsuite/btcd/btcec/v2"
)

// key returns test key number i.
func key(i int) *btcec.PublicKey {
	k, _ := btcec.PrivKeyFromBytes([]byte{1, byte(i)})
	return k.PubKey()
}

func compressed(i int) []byte { return key(i).SerializeCompressed() }

func uncompressed(i int) []byte { return key(i).SerializeUncompressed() }

// keyHash, scriptHash and witnessHash are P2PKH, P2SH and P2WSH scripts with arbitrary hashes.
var (
	keyHash     = slices.Concat([]byte{0x76, 0xa9, 20}, make([]byte, 20), []byte{0x88, 0xac})
	scriptHash  = slices.Concat([]byte{0xa9, 20}, make([]byte, 20), []byte{0x87})
	witnessHash = append([]byte{0, 32}, make([]byte, 32)...)
)
