package bitcoin

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/undo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// runFolder reads a folder, limited to the given range, and adds up the tallies (summaries of the
// verdicts) of the files. It also checks the positions that the readers state.
func runFolder(t testing.TB, dir string, span Range) (all tally) {
	t.Helper()
	d, err := OpenDirectory(dir)
	if err != nil {
		return tally{err: err}
	}
	d.SetRange(span)
	const earlier = 1000
	for _, f := range d.Inputs() {
		r := f.Open(earlier, nil)
		one := run(r)
		if one.units > 0 && (one.consumed <= earlier || one.consumed > earlier+f.Size) {
			t.Errorf("%s: %d bytes are consumed", f.Name, one.consumed)
		}
		all.add(one)
		noError(r.Close())
	}
	return all
}

// TestDirectoryOfMainnet checks that the first 14,132 blocks, in three files and in mixed order,
// are read at once and file by file.
func TestDirectoryOfMainnet(t *testing.T) {
	var blocks [][]byte
	for _, r := range records(firstBlocks(t)) {
		blocks = append(blocks, r[8:])
	}
	mixed := slices.Clone(blocks)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := 1; i < len(mixed); i += 1000 {
		part := mixed[i:min(i+1000, len(mixed))]
		rnd.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	n := newTestNode(consensus.Mainnet.Magic())
	n.key = [8]byte{1, 2, 3, 0xff, 0, 5, 6, 7}
	for i, b := range mixed {
		if i%5000 == 4999 {
			n.newFile()
		}
		n.take(b)
	}
	for _, b := range blocks {
		n.connect(b)
	}
	dir := n.write(t)
	for span, want := range map[Range]int{WholeRange(): 865, {170, 170}: 1} {
		got := runFolder(t, dir, span)
		if got.err != nil || got.verdicts != (counts{reading.Valid: want}) {
			t.Errorf("%+v: %v, want %d valid; %v", span, got.verdicts, want, got.err)
		}
	}
}

// TestRangeInLongFile checks that the undo records of the last blocks of a file are found although
// the blocks before them, which have the same numbers of inputs, are more than Find tries first and
// were not read.
func TestRangeInLongFile(t *testing.T) {
	const blocks, from = 1300, 1250
	f := &forkTree{spends: slices.Repeat(spendsOf("P2WPKH, compressed"), blocks)}
	f.from = funding(f.spends, 1)
	n := newTestNode(consensus.Regtest.Magic())
	one, prev := blockOf(consensus.Regtest.Genesis(), 1700000000, f.from)
	n.add(genesis(), one)
	for i := range blocks {
		var raw []byte
		raw, prev = f.block(prev, int32(i+2), i)
		n.add(raw)
	}
	dir := n.write(t)
	got := runFolder(t, dir, Range{from, -1})
	if want := (counts{reading.Valid: blocks + 2 - from}); got.verdicts != want || got.err != nil {
		t.Errorf("verdicts %v, want %v; %v; %+v", got.verdicts, want, got.err, got.bad)
	}
	chain := must(must(OpenDirectory(dir)).BestChain())
	defer chain.Close()
	for h := int32(from); h < blocks+2; h++ {
		if _, err := chain.Full(h, func(int, *wire.MsgTx, chainhash.Hash, []wireform.Output) error {
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// smallNode returns a node with small files, which holds the chain of TestStaleBlocks.
func smallNode() *testNode {
	f, one, hash1 := newForkTree()
	n := newTestNode(consensus.Regtest.Magic())
	n.key = [8]byte{0x51, 0x12, 0xff, 0, 9, 8, 0xaa, 0x31}
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	n.tip = hash3
	n.add(genesis(), one)
	n.newFile()
	n.add(two, three)
	return n
}

func isFine(got *tally) bool {
	return got.err == nil && len(got.bad) == 0 && got.verdicts == counts{reading.Valid: 2}
}

// mayChange reports whether byte i of the file blk00001.dat is in the version, time or nonce of the
// last block's header. These fields do not depend on the transactions. A change of one of them
// invalidates the proof of work, but on regtest it may stay valid by chance.
func mayChange(n *testNode, i int) bool {
	i -= len(records(n.blk[1])[0]) + 8
	return i >= 0 && i < 4 || i >= 68 && i < 72 || i >= 76 && i < 80
}

// TestDamagedFolder changes each byte of each file (each eleventh by default), and checks
// that each change is reported, and each cut.
func TestDamagedFolder(t *testing.T) {
	n := smallNode()
	dir := n.write(t)
	if got := runFolder(t, dir, WholeRange()); !isFine(&got) {
		t.Fatalf("%v, %v, %+v", got.verdicts, got.err, got.bad)
	}
	for file, content := range map[string][]byte{"blk00000.dat": n.blk[0], "blk00001.dat": n.blk[1],
		"rev00000.dat": n.rev[0], "rev00001.dat": n.rev[1], "xor.dat": n.key[:]} {
		name := filepath.Join(dir, file)
		whole := must(os.ReadFile(name))
		try := func(what string, i int, b []byte) {
			noError(os.WriteFile(name, b, 0o600))
			if got := runFolder(t, dir, WholeRange()); isFine(&got) {
				t.Errorf("%s: %s %d: nothing is said", file, what, i)
			} else if got.err != nil && !strings.Contains(got.err.Error(), dir) {
				t.Errorf("%s: %s %d: %v", file, what, i, got.err)
			}
		}
		for i := 0; i < len(content); i += oneIn(11) {
			b := bytes.Clone(whole)
			b[i] ^= 1 << (i % 8)
			if file != "blk00001.dat" || !mayChange(n, i) {
				try("byte", i, b)
			}
			if file == "rev00000.dat" || file == "rev00001.dat" && i == n.undoAt[n.tip] {
				continue // without the record, the block just spends nothing
			}
			try("cut at", i, whole[:i])
		}
		noError(os.WriteFile(name, whole, 0o600))
	}
}

// TestFlagOfLastTransaction checks that a wrong segwit flag of a block's last transaction hides
// neither the rows of the transactions before it nor the block's undo record.
func TestFlagOfLastTransaction(t *testing.T) {
	f := &forkTree{spends: spendsOf("P2PK, uncompressed", "P2WPKH, compressed")}
	f.from = funding(f.spends, 1)
	one, hash1 := blockOf(consensus.Regtest.Genesis(), 1700000000, f.from)
	two, hash2 := blockOf(hash1, 1700000001, funding(nil, 2), f.spend(0), f.spend(1))
	n := newTestNode(consensus.Regtest.Magic())
	n.add(genesis(), one, two)
	n.blk[0][bytes.LastIndex(n.blk[0], []byte{2, 0, 0, 0, 0, 1, 1})+5] = 3
	got := runFolder(t, n.write(t), WholeRange())
	if want := (counts{reading.Valid: 1, reading.Malformed: 1}); got.verdicts != want ||
		got.err != nil {
		t.Fatalf("verdicts %v, want %v; %v; %+v", got.verdicts, want, got.err, got.bad)
	}
	want := fmt.Sprintf("block %v: a transaction without inputs", hash2)
	if why := got.bad[0].Reason; why != want {
		t.Errorf("%q, want %q", why, want)
	}
}

// TestUndoMemory checks that openUndo keeps only the record that it chooses.
func TestUndoMemory(t *testing.T) {
	const size = 1 << 20
	n := smallNode()
	at := len(n.rev[1])
	n.rev[1] = append(n.rev[1], make([]byte, 2*size)...) // no record of block 2
	d := must(OpenDirectory(n.write(t)))
	noError(d.readIndex())
	r := &blocksReader{d: d, o: must(d.openBlocks(1))}
	defer r.Close()
	r.o.openUndos()
	rec := must(r.o.read(d.files[1].first, 2))
	candidates := slices.Repeat([]*undo.Record{{At: uint32(at), Size: size}}, 8)
	noError(r.openUndo(rec, candidates)) // grows the file's buffer
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	noError(r.openUndo(rec, candidates))
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got >= 2*size {
		t.Errorf("%d bytes for %d records of %d", got, len(candidates), size)
	}
}

// placesOf reads the files of a folder, also from each place that their readers name. It returns
// the number of places.
func placesOf(t *testing.T, dir string) (n int) {
	t.Helper()
	d := must(OpenDirectory(dir))
	for _, f := range d.Inputs() {
		open := func(src reading.Source) reading.Reader { return f.Open(0, src.From) }
		whole, places := placetest.Read(nil, nil, open)
		for _, p := range places {
			if rest, _ := placetest.Read(nil, p.Place, open); !slices.Equal(rest, whole[p.Before:]) {
				t.Fatalf("from %s:\n%v\nnot\n%v", p.Place.Detail, rest, whole[p.Before:])
			}
		}
		n += len(places)
		for _, at := range []int32{-1, d.files[f.i].count + 1} {
			bad := f.Open(0, reading.NewPlace(0, blocksPlace{at}))
			if _, err := bad.Next(); !says(err, "no place in it") {
				t.Errorf("place %d: %v", at, err)
			}
		}
	}
	return n
}

// TestFolderPlace checks that reading resumes after each block, in intact and in damaged files.
func TestFolderPlace(t *testing.T) {
	damaged := smallNode()
	damaged.rev[1][len(damaged.rev[1])-1] ^= 1
	for _, dir := range []string{coreFiles, smallNode().write(t), damaged.write(t)} {
		if places := placesOf(t, dir); places < 2 {
			t.Errorf("%s: %d places", dir, places)
		}
	}
}

// TestFolderKey checks that an xor.dat that does not have 8 bytes, has another key, is missing or
// cannot be read, is an error.
func TestFolderKey(t *testing.T) {
	dir := smallNode().write(t)
	name := filepath.Join(dir, "xor.dat")
	key := string(must(os.ReadFile(name)))
	open := func(what, text string) {
		t.Helper()
		if _, err := OpenDirectory(dir); !says(err, text) {
			t.Errorf("%s: %v, want %s", what, err, text)
		}
	}
	for content, text := range map[string]string{"": "xor.dat: 0 bytes, and not the 8 of a key",
		key[:7]: "xor.dat: 7 bytes, and not the 8 of a key", key + "x": "9 bytes, and not the 8 of a key",
		"x" + key[1:]: "which no network has"} {
		noError(os.WriteFile(name, []byte(content), 0o600))
		open(fmt.Sprintf("the key %x", content), text)
	}
	remove(dir, "xor.dat")
	open("no key", "which no network has: if a node wrote it since version 28, the file xor.dat")
	noError(os.Mkdir(name, 0o700))
	open("a key that cannot be read", "xor.dat: is a directory")
}

// TestFindBlocks checks that FindBlocks finds the folder with blk*.dat files if there is one. It
// also checks the methods that describe a Directory: its files, its network and its range.
func TestFindBlocks(t *testing.T) {
	base := t.TempDir()
	inner := filepath.Join(base, "blocks")
	find := func(path, want string) {
		t.Helper()
		if dir, ok := FindBlocks(path); dir != want || ok != (want != "") {
			t.Errorf("%s: %q", path, dir)
		}
	}
	find(base, "")
	find(inner, "")
	noError(os.Rename(smallNode().write(t), inner))
	find(base, inner)
	find(inner, inner)
	for path, text := range map[string]string{base: "no blk*.dat files",
		base + "/none": "no such file or directory"} {
		if _, err := OpenDirectory(path); err == nil || err.Error() != path+": "+text {
			t.Error(err)
		}
	}
	// Core does not write these names.
	for _, name := range []string{"blk000001.dat", "blk00000.dat.bak", "blk1.dat", "xblk00002.dat",
		"blk000000.dat"} {
		noError(os.WriteFile(filepath.Join(inner, name), []byte("no record"), 0o600))
	}
	d := must(OpenDirectory(inner))
	if all := d.Inputs(); len(all) != 2 || all[1].Name != filepath.Join(inner, "blk00001.dat") ||
		d.Network() != consensus.Regtest {
		t.Errorf("%v, %v", all, d.Network())
	}
	for _, name := range []string{"rev00001.dat", "rev00000.dat"} {
		if !d.HasUndo() {
			t.Error("one rev*.dat file is there, and not seen")
		}
		remove(inner, name)
	}
	if d.HasUndo() {
		t.Error("a rev*.dat file is seen, and there is none")
	}
	noError(os.WriteFile(filepath.Join(base, "blk00000.dat"), nil, 0o600)) // both have such files
	find(base, base)
}

// TestMissingHeights checks that --from and --to report missing files and blocks, and that the
// blocks that exist are still checked. In the folders, block 2 has two signatures.
func TestMissingHeights(t *testing.T) {
	whole := smallNode().write(t) // blocks 0 and 1, and 2 and 3
	pruned := smallNode().write(t)
	remove(pruned, "blk00000.dat", "rev00000.dat")
	// One block in each file, without the first file and one in the middle.
	n := smallNode()
	blocks := append(records(n.blk[0]), records(n.blk[1])...)
	n = newTestNode(n.magic)
	for _, b := range blocks {
		n.add(b[8:])
		n.newFile()
	}
	holes := n.write(t)
	remove(holes, "blk00000.dat", "rev00000.dat", "blk00002.dat", "rev00002.dat")
	const big = 1<<31 - 1
	for _, c := range []struct {
		dir   string
		span  Range
		valid int
		want  string // expected error; "" means success
	}{
		{whole, Range{0, 3}, 2, ""},
		{whole, Range{3, -1}, 0, ""},
		{whole, Range{-1, 2}, 2, ""},
		{whole, Range{2, 4}, 2,
			"there is no block 4, which --from and --to ask for; the last one is 3"},
		{whole, Range{2, big}, 2, "there is no block 4"},
		{whole, Range{-1, big}, 2, "there is no block 2147483647"},
		{whole, Range{4, -1}, 0, "there is no block 4"},
		{whole, Range{big, big}, 0, "there is no block 2147483647"},
		{pruned, WholeRange(), 2, ""}, // the heights come from the coinbases
		{pruned, Range{2, 2}, 2, ""},
		{pruned, Range{3, 3}, 0, ""},
		{holes, Range{1, 3}, 0, "there is no block 2,"},
		{holes, WholeRange(), 0, ""},
	} {
		got := runFolder(t, c.dir, c.span)
		if got.verdicts != (counts{reading.Valid: c.valid}) || (got.err == nil) != (c.want == "") ||
			got.err != nil && !strings.Contains(got.err.Error(), c.want) {
			t.Errorf("%+v: %v, %v; want %d valid, %q", c.span, got.verdicts, got.err, c.valid, c.want)
		}
	}
}

func TestParseHeight(t *testing.T) {
	for s, want := range map[string]int32{"0": 0, "800000": 800000, "2147483647": 1<<31 - 1, "": -1,
		"-1": -1, "-0": -1, "+1": -1, "2147483648": -1, "1e3": -1, "0x10": -1, "blk00001.dat": -1} {
		if h, err := ParseHeight(s); h != want || (err == nil) != (want >= 0) {
			t.Errorf("%q: %d, %v", s, h, err)
		}
	}
}
