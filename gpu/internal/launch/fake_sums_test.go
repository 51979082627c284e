package launch

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A fakeSum computes the sums of a fake. The terms are kept in the fake's device memory.
type fakeSum struct {
	mu    sync.Mutex
	terms int
	rows  int                             // number of rows for which terms were made
	pace  time.Duration                   // time for each of these rows
	wrong func(kernel string, out []byte) // changes the output of a kernel
}

// Lengths in bytes of a term and of a point in the fake's memory for sums.
const (
	fakeTerm  = 96
	fakePoint = 128
)

// set makes f pass the output of each kernel to the function wrong, which may change the output. If
// wrong is nil, the outputs are right.
func (f *fakeSum) set(wrong func(kernel string, out []byte)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = wrong
}

// onCPU carries out a call on the CPU.
func onCPU(c *device.Call) error { return cpu.Do(context.Background(), c, nil) }

// launch simulates the kernels of sums. It computes the whole sum in k_sum_add; the other kernels
// only copy the sum.
func (f *fakeSum) launch(kernel string, n int, args []any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.HasPrefix(kernel, "k_equation_") {
		return f.equation(kernel, n, args)
	}
	number := func(i int) int { return int(args[i].(uint32)) }
	memory := func(i int) []byte { return args[i].(*fakeBuffer).data }
	var out []byte
	switch kernel {
	case "k_sum_terms":
		f.rows += n
		time.Sleep(time.Duration(n) * f.pace)
		c := &device.Call{Kind: device.Sum, Rows: n, Verdicts: make([]device.Verdict, 1),
			Results: make([]byte, 64)}
		c.Columns[0] = device.Column{Data: memory(2)[:32*n], Stride: 32}
		c.Columns[1] = device.Column{Data: memory(3)[:64*n], Stride: 64}
		if err := recalled(c, onCPU); err != nil {
			return err
		}
		if out = memory(6); c.Verdicts[0] == device.Malformed {
			binary.LittleEndian.PutUint32(out, 1)
		}
		for i := range n {
			to := memory(4)[fakeTerm*(number(1)+i):][:fakeTerm]
			clear(to)
			if c.Verdicts[0] == device.Valid {
				copy(to, c.Columns[0].Data[32*i:][:32])
				copy(to[32:], c.Columns[1].Data[64*i:][:64])
			}
		}
	case "k_sum_count":
		f.terms = n / 2
	case "k_sum_add":
		c := &device.Call{Kind: device.Sum, Rows: f.terms, Verdicts: make([]device.Verdict, 1),
			Results: memory(8)[:64]}
		for i := range f.terms {
			term := memory(4)[fakeTerm*i:][:fakeTerm]
			c.Columns[0].Data = append(c.Columns[0].Data, term[:32]...)
			c.Columns[1].Data = append(c.Columns[1].Data, term[32:]...)
		}
		if err := recalled(c, onCPU); err != nil {
			return err
		}
		out = c.Results
	case "k_sum_reduce":
		out = memory(7)[:fakePoint*n]
		clear(out)
		for i := range 2 { // limbs of x and y, lowest first; then 1, 1, or zeros for infinity
			copy(out[32*i:], memory(6)[32*i:][:32])
			slices.Reverse(out[32*i:][:32])
			if !slices.Equal(memory(6)[:64], make([]byte, 64)) {
				out[64+32*i] = 1
			}
		}
	case "k_sum_fold":
		out = memory(4)[:fakePoint*n]
		clear(out)
		copy(out, memory(3)[:fakePoint])
	case "k_sum_clear", "k_sum_place", "k_sum_scatter", "k_sum_join":
	default:
		return fmt.Errorf("there is no kernel %s", kernel)
	}
	if f.wrong != nil {
		f.wrong(kernel, out)
	}
	return nil
}

// fakeRecord is the length of a record in words. A record begins with the nine limbs of a scalar.
const fakeRecord = 13

// equation simulates a kernel of equations, with simpler terms than the real ones: an invalid row
// that is not reported as malformed gets a term that makes the sum differ from infinity.
func (f *fakeSum) equation(kernel string, n int, args []any) error {
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
			f.wrong(kernel, to[:4*fakeRecord*n])
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
		f.wrong(kernel, records[:4*fakeRecord*count])
	}
	return nil
}
