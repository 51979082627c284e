package bitcoin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestBestChainErrors checks that a BestChain returns the right error for a block that damage to
// the folder affects, and still reads the blocks before the damage.
func TestBestChainErrors(t *testing.T) {
	_, _, hash1 := newForkTree()
	oneAt := len(genesis()) + 16 // offset of block 1 in blk00000.dat
	nothing := func(int, *wire.MsgTx, chainhash.Hash, []wireform.Output) error { return nil }
	for name, c := range map[string]struct {
		damage func(n *testNode)
		height int32
		text   string
	}{
		"before the damage": {func(n *testNode) { n.blk[1][0] ^= 1 }, 1, ""},
		"behind it": {func(n *testNode) { n.blk[1][len(records(n.blk[1])[0])] ^= 1 }, 3,
			": no block 3, as far as it can be read: "},
		"a checksum": {func(n *testNode) { n.rev[1][n.undoAt[n.tip]-1] ^= 1 }, 2,
			": the checksum of the one at byte 0, which has its shape, is not its"},
		"an amount": {func(n *testNode) { n.rev[1][n.undoAt[n.tip]-32-1] ^= 1 }, 2,
			": the checksum of the one at byte 0, which has its shape, is not its"},
		"a Merkle root": {func(n *testNode) { n.blk[0][len(n.blk[0])-1] ^= 1 }, 1,
			fmt.Sprintf("blk00000.dat: at byte %d: block %v: ", oneAt,
				hash1) + "its transactions do not hash to its header's Merkle root"},
		"a transaction": {func(n *testNode) { n.blk[0][oneAt+wireform.HeaderSize] = 9 }, 1,
			"ends in the middle of"},
	} {
		n := smallNode()
		c.damage(n)
		chain := bestChain(t, n.write(t))
		if _, err := chain.Full(c.height, nothing); !says(err, c.text) {
			t.Errorf("%s: %v, want %s", name, err, c.text)
		}
		if damaged := c.height == 3 || c.text == ""; damaged != says(chain.Damage(), "blk00001.dat") {
			t.Errorf("%s: the damage is %v", name, chain.Damage())
		}
	}
	// If both a block and its undo record are damaged, one error must state what is wrong with the
	// block and why its spent outputs are unknown.
	n := smallNode()
	n.blk[1][len(records(n.blk[1])[0])-1] ^= 1
	n.rev[1][n.undoAt[n.tip]-1] ^= 1
	got := runFolder(t, n.write(t), WholeRange())
	if len(got.bad) != 1 || !strings.Contains(got.bad[0].Reason, "its transactions do not hash to "+
		"its header's Merkle root; it has no undo record in ") {
		t.Errorf("%+v", got.bad)
	}

	c := bestChain(t, smallNode().write(t))
	noError(os.Remove(c.d.rev(1)))
	if _, err := c.Raw(2, nothing); err != nil {
		t.Error(err)
	}
	if _, err := c.Full(2, nothing); !says(err, "rev00001.dat: no such file") {
		t.Error(err)
	}
	c = bestChain(t, smallNode().write(t))
	noError(os.Truncate(c.d.blk(0), 100)) // after the headers were read
	noError(os.Remove(c.d.blk(1)))
	for height, text := range map[int32]string{1: "blk00000.dat: at byte ",
		2: "blk00001.dat: no such file"} {
		if _, err := c.Full(height, nothing); !says(err, text) {
			t.Errorf("block %d of a changed file: %v", height, err)
		}
	}
	c.d.failed = true
	if _, err := c.d.BestChain(); err == nil || !strings.HasSuffix(err.Error(),
		": its headers cannot be read") {
		t.Error(err)
	}
}

// outputsInJSON returns the hash of a block, and the outputs that it spends. text is a response to
// getblock.
func outputsInJSON(text []byte) (hash chainhash.Hash, outputs []wireform.Output, err error) {
	blocks := 0
	found := func(_ int32, h chainhash.Hash) error {
		if hash, blocks = h, blocks+1; blocks > 1 {
			return errors.New("a second block")
		}
		return nil
	}
	head, err := nodejson.Visit(source("f", text), onRegtest, found, collect(new([]chainhash.Hash),
		&outputs))
	if err == nil && head.Hash != hash {
		err = fmt.Errorf("block %v has the header of block %v", hash, head.Hash)
	}
	return hash, outputs, err
}

// TestVisit checks that nodejson.Visit reads getblock responses and reports mistakes in them.
func TestVisit(t *testing.T) {
	text := must(os.ReadFile(filepath.Join("testdata", "core", "getblock.json")))
	answer := string(text)
	root := regexp.MustCompile(`"merkleroot": ?"[0-9a-f]`).FindString(answer)
	other := root[:len(root)-1] + string("10"[strings.Count(root[len(root)-1:], "1")])
	for name, c := range map[string]struct{ text, error string }{
		"as it is":     {answer, ""},
		"another root": {strings.Replace(answer, root, other, 1), "Merkle root"},
		"two":          {answer + answer, "a second block"},
		"cut":          {answer[:len(answer)/2], "f"},
		"nothing":      {"{}", "f"},
		"no block":     {"[]", "no block in it"},
		"no prevout":   {strings.Replace(answer, `"prevout"`, `"before"`, 1), `no "prevout"`},
	} {
		_, outputs, err := outputsInJSON([]byte(c.text))
		if !says(err, c.error) || err == nil && len(outputs) != 21 {
			t.Errorf("%s: %v, %v, want %s", name, outputs, err, c.error)
		}
	}
}

