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

// indexOf writes the folder of the node n, reads the headers in it, and returns the folder's
// Directory.
func indexOf(t *testing.T, n *testNode) *Directory {
	t.Helper()
	d, err := OpenDirectory(n.write(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.readIndex(); err != nil {
		t.Fatal(err)
	}
	for i := range d.files {
		if d.files[i].err != nil {
			t.Fatal(d.files[i].err)
		}
	}
	return d
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
		if err := m.Serialize(&b); err != nil {
			t.Fatal(err)
		}
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
		d := indexOf(t, n)
		// Remove the zeros after the block, which the reader could take for a part of the script.
		name0 := filepath.Join(d.path, "blk00000.dat")
		if err := os.Truncate(name0, int64(len(n.blk[0]))); err != nil {
			t.Fatal(err)
		}
		again, err := OpenDirectory(d.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.readIndex(); err != nil {
			t.Fatal(err)
		}
		if got := again.index.height(1); got != c.want || !again.index.orphans[1] {
			t.Errorf("%s: %d, want %d; %v", name, got, c.want, again.index.orphans)
		}
		if again.index.height(0) != 0 || again.index.orphans[0] || again.index.forked.has(1) {
			t.Errorf("%s: the genesis block, or a fork", name)
		}
	}
	// Here the file is removed after its headers were read, before the coinbase is read.
	n := newTestNode(consensus.Regtest.Magic())
	n.take(genesis())
	d := indexOf(t, n)
	if err := os.Remove(d.blk(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.coinbaseHeight(0, 0); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	if err := os.Mkdir(d.blk(0), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.coinbaseHeight(0, 0); err == nil ||
		!strings.Contains(err.Error(), "blk00000.dat: at") {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// TestFileGone checks that if a file is removed after OpenDirectory, the file's reader returns an
// error.
func TestFileGone(t *testing.T) {
	dir := smallNode().write(t)
	d, err := OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(d.blk(1)); err != nil {
		t.Fatal(err)
	}
	files := d.Inputs()
	if got := run(files[0].Open(0, nil)); got.err != nil || got.units != 0 {
		t.Errorf("the first file: %v, %d units", got.err, got.units)
	}
	if got := run(files[1].Open(0, nil)); got.err == nil ||
		!strings.HasPrefix(got.err.Error(), d.blk(1)+": no such file") {
		t.Error(got.err)
	}
}

// TestChunks checks that chunks and bitsets allocate no more than their sizes need.
func TestChunks(t *testing.T) {
	var c chunks[int]
	for i := range 2*chunkSize + 1 {
		if want := (i + chunkSize - 1) / chunkSize; len(c.parts) != want {
			t.Fatalf("%d parts for %d", len(c.parts), i)
		}
		c.append(i)
	}
	for i := range c.n {
		if *c.at(i) != int(i) {
			t.Fatal(i)
		}
	}
	for n, want := range map[int32]int{0: 0, 1: 1, 64: 1, 65: 2} {
		if got := len(newBitset(n)); got != want {
			t.Errorf("%d words for %d", got, n)
		}
	}
}

// TestUnknownHeights checks that a block gets no height if its parent is missing, or has an unknown
// height or the largest possible one. It also checks that a block without work and a repeated block
// get their parent's height plus 1.
func TestUnknownHeights(t *testing.T) {
	n := newTestNode(consensus.Regtest.Magic())
	stamp := uint32(1700000000)
	at := func(prev chainhash.Hash, height int32) ([]byte, chainhash.Hash) {
		stamp++
		return blockOf(prev, stamp, funding(nil, height))
	}
	n.take(genesis())                  // block 0
	b, hash := at(chainhash.Hash{}, 5) // block 1: lacks its parent, not genesis
	n.take(b)
	b, _ = at(hash, 6) // block 2
	n.take(b)
	b, hash = at(chainhash.Hash{3}, math.MaxInt32) // block 3
	n.take(b)
	b, hash = at(hash, 7) // block 4
	n.take(b)
	b, _ = at(hash, 8) // block 5
	n.take(b)
	one, hash := at(consensus.Regtest.Genesis(), 1) // block 6
	n.take(one)
	n.take(one)           // block 7: stale, since block 8 builds on block 6
	b, hash = at(hash, 2) // block 8
	n.take(b)
	b, _ = at(hash, 3) // block 9: its hash is above its target
	n.take(withoutWork(b))
	d := indexOf(t, n)
	heights := []int32{0, -1, -1, math.MaxInt32, -1, -1, 1, 1, 2, 3}
	for i := range d.index.n {
		if got := d.index.height(i); got != heights[i] {
			t.Errorf("block %d: height %d, want %d", i, got, heights[i])
		}
		if got := d.index.lost.has(i); got != (i == 7) {
			t.Errorf("block %d: lost is %t", i, got)
		}
	}
}

// TestHeightsOfForks checks that the index has the right heights, blocks with siblings and stale
// blocks. There are forks among the children of the genesis block, and in a tree whose root lacks
// its parent.
func TestHeightsOfForks(t *testing.T) {
	n := newTestNode(consensus.Regtest.Magic())
	stamp := uint32(1700000000)
	add := func(prev chainhash.Hash, height int32) chainhash.Hash {
		stamp++
		b, hash := blockOf(prev, stamp, funding(nil, height))
		n.take(b)
		return hash
	}
	n.take(genesis()) // block 0
	root := consensus.Regtest.Genesis()
	a := add(root, 1) // block 1: stale
	b := add(root, 1) // block 2
	c := add(b, 2)    // block 3
	add(c, 3)         // block 4
	add(c, 3)         // block 5: stale, because block 4 came first
	add(a, 2)         // block 6: stale
	late := chainhash.Hash{9}
	add(late, 50)      // block 7
	x := add(late, 50) // block 8: the root of another tree
	add(x, 51)         // block 9
	add(chainhash.Hash{8}, 70)
	d := indexOf(t, n)
	heights := []int32{0, 1, 1, 2, 3, 3, 2, 50, 50, 51, 70}
	forked := []int32{1, 2, 4, 5, 7, 8}
	lost := []int32{1, 5, 6}
	for i := range d.index.n {
		if got := d.index.height(i); got != heights[i] {
			t.Errorf("block %d: height %d", i, got)
		}
		if got := d.index.forked.has(i); got != slices.Contains(forked, i) {
			t.Errorf("block %d: forked is %t", i, got)
		}
		if got := d.index.lost.has(i); got != slices.Contains(lost, i) {
			t.Errorf("block %d: lost is %t", i, got)
		}
		if got := d.index.orphans[i]; got != (i == 7 || i == 8 || i == 10) {
			t.Errorf("block %d: orphan is %t", i, got)
		}
	}
	if d.index.n != int32(len(heights)) || d.files[0].count != d.index.n {
		t.Errorf("%d blocks", d.index.n)
	}
}

// TestUnknownHeight checks the verdict on a block whose parent is missing and whose coinbase does
// not encode a height. The block must be malformed if its time is after BIP 34 became mandatory,
// and otherwise give no verdict.
func TestUnknownHeight(t *testing.T) {
	for time, want := range map[uint32]counts{consensus.BIP34Time: {reading.Malformed: 1},
		consensus.BIP34Time - 1: {}} {
		n := newTestNode(consensus.Regtest.Magic())
		tx := wire.NewMsgTx(1)
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Index: math.MaxUint32},
			SignatureScript: []byte{0x00, 0x51}})
		tx.AddTxOut(wire.NewTxOut(0, nil))
		b, _ := blockOf(chainhash.Hash{5}, time, tx)
		n.take(b)
		dir := n.write(t)
		for kind, to := range map[string]string{"blk00000.dat": "blk00001.dat",
			"rev00000.dat": "rev00001.dat"} {
			if err := os.Rename(filepath.Join(dir, kind), filepath.Join(dir, to)); err != nil {
				t.Fatal(err)
			}
		}
		got := runFolder(t, dir, WholeRange())
		if got.verdicts != want || got.err != nil || len(got.bad) > 0 && !strings.Contains(
			got.bad[0].Reason, "does not name it (BIP 34)") {
			t.Errorf("%d: %v, %v, %+v", time, got.verdicts, got.err, got.bad)
		}
	}
}
