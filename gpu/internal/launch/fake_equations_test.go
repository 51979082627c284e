package launch

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// fakeRecord is the length of a record in words. A record begins with the nine limbs of a scalar.
const fakeRecord = 13

// equation simulates a kernel of equations, with simpler terms than the real ones: an invalid row
// that is not reported as malformed gets a term that makes the sum differ from infinity.
func (f *fakeSum) equation(kernel string, n int, args []any) error {
	if got := args[0].(uint32); int(got) != n {
		return fmt.Errorf("%s: n is %d for %d work items", kernel, got, n)
	}
	number := func(i int) int { return int(args[i].(uint32)) }
	memory := func(i int) []byte { return args[i].(*fakeBuffer).data }
	word := func(b []byte, i int) []byte { return b[4*i:][:4] }
	if kernel == "k_equation_add" {
		count, from, to := number(1), memory(2), memory(3)
		for i := range n {
			record := make([]*big.Int, fakeRecord)
			for k := range record {
				record[k] = new(big.Int)
				for j := i; j < count; j += n {
					w := binary.LittleEndian.Uint32(word(from, count*k+j))
					record[k].Add(record[k], big.NewInt(int64(w)))
				}
			}
			carry := new(big.Int)
			for k, sum := range record {
				if k < 9 {
					sum.Add(sum, carry)
					carry.Rsh(sum, 32)
				}
				binary.LittleEndian.PutUint32(word(to, n*k+i), uint32(sum.Uint64()))
			}
		}
		if f.wrong != nil {
			f.wrong(kernel, to)
		}
		return nil
	}
	f.rows += n
	time.Sleep(time.Duration(n) * f.pace)
	flags, first, count, mark, cols := number(1), number(2), number(3), number(4), args[6:]
	c := &device.Call{Kind: device.Schnorr, Rows: n, Verdicts: make([]device.Verdict, n)}
	c.Rules = fakeRules(uint32(flags))
	widths := []int{32, 32, 64}
	if kernel == "k_equation_ecdsa" {
		c.Kind, widths = device.ECDSA, []int{32, 33, 64, 1}
	}
	for i, width := range widths {
		c.Columns[i] = device.Column{Data: cols[i].(*fakeBuffer).data[:n*width], Stride: width}
	}
	if err := recalled(c, func(c *device.Call) error { return hostile.Do(c, 1) }); err != nil {
		return err
	}
	rest := cols[len(widths):]
	points, records := rest[0].(*fakeBuffer).data, rest[2].(*fakeBuffer).data
	for i, v := range c.Verdicts {
		at := first + i
		terms := points[2*fakeTerm*at:][:2*fakeTerm]
		clear(terms)
		if v == device.Invalid {
			terms[31], v = 1, device.Valid
			g := reference.Secp256k1().G
			g.X.FillBytes(terms[32:64])
			g.Y.FillBytes(terms[64:96])
		}
		for k := range fakeRecord {
			w := 0
			if k == 9+int(v) {
				w = mark
			}
			binary.LittleEndian.PutUint32(word(records, count*k+at), uint32(w))
		}
	}
	if f.wrong != nil {
		f.wrong(kernel, records)
	}
	return nil
}
