package cuda_test

import (
	"context"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
)

// timedQueue returns a queue of d that measures its launches.
func timedQueue(t *testing.T, d driver.Device) driver.TimedQueue {
	t.Helper()
	q, err := d.(driver.Timed).NewTimedQueue()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestTimes checks that Times returns the durations of exactly the launches since the last Wait.
func TestTimes(t *testing.T) {
	d := open(t, cudatest.New(), double)
	q := timedQueue(t, d)
	t.Cleanup(q.Close)
	data := make([]byte, 1000)
	b, err := d.Alloc(len(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	launch := func(n int) {
		t.Helper()
		if err := q.Launch("double", n, uint32(n), b, b, uint64(0)); err != nil {
			t.Fatal(err)
		}
	}
	wait := func() []time.Duration {
		t.Helper()
		if err := q.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		return q.Times()
	}
	if err := q.Write(b, 0, data); err != nil {
		t.Fatal(err)
	}
	launch(1)
	launch(1000)
	launch(0) // no time is recorded for an empty launch
	first := append([]time.Duration(nil), wait()...)
	if len(first) != 2 || first[0] < 1 || first[1] < 5*first[0] {
		t.Fatalf("the times are %v", first)
	}
	for range 3 {
		launch(1000)
		if again := wait(); len(again) != 1 || again[0] != first[1] {
			t.Errorf("the times are %v, then %v", first, again)
		}
	}
	if none := wait(); len(none) != 0 {
		t.Errorf("without a launch the times are %v", none)
	}
}

// TestTimesFail checks that when any driver call fails, Launch or Wait returns an error, and that
// no launch is given the duration of another launch.
func TestTimesFail(t *testing.T) {
	for k := 1; ; k++ {
		fake := cudatest.New()
		d, err := openWith(fake, double)
		if err != nil {
			t.Fatal(err)
		}
		q, err := d.(driver.Timed).NewTimedQueue()
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc(1)
		if err != nil {
			t.Fatal(err)
		}
		fake.FailAt(k, cuda.ErrorLaunchFailed)
		err = q.Launch("double", 1, uint32(1), b, b, uint64(0))
		if err == nil {
			err = q.Wait(context.Background())
		}
		failed := fake.Failed()
		if failed == "" {
			if err != nil || len(q.Times()) != 1 {
				t.Errorf("no call fails: %v, %v", q.Times(), err)
			}
		} else if err == nil && failed != "CtxPopCurrent" {
			t.Errorf("%s fails, and there is no error", failed)
		}
		fake.FailAt(1<<30, cuda.Success)
		if err := q.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		q.Close()
		b.Free()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := fake.Leaks(); err != nil {
			t.Errorf("%s: %v", failed, err)
		}
		if failed == "" {
			return
		}
	}
}
