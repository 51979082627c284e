package launch

import (
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
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
		s, err := NewSample(t.Context(), answerRows)
		if err != nil {
			t.Fatal(err)
		}
		s.meet(bits)
		for _, k := range kinds() {
			c := s.Call(k, answerRows)
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
