package bitcoin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// A testNode writes a folder like Bitcoin Core's. It shares no code with the reader under test,
// except for the computation of a header's hash.
type testNode struct {
	magic    [4]byte
	key      [8]byte
	blk, rev [][]byte // content of each file, not obfuscated and without zeros at the end
	outs     map[wire.OutPoint]testCoin
	heights  map[chainhash.Hash]int32
	place    map[chainhash.Hash]int // file number by block hash
	undoAt   map[chainhash.Hash]int // offset of the block's undo record, by block hash
	tip      chainhash.Hash
}

type testCoin struct {
	out      *wire.TxOut
	height   int32
	coinbase bool
}

func newTestNode(magic [4]byte) *testNode {
	return &testNode{magic: magic, blk: [][]byte{nil}, rev: [][]byte{nil},
		outs: map[wire.OutPoint]testCoin{}, heights: map[chainhash.Hash]int32{},
		place: map[chainhash.Hash]int{}, undoAt: map[chainhash.Hash]int{}}
}

// newFile starts a new pair of files for the next blocks.
func (n *testNode) newFile() { n.blk, n.rev = append(n.blk, nil), append(n.rev, nil) }

func hashOfBlock(block []byte) chainhash.Hash { return chainhash.DoubleHashH(block[:80]) }

// take appends a block to the current blk*.dat file.
func (n *testNode) take(block []byte) {
	last := len(n.blk) - 1
	n.place[hashOfBlock(block)] = last
	n.blk[last] = append(n.blk[last], recordOf(n.magic, block)...)
}

// connect appends the block's undo record to the rev*.dat file of the same number.
func (n *testNode) connect(block []byte) {
	var b wire.MsgBlock
	if err := b.Deserialize(bytes.NewReader(block)); err != nil {
		panic(err)
	}
	hash, prev := b.BlockHash(), b.Header.PrevBlock
	height := int32(0)
	if prev != (chainhash.Hash{}) {
		height = n.heights[prev] + 1
	}
	n.heights[hash] = height
	undo := sizeOf(len(b.Transactions) - 1)
	for i, tx := range b.Transactions {
		if i > 0 {
			undo = append(undo, sizeOf(len(tx.TxIn))...)
			for _, in := range tx.TxIn {
				coin, ok := n.outs[in.PreviousOutPoint]
				if !ok {
					panic(fmt.Sprint("not there: ", in.PreviousOutPoint))
				}
				undo = append(undo, coin.compressed()...)
			}
		}
		id := tx.TxHash()
		for k, out := range tx.TxOut {
			n.outs[wire.OutPoint{Hash: id, Index: uint32(k)}] = testCoin{out, height, i == 0}
		}
	}
	if height == 0 {
		return // the genesis block has no undo record
	}
	at := n.place[hash]
	n.undoAt[hash] = len(n.rev[at])
	record := recordOf(n.magic, undo)
	n.rev[at] = append(append(n.rev[at], record...),
		chainhash.DoubleHashB(append(prev[:], undo...))...)
}

// add takes and connects each block.
func (n *testNode) add(blocks ...[]byte) {
	for _, b := range blocks {
		n.take(b)
		n.connect(b)
	}
}

// write writes the folder to disk and returns its path. Each file ends with zeros, as Core's newest
// file does.
func (n *testNode) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n.blk {
		put(fmt.Sprintf("blk%05d.dat", i), append(n.mask(n.blk[i]), make([]byte, 1000)...))
		put(fmt.Sprintf("rev%05d.dat", i), append(n.mask(n.rev[i]), make([]byte, 333)...))
	}
	if n.key != ([8]byte{}) {
		put("xor.dat", n.key[:])
	}
	return dir
}

func (n *testNode) mask(b []byte) []byte {
	b = bytes.Clone(b)
	for i := range b {
		b[i] ^= n.key[i%8]
	}
	return b
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

// compressScript returns Bitcoin Core's compressed form of the script s. The form starts with a
// number for the script's type.
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

// putSize sets the size field of the record that begins at offset at.
func putSize(file []byte, at int, size uint32) { binary.LittleEndian.PutUint32(file[at+4:], size) }

// coinOf encodes an output of an undo record from the raw values of the record's fields: the height
// code, the version bytes after the code, the amount, the script type and the script data.
func coinOf(code uint64, version string, amount, kind uint64, data string) []byte {
	return slices.Concat(varIntOf(code), []byte(version), varIntOf(compressAmount(amount)),
		varIntOf(kind), []byte(data))
}
