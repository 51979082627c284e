package bitcoin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// runFolder reads a folder, limited to the given range, and adds up the tallies (summaries of the
// verdicts) of the files.
func runFolder(t testing.TB, dir string, span Range) (all tally) {
	t.Helper()
	all.kinds = map[string]int{}
	d, err := OpenDirectory(dir)
	if err == nil {
		err = d.SetRange(span)
	}
	if err != nil {
		all.err = err
		return all
	}
	for _, f := range d.Inputs() {
		r := f.Open(0, nil)
		one := run(r)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		all.units += one.units
		for v, n := range one.verdicts {
			all.verdicts[v] += n
		}
		for kind, n := range one.kinds {
			all.kinds[kind] += n
		}
		all.bad = append(all.bad, one.bad...)
		all.err = errors.Join(all.err, one.err)
	}
	return all
}

// TestDirectoryOfMainnet checks that the first 14,132 blocks are read from folders with each layout
// that nodes produce.
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
	for name, c := range map[string]struct {
		blocks [][]byte
		key    [8]byte
	}{
		"in order":          {blocks, [8]byte{}},
		"mixed, obfuscated": {mixed, [8]byte{1, 2, 3, 0xff, 0, 5, 6, 7}},
	} {
		if !deep() && name == "in order" {
			continue
		}
		n := newTestNode(consensus.Mainnet.Magic())
		n.key = c.key
		for i, b := range c.blocks {
			if i%5000 == 4999 {
				n.newFile()
			}
			n.take(b)
		}
		for _, b := range blocks {
			n.connect(b)
		}
		dir := n.write(t)
		got := runFolder(t, dir, WholeRange())
		if got.err != nil || got.verdicts != (counts{reading.Valid: 865}) {
			t.Errorf("%s: verdicts %v, want 865 valid; %v; %+v", name, got.verdicts, got.err, got.bad)
		}
		// These ranges hold the block with the last of the 865 signatures in the files, or later
		// blocks.
		for _, span := range []Range{{FromHeight: 170, ToHeight: 170, FromFile: -1, ToFile: -1},
			{FromHeight: 170, ToHeight: 170, FromFile: 0, ToFile: 2}} {
			got = runFolder(t, dir, span)
			if got.err != nil || got.verdicts != (counts{reading.Valid: 1}) {
				t.Errorf("%s: block 170: verdicts %v, want 1 valid; %v", name, got.verdicts, got.err)
			}
		}
		sum := 0
		for file := range n.blk {
			got = runFolder(t, dir, Range{-1, -1, file, file})
			sum += got.verdicts[reading.Valid]
			if got.err != nil || len(got.bad) > 0 {
				t.Errorf("%s: file %d: %v, %+v", name, file, got.err, got.bad)
			}
		}
		if sum != 865 || len(n.blk) < 3 {
			t.Errorf("%s: %d valid in the %d files one by one", name, sum, len(n.blk))
		}
	}
}

// kindsChain returns a regtest chain with every kind of input that has a valid spend: the genesis
// block, a block that creates the outputs, and a block that spends them. valid and engine are the
// numbers of inputs that must get the verdicts Valid and EngineChecked.
func kindsChain() (blocks [][]byte, valid, engine int) {
	var good []spend
	for _, sp := range spends() {
		switch {
		case strings.Contains(sp.name, "nobody can spend"):
			// Skip this spend: a node does not keep an output that cannot be spent.
		default:
			good = append(good, sp)
		}
	}
	tx, spent := build(good, len(good))
	for i := range tx.TxIn {
		u := unitOf(tx, spent, i, stages[len(stages)-1])
		switch v, _ := judge(&u); v {
		case reading.Valid:
			valid += len(u.Signatures)
		case reading.EngineChecked:
			engine++
		}
	}
	first, hash := blockOf(consensus.Regtest.Genesis(), 1700000000, funding(good, 1))
	second, _ := blockOf(hash, 1700000001, funding(nil, 2), tx)
	return [][]byte{genesis(), first, second}, valid, engine
}

