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
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
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
		for i := range n.key {
			// No byte of a magic becomes 0 by the exclusive or with the key.
			for data[1]&1 != 0 && (n.key[i] == 0 || bytes.IndexByte(n.magic[:], n.key[i]) >= 0) {
				n.key[i] = byte(rnd.Uint32())
			}
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
		want := counts{reading.Valid: 4, reading.PassedOver: total - mainBlocks}
		dir := n.write(t)
		got := runFolder(t, dir, WholeRange())
		if got.err != nil || got.verdicts != want {
			t.Fatalf("order %v: %v, %v, want %v", order, got.verdicts, got.err, want)
		}
		placesOf(t, dir)
		chain := bestChain(t, dir)
		for h, b := range tree[:mainBlocks] {
			if raw, spent := blockAt(t, chain, int32(h)); !bytes.Equal(raw, b.data) ||
				len(spent) != b.inputs {
				t.Errorf("order %v: block %d is another block, or spends %v", order, h, spent)
			}
		}
		// If a file is cut off within a record, fewer inputs may be valid, but then there must be
		// an error or a row that could not be checked.
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
		} else {
			noError(os.Truncate(filepath.Join(dir, fmt.Sprintf("%s%05d.dat", kind, k)), int64(cut)))
		}
		got = runFolder(t, dir, WholeRange())
		reported := got.err != nil ||
			got.verdicts[reading.NotCheckable]+got.verdicts[reading.Malformed] > 0
		if got.verdicts[reading.Valid] > want[reading.Valid] ||
			!reported && (got.verdicts[reading.Valid] < want[reading.Valid] ||
				got.verdicts[reading.Invalid] > 0) {
			t.Fatalf("order %v, file %d cut at %d: %v, %v", order, k, cut, got.verdicts, got.err)
		}
	})
}
