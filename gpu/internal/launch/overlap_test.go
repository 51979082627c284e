package launch

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A clocked is a simulated device that takes time but computes nothing. At any moment it can do one
// copy in each direction and run one kernel. It calls every row Valid.
type clocked struct {
	driver.Device
	in, out, kernel chan bool // mutexes: channels with room for one element
}

// Durations on a large GPU and its host: of a row in a kernel, of copies, of packing, and of waking
// up a goroutine.
const (
	clockedRow  = 25 * time.Nanosecond // a row in a kernel
	clockedCopy = 40                   // bytes per nanosecond
	packedCopy  = 20                   // bytes per nanosecond, by several goroutines
	wakeUp      = 50 * time.Microsecond
)

func newClocked() *clocked {
	return &clocked{in: make(chan bool, 1), out: make(chan bool, 1), kernel: make(chan bool, 1)}
}

func (*clocked) Info() driver.Info                { return driver.Info{Units: 132} }
func (*clocked) Alloc(int) (driver.Buffer, error) { return nil, nil }

func (*clocked) AllocHost(n int) (driver.HostMemory, error) {
	return &fakeHost{new(fake), make([]byte, n)}, nil
}

func (c *clocked) NewQueue() (driver.Queue, error) {
	q := &clockedQueue{dev: c, work: make(chan func(), 100)}
	go func() {
		for work := range q.work {
			work()
		}
	}()
	return q, nil
}

type clockedQueue struct {
	dev  *clocked
	work chan func()
}

// enqueue enqueues work that occupies one part of the device for the time d, and then calls f. The
// parts are copies to the device, copies from it, and kernels (the fields in, out and kernel of
// clocked).
func (q *clockedQueue) enqueue(part chan bool, d time.Duration, f func()) error {
	q.work <- func() {
		part <- true
		time.Sleep(d)
		f()
		<-part
	}
	return nil
}

func (q *clockedQueue) Write(_ driver.Buffer, _ int, src []byte) error {
	time.Sleep(time.Duration(len(src) / packedCopy)) // the host packs before it writes
	return q.enqueue(q.dev.in, time.Duration(len(src)/clockedCopy), func() {})
}

func (q *clockedQueue) Read(dst []byte, _ driver.Buffer, _ int) error {
	return q.enqueue(q.dev.out, time.Duration(len(dst)/clockedCopy), func() {
		fill(dst, byte(device.Valid))
	})
}

func (q *clockedQueue) Launch(_ string, n int, _ ...any) error {
	return q.enqueue(q.dev.kernel, time.Duration(n)*clockedRow, func() {})
}

func (q *clockedQueue) Wait(context.Context) error {
	done := make(chan bool)
	q.work <- func() { close(done) }
	<-done
	time.Sleep(wakeUp)
	return nil
}

func (q *clockedQueue) Close() { close(q.work) }

// TestOverlap checks that packing and copies overlap with kernels, so that a call of a million rows
// takes hardly longer than its kernels.
func TestOverlap(t *testing.T) {
	const rows = 1 << 20
	c := &device.Call{Kind: device.ECDSA, Rows: rows, Verdicts: make([]device.Verdict, rows)}
	for i, width := range []int{32, 33, 64} {
		c.Columns[i] = device.Column{Data: bytes.Repeat([]byte{1}, rows*width), Stride: width}
	}
	synctest.Test(t, func(t *testing.T) {
		e := &Engine{dev: newClocked(), free: make(chan *slot, maxSlots), timeout: time.Hour,
			stop: make(chan struct{})}
		if err := e.allocate(0); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if err := e.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		took, kernels := time.Since(begin), rows*clockedRow
		if took < kernels || took > kernels*21/20 {
			t.Errorf("a call takes %v, and its kernels %v", took, kernels)
		}
		t.Logf("%d rows a launch: %v, kernels %v", e.rows, took, kernels)
		for ; e.slots > 0; e.slots-- {
			(<-e.free).free()
		}
	})
}
