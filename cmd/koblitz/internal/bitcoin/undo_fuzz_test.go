package bitcoin

import (
	"strings"
	"testing"
)

// FuzzUndo reads an undo record: what one reading counts, the other one returns.
func FuzzUndo(f *testing.F) {
	f.Add(append([]byte{1, 1}, coinOf(1, "", 50e8, 0, strings.Repeat("h", 20))...))
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
