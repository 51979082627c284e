package gpu

import (
	"bytes"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// tableBits sets the window size in bits of the device's table of multiples of G.
func tableBits(bits int) Option { return func(o *options) { o.TableBits = bits } }

// TestMeetings checks that an OpenCL device leaves every row Unchecked in which a partial sum
// equals the point that is added next, or its opposite, at any window, for tables of several window
// sizes. The host decides these rows. There are too few rows for tables of prepared keys, so rows
// with prepared keys run in the kernels k_ecdsa and k_schnorr here; kernels.TestMeetings tests the
// kernels for prepared keys.
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
			if set.Rules == device.Hashed { // package batch has no function that takes challenges
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
