package bitcoin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestBestChainOfForks checks that a BestChain has the blocks of the branch with the most work.
func TestBestChainOfForks(t *testing.T) {
	f, one, hash1 := newForkTree()
	n := newTestNode(consensus.Regtest.Magic())
	n.key = [8]byte{0x51, 0x12, 0xff, 0, 9, 8, 0xaa, 0x31}
	lost, _ := f.block(hash1, 2, 1, 0)
	never, _ := f.block(hash1, 2, 1)
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, _ := f.block(hash2, 3)
	n.add(genesis(), one, lost)
	n.take(never)
	n.newFile()
	n.add(two, three)
	c := bestChain(t, n.write(t))
	for h, want := range [][]byte{genesis(), one, two, three} {
		raw, spent := blockAt(t, c, int32(h))
		if !bytes.Equal(raw, want) {
			t.Errorf("block %d is another block", h)
		}
		var outs []*wire.TxOut
		for _, o := range spent {
			outs = append(outs, wire.NewTxOut(o.Amount, o.Script))
		}
		if h == 2 && !reflect.DeepEqual(outs, f.from.TxOut[1:3]) || h != 2 && len(outs) > 0 {
			t.Errorf("block %d spends %v", h, outs)
		}
	}
	if _, err := c.Full(4, nil); err == nil || err.Error() != c.Name()+": no block 4" {
		t.Error(err)
	}
}

