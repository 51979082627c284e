package bitcoin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	// This import keeps the data's module in go.mod; the package itself is not used.
	_ "github.com/btcsuite/btcd/ossec"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
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
	n.blk[last] = append(n.blk[last], bitcointest.Record(n.magic, block)...)
}

// connect appends the block's undo record to the current rev*.dat file, which has the same number
// as the block's blk*.dat file.
func (n *testNode) connect(block []byte) {
	var b wire.MsgBlock
	noError(b.Deserialize(bytes.NewReader(block)))
	hash, prev := b.BlockHash(), b.Header.PrevBlock
	height := int32(0)
	if prev != (chainhash.Hash{}) {
		height = n.heights[prev] + 1
	}
	n.heights[hash] = height
	undo := bitcointest.Size(len(b.Transactions) - 1)
	for i, tx := range b.Transactions {
		if i > 0 {
			undo = append(undo, bitcointest.Size(len(tx.TxIn))...)
			for _, in := range tx.TxIn {
				coin, ok := n.outs[in.PreviousOutPoint]
				if !ok {
					panic(fmt.Sprint("not there: ", in.PreviousOutPoint))
				}
				undo = append(undo, bitcointest.Coin(coin.out, coin.height, coin.coinbase)...)
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
	record := bitcointest.Record(n.magic, undo)
	n.rev[at] = append(append(n.rev[at], record...),
		chainhash.DoubleHashB(append(prev[:], undo...))...)
}

// add calls take and connect for each block, so that both files get its record.
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
		noError(os.WriteFile(filepath.Join(dir, name), b, 0o600))
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

// remove removes files of a folder.
func remove(dir string, names ...string) {
	for _, name := range names {
		noError(os.Remove(filepath.Join(dir, name)))
	}
}

func (n *testNode) mask(b []byte) []byte {
	b = bytes.Clone(b)
	for i := range b {
		b[i] ^= n.key[i%8]
	}
	return b
}

// firstBlocks returns the first 14,132 blocks of mainnet in the format of a blk*.dat file.
func firstBlocks(t testing.TB) []byte {
	return must(os.ReadFile(filepath.Join(moduleDir("github.com/btcsuite/btcd"), "blockchain",
		"testdata", "blk_0_to_14131.dat")))
}

// moduleDir returns the folder of a module that go.mod requires.
func moduleDir(module string) string {
	out := must(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output())
	return strings.TrimSpace(string(out))
}

// records splits the content of a blk*.dat file into its records.
func records(b []byte) (all [][]byte) {
	for len(b) > 8 && b[0] != 0 {
		n := 8 + binary.LittleEndian.Uint32(b[4:])
		all = append(all, b[:n])
		b = b[n:]
	}
	return all
}
