package launch

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
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
	if got := args[0].(uint32); int(got) != n {
		return fmt.Errorf("%s: n is %d for %d work items", kernel, got, n)
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
