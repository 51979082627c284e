package bitcoin

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows/placetest"
)

// A treeBlock is a block of the tree from which a fuzzer chooses.
type treeBlock struct {
	data   []byte
	parent int // index in the tree; -1 for the genesis block
	inputs int // without the coinbase's, all with a valid signature
}

// blockTree returns a chain of six blocks, and a fork of two after block 1. The fork has less work.
func blockTree() (tree []treeBlock) {
	f, one, hash := newForkTree()
	tree = []treeBlock{{genesis(), -1, 0}, {one, 0, 0}}
	hashes := []chainhash.Hash{consensus.Regtest.Genesis(), hash}
	for _, b := range []struct {
		parent int
		height int32
		coins  []int
	}{{1, 2, []int{0, 1}}, {2, 3, nil}, {3, 4, []int{0}}, {4, 5, []int{1}}, {1, 2, []int{1, 0}},
		{6, 3, []int{0}}} {
		data, hash := f.block(hashes[b.parent], b.height, b.coins...)
		tree = append(tree, treeBlock{data, b.parent, len(b.coins)})
		hashes = append(hashes, hash)
	}
	return tree
}

// mainBlocks is the number of blocks of the tree's chain, which come before those of the fork.
const mainBlocks = 6

// pieces returns a few bytes at a time.
type pieces struct {
	r   *bytes.Reader
	rnd *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 1+p.rnd.IntN(700))]) }

// modelKey returns a random xor key. No byte of a magic becomes 0 by the exclusive or with it.
func modelKey(rnd *rand.Rand) (key [8]byte) {
	magic := consensus.Regtest.Magic()
	for i := range key {
		for key[i] == 0 || bytes.IndexByte(magic[:], key[i]) >= 0 {
			key[i] = byte(rnd.Uint32())
		}
	}
	return key
}

// A chainModel holds files of blocks, with what a Chain must find in them.
type chainModel struct {
	tree   []treeBlock
	key    [8]byte
	files  [][]byte
	copies []int   // by block of the tree, how often the files have it
	gaps   []int64 // by file, the offset of its first gap, or -1
}

func (m *chainModel) file() {
	m.files, m.gaps = append(m.files, nil), append(m.gaps, -1)
}

// append appends b to the last file, obfuscated.
func (m *chainModel) append(b []byte) {
	last := &m.files[len(m.files)-1]
	for _, c := range b {
		*last = append(*last, c^m.key[len(*last)%8])
	}
}

func (m *chainModel) gap() {
	if last := len(m.files) - 1; m.gaps[last] < 0 {
		m.gaps[last] = int64(len(m.files[last]))
	}
}

// connects reports whether the files have block i and all blocks before it.
func (m *chainModel) connects(i int) bool {
	for ; i >= 0; i = m.tree[i].parent {
		if m.copies[i] == 0 {
			return false
		}
	}
	return true
}

// want returns the verdicts that the files must give.
func (m *chainModel) want() (want counts) {
	for i, b := range m.tree {
		switch {
		case m.copies[i] == 0:
		case m.connects(i):
			want[rows.Valid] += b.inputs
			want[rows.PassedOver] += m.copies[i] - 1
		default:
			want[rows.NotCheckable] += b.inputs * m.copies[i]
		}
	}
	return want
}