func TestDirectoryOfEveryKind(t *testing.T) {
	blocks, valid, engine := kindsChain()
	n := newTestNode(consensus.Regtest.Magic())
	n.add(blocks...)
	got := runFolder(t, n.write(t), WholeRange())
	if got.err != nil || got.verdicts[reading.Valid] != valid ||
		got.verdicts[reading.EngineChecked] != engine ||
		valid < 100 || engine < 3 {
		t.Errorf("verdicts %v, want %d valid, %d by the engine; %v", got.verdicts, valid, engine, got.err)
	}
	for _, u := range got.bad {
		if u.Where.Block != 2 || u.Where.File == "" || u.Where.Input < 0 {
			t.Errorf("%v: %v: %s", u.Where, u.Decided, u.Reason)
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
	last := n.blk[1]
	at := 0
	for rest := records(last); len(rest) > 1; rest = rest[1:] {
		at += len(rest[0])
	}
	i -= at + 8
	return i >= 0 && i < 4 || i >= 68 && i < 72 || i >= 76 && i < 80
}

// TestDamagedFolder changes each byte of each file (each eleventh by default), and checks
// that each change is reported.
func TestDamagedFolder(t *testing.T) {
	n := smallNode()
	dir := n.write(t)
	if got := runFolder(t, dir, WholeRange()); !isFine(&got) {
		t.Fatalf("%v, %v, %+v", got.verdicts, got.err, got.bad)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.dat"))
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, b []byte) {
			t.Helper()
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := runFolder(t, dir, WholeRange()); isFine(&got) {
				t.Errorf("%s: %s: nothing is said", filepath.Base(name), what)
			} else if got.err != nil && !strings.Contains(got.err.Error(), dir) {
				t.Errorf("%s: %s: %v", filepath.Base(name), what, got.err)
			}
		}
		padding := 0
		if !strings.HasSuffix(name, "xor.dat") {
			padding = len(whole) - len(bytes.TrimRight(whole, "\x00"))
		}
		for i := 0; i < len(whole)-padding; i += oneIn(11) {
			b := bytes.Clone(whole)
			b[i] ^= 1 << (i % 8)
			if name == filepath.Join(dir, "blk00001.dat") && mayChange(n, i) {
				continue
			}
			try(fmt.Sprintf("byte %d of %d", i, len(whole)), b)
		}
		for i := 0; i < len(whole)-padding; i += oneIn(11) {
			if strings.Contains(name, "rev00000") || strings.Contains(name, "rev00001") &&
				i == n.undoAt[n.tip] {
				continue // without the record, the block just spends nothing
			}
			try(fmt.Sprintf("the first %d bytes of %d", i, len(whole)), whole[:i])
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"rev00001.dat", "blk00001.dat", "xor.dat"} {
		path := filepath.Join(dir, name)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		got := runFolder(t, dir, WholeRange())
		if name == "blk00001.dat" {
			if got.err != nil || got.units != 0 { // the chain just ends earlier
				t.Errorf("without %s: %v, %v", name, got.verdicts, got.err)
			}
		} else if got.err == nil || !strings.Contains(got.err.Error(), name) {
			t.Errorf("without %s: %v, %v", name, got.verdicts, got.err)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFolderErrors checks that each mistake in the files of a folder gives the right error.
func TestFolderErrors(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(n *testNode)
		text   string
	}{
		"no magic": {func(n *testNode) { n.blk[1][0] ^= 1 },
			"blk00001.dat: at byte 0: a record of regtest begins with fabfb5da, not with fbbfb5da"},
		"a long block": {func(n *testNode) { putSize(n.blk[1], 0, 1<<31) },
			"blk00001.dat: at byte 4: a record of 2147483648 bytes"},
		"a block that ends too late": {func(n *testNode) { putSize(n.blk[1], 0, 3_000_000) },
			"blk00001.dat: at byte 0: the file ends in the middle of a record: "},
		"a short block": {func(n *testNode) { putSize(n.blk[1], 0, 80) },
			"blk00001.dat: at byte 4: a record of 80 bytes"},
		"an undo record that ends too late": {func(n *testNode) { putSize(n.rev[1], 0, 1<<32-1) },
			"rev00001.dat: at byte 0: the file ends in the middle of a record: "},
		"an undo record without bytes": {func(n *testNode) { putSize(n.rev[1], 0, 0) },
			"rev00001.dat: at byte 4: a record of 0 bytes"},
		"a checksum": {func(n *testNode) { n.rev[1][len(n.rev[1])-1] ^= 1 },
			"the checksum of the record is wrong, or its block is not in the blk*.dat file of that number"},
		"a count": {func(n *testNode) { n.rev[1][9] = 0xf0 },
			"rev00001.dat: at byte 0: not what a block spends: byte 1: the number of spent outputs is 240"},
		"an amount": {func(n *testNode) {
			undo := []byte{1, 1, 2, 0, 0x8f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 6}
			n.rev[1] = append(recordOf(n.magic, undo), make([]byte, 32)...)
		}, "satoshi, more than there are"},
	} {
		n := smallNode()
		c.damage(n)
		if got := runFolder(t, n.write(t), WholeRange()); got.err == nil ||
			!strings.Contains(got.err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", name, got.err, c.text)
		}
	}
}

// TestPrunedFolder checks that a folder without the genesis block is read without errors. The
// heights of its blocks come from the coinbases.
func TestPrunedFolder(t *testing.T) {
	dir := smallNode().write(t)
	for _, name := range []string{"blk00000.dat", "rev00000.dat"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := runFolder(t, dir, WholeRange()); !isFine(&got) {
		t.Errorf("%v, %v, %+v", got.verdicts, got.err, got.bad)
	}
	for h, want := range map[int32]counts{2: {reading.Valid: 2}, 3: {}} {
		if got := runFolder(t, dir, Range{h, h, -1, -1}); got.err != nil || got.verdicts != want {
			t.Errorf("height %d: %v, %v", h, got.verdicts, got.err)
		}
	}
}

// TestFolderPlace checks that reading resumes after each block, in intact and in damaged files.
func TestFolderPlace(t *testing.T) {
	blocks, _, _ := kindsChain()
	good := newTestNode(consensus.Regtest.Magic())
	good.add(blocks...)
	damaged := smallNode()
	damaged.rev[1][len(damaged.rev[1])-1] ^= 1
	for name, n := range map[string]*testNode{"kinds": good, "small": smallNode(),
		"damaged": damaged} {
		d, err := OpenDirectory(n.write(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Inputs() {
			open := func(src reading.Source) reading.Reader { return f.Open(0, src.From) }
			whole, places := placetest.Read(nil, nil, open)
			if len(places) == 0 {
				t.Errorf("%s: no places in %s", name, f.Name)
			}
			for _, p := range places {
				rest, _ := placetest.Read(nil, p.Place, open)
				if !slices.Equal(rest, whole[p.Before:]) {
					t.Errorf("%s: from %s:\n%v\nnot\n%v", name, p.Place.Detail, rest, whole[p.Before:])
				}
			}
			for _, at := range []int32{-1, d.files[f.i].count + 1} {
				bad := f.Open(0, reading.NewPlace(0, blocksPlace{at}))
				if _, err := bad.Next(); err == nil || !strings.Contains(err.Error(), "no place in it") {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestFolderNames checks that a Directory reads only files with names that Core writes. It also
// checks that a folder is preferred to its subfolder blocks if both contain such files.
func TestFolderNames(t *testing.T) {
	dir := smallNode().write(t)
	junk := []byte("no record")
	for _, name := range []string{"blk000001.dat", "blk00000.dat.bak", "blk1.dat", "xblk00002.dat",
		"blk000000.dat"} {
		if err := os.WriteFile(filepath.Join(dir, name), junk, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := runFolder(t, dir, WholeRange()); !isFine(&got) {
		t.Errorf("%v, %v, %+v", got.verdicts, got.err, got.bad)
	}
	inner := filepath.Join(dir, "blocks")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "blk00000.dat"), junk, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, ok := FindBlocks(dir); !ok || found != dir {
		t.Errorf("found %s", found)
	}
	if found, ok := FindBlocks(filepath.Dir(inner)); !ok || found != dir {
		t.Errorf("found %s", found)
	}
}

// TestFolderKey checks that an xor.dat that does not have 8 bytes is an error.
func TestFolderKey(t *testing.T) {
	dir := smallNode().write(t)
	name := filepath.Join(dir, "xor.dat")
	key, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for size, words := range map[int]string{0: "0 bytes, and not the 8 of a key",
		7: "7 bytes, and not the 8 of a key", 9: "more than the 8 bytes of a key",
		16: "more than the 8 bytes of a key", 8: ""} {
		if err := os.WriteFile(name, append(bytes.Clone(key), key...)[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenDirectory(dir)
		if size == 8 && err != nil || size != 8 && (err == nil || err.Error() != name+": "+words) {
			t.Errorf("a key of %d bytes: %v", size, err)
		}
	}
	hint := ": if a node wrote it since version 28, the file xor.dat belongs to it"
	key[0] ^= 1
	if err := os.WriteFile(name, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDirectory(dir); err == nil || strings.Contains(err.Error(), hint) ||
		!strings.Contains(err.Error(), "which no network has") {
		t.Errorf("another key: %v", err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDirectory(dir); err == nil || !strings.HasSuffix(err.Error(), hint) {
		t.Errorf("no key: %v", err)
	}
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDirectory(dir); err == nil ||
		err.Error() != name+": is a directory" {
		t.Errorf("a key that cannot be read: %v", err)
	}
}

// TestFindBlocks checks that FindBlocks finds the folder with blk*.dat files if there is one. It
// also checks the methods that describe a Directory: its files, its network and its range.
func TestFindBlocks(t *testing.T) {
	base := t.TempDir()
	if dir, ok := FindBlocks(base); ok || dir != "" {
		t.Errorf("an empty folder: %q", dir)
	}
	if dir, ok := FindBlocks(filepath.Join(base, "none")); ok || dir != "" {
		t.Errorf("no folder: %q", dir)
	}
	inner := filepath.Join(base, "blocks")
	if err := os.Rename(smallNode().write(t), inner); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{base, inner} {
		if dir, ok := FindBlocks(path); !ok || dir != inner {
			t.Errorf("%s: %q", path, dir)
		}
	}
	d, err := OpenDirectory(inner)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(inner, "blk00000.dat"), filepath.Join(inner, "blk00001.dat")}
	if !slices.Equal(d.Files(), want) || !d.HasUndo() || d.Network() != consensus.Regtest {
		t.Errorf("%q, %t, %v", d.Files(), d.HasUndo(), d.Network())
	}
	for _, name := range []string{"rev00001.dat", "rev00000.dat"} {
		if !d.HasUndo() {
			t.Error("one rev*.dat file is there, and not seen")
		}
		if err := os.Remove(filepath.Join(inner, name)); err != nil {
			t.Fatal(err)
		}
	}
	if d.HasUndo() {
		t.Error("a rev*.dat file is seen, and there is none")
	}
	for file, ok := range map[int]bool{-1: true, 0: true, 1: true, 2: false} {
		for _, r := range []Range{{-1, -1, file, -1}, {-1, -1, -1, file}} {
			if err := d.SetRange(r); (err == nil) != ok {
				t.Errorf("%+v: %v", r, err)
			}
		}
	}
	if _, err := OpenDirectory(base); err == nil ||
		err.Error() != base+": no blk*.dat files" {
		t.Error(err)
	}
	if _, err := OpenDirectory(filepath.Join(base, "none")); err == nil ||
		!strings.HasSuffix(err.Error(), "none: no such file or directory") {
		t.Error(err)
	}
}

// TestHeightRange checks that an unknown height is outside every range of heights.
func TestHeightRange(t *testing.T) {
	for _, test := range []struct {
		from, to, height int32
		in               bool
	}{
		{-1, -1, -1, true}, {-1, -1, 7, true}, {-1, 5, -1, false}, {0, -1, -1, false}, {5, 7, -1, false},
		{5, 7, 4, false}, {5, 7, 5, true}, {5, 7, 7, true}, {5, 7, 8, false}, {-1, 5, 0, true},
		{0, 0, 0, true},
	} {
		r := Range{test.from, test.to, -1, -1}
		if r.height(test.height) != test.in {
			t.Errorf("height %d is in %d to %d: %v", test.height, test.from, test.to, !test.in)
		}
	}
}

// TestFolderOfOrphans checks that a folder with unreadable headers gives one error, not one error
// for each file.
func TestFolderOfOrphans(t *testing.T) {
	n := newTestNode(consensus.Regtest.Magic())
	n.take(genesis())
	content := make([]byte, wireform.HeaderSize+1)
	for i := range uint32(maxWaiting + 1) {
		binary.LittleEndian.PutUint32(content[4:], i+1) // no block has this parent hash
		n.blk[0] = append(n.blk[0], recordOf(n.magic, content)...)
	}
	n.newFile()
	n.take(genesis())
	got := runFolder(t, n.write(t), WholeRange())
	if got.err == nil || strings.Count(got.err.Error(), "have no parent before them") != 1 ||
		got.units != 0 {
		t.Errorf("%v, %v", got.verdicts, got.err)
	}
}

// TestFolderOfLateParents checks that a folder does not exceed the limit maxWaiting if more blocks
// than that come before their parents, but only one of them waits at a time.
func TestFolderOfLateParents(t *testing.T) {
	n := newTestNode(consensus.Regtest.Magic())
	n.take(genesis())
	for i := range uint32(maxWaiting + 1) {
		parent, child := make([]byte, wireform.HeaderSize+1), make([]byte, wireform.HeaderSize+1)
		prev := consensus.Regtest.Genesis()
		copy(parent[4:], prev[:])
		binary.LittleEndian.PutUint32(parent[76:], i)
		hash := hashOfBlock(parent)
		copy(child[4:], hash[:])
		n.blk[0] = append(append(n.blk[0], recordOf(n.magic, child)...), recordOf(n.magic, parent)...)
	}
	d, err := OpenDirectory(n.write(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.readIndex(); err != nil || d.index.height(1) != 2 || len(d.index.orphans) > 0 {
		t.Error(err)
	}
}

func TestParseBorder(t *testing.T) {
	for s, want := range map[string][2]int{"0": {0, -1}, "800000": {800000, -1},
		"blk01234.dat": {-1, 1234}, "blk123456.dat": {-1, 123456}} {
		if h, f, err := ParseBorder(s); err != nil || int(h) != want[0] || f != want[1] {
			t.Errorf("%s: %d, %d, %v", s, h, f, err)
		}
	}
	for _, s := range []string{"", "-1", "-0", "+1", "2147483648", "1e3", "blk1.dat", "rev00001.dat",
		"9999999999", "0x10", "blk00001.dat.gz"} {
		if _, _, err := ParseBorder(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}
