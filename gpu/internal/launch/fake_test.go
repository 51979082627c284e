package launch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A fake is a simulated device: its memory is the host's, and its kernels are Go code. Each of its
// queues has a goroutine, so that queues run concurrently, like those of a real driver. The last
// fields let a test make the device fail.
type fake struct {
	memory int   // most bytes of device memory, or 0 for no limit
	states int64 // bytes of device memory that Info states
	queues int   // most queues, or 0 for no limit
	units  int

	mu       sync.Mutex
	programs []*driver.Program
	buffers  int      // number of buffers that are not freed
	pinned   [][]byte // host memory that is not freed
	host     int      // bytes of host memory in pinned
	peakHost int
	plain    int                             // copies of host memory that is not pinned
	used     int                             // bytes of device memory in use
	peak     int                             // highest value of used
	open     int                             // number of queues that are not closed
	closed   bool                            // the device is closed
	busy     int                             // number of launches under way
	most     int                             // highest value of busy
	call     func(what string) error         // driver functions call it and return its error
	before   func(kernel string)             // called by the queue's goroutine before a kernel
	after    func(kernel string, c *results) // called by the queue's goroutine after a kernel
	skip     bool                            // launches do nothing
	deaf     bool                            // waiting fails at once, while launches run on
	err      error                           // error of every launch
	sum      fakeSum
}

// results describes the device memory to which a kernel has written its results.
type results struct {
	call     *device.Call
	verdicts []byte
	out      []byte
}

var errFake = errors.New("a fake's error")

type fakeBuffer struct {
	dev  *fake
	data []byte
}

// set calls change, which sets fields of f, while it holds the lock.
func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// does calls f.call with the name of a driver function. If f.call returns an error, the function
// must fail with it.
func (f *fake) does(what string) error {
	f.mu.Lock()
	call := f.call
	f.mu.Unlock()
	if call != nil {
		return call(what)
	}
	return nil
}

// failAt makes the driver call number k from now on fail with the given error. The function failed
// reports whether the call was made.
func (f *fake) failAt(k int64, failure error) (failed func() bool) {
	var calls atomic.Int64
	f.set(func() {
		f.call = func(string) error {
			if calls.Add(1) == k {
				return failure
			}
			return nil
		}
	})
	return func() bool { return calls.Load() >= k }
}

func (f *fake) Info() driver.Info {
	return driver.Info{Name: "fake:0", Units: max(f.units, 1), Memory: f.states}
}

func (f *fake) Load(p *driver.Program) error {
	err := f.does("Load")
	if err == nil {
		f.set(func() { f.programs = append(f.programs, p) })
	}
	return err
}

// lacks returns an error if no loaded program has the kernel.
func (f *fake) lacks(kernel string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.programs {
		if strings.Contains(p.Source, "KERNEL void "+kernel+"(") {
			return nil
		}
	}
	return fmt.Errorf("fake: %s is not loaded", kernel)
}

