//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"context"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestTimes checks that Times returns a duration for each launch since the last Wait, and none for
// copies.
func TestTimes(t *testing.T) {
	d := open(t)
	q, err := d.(driver.Timed).NewTimedQueue()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	const n = 256
	b := alloc(t, d, 4*n)
	data := make([]byte, 4*n)
	run := func(launches int) []time.Duration {
		t.Helper()
		if err := q.Write(b, 0, data); err != nil {
			t.Fatal(err)
		}
		for range launches {
			if err := q.Launch("slow", n, uint32(n), uint64(100000), b); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Read(data, b, 0); err != nil {
			t.Fatal(err)
		}
		if err := q.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		return q.Times()
	}
	for _, launches := range []int{3, 1, 0} {
		times := run(launches)
		if len(times) != launches {
			t.Errorf("%d launches have the times %v", launches, times)
		}
		for _, x := range times {
			if x <= 0 || x > time.Hour {
				t.Errorf("a launch takes %v", x)
			}
		}
	}
}