// FuzzChainOrder writes blocks to files in random order, some several times and some never, with
// garbage in between and parts of blocks, and reads the files in pieces. A Chain must verify the
// inputs of all blocks that connect to the first one, and report the others and each gap.
func FuzzChainOrder(f *testing.F) {
	tree := blockTree()
	r := rand.New(rand.NewPCG(81, 81))
	for i := range 30 {
		data := make([]byte, 10+i)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
	// Blocks leave the shelf's file while others stay there.
	f.Add([]byte{0, 4, 3, 7, 1, 6, 5, 2, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		rnd := rand.New(rand.NewPCG(uint64(data[0]), 1))
		m := &chainModel{tree: tree, copies: make([]int, len(tree))}
		if data[1]&1 != 0 {
			m.key = modelKey(rnd)
		}
		magic := consensus.Regtest.Magic()
		m.file()
		m.append(recordOf(magic, tree[0].data))
		m.copies[0]++
		for _, b := range data[2:min(len(data), 60)] {
			record := recordOf(magic, tree[int(b)%len(tree)].data)
			switch b / 8 % 8 {
			default:
				m.append(record)
				m.copies[int(b)%len(tree)]++
			case 5:
				if len(m.files[len(m.files)-1]) > 0 {
					m.file()
				}
			case 6: // bytes that are no record
				m.gap()
				m.append(bytes.Repeat([]byte{1 + b}, 1+int(b)))
			case 7: // a part of a block, which has no magic
				m.gap()
				m.append(record[8 : 9+int(b)*37%(len(record)-8)])
			}
		}
		if data[1]&64 != 0 { // the last file ends within a record
			m.gap()
			m.append(recordOf(magic, tree[1].data)[:1+int(data[0])])
		}
		c := newTestChain([]int{shelfMemory, 700, 0}[int(data[1]/2)%3])
		defer c.Close()
		var got counts
		add := func(one tally) {
			for v, n := range one.verdicts {
				got[v] += n
			}
		}
		for i, b := range m.files {
			name := fmt.Sprintf("blk%05d.dat", i)
			src := source(name, nil)
			src.Reader = &pieces{bytes.NewReader(b), rnd}
			one := run(c.File(src))
			add(one)
			if m.gaps[i] < 0 {
				if one.err != nil {
					t.Fatalf("%s: %v, want no error", name, one.err)
				}
				continue
			}
			if one.err == nil {
				t.Fatalf("%s: no error, want one at byte %d", name, m.gaps[i])
			}
			if e := asError(t, one.err); e.File != name || e.Offset != m.gaps[i] {
				t.Fatalf("%s: %v, want an error at byte %d", name, one.err, m.gaps[i])
			}
		}
		rest := run(c.Rest())
		if add(rest); rest.err != nil {
			t.Fatal(rest.err)
		}
		if want := m.want(); got != want {
			t.Fatalf("%v, want %v\ncopies %v", got, want, m.copies)
		}
	})
}

// FuzzFolderOrder writes blocks to the files of a node in random order, has the node connect those
// of the chain, and reads the folder, also from each place that its readers name. It must find the
// inputs of the chain valid and pass over the blocks of the fork. Then it cuts a file.
func FuzzFolderOrder(f *testing.F) {
	tree := blockTree()
	r := rand.New(rand.NewPCG(91, 91))
	for range 16 {
		data := make([]byte, 16)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 12 {
			return
		}
		rnd := rand.New(rand.NewPCG(uint64(data[0]), 2))
		n := newTestNode(consensus.Regtest.Magic())
		if data[1]&1 != 0 {
			n.key = modelKey(rnd)
		}
		total := mainBlocks + int(data[2])%(len(tree)-mainBlocks+1)
		order := rnd.Perm(total)
		i := slices.Index(order, 0)
		order[0], order[i] = order[i], order[0]
		for k, b := range order {
			if k > 0 && data[3+k]%3 == 0 {
				n.newFile()
			}
			n.take(tree[b].data)
		}
		for _, b := range tree[:mainBlocks] {
			n.connect(b.data)
		}
		want := counts{rows.Valid: 4, rows.PassedOver: total - mainBlocks}
		dir := n.write(t)
		got := runFolder(t, dir, WholeRange())
		if got.err != nil || got.verdicts != want {
			t.Fatalf("order %v: %v, %v, want %v", order, got.verdicts, got.err, want)
		}
		d, err := OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Inputs() {
			open := func(src rows.Source) rows.Reader { return f.Open(0, src.From) }
			whole, places := placetest.Read(nil, nil, open)
			for _, p := range places {
				if rest, _ := placetest.Read(nil, p.Place, open); !slices.Equal(rest, whole[p.Before:]) {
					t.Fatalf("from %s:\n%v\nnot\n%v", p.Place.Detail, rest, whole[p.Before:])
				}
			}
		}
		// After a cut within a record, inputs may be missing, but not in silence.
		files := n.blk
		if data[11]&1 != 0 {
			files = n.rev
		}
		k := int(data[11]/2) % len(files)
		if len(files[k]) == 0 {
			return
		}
		cut := rnd.IntN(len(files[k]))
		at := 0
		for _, r := range records(n.blk[k]) {
			if data[11]&1 == 0 && at == cut {
				return // the folder just has fewer blocks
			}
			at += len(r)
		}
		kind := map[bool]string{false: "blk", true: "rev"}[data[11]&1 != 0]
		if data[11]&64 != 0 { // zeros follow the cut; a block that they complete is malformed
			files[k] = files[k][:cut]
			dir = n.write(t)
		} else if err := os.Truncate(filepath.Join(dir, fmt.Sprintf("%s%05d.dat", kind, k)),
			int64(cut)); err != nil {
			t.Fatal(err)
		}
		got = runFolder(t, dir, WholeRange())
		reported := got.err != nil || got.verdicts[rows.NotCheckable]+got.verdicts[rows.Malformed] > 0
		if got.verdicts[rows.Valid] > want[rows.Valid] ||
			!reported && (got.verdicts[rows.Valid] < want[rows.Valid] || got.verdicts[rows.Invalid] > 0) {
			t.Fatalf("order %v, file %d cut at %d: %v, %v", order, k, cut, got.verdicts, got.err)
		}
	})
}