func (f *fake) Alloc(bytes int) (driver.Buffer, error) {
	if err := f.does("alloc"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.memory > 0 && f.used+bytes > f.memory {
		return nil, fmt.Errorf("fake: %w", driver.ErrMemory)
	}
	f.used += bytes
	f.peak = max(f.peak, f.used)
	f.buffers++
	return &fakeBuffer{f, slices.Repeat([]byte{0xa5}, bytes)}, nil
}

func (b *fakeBuffer) Free() {
	b.dev.mu.Lock()
	defer b.dev.mu.Unlock()
	b.dev.buffers--
	b.dev.used -= len(b.data)
	b.data = nil
}

func (f *fake) AllocHost(bytes int) (*driver.HostMemory, error) {
	if err := f.does("AllocHost"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	memory := slices.Repeat([]byte{0x5a}, bytes)
	f.pinned = append(f.pinned, memory)
	f.host += bytes
	f.peakHost = max(f.peakHost, f.host)
	return driver.NewHostMemory(memory, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.host -= bytes
		f.pinned = slices.DeleteFunc(f.pinned, func(b []byte) bool { return &b[0] == &memory[0] })
	}), nil
}

// copies is called for each copy to or from host memory. It counts the copy if b, the host memory,
// is not pinned.
func (f *fake) copies(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for _, p := range f.pinned {
		begin := uintptr(unsafe.Pointer(&p[0]))
		if at >= begin && at+uintptr(len(b)) <= begin+uintptr(len(p)) {
			return
		}
	}
	f.plain++
}

func (f *fake) Close() error {
	f.set(func() { f.closed = true })
	return f.does("Close")
}

// leaks fails the test if the device has not been closed or if something has not been freed.
func (f *fake) leaks(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.buffers != 0 || f.used != 0 || f.open != 0 || len(f.pinned) != 0 || !f.closed {
		t.Errorf("%d buffers of %d bytes, %d queues and %d pieces of the host are left, closed: %v",
			f.buffers, f.used, f.open, len(f.pinned), f.closed)
	}
}

type fakeQueue struct {
	dev   *fake
	work  chan func() error
	users atomic.Int32
	err   error // only the queue's goroutine uses it
	done  chan error
	ended chan bool // closed when the goroutine has ended
}

func (f *fake) NewQueue(bool) (driver.Queue, error) {
	if err := f.does("queue"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queues > 0 && f.open == f.queues {
		return nil, fmt.Errorf("fake: no queue: %w", driver.ErrMemory)
	}
	f.open++
	q := &fakeQueue{dev: f, work: make(chan func() error, 100), ended: make(chan bool)}
	go func() {
		defer close(q.ended)
		for work := range q.work {
			if err := work(); q.err == nil {
				q.err = err
			}
		}
	}()
	return q, nil
}

// enqueue passes work to the queue's goroutine.
func (q *fakeQueue) enqueue(what string, work func() error) error {
	if q.users.Add(1) != 1 {
		panic("a queue is used by two goroutines")
	}
	defer q.users.Add(-1)
	if q.done != nil {
		panic("a queue is used before it has been waited for")
	}
	if err := q.dev.does(what); err != nil {
		return err
	}
	q.work <- work
	return nil
}

func (q *fakeQueue) Write(dst driver.Buffer, off int, src []byte) error {
	q.dev.copies(src)
	return q.enqueue("write", func() error {
		copy(dst.(*fakeBuffer).data[off:][:len(src)], src)
		return nil
	})
}

func (q *fakeQueue) Read(dst []byte, src driver.Buffer, off int) error {
	q.dev.copies(dst)
	return q.enqueue("read", func() error {
		copy(dst, src.(*fakeBuffer).data[off:][:len(dst)])
		return nil
	})
}

func (q *fakeQueue) Wait(ctx context.Context) error {
	if q.users.Add(1) != 1 {
		panic("a queue is used by two goroutines")
	}
	defer q.users.Add(-1)
	failure, deaf := q.dev.does("wait"), false // failure is returned when the queue is empty
	q.dev.set(func() { deaf = q.dev.deaf })
	if deaf {
		return errFake
	}
	if q.done == nil {
		done := make(chan error, 1)
		q.done = done
		q.work <- func() error {
			done <- q.err
			q.err = nil
			return nil
		}
	}
	select {
	case err := <-q.done:
		q.done = nil
		return cmp.Or(failure, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *fakeQueue) Times() []time.Duration { return nil }

func (q *fakeQueue) Close() {
	q.dev.set(func() { q.dev.open-- })
	close(q.work)
	<-q.ended
}

func (q *fakeQueue) Launch(kernel string, n int, args ...any) error {
	if err := q.dev.lacks(kernel); err != nil {
		return err
	}
	return q.enqueue("launch", func() error {
		f := q.dev
		f.mu.Lock()
		f.busy++
		f.most = max(f.most, f.busy)
		before, after, skip, failure := f.before, f.after, f.skip, f.err
		f.mu.Unlock()
		defer f.set(func() { f.busy-- })
		if before != nil {
			before(kernel)
		}
		if skip || failure != nil {
			return failure
		}
		if got := args[0].(uint32); int(got) != n {
			return fmt.Errorf("%s: n is %d for %d work items", kernel, got, n)
		}
		if strings.HasPrefix(kernel, "k_sum_") || strings.HasPrefix(kernel, "k_equation_") {
			return f.sum.launch(kernel, n, args)
		}
		r, err := compute(kernel, n, args)
		if err == nil && after != nil {
			after(kernel, r)
		}
		return err
	})
}

// bytesOf returns the memory of a buffer, or nil for a null pointer.
func bytesOf(arg any) []byte {
	if b, ok := arg.(*fakeBuffer); ok {
		return b.data
	}
	return nil
}

// compute does the work of a kernel for rows and tables. The comment of package kernels describes
// the arguments.
func compute(kernel string, n int, args []any) (*results, error) {
	switch kernel {
	case "k_comb":
		return makeStep(n, args)
	case "k_keys": // the tables of the fake are the keys themselves
		bits, keys, tables := args[1].(uint32), bytesOf(args[2]), bytesOf(args[3])
		if int64(len(tables)) != int64(n)*kernels.CombSize(int(bits)) {
			return nil, fmt.Errorf("k_keys: %d keys, %d bytes", n, len(tables))
		}
		copy(tables, keys[:n*device.PointSize])
		return nil, nil
	case "k_keys_comb":
		return nil, nil
	}
	c := &device.Call{Rows: n, Verdicts: make([]device.Verdict, n)}
	var p program
	for _, k := range kinds() {
		if q, _ := programOf(k); q.kernel == kernel && c.Kind == 0 {
			c.Kind, p = k, q
		}
	}
	if args = args[1:]; p.flags {
		flags := args[0].(uint32)
		if args = args[1:]; flags&kernels.Address != 0 {
			c.Kind = device.RecoverAddress
		}
		c.Rules = fakeRules(flags)
	}
	for i, width := range p.widths {
		if data := bytesOf(args[i]); data != nil {
			c.Columns[i] = device.Column{Data: data[:n*width], Stride: width}
		}
	}
	args = args[len(p.widths):]
	verdicts, out := bytesOf(args[0])[:n], []byte(nil)
	size := c.Kind.ResultSize()
	if args = args[1:]; p.out {
		out = bytesOf(args[0])[:n*size]
		c.Results, args = out, args[1:]
	}
	if p.table {
		if table := bytesOf(args[0]); string(table) != tableOfTests && !isMade(table) {
			return nil, fmt.Errorf("%s: another table", kernel)
		}
		args = args[1:]
	}
	if p.set {
		c.Keys, args = bytesOf(args[0])[:device.PointSize*int(args[1].(uint32))], args[2:]
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s: %d arguments too many", kernel, len(args))
	}
	err := recalled(c, func(c *device.Call) error { return hostile.Do(c, 1) })
	for i, v := range c.Verdicts {
		if verdicts[i] = byte(v); v != device.Valid {
			fill(out[min(i*size, len(out)):min((i+1)*size, len(out))], 0x33) // means nothing
		}
	}
	return &results{c, verdicts, out}, err
}

// change replaces the last verdict that equals old by replacement.
func (r *results) change(old, replacement device.Verdict) {
	for i := len(r.verdicts) - 1; i >= 0; i-- {
		if r.verdicts[i] == byte(old) {
			r.verdicts[i] = byte(replacement)
			return
		}
	}
}

// answered holds calls that recalled has carried out, by the hash of what their answers depend on.
// Many tests open a device, which is asked for the same known answers each time.
var answered sync.Map

// recalled carries out a call by calling do, unless it has carried out an equal call before. The
// columns must hold their values without gaps.
func recalled(c *device.Call, do func(*device.Call) error) error {
	h := sha256.New()
	fmt.Fprintln(h, c.Kind, c.Rules, c.Rows)
	for _, data := range [][]byte{c.Columns[0].Data, c.Columns[1].Data, c.Columns[2].Data,
		c.Columns[3].Data, c.Keys} {
		fmt.Fprintln(h, data != nil, len(data))
		h.Write(data)
	}
	key := string(h.Sum(nil))
	if known, ok := answered.Load(key); ok {
		copy(c.Verdicts, known.(*device.Call).Verdicts)
		copy(c.Results, known.(*device.Call).Results)
		return nil
	}
	err := do(c)
	if err == nil {
		answered.Store(key, &device.Call{Verdicts: slices.Clone(c.Verdicts),
			Results: slices.Clone(c.Results)})
	}
	return err
}

// fakeRules returns the rules that the flags of a launch encode.
func fakeRules(flags uint32) (r device.Rules) {
	if flags&kernels.LowS != 0 {
		r |= device.LowS
	}
	if flags&kernels.Hashed != 0 {
		r |= device.Hashed
	}
	return r
}

// tableOfTests takes the place of the table of G: fakes check that they are given it.
const tableOfTests = "a table of G"

// patience is the time limit of launches in tests: a busy host may make a launch take long.
const patience = time.Hour

// start returns an Engine of f, which is closed at the end of the test. If o sets no Crossover,
// start sets it to 1. Launches have the time limit patience.
func start(t *testing.T, f *fake, o Options) *Engine {
	t.Helper()
	o.Crossover, o.Timeout = cmp.Or(o.Crossover, 1), patience
	e, err := New(t.Context(), f, []byte(tableOfTests), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		f.leaks(t)
	})
	return e
}

// A club is a Team whose members have simulated devices. told[i] holds the errors with which the
// hook of member i was called.
type club struct {
	*Team
	fakes []*fake
	mu    sync.Mutex // protects told
	told  [][]error
}

// startTeam returns a Team with the given number of fakes and the given memory limit for each.
func startTeam(t *testing.T, members int, memory int64) *club {
	t.Helper()
	c := &club{told: make([][]error, members)}
	var list []*Engine
	for i := range members {
		f := &fake{}
		c.fakes = append(c.fakes, f)
		list = append(list, start(t, f, Options{Memory: memory,
			Hook: func(err error) {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.told[i] = append(c.told[i], err)
			}}))
	}
	c.Team = NewTeam(list)
	return c
}

// small returns the memory limit with which launches have 128 rows and the Engine has maxSlots
// slots.
func small() int64 { return int64(maxSlots * driver.Group * rowBytes()) }

// short returns a memory limit for which a launch has 128 rows, as many as the device can compute
// at the same time (a wave), and a sum has a few rows more.
func short() int64 { return 2*small() - 1 }

// sumLimit returns a memory limit with which a sum can have some hundred terms.
func sumLimit() int64 { return 8 * small() }

// setMemory is the memory limit with which tables of the sample's keys just fit, if their windows
// have the smallest size. A launch has 1024 rows.
var setMemory = keyShare * (sampleKeys + 1) * kernels.CombSize(kernels.CombLeast)
