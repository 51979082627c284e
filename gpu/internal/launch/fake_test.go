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
	memory int // most bytes of device memory, or 0 for no limit
	queues int // most queues, or 0 for no limit
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

func (f *fake) Info() driver.Info { return driver.Info{Name: "fake:0", Units: max(f.units, 1)} }

func (f *fake) Load(p *driver.Program) error {
	f.set(func() { f.programs = append(f.programs, p) })
	return f.does("Load")
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

type fakeHost struct {
	dev   *fake
	bytes []byte
}

func (f *fake) AllocHost(bytes int) (driver.HostMemory, error) {
	if err := f.does("AllocHost"); err != nil {
		return nil, err
	}
	h := &fakeHost{f, slices.Repeat([]byte{0x5a}, bytes)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pinned = append(f.pinned, h.bytes)
	f.host += bytes
	f.peakHost = max(f.peakHost, f.host)
	return h, nil
}

func (h *fakeHost) Bytes() []byte { return h.bytes }

func (h *fakeHost) Free() {
	h.dev.mu.Lock()
	defer h.dev.mu.Unlock()
	h.dev.host -= len(h.bytes)
	h.dev.pinned = slices.DeleteFunc(h.dev.pinned, func(b []byte) bool { return &b[0] == &h.bytes[0] })
	h.bytes = nil
}

// copies is called for each copy from or to host memory. It counts the copy if b, the host memory,
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

func (f *fake) NewQueue() (driver.Queue, error) {
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
	failure := q.dev.does("wait") // returned when the queue is empty
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

// compute does the work of a kernel. The comment of package kernels describes the arguments.
func compute(kernel string, n int, args []any) (*results, error) {
	switch kernel {
	case "k_comb":
		return makeStep(n, args)
	case "k_keys": // the tables of the fake are the keys themselves
		count, bits := args[0].(uint32), args[1].(uint32)
		keys, tables := args[2].(*fakeBuffer).data, args[3].(*fakeBuffer).data
		if int(count) != n || int64(len(tables)) != int64(n)*kernels.CombSize(int(bits)) {
			return nil, fmt.Errorf("k_keys: %d keys of %d, %d bytes", count, n, len(tables))
		}
		copy(tables, keys[:n*device.PointSize])
		return nil, nil
	case "k_keys_comb":
		return nil, nil
	}
	next := func() any {
		arg := args[0]
		args = args[1:]
		return arg
	}
	bytes := func() []byte {
		if b, ok := next().(*fakeBuffer); ok {
			return b.data
		}
		return nil
	}
	if got := next().(uint32); int(got) != n {
		return nil, fmt.Errorf("%s: n is %d for %d rows", kernel, got, n)
	}
	c := &device.Call{Rows: n, Verdicts: make([]device.Verdict, n)}
	flags := uint32(0)
	column := func(i, width int) {
		if data := bytes(); data != nil {
			c.Columns[i] = device.Column{Data: data[:n*width], Stride: width}
		}
	}
	var verdicts, out []byte
	switch kernel {
	case "k_ecdsa", "k_schnorr", "k_recover", "k_prepared_ecdsa", "k_prepared_schnorr":
		flags = next().(uint32)
	}
	switch kernel {
	case "k_ecdsa":
		c.Kind = device.ECDSA
		column(0, 32)
		column(1, 33)
		column(2, 64)
		column(3, 1)
	case "k_schnorr":
		c.Kind = device.Schnorr
		column(0, 32)
		column(1, 32)
		column(2, 64)
	case "k_prepared_ecdsa", "k_prepared_schnorr":
		c.Kind = device.PreparedECDSA
		if kernel == "k_prepared_schnorr" {
			c.Kind = device.PreparedSchnorr
		}
		column(0, 32)
		column(1, 4)
		column(2, 64)
	case "k_recover":
		c.Kind = device.Recover
		if flags&kernels.Address != 0 {
			c.Kind = device.RecoverAddress
		}
		column(0, 32)
		column(1, 65)
	case "k_decompress":
		c.Kind = device.Decompress
		column(0, 33)
	case "k_pubkeys":
		c.Kind = device.PublicKeys
		column(0, 32)
	default:
		return nil, fmt.Errorf("there is no kernel %s", kernel)
	}
	verdicts = bytes()[:n]
	if size := c.Kind.ResultSize(); size > 0 {
		out = bytes()[:n*size]
		c.Results = out
	}
	if c.Kind != device.Decompress {
		if table := bytes(); string(table) != tableOfTests && !isMade(table) {
			return nil, fmt.Errorf("%s: another table", kernel)
		}
	}
	if c.Kind == device.PreparedECDSA || c.Kind == device.PreparedSchnorr {
		tables := bytes()
		c.Keys = tables[:device.PointSize*int(next().(uint32))]
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s: %d arguments too many", kernel, len(args))
	}
	c.Rules = fakeRules(flags)
	err := recalled(c, func(c *device.Call) error { return hostile.Do(c, 1) })
	for i, v := range c.Verdicts {
		verdicts[i] = byte(v)
	}
	return &results{c, verdicts, out}, err
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

// start returns an Engine of f, which is closed at the end of the test. If o sets no Crossover,
// start sets it to 1.
func start(t *testing.T, f *fake, o Options) *Engine {
	t.Helper()
	if o.Crossover == 0 {
		o.Crossover = 1
	}
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

// deviceOf returns the Device that wraps an engine, for calls of package batch.
func deviceOf(t testing.TB, e device.Engine) *device.Device {
	t.Helper()
	d, err := device.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// small returns the memory limit with which launches have 128 rows and the Engine has maxSlots
// slots.
func small() int64 { return int64(maxSlots * driver.Group * rowBytes()) }
