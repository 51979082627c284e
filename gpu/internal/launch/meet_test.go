package launch

import (
	"errors"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestMeet checks, with OpenCL kernels and tables of several widths, that exactly the rows that
// sample.meet has changed reach an exception of the formulas. The host finds these rows Valid in
// calls that return keys or addresses, and Invalid in all other calls.
func TestMeet(t *testing.T) {
	for _, bits := range []int{kernels.CombBits, 5, 11} {
		dev, err := opencl.Open(0)
		if errors.Is(err, opencl.ErrNone) {
			t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
		}
		if err != nil {
			t.Fatal(err)
		}
		e, err := New(t.Context(), dev, kernels.Comb(),
			Options{Crossover: 1, TableBits: bits, Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSample(answerRows)
		if err != nil {
			t.Fatal(err)
		}
		s.meet(bits)
		for _, k := range kinds() {
			c := s.call(k, answerRows)
			place := map[device.Kind]int{device.ECDSA: 14, device.PreparedECDSA: 14, device.Schnorr: 14,
				device.PreparedSchnorr: 14, device.Recover: 12, device.RecoverAddress: 12,
				device.PublicKeys: 12}[c.Kind]
			if err := e.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			for i, v := range c.Verdicts {
				met := place > 0 && i%16 == place
				if (v == device.Unchecked) != met {
					t.Errorf("%d bits, kind %d, row %d: verdict %d", bits, c.Kind, i, v)
				}
			}
			if err := cpu.Do(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
			for i, v := range c.Verdicts {
				if place > 0 && i%16 == place && (v == device.Valid) != (c.Results != nil) {
					t.Errorf("%d bits, kind %d, row %d: the host's verdict is %d", bits, c.Kind, i, v)
				}
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMeetLast checks, for tables of every width, that the s returned by meetLast has the property
// of its comment: the sum of −e·P and of all windows of s except the last equals the last window.
func TestMeetLast(t *testing.T) {
	order := reference.N()
	for bits := kernels.CombLeast; bits <= kernels.CombMost; bits++ {
		at := uint(bits * (255 / bits))
		for i := range 8 {
			e, d := new(group.Scalar), new(group.Scalar)
			for k, what := range map[*group.Scalar]string{e: "e", d: "d"} {
				if _, err := k.SetBytes(digest(what, i)); err != nil {
					t.Fatal(err)
				}
			}
			odd := i%2 == 1
			s := meetLast(e, d, odd, bits).Bytes()
			// The kernels take the windows of x, which is s or s − n, whichever is odd. The last
			// window of x is the odd multiple of t = 2^at that differs from x by less than t.
			x := new(big.Int).SetBytes(s)
			if x.Bit(0) == 0 {
				x.Sub(x, order)
			}
			last := new(big.Int).Rsh(x, at)
			last.SetBit(last, 0, 1).Lsh(last, at)
			sum := new(big.Int).SetBytes(e.Mul(e, d).Bytes())
			if !odd {
				sum.Neg(sum)
			}
			sum.Add(sum, x).Sub(sum, last).Sub(sum, last)
			if sum.Mod(sum, order).Sign() != 0 {
				t.Errorf("%d bits: what is summed is not the last window", bits)
			}
		}
	}
}