// TestBestChainErrors checks that a BestChain returns the right error for a block that damage to
// the folder affects, and still reads the blocks before the damage.
func TestBestChainErrors(t *testing.T) {
	_, _, hash1 := newForkTree()
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
			fmt.Sprintf("blk00000.dat: at byte %d: block %v: ", len(recordOf([4]byte{}, genesis()))+8,
				hash1) + "its transactions do not hash to its header's Merkle root"},
		"a transaction": {func(n *testNode) { n.blk[0][len(recordOf([4]byte{}, genesis()))+8+80] = 9 },
			1, "ends in the middle of"},
	} {
		n := smallNode()
		c.damage(n)
		_, err := bestChain(t, n.write(t)).Full(c.height, nothing)
		switch {
		case c.text == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)):
			t.Errorf("%s: %v, want %s", name, err, c.text)
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
	if err := os.Truncate(c.d.blk(0), 100); err != nil { // after the headers were read
		t.Fatal(err)
	}
	if _, err := c.Full(1, nothing); err == nil ||
		!strings.Contains(err.Error(), "blk00000.dat: at byte ") {
		t.Errorf("a file that has become shorter: %v", err)
	}
	if err := os.Remove(c.d.blk(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Full(2, nothing); err == nil ||
		!strings.Contains(err.Error(), "blk00001.dat: no such file") {
		t.Errorf("a file that has gone: %v", err)
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
	text, err := os.ReadFile(filepath.Join("testdata", "core", "getblock.json"))
	if err != nil {
		t.Fatal(err)
	}
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
		switch {
		case c.error == "" && (err != nil || len(outputs) != 21):
			t.Errorf("%s: %v, %v", name, outputs, err)
		case c.error != "" && (err == nil || !strings.Contains(err.Error(), c.error)):
			t.Errorf("%s: %v, want %s", name, err, c.error)
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

// TestUndoOfTwins checks which undo record a block gets if two connected blocks have the same
// parent and the same numbers of inputs, so that each record's checksum fits both. If nothing else
// distinguishes the records, the last one must be used.
func TestUndoOfTwins(t *testing.T) {
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
	n.outs[wire.OutPoint{Hash: chainhash.Hash{9}}] = testCoin{wire.NewTxOut(1, nil), 1, false}
	tx := &wire.MsgTx{Version: 2, TxOut: []*wire.TxOut{wire.NewTxOut(1, nil)}}
	tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{9}}})
	second, _ := blockOf(hash, 1700000002, funding(nil, 2), tx)
	n.take(second)
	at := len(n.rev[0])
	undo := append([]byte{1, 1}, coinOf(0, "", 1, 4, strings.Repeat("\xff", 32))...)
	n.rev[0] = append(append(n.rev[0], recordOf(n.magic, undo)...),
		chainhash.DoubleHashB(append(hash[:], undo...))...)
	got := runFolder(t, n.write(t), WholeRange())
	want := fmt.Sprintf("rev00000.dat at byte %d: a spent output has a key that is not on the", at)
	if got.err != nil || len(got.bad) != 1 || got.bad[0].Decided != reading.Malformed ||
		!strings.Contains(got.bad[0].Reason, want) {
		t.Errorf("%v, %+v, want %s", got.err, got.bad, want)
	}
}

// TestNoUndoFile checks that a missing rev*.dat file is an error if a block needs it.
func TestNoUndoFile(t *testing.T) {
	n := smallNode()
	n.blk[0], n.blk[1] = append(n.blk[0], n.blk[1]...), nil
	dir := n.write(t)
	for _, name := range []string{"rev00000.dat", "rev00001.dat", "blk00001.dat"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := runFolder(t, dir, Range{0, 1, -1, -1}); got.err != nil || len(got.bad) > 0 {
		t.Errorf("two blocks that spend nothing: %v, %+v", got.err, got.bad)
	}
	if got := runFolder(t, dir, WholeRange()); got.err == nil || got.units != 0 ||
		strings.Count(got.err.Error(), "rev00000.dat: no such file") != 1 {
		t.Errorf("%v, %+v", got.err, got.bad)
	}
}

// TestFolderConsumed checks that Consumed counts the bytes of all earlier files of the folder.
func TestFolderConsumed(t *testing.T) {
	n := smallNode()
	d, err := OpenDirectory(n.write(t))
	if err != nil {
		t.Fatal(err)
	}
	r := d.Inputs()[1].Open(1000, nil)
	defer r.Close()
	last := int64(0)
	for {
		b, err := r.Next()
		if err != nil {
			break
		}
		if c := b.Consumed(); c < max(last, 1000) || c > 1000+d.files[1].size {
			t.Errorf("%d after %d", c, last)
		}
		last = b.Consumed()
	}
	if want := int64(1000 + len(n.blk[1])); last < want {
		t.Errorf("%d at the end, want at least %d", last, want)
	}
}

// TestFits checks that fits accepts every kind of input with the right digest, and refuses a wrong
// digest, key or signature.
func TestFits(t *testing.T) {
	var good []spend
	for _, sp := range spends() {
		if !strings.Contains(sp.name, "nobody can spend") {
			good = append(good, sp)
		}
	}
	tx, spent := build(good, len(good))
	var schnorr, ecdsa, lax, others int
	for i := range tx.TxIn {
		u := unitOf(tx, spent, i, stages[len(stages)-1])
		v, _ := judge(&u)
		if u.Decided != reading.Unchecked || len(u.Signatures) != 1 || len(u.Keys) != 1 {
			if others++; !fits(&u) {
				t.Errorf("%s: does not fit, of which nothing is known", good[i].name)
			}
			continue
		}
		if fits(&u) != (v == reading.Valid) {
			t.Errorf("%s: %v, and fits is %t", good[i].name, v, fits(&u))
		}
		if v != reading.Valid {
			continue
		}
		s := &u.Signatures[0]
		switch {
		case u.Scheme == reading.Schnorr:
			schnorr++
		case u.LaxDER:
			lax++
		default:
			ecdsa++
		}
		s.Digest[0] ^= 1
		if fits(&u) {
			t.Errorf("%s: fits another digest", good[i].name)
		}
		s.Digest[0] ^= 1
		if u.Scheme != reading.Schnorr {
			whole := s.Sig
			s.Sig = laxDER(whole)
			u.LaxDER = false
			if fits(&u) {
				t.Errorf("%s: fits a signature that is not strict DER", good[i].name)
			}
			if u.LaxDER = true; !fits(&u) {
				t.Errorf("%s: does not fit in lax DER", good[i].name)
			}
			s.Sig = nil
			if fits(&u) {
				t.Errorf("%s: fits no signature", good[i].name)
			}
			s.Sig = whole
		}
		u.Keys[0] = slices.Repeat([]byte{0xff}, len(u.Keys[0]))
		if fits(&u) {
			t.Errorf("%s: fits a key that is none", good[i].name)
		}
	}
	if schnorr == 0 || ecdsa == 0 || others == 0 {
		t.Errorf("%d of BIP-340, %d and %d of ECDSA, %d others", schnorr, ecdsa, lax, others)
	}
}
