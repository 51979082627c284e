package undo

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
)

type testCoin struct {
	out      *wire.TxOut
	height   int32
	coinbase bool
}

func (c *testCoin) compressed() []byte { return bitcointest.Coin(c.out, c.height, c.coinbase) }

func sizeOf(n int) []byte {
	var b bytes.Buffer
	if err := wire.WriteVarInt(&b, 0, uint64(n)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// recordOf returns the block as a record of a blk*.dat file: magic, the size, and the block.
func recordOf(magic [4]byte, block []byte) []byte {
	b := binary.LittleEndian.AppendUint32(magic[:], uint32(len(block)))
	return append(b, block...)
}

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