// anyone builds a child of the block prev. Its transaction spends coins, which anyone may spend.
// The method adds coins to the outputs that n knows, as outputs created at height 1, so that n can
// write the child's undo record. stamp is the child's time, and makes the outpoints unique.
func (n *testNode) anyone(prev chainhash.Hash, stamp uint32, coins ...*wire.TxOut) ([]byte,
	chainhash.Hash) {
	tx := &wire.MsgTx{Version: 2, TxOut: []*wire.TxOut{wire.NewTxOut(1, nil)}}
	for i, o := range coins {
		from := wire.OutPoint{Hash: chainhash.Hash{byte(stamp), 1}, Index: uint32(i)}
		n.outs[from] = testCoin{o, 1, false}
		tx.TxIn = append(tx.TxIn, &wire.TxIn{PreviousOutPoint: from})
	}
	return blockOf(prev, stamp, funding(nil, 1), tx)
}

// TestUndoOfSiblings checks which undo record a block gets if two connected blocks have the same
// parent and the same numbers of inputs, so that each record's checksum fits both. If nothing else
// distinguishes the records, the last one must be used.
func TestUndoOfSiblings(t *testing.T) {
	for name, c := range map[string]struct {
		scripts [2][]byte // output scripts in the first and the second undo record
		want    int64     // expected amount of the spent output, which tells the records apart
	}{
		"anyone can spend both":      {[2][]byte{{0x51}, {0x51}}, 2},
		"nobody can spend the last":  {[2][]byte{{0x51}, {0x6a}}, 1},
		"nobody can spend the first": {[2][]byte{{0x6a}, {0x51}}, 2},
		"nobody can spend any":       {[2][]byte{{0x6a}, {0x6a}}, 2},
	} {
		n := newTestNode(consensus.Regtest.Magic())
		n.add(genesis())
		a, _ := n.anyone(consensus.Regtest.Genesis(), 1700000001, wire.NewTxOut(1, c.scripts[0]))
		b, hash := n.anyone(consensus.Regtest.Genesis(), 1700000002, wire.NewTxOut(2, c.scripts[1]))
		child, _ := blockOf(hash, 1700000003, funding(nil, 2))
		n.add(a, b, child)
		raw, spent := blockAt(t, bestChain(t, n.write(t)), 1)
		if hashOfBlock(raw) != hash || len(spent) != 1 || spent[0].Amount != c.want {
			t.Errorf("%s: block %v, %+v", name, hashOfBlock(raw), spent)
		}
	}
}

// TestUndoBehindGood checks that an undo record with an invalid public key, after a valid record,
// gives the right error.
func TestUndoBehindGood(t *testing.T) {
	n := newTestNode(consensus.Regtest.Magic())
	first, hash := n.anyone(consensus.Regtest.Genesis(), 1700000001, wire.NewTxOut(1, []byte{0x51}))
	n.add(genesis(), first)
	second, _ := n.anyone(hash, 1700000002, wire.NewTxOut(1, nil))
	n.take(second)
	at := len(n.rev[0])
	undo := append([]byte{1, 1}, bitcointest.RawCoin(0, "", 1, 4, strings.Repeat("\xff", 32))...)
	n.rev[0] = append(append(n.rev[0], bitcointest.Record(n.magic, undo)...),
		chainhash.DoubleHashB(append(hash[:], undo...))...)
	got := runFolder(t, n.write(t), WholeRange())
	want := fmt.Sprintf("rev00000.dat at byte %d: a spent output has a key that is not on the", at)
	if got.err != nil || len(got.bad) != 1 || got.bad[0].Decided != reading.Malformed ||
		!strings.Contains(got.bad[0].Reason, want) {
		t.Errorf("%v, %+v, want %s", got.err, got.bad, want)
	}
}

// TestNoUndoFile checks that a missing rev*.dat file is an error, even if its blocks spend nothing.
func TestNoUndoFile(t *testing.T) {
	n := smallNode()
	n.blk[0], n.blk[1] = append(n.blk[0], n.blk[1]...), nil
	dir := n.write(t)
	remove(dir, "rev00000.dat", "rev00001.dat", "blk00001.dat")
	if got := runFolder(t, dir, Range{0, 1}); got.err != nil || len(got.bad) > 0 {
		t.Errorf("two blocks that spend nothing: %v, %+v", got.err, got.bad)
	}
	for range 2 {
		if got := runFolder(t, dir, WholeRange()); got.units != 0 ||
			!says(got.err, "rev00000.dat: no such file") {
			t.Errorf("%v, %+v", got.err, got.bad)
		}
		noError(os.Truncate(filepath.Join(dir, "blk00000.dat"), int64(len(smallNode().blk[0]))))
	}
}
