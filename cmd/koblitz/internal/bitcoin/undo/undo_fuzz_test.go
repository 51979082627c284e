package undo

import (
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// FuzzUndo checks that a Reader returns as many outputs of a record as the function walk counts.
func FuzzUndo(f *testing.F) {
	f.Add(append([]byte{1, 1}, bitcointest.RawCoin(1, "", 50e8, 0, strings.Repeat("h", 20))...))
	full := append([]byte{1, 2, 0, 9, 4}, uncompressed(1)[1:33]...)
	f.Add(append(append(full, 1, 0, 0x32, 5), uncompressed(2)[1:33]...))
	f.Add([]byte{2, 1, 0, 7, 6, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var inputs, sizes []int
		c := wireform.Cursor{Data: b}
		walk(&c, func(n int) { inputs = append(inputs, n) },
			func(o *coin) { sizes = append(sizes, o.scriptSize()) })
		var u Reader
		if err := u.Open(b); err != nil {
			if c.Err == nil && !strings.Contains(err.Error(), "not on the curve") {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if c.Err != nil {
			t.Fatalf("taken: %v", c.Err)
		}
		for _, n := range inputs {
			outs, err := u.Transaction(n)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, o := range outs {
				if total <= wireform.MaxSpentScripts && (!o.Known || len(o.Script) != sizes[0] ||
					o.Amount < 0 ||
					o.Amount > maxMoney) {
					t.Fatalf("output %+v of %d bytes", o, sizes[0])
				}
				total += sizes[0]
				sizes = sizes[1:]
			}
		}
		if u.c.At != len(b) || len(u.full) > 0 {
			t.Fatalf("%d bytes and %d of keys are left", len(b)-u.c.At, len(u.full))
		}
	})
}
