package bitcoin

import (
	"bytes"
	"hash/maphash"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestWork checks that work returns 2^256 / (target + 1) for difficulty bits.
func TestWork(t *testing.T) {
	for _, bits := range []uint32{0x207fffff, 0x1d00ffff, 0x1b0404cb, 0x1703a30c, 0x1e0377ae,
		0x04123456, 0x03000001, 0x1f00ffff, 0x2000ffff, 0x0300ffff} {
		digits, ok := consensus.Target(bits)
		if !ok {
			t.Fatalf("%x is no target", bits)
		}
		goal := new(big.Int).SetBytes(digits[:])
		quotient := new(big.Float).Quo(new(big.Float).SetInt(new(big.Int).Lsh(big.NewInt(1), 256)),
			new(big.Float).SetInt(goal))
		want, _ := quotient.Float64()
		if got := work(bits); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%08x: %g, want %g", bits, got, want)
		}
	}
}

// indexOf writes the folder of the node n, and reads the headers in it.
func indexOf(t *testing.T, n *testNode) *Directory {
	t.Helper()
	d := must(OpenDirectory(n.write(t)))
	noError(d.readIndex())
	for i := range d.files {
		noError(d.files[i].err)
	}
	return d
}

// TestCoinbaseHeight checks that a block without its parent gets its height from its coinbase, even
// if the block is cut off after the height.
func TestCoinbaseHeight(t *testing.T) {
	const good = "\x03\x40\x0d\x03"
	for _, c := range []struct {
		version int32
		script  string
		cut     int // number of bytes after the header, or 0 for all
		want    int32
	}{
		{2, good, 0, 200000}, {4, good, 0, 200000}, {0x20000000, good, 0, 200000},
		{1, good, 0, -1}, {-2, good, 0, -1},
		{2, "\x5a", 0, 10}, {2, "", 0, -1}, {2, strings.Repeat(good, 80), 0, 200000},
		{2, "\x02\x01\x00", 0, -1}, {2, "\x01\x05", 0, -1}, // not in the one encoding
		{2, "\x04d\x00\x00\x00", 0, -1}, {2, "\x03\xc8\x00\x00", 0, -1},
		{2, "\x02\xc8\x00", 0, 200}, {2, "\x04\xff\xff\xff\x7f", 0, math.MaxInt32},
		{2, good, 1, -1}, {2, good, 5, -1}, {4, good, 6, -1}, {2, good, 30, -1},
		{2, good, 1 + 4 + 1 + 36, -1}, {2, good, 1 + 4 + 1 + 36 + 1 + 2, -1},
		{2, good, 1 + 4 + 1 + 36 + 1 + 4, 200000},
		{4, good, 1 + 4 + 2 + 1 + 36 + 1 + 2, -1}, {4, good, 1 + 4 + 2 + 1 + 36 + 1 + 4, 200000},
	} {
		coinbase := funding(nil, 1)
		coinbase.TxIn[0].SignatureScript = []byte(c.script)
		if c.version == 4 {
			coinbase.TxIn[0].Witness = wire.TxWitness{make([]byte, 32)}
		}
		m := wire.MsgBlock{Header: wire.BlockHeader{Version: c.version, PrevBlock: chainhash.Hash{7}},
			Transactions: []*wire.MsgTx{coinbase}}
		var b bytes.Buffer
		noError(m.Serialize(&b))
		if c.cut > 0 {
			b.Truncate(wireform.HeaderSize + c.cut)
		}
		r := headerReader{d: &Directory{network: consensus.Regtest}, x: &headerIndex{},
			seed: maphash.MakeSeed()}
		if r.block(b.Bytes()); r.x.height(0) != c.want {
			t.Errorf("%+v: %d", c, r.x.height(0))
		}
	}
}

