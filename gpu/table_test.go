package gpu

import (
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/hostile"
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
