package bitcoin

import (
	"bytes"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
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

// indexIn reads the headers of a folder, and returns the folder's Directory.
func indexIn(t *testing.T, dir string) *Directory {
	t.Helper()
	d := must(OpenDirectory(dir))
	noError(d.readIndex())
	for i := range d.files {
		noError(d.files[i].err)
	}
	return d
}

// indexOf writes the folder of the node n, and reads the headers in it.
func indexOf(t *testing.T, n *testNode) *Directory {
	t.Helper()
	return indexIn(t, n.write(t))
}

// TestCoinbaseHeight checks that a block without its parent gets its height from its coinbase.
func TestCoinbaseHeight(t *testing.T) {
	parent := chainhash.Hash{7}
	script := func(height string) []byte { return append([]byte{byte(len(height))}, height...) }
	make := func(version int32, script []byte, witness wire.TxWitness) []byte {
		tx := wire.NewMsgTx(1)
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Index: math.MaxUint32},
			SignatureScript: script, Witness: witness})
		tx.AddTxOut(wire.NewTxOut(0, nil))
		m := wire.MsgBlock{Header: wire.BlockHeader{Version: version, PrevBlock: parent}}
		m.AddTransaction(tx)
		var b bytes.Buffer
		noError(m.Serialize(&b))
		return b.Bytes()
	}
	good := script("\x40\x0d\x03")
	witness := wire.TxWitness{bytes.Repeat([]byte{1}, 32)}
	cut := func(b []byte, n int) []byte { return b[:wireform.HeaderSize+n] }
	for name, c := range map[string]struct {
		block []byte
		want  int32
	}{
		"version 2":              {make(2, good, nil), 200000},
		"version 4, a witness":   {make(4, good, witness), 200000},
		"version 1":              {make(1, good, nil), -1},
		"version -2":             {make(-2, good, nil), -1},
		"version 0x20000000":     {make(0x20000000, good, nil), 200000},
		"a number":               {make(2, []byte{0x5a}, nil), 10},
		"another form of 1":      {make(2, []byte{2, 1, 0}, nil), -1},
		"another form of 5":      {make(2, []byte{1, 5}, nil), -1},
		"another form of 100":    {make(2, []byte{4, 100, 0, 0, 0}, nil), -1},
		"another form of 200":    {make(2, []byte{3, 200, 0, 0}, nil), -1},
		"a byte for the sign":    {make(2, []byte{2, 200, 0}, nil), 200},
		"the highest":            {make(2, []byte{4, 255, 255, 255, 127}, nil), math.MaxInt32},
		"no script":              {make(2, nil, nil), -1},
		"a long script":          {make(2, bytes.Repeat(good, 80), nil), 200000},
		"no transaction":         {cut(make(2, good, nil), 1), -1},
		"no input":               {cut(make(2, good, nil), 5), -1},
		"a marker alone":         {append(cut(make(4, good, witness), 5), 0), -1},
		"half an input":          {cut(make(2, good, nil), 30), -1},
		"no length":              {cut(make(2, good, nil), 1+4+1+36), -1},
		"half the script":        {cut(make(2, good, nil), 1+4+1+36+1+2), -1},
		"the script alone":       {cut(make(2, good, nil), 1+4+1+36+1+4), 200000},
		"witness, half a script": {cut(make(4, good, witness), 1+4+2+1+36+1+2), -1},
		"witness, the script":    {cut(make(4, good, witness), 1+4+2+1+36+1+4), 200000},
		"many transactions": {slices.Concat(make(2, good, nil)[:wireform.HeaderSize], []byte{0xfe, 0, 0,
			0, 1},
			make(2, good, nil)[wireform.HeaderSize+1:]), -1},
	} {
		n := newTestNode(consensus.Regtest.Magic())
		n.key = [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
		n.take(genesis())
		n.take(c.block)
		dir := n.write(t)
		// Remove the zeros after the block, which the reader could take for a part of the script.
		noError(os.Truncate(filepath.Join(dir, "blk00000.dat"), int64(len(n.blk[0]))))
		d := indexIn(t, dir)
		if got := d.index.height(1); got != c.want || !d.index.orphans.has(1) ||
			d.index.orphans.has(0) {
			t.Errorf("%s: %d, want %d; %v", name, got, c.want, d.index.orphans)
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
