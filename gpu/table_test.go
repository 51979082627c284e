package gpu

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// tableBits makes the device's table of G one for windows of so many bits.
func tableBits(bits int) Option { return func(o *options) { o.TableBits = bits } }

// TestTables: by OpenCL, rows have the host's verdicts and keys with tables of any width that the
// device makes.
func TestTables(t *testing.T) {
	sets := hostile.Sets(1)
	for _, bits := range []int{kernels.CombLeast, 11, 14} {
		d := openCL(t, From(1), OnError(func(err error) { t.Error(err) }), tableBits(bits))
		compare(t, fmt.Sprint(bits, " bits"), d, sets)
	}
}

// TestMeetings: by OpenCL, whatever the width of the table of G is, no row is settled in which a
// partial sum equals the point that is added next, or its opposite, at any window. The host settles
// them. The engine makes no tables for so few rows of prepared keys: they go to k_ecdsa and
// k_schnorr, and kernels.TestMeetings has their own kernels.
func TestMeetings(t *testing.T) {
	widths := []int{kernels.CombBits, kernels.CombLeast, 11}
	if !deep() {
		widths = widths[:1]
	}
	for _, bits := range widths {
		d := openCL(t, From(1), OnError(func(err error) { t.Error(err) }), tableBits(bits))
		for _, set := range hostile.Meetings(bits) {
			c := set.Call()
			if err := d.Engine().Run(t.Context(), c); err != nil {
				t.Error(err)
			}
			if err := set.CheckMet(c); err != nil {
				t.Errorf("%d bits: %v", bits, err)
			}
			if set.Rules == device.Hashed { // there is no function of batch for it
				continue
			}
			got, out := run(t, &set, d)
			want, keys := run(t, &set, nil)
			if !slices.Equal(got, want) || !bytes.Equal(out, keys) {
				t.Errorf("%d bits: kind %d: not what the host says", bits, set.Kind)
			}
		}
	}
}
