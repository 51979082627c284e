package bitcoin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

func TestParseBlockID(t *testing.T) {
	hash := consensus.Mainnet.Genesis()
	for s, want := range map[string]prevouts.BlockID{"0": {Height: 0}, "7": {Height: 7},
		"1073741823": {Height: 1<<30 - 1}, hash.String(): {Height: -1, Hash: hash}} {
		if id, err := prevouts.ParseBlockID(s); err != nil || id != want || id.String() != s {
			t.Errorf("%s: %+v, %v", s, id, err)
		}
	}
	for _, s := range []string{"", "-1", "-0x1", "1e3", "2147483648", "1" + hash.String(),
		hash.String()[1:], strings.Repeat("g", 64)} {
		if id, err := prevouts.ParseBlockID(s); err == nil || !strings.Contains(err.Error(),
			"neither a height") {
			t.Errorf("%s: %+v, %v", s, id, err)
		}
	}
}

// byHash returns the BlockID of the block with hash h.
func byHash(h chainhash.Hash) prevouts.BlockID { return prevouts.BlockID{Height: -1, Hash: h} }

// TestBlockOfDirectory checks that Directory.Block finds single blocks, both in the best chain and
// in stale branches.
func TestBlockOfDirectory(t *testing.T) {
	f, one, hash1 := newForkTree()
	n := newTestNode(consensus.Regtest.Magic())
	n.key = [8]byte{0x51, 0x12, 0xff, 0, 9, 8, 0xaa, 0x31}
	lost, hashLost := f.block(hash1, 2, 1, 0)
	never, hashNever := f.block(hash1, 2, 1)
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	n.add(genesis(), one, lost)
	n.take(never)
	n.newFile()
	n.add(two, three)
	d, err := OpenDirectory(n.write(t))
	if err != nil {
		t.Fatal(err)
	}
	amounts := func(outputs ...uint32) (want []prevouts.Output) {
		for _, k := range outputs {
			o := f.from.TxOut[k+1]
			want = append(want, prevouts.Output{Amount: o.Value, Script: o.PkScript})
		}
		return want
	}
	for _, c := range []struct {
		id     prevouts.BlockID
		block  []byte
		height int32
		want   []prevouts.Output
		error  string
	}{
		{prevouts.BlockID{Height: 0}, genesis(), 0, nil, ""},
		{prevouts.BlockID{Height: 1}, one, 1, nil, ""},
		{prevouts.BlockID{Height: 2}, two, 2, amounts(0, 1), ""},
		{byHash(hash2), two, 2, amounts(0, 1), ""},
		{byHash(hashLost), lost, 2, amounts(1, 0), ""},
		{prevouts.BlockID{Height: 3}, three, 3, nil, ""},
		{byHash(hash3), three, 3, nil, ""},
		{byHash(consensus.Regtest.Genesis()), genesis(), 0, nil, ""},
		{byHash(hashNever), nil, 0, nil, "rev00000.dat has no undo record for it"},
		{prevouts.BlockID{Height: 4}, nil, 0, nil, d.path + ": no block 4"},
		{byHash(chainhash.Hash{1}), nil, 0, nil, d.path + ": no block 0000"},
	} {
		full, err := d.Block(c.id)
		if c.error != "" {
			if err == nil || !strings.Contains(err.Error(), c.error) ||
				strings.Contains(err.Error(), "as far as") {
				t.Errorf("%v: %v, want %s", c.id, err, c.error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.id, err)
			continue
		}
		if !bytes.Equal(full.Raw, c.block) || full.Spent.Height != c.height ||
			full.Spent.Block != hashOfBlock(c.block) || !slices.EqualFunc(full.Spent.Outputs, c.want,
			func(a, b prevouts.Output) bool {
				return a.Amount == b.Amount && bytes.Equal(a.Script,
					b.Script)
			}) {
			t.Errorf("%v: %d bytes, %+v", c.id, len(full.Raw), full.Spent)
		}
	}
}

// TestBlockOfDamagedDirectory checks that Directory.Block returns the right error for a block that
// damage to the folder affects, and still returns the blocks before the damage.
func TestBlockOfDamagedDirectory(t *testing.T) {
	_, _, hash1 := newForkTree()
	for name, c := range map[string]struct {
		damage func(n *testNode)
		id     prevouts.BlockID
		text   string
	}{
		"before the damage": {func(n *testNode) { n.blk[1][0] ^= 1 }, prevouts.BlockID{Height: 1}, ""},
		"behind it": {func(n *testNode) { n.blk[1][len(records(n.blk[1])[0])] ^= 1 },
			prevouts.BlockID{Height: 3},
			": no block 3, as far as it can be read: "},
		"a checksum": {func(n *testNode) { n.rev[1][n.undoAt[n.tip]-1] ^= 1 },
			prevouts.BlockID{Height: 2},
			": the checksum of the one at byte 0, which has its shape, is not its"},
		"an amount": {func(n *testNode) { n.rev[1][n.undoAt[n.tip]-32-1] ^= 1 },
			prevouts.BlockID{Height: 2},
			": the checksum of the one at byte 0, which has its shape, is not its"},
		"a Merkle root": {func(n *testNode) { n.blk[0][len(n.blk[0])-1] ^= 1 },
			prevouts.BlockID{Height: 1},
			fmt.Sprintf("blk00000.dat: at byte %d: block %v: ", len(recordOf([4]byte{}, genesis()))+8,
				hash1) + "its transactions do not hash to its header's Merkle root"},
		"a transaction": {func(n *testNode) { n.blk[0][len(recordOf([4]byte{}, genesis()))+8+80] = 9 },
			prevouts.BlockID{Height: 1}, "ends in the middle of"},
		"no file": {func(n *testNode) { n.rev[1] = nil }, prevouts.BlockID{Height: 2},
			"rev00001.dat: no such file"},
	} {
		n := smallNode()
		c.damage(n)
		d, err := OpenDirectory(n.write(t))
		if err != nil {
			t.Fatal(err)
		}
		if name == "no file" {
			if err := os.Remove(d.rev(1)); err != nil {
				t.Fatal(err)
			}
		}
		full, err := d.Block(c.id)
		switch {
		case c.text == "" && (err != nil || full == nil):
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

	d, err := OpenDirectory(smallNode().write(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Block(prevouts.BlockID{Height: 1}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(d.blk(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.blk(0), 100); err != nil { // after the headers were read
		t.Fatal(err)
	}
	for _, id := range []prevouts.BlockID{{Height: 1}, byHash(hash1)} {
		if _, err := d.Block(id); err == nil ||
			!strings.Contains(err.Error(), "blk00000.dat: at byte ") {
			t.Errorf("a file that has become shorter: %v", err)
		}
	}
	if err := os.Remove(d.blk(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Block(prevouts.BlockID{Height: 1}); err == nil ||
		!strings.Contains(err.Error(), "blk00000.dat: no such file") {
		t.Errorf("a file that has gone: %v", err)
	}
	if err := os.WriteFile(d.blk(0), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	d.failed = true
	if _, err := d.Block(prevouts.BlockID{}); err == nil || !strings.HasSuffix(err.Error(),
		": its headers cannot be read") {
		t.Error(err)
	}
}

// TestSpentOf checks that nodejson.SpentOf reads getblock responses and reports mistakes in them.
func TestSpentOf(t *testing.T) {
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
		"two":          {answer + answer, "a second block: the outputs of one go to a file"},
		"cut":          {answer[:len(answer)/2], "f"},
		"nothing":      {"{}", "f"},
		"no prevout":   {strings.Replace(answer, `"prevout"`, `"before"`, 1), `no "prevout"`},
	} {
		s, err := nodejson.SpentOf(rows.Source{Name: "f", Reader: strings.NewReader(c.text)}, onRegtest,
			nil)
		switch {
		case c.error == "" && (err != nil || len(s.Outputs) != 21 || s.Height != 105):
			t.Errorf("%s: %v, %v", name, s, err)
		case c.error != "" && (err == nil || s != nil || !strings.Contains(err.Error(), c.error)):
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

// TestBlockOfManyScripts checks that Directory.Block returns all outputs that a transaction spends,
// or an error if their scripts exceed the limit.
func TestBlockOfManyScripts(t *testing.T) {
	for count, text := range map[int]string{8: "",
		10: "the scripts that it spends have more than 8388608 bytes, and no more go to a file"} {
		n := newTestNode(consensus.Regtest.Magic())
		n.add(genesis())
		block, _ := n.anyone(consensus.Regtest.Genesis(), 1700000001,
			slices.Repeat([]*wire.TxOut{wire.NewTxOut(1, bytes.Repeat([]byte{0x61}, 1<<20))}, count)...)
		n.add(block)
		d, err := OpenDirectory(n.write(t))
		if err != nil {
			t.Fatal(err)
		}
		full, err := d.Block(prevouts.BlockID{Height: 1})
		switch {
		case text == "" && (err != nil || len(full.Spent.Outputs) != count):
			t.Errorf("%d: %v", count, err)
		case text != "" && (err == nil || !strings.Contains(err.Error(), text)):
			t.Errorf("%d: %v, want %s", count, err, text)
		}
	}
}

// TestSpentAppend checks that Append enforces the size limits of a file of spent outputs.
func TestSpentAppend(t *testing.T) {
	var s prevouts.Spent
	for i := range wireform.MaxInputs {
		if err := s.Append(wireform.Output{Known: true, Amount: int64(i),
			Script: []byte{0x51}}); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := s.Append(wireform.Output{}); err == nil || len(s.Outputs) != wireform.MaxInputs ||
		!strings.Contains(err.Error(), "more than 24390 inputs") {
		t.Error(err)
	}
	s = prevouts.Spent{}
	for i := range 3 {
		err := s.Append(wireform.Output{Known: true, Amount: 1, Script: make([]byte,
			[]int{wireform.MaxSpentScripts - 1, 1, 1}[i])})
		if (err != nil) != (i == 2) || err != nil && !strings.Contains(err.Error(), "more than 8388608") {
			t.Error(i, err)
		}
	}
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
		n.add(a, b)
		d, err := OpenDirectory(n.write(t))
		if err != nil {
			t.Fatal(err)
		}
		full, err := d.Block(byHash(hash))
		if err != nil || len(full.Spent.Outputs) != 1 || full.Spent.Outputs[0].Amount != c.want {
			t.Errorf("%s: %+v, %v", name, full, err)
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
	if got.err != nil || len(got.bad) != 1 || got.bad[0].Decided != rows.Malformed ||
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
		if u.Decided != rows.Unchecked || len(u.Signatures) != 1 || len(u.Keys) != 1 {
			if others++; !fits(&u) {
				t.Errorf("%s: does not fit, of which nothing is known", good[i].name)
			}
			continue
		}
		if fits(&u) != (v == rows.Valid) {
			t.Errorf("%s: %v, and fits is %t", good[i].name, v, fits(&u))
		}
		if v != rows.Valid {
			continue
		}
		s := &u.Signatures[0]
		switch {
		case u.Scheme == rows.Schnorr:
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
		if u.Scheme != rows.Schnorr {
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
