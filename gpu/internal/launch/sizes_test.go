package launch

import (
	"math"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestLaunchRows checks that launchRows returns the rows of some whole waves, where a wave is the
// rows that a device computes at the same time. If there is no memory for a wave, it must return
// the rows of some whole groups.
func TestLaunchRows(t *testing.T) {
	const wave = unitGroups * driver.Group
	row := int64(maxSlots * rowBytes())
	for _, c := range []struct {
		units  int
		memory int64
		want   int
	}{
		{0, 1 << 40, launchWaves * wave},
		{132, 1 << 40, launchWaves * 132 * wave},
		{132, defaultMemory, launchWaves * 132 * wave},
		{1 << 20, 1 << 40, maxRows},
		{132, (launchWaves*132*wave - 1) * row, (launchWaves - 1) * 132 * wave},
		{132, 132*wave*row - 1, 132*wave - driver.Group},
		{132, 1000 * row, 896},
		{1, 1, driver.Group},
	} {
		if got := launchRows(c.units, c.memory); got != c.want {
			t.Errorf("%d units, %d bytes: %d rows, want %d", c.units, c.memory, got, c.want)
		}
	}
}

// TestHostMemory checks that calls copy only from and to host memory that was allocated by the
// device.
func TestHostMemory(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	f.set(func() { f.plain = 0 })
	for _, set := range hostileSets() {
		if err := e.Run(t.Context(), set.Call()); err != nil {
			t.Error(err)
		}
	}
	if f.plain != 0 {
		t.Errorf("%d copies from or to other memory", f.plain)
	}
}

// TestNoLimit checks that the limit for the memory of sums does not overflow for the largest memory
// limits.
func TestNoLimit(t *testing.T) {
	for _, memory := range []int64{0, 1, defaultMemory, math.MaxInt64 - 1, math.MaxInt64} {
		if most := newSpace(memory).most; most < memory/2*2 {
			t.Errorf("%d bytes for sums, where there may be %d for launches", most, memory)
		}
	}
}
