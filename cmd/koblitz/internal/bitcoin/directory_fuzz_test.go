package bitcoin

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// FuzzUndo reads an undo record: what one reading counts, the other one returns.
func FuzzUndo(f *testing.F) {
	n := smallNode()
	f.Add(n.rev[1][8 : n.undoAt[n.tip]-32])
	full := append([]byte{1, 2, 0, 9, 4}, uncompressed(1)[1:33]...)
	f.Add(append(append(full, 1, 0, 0x32, 5), uncompressed(2)[1:33]...))
	f.Add([]byte{2, 1, 0, 7, 6, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var inputs, sizes []int
		c := cursor{b: b}
		walkUndo(&c, func(n int) { inputs = append(inputs, n) },
			func(o *coin) { sizes = append(sizes, o.scriptSize()) })
		var u undo
		if err := u.open(b); err != nil {
			if c.err == nil && !strings.Contains(err.Error(), "not on the curve") {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if c.err != nil {
			t.Fatalf("taken: %v", c.err)
		}
		for _, n := range inputs {
			outs, err := u.transaction(n)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, o := range outs {
				if total <= maxSpentScripts && (!o.known || len(o.script) != sizes[0] || o.amount < 0 ||
					o.amount > maxMoney) {
					t.Fatalf("output %+v of %d bytes", o, sizes[0])
				}
				total += sizes[0]
				sizes = sizes[1:]
			}
		}
		if u.c.i != len(b) || len(u.full) > 0 {
			t.Fatalf("%d bytes and %d of keys are left", len(b)-u.c.i, len(u.full))
		}
	})
}

// FuzzFolder reads a folder of any two files, and a key.
func FuzzFolder(f *testing.F) {
	n := smallNode()
	f.Add(bytes.Join(n.blk, nil), bytes.Join(n.rev, nil), uint64(0))
	f.Add(bytes.Join(n.blk, nil), bytes.Join(n.rev, nil), uint64(0x0102030405060708))
	f.Add(n.blk[1], n.rev[1], uint64(1))
	f.Fuzz(func(t *testing.T, blk, rev []byte, key uint64) {
		n := newTestNode(networks[Regtest].magic)
		for i := range n.key {
			n.key[i] = byte(key >> (8 * i))
		}
		n.blk[0], n.rev[0] = blk, rev
		d, err := OpenDirectory(n.write(t), ample())
		if err != nil {
			return
		}
		for _, f := range d.Inputs() {
			r := f.Open(0, nil)
			if _, err := drain(t, r); err != nil && err == io.EOF {
				t.Fatal(err)
			}
			r.Close()
		}
	})
}
