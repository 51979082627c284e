package gpu

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/msm"
)

// compareDivided computes a sum of n terms on several devices and, with KOBLITZ_DEEP, equations of
// n rows, valid and invalid ones. work returns a count that grows when device i works. Each device
// must compute a part of the sum.
func compareDivided(t *testing.T, d *device.Device, n int, work func(i int) int64, devices int) {
	t.Helper()
	scalars, points := terms(t, n)
	want, err := msm.PackedSumVartime(t.Context(), scalars, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := make([]int64, devices)
	for i := range before {
		before[i] = work(i)
	}
	shared := func() bool {
		for i, done := range before {
			if work(i) == done {
				return false
			}
		}
		return true
	}
	// On a busy machine a device may begin too late to get a part of a call, so try again.
	for tries := 0; tries == 0 || !shared(); tries++ {
		if tries == 100 {
			t.Fatal("sums are not divided")
		}
		count := newCounted(t, d.Engine())
		got, err := msm.PackedSumVartime(t.Context(), scalars, points,
			&msm.Options{Device: count.device})
		if err != nil || !got.Equal(&want) || count.failed.Load() != 0 || count.decided.Load() != 1 {
			t.Errorf("another sum: %v, failed %d times", err, count.failed.Load())
		}
	}
	if deep() { // making batches takes seconds
		compareSome(t, d, n)
	}
}

// compareSome verifies some hostile batches of n rows on a device, and compares the verdicts with
// the expected ones. It takes the first batch with each expected verdict, and some others.
func compareSome(t *testing.T, d *device.Device, n int) {
	t.Helper()
	batches, ok := made.Load(n)
	if !ok {
		batches, _ = made.LoadOrStore(n, hostile.Batches(n))
	}
	seen := map[device.Verdict]bool{}
	for i, b := range batches.([]hostile.Batch) {
		if seen[b.Want] && i%16 != 0 {
			continue
		}
		seen[b.Want] = true
		c := b.Call()
		if err := d.Engine().Run(t.Context(), c); err != nil ||
			c.Verdicts[0] != b.Want {
			t.Errorf("%s: verdict %d, want %d, %v", b.What, c.Verdicts[0], b.Want, err)
		}
	}
}

// made caches hostile batches by their number of rows.
var made sync.Map

// TestSeveralSums checks that two and three OpenCL devices share sums and equations, and that if
// one is lost in the middle of a call, the others compute its part.
func TestSeveralSums(t *testing.T) {
	numbers := []int{2, 3}
	if !deep() {
		numbers = []int{3}
	}
	for _, devices := range numbers {
		pocl, all := fragiles(pocls(t, devices, nil), devices)
		told := make(chan error, 1000)
		d, err := open(t.Context(), []backend{pocl}, kernels.Comb,
			[]Option{All(), From(1), MemoryLimit(1 << 18), OnError(func(err error) { told <- err })})
		if err != nil {
			t.Fatal(err)
		}
		work := func(i int) int64 { return all[i].of.Load() }
		compareDivided(t, d, 800, work, devices)
		if len(told) > 0 {
			t.Error(<-told)
		}
		for i := range devices - 1 { // all devices but the last fail
			all[i].until.Store(all[i].of.Load() + 20)
		}
		broken := func(i int) int64 { return max(work(i)-all[i].until.Load(), 0) }
		compareDivided(t, d, 800, broken, devices-1)
		if err := Close(d); err != nil {
			t.Error(err)
		}
		close(told)
		var names []string
		for err := range told {
			if name, _, _ := strings.Cut(err.Error(), ": "); !slices.Contains(names, name) {
				names = append(names, name)
			}
			if !errors.Is(err, errBackend) {
				t.Error(err)
			}
		}
		if slices.Sort(names); !slices.Equal(names,
			[]string{"opencl:0 first", "opencl:1 second"}[:devices-1]) {
			t.Errorf("%d devices: %q have failed", devices, names)
		}
	}
}