// TestFileGone checks that if a file is removed after OpenDirectory, the file's reader returns an
// error.
func TestFileGone(t *testing.T) {
	dir := smallNode().write(t)
	d := must(OpenDirectory(dir))
	noError(os.Remove(d.blk(1)))
	files := d.Inputs()
	if got := run(files[0].Open(0, nil)); got.err != nil || got.units != 0 {
		t.Errorf("the first file: %v, %d units", got.err, got.units)
	}
	if got := run(files[1].Open(0, nil)); got.err == nil ||
		!strings.HasPrefix(got.err.Error(), d.blk(1)+": no such file") {
		t.Error(got.err)
	}
}

// TestHeights checks which heights the index gives to blocks, and which blocks have siblings, are
// stale, or have no parent in the folder.
func TestHeights(t *testing.T) {
	const top = math.MaxInt32
	for _, tree := range [][]struct {
		parent                int   // row of the parent, or a negative number if the parent is missing
		coinbase              int32 // the height that the coinbase states
		height                int32
		forked, stale, orphan bool
	}{
		{
			{-1, 0, 0, false, false, false},   // the genesis block
			{-1, 5, -1, false, false, false},  // it has no parent, but is not the genesis block
			{1, 6, -1, false, false, false},   // its parent's height is unknown
			{-3, top, top, true, false, true}, // a height that no child can follow
			{3, 7, -1, false, false, false},
			{4, 8, -1, false, false, false},
			{0, 1, 1, false, false, false},
			{6, 2, 2, false, false, false},
			{7, 3, 3, false, false, false}, // the last block of the chain
			{-8, 70, 70, true, false, true},
		},
		{
			{-1, 0, 0, false, false, false}, // the genesis block
			{0, 1, 1, true, true, false},    // stale
			{0, 1, 1, true, false, false},
			{2, 2, 2, false, false, false},
			{3, 3, 3, true, false, false},
			{3, 3, 3, true, true, false},  // stale, because its sibling came first
			{1, 2, 2, false, true, false}, // stale
			{-9, 50, 50, true, false, true},
			{-9, 50, 50, true, false, true}, // the root of another tree
			{8, 51, 51, false, false, false},
		},
	} {
		n := newTestNode(consensus.Regtest.Magic())
		hashes := []chainhash.Hash{consensus.Regtest.Genesis()}
		n.take(genesis())
		for i, c := range tree[1:] {
			prev := chainhash.Hash{byte(-c.parent - 1)}
			if c.parent >= 0 {
				prev = hashes[c.parent]
			}
			b, hash := blockOf(prev, uint32(1700000000+i), funding(nil, c.coinbase))
			hashes = append(hashes, hash)
			n.take(b)
		}
		d := indexOf(t, n)
		for i, c := range tree {
			k := int32(i)
			if d.index.height(k) != c.height || d.index.forked.has(k) != c.forked ||
				d.index.lost.has(k) != c.stale || d.index.orphans.has(k) != c.orphan {
				t.Errorf("block %d: height %d, forked %t, stale %t, orphan %t; want %+v", i,
					d.index.height(k), d.index.forked.has(k), d.index.lost.has(k), d.index.orphans.has(k), c)
			}
		}
	}
}

// TestUnknownHeight checks the verdict on a block whose parent is missing and whose coinbase does
// not encode a height. The block must be malformed if its time is after BIP 34 became mandatory,
// and otherwise give no verdict.
func TestUnknownHeight(t *testing.T) {
	for time, want := range map[uint32]counts{consensus.BIP34Time: {reading.Malformed: 1},
		consensus.BIP34Time - 1: {}} {
		coinbase := funding(nil, 0)
		coinbase.TxIn[0].SignatureScript = []byte{0x00, 0x51}
		b, _ := blockOf(chainhash.Hash{5}, time, coinbase)
		n := newTestNode(consensus.Regtest.Magic())
		n.newFile()
		n.take(b)
		dir := n.write(t)
		remove(dir, "blk00000.dat", "rev00000.dat")
		got := runFolder(t, dir, WholeRange())
		if got.verdicts != want || got.err != nil || len(got.bad) > 0 && !strings.Contains(
			got.bad[0].Reason, "does not name it (BIP 34)") {
			t.Errorf("%d: %v, %v, %+v", time, got.verdicts, got.err, got.bad)
		}
	}
}
