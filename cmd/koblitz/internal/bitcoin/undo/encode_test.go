package undo

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

type testCoin struct {
	out      *wire.TxOut
	height   int32
	coinbase bool
}

// compressed returns the output c in the encoding of TxInUndoFormatter (Bitcoin Core's src/undo.h).
func (c *testCoin) compressed() []byte {
	code := uint64(c.height) * 2
	if c.coinbase {
		code++
	}
	b := varIntOf(code)
	if c.height > 0 {
		b = append(b, 0)
	}
	b = append(b, varIntOf(compressAmount(uint64(c.out.Value)))...)
	return append(b, compressScript(c.out.PkScript)...)
}

// varIntOf encodes n as a VarInt of Bitcoin Core (src/serialize.h). It computes the last digit
// first.
func varIntOf(n uint64) []byte {
	b := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		b = append([]byte{byte(n&0x7f) | 0x80}, b...)
	}
	return b
}

func sizeOf(n int) []byte {
	var b bytes.Buffer
	if err := wire.WriteVarInt(&b, 0, uint64(n)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// compressAmount returns Bitcoin Core's compressed form of an amount.
func compressAmount(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	zeros := uint64(0)
	for ; n%10 == 0 && zeros < 9; zeros++ {
		n /= 10
	}
	if zeros == 9 {
		return 10*n + 0
	}
	return 1 + (n/10*9+n%10-1)*10 + zeros
}

// compressScript returns Bitcoin Core's compressed form of the script s, which starts with a number
// for the script's type.
func compressScript(s []byte) []byte {
	isKey := func(k []byte) bool {
		_, err := parseKey(k)
		return err == nil
	}
	switch n := len(s); {
	case n == 25 && bytes.HasPrefix(s, []byte{0x76, 0xa9, 20}) &&
		bytes.HasSuffix(s, []byte{0x88, 0xac}):
		return append([]byte{0}, s[3:23]...)
	case n == 23 && bytes.HasPrefix(s, []byte{0xa9, 20}) && s[22] == 0x87:
		return append([]byte{1}, s[2:22]...)
	case n == 35 && s[0] == 33 && s[34] == 0xac && (s[1] == 2 || s[1] == 3):
		return append([]byte{s[1]}, s[2:34]...)
	case n == 67 && s[0] == 65 && s[66] == 0xac && s[1] == 4 && isKey(s[1:66]):
		return append([]byte{4 | s[65]&1}, s[2:34]...)
	}
	return append(varIntOf(uint64(len(s))+6), s...)
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

func parseKey(b []byte) (*btcec.PublicKey, error) { return btcec.ParsePubKey(b) }

// keyHash, scriptHash and witnessHash are P2PKH, P2SH and P2WSH scripts with arbitrary hashes.
var (
	keyHash     = slices.Concat([]byte{0x76, 0xa9, 20}, make([]byte, 20), []byte{0x88, 0xac})
	scriptHash  = slices.Concat([]byte{0xa9, 20}, make([]byte, 20), []byte{0x87})
	witnessHash = append([]byte{0, 32}, make([]byte, 32)...)
)
