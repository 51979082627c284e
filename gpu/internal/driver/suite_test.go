//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package driver_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
)

// program has a kernel that takes arguments of all types. For each of its n work items, it writes
// the sum of a number and of both words of k. Work items from n on write the size of the launch and
// of a group. If there is a buffer in place of the null pointer, all write zeros.
var program = &driver.Program{Name: "program", PTX: `.version 6.3
.target sm_75
.address_size 64
.visible .entry add(
	.param .u32 n, .param .u64 k, .param .u64 from, .param .u64 to, .param .u64 none)
.maxntid 128, 1, 1
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %d<6>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	ld.param.u64 %d1, [from];
	ld.param.u64 %d2, [to];
	ld.param.u64 %d3, [none];
	mul.wide.u32 %d4, %r2, 4;
	add.u64 %d1, %d1, %d4;
	add.u64 %d2, %d2, %d4;
	mov.u32 %r5, 0;
	setp.ne.u64 %p1, %d3, 0;
	@%p1 bra store;
	mov.u32 %r5, %nctaid.x;
	mad.lo.u32 %r5, %r5, %r3, %r3;
	setp.ge.u32 %p2, %r2, %r1;
	@%p2 bra store;
	ld.param.u32 %r6, [k];
	ld.param.u32 %r7, [k+4];
	ld.global.u32 %r5, [%d1];
	add.u32 %r5, %r5, %r6;
	add.u32 %r5, %r5, %r7;
store:
	st.global.u32 [%d2], %r5;
	ret;
}
`, Source: `kernel void add(
	uint n, ulong k, global const uint *from, global uint *to, global uchar *none)
{
	uint i = get_global_id(0);
	if (none)
		to[i] = 0;
	else if (i < n)
		to[i] = from[i] + (uint)(k >> 32) + (uint)k;
	else
		to[i] = (uint)get_global_size(0) + (uint)get_local_size(0);
}
`}

// second is a program with one kernel, which writes 7.
var second = &driver.Program{Name: "second", PTX: `.version 6.3
.target sm_75
.address_size 64
.visible .entry second(.param .u64 to)
{
	.reg .pred %p1;
	.reg .b32 %r1;
	.reg .b64 %d1;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	ld.param.u64 %d1, [to];
	@%p1 st.global.u32 [%d1], 7;
	ret;
}
`, Source: "kernel void second(global uint *to) { if (get_global_id(0) == 0) to[0] = 7; }"}

// A backend is one of the two drivers. The function api returns the functions of the driver, a
// *cuda.API or an *opencl.API.
type backend struct {
	name string
	api  func(t *testing.T) any
}

var backends = []backend{
	{"cuda", func(*testing.T) any { return cudatest.New().API() }},
	{"opencl", func(t *testing.T) any {
		a, err := opencl.Load()
		if err == nil {
			_, err = a.List()
		}
		if errors.Is(err, opencl.ErrNone) {
			t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}},
}

// makers maps functions that make something to those that free it.
var makers = map[string]string{
	"MemAlloc": "MemFree", "MemHostAlloc": "MemFreeHost", "StreamCreate": "StreamDestroy",
	"EventCreate": "EventDestroy", "ModuleLoadDataEx": "ModuleUnload",
	"DevicePrimaryCtxRetain": "DevicePrimaryCtxRelease", "CtxPushCurrent": "CtxPopCurrent",

	"CreateContext": "ReleaseContext", "CreateProgramWithSource": "ReleaseProgram",
	"CreateKernel": "ReleaseKernel", "CreateBuffer": "ReleaseMemObject",
	"CreateCommandQueue": "ReleaseCommandQueue",
	"EnqueueWriteBuffer": "ReleaseEvent", "EnqueueReadBuffer": "ReleaseEvent",
	"EnqueueNDRangeKernel": "ReleaseEvent",
}

// A faulty lets one call of a driver's functions fail, and counts what the functions make and free.
type faulty struct {
	opener
	mu    sync.Mutex
	calls int            // number of calls so far
	last  int            // number of calls up to the last Wait
	fail  int            // number of the call that fails, counting from 1
	which string         // name of the function that has failed
	made  map[string]int // what is made and not freed, by the name of the function that frees it
}

type opener interface {
	Open(index int) (driver.Device, error)
	List() ([]driver.Info, error)
}

// failure is the code with which a call fails: an error of a launch, in either driver.
func failure(kind reflect.Type) reflect.Value {
	if kind == reflect.TypeFor[cuda.Result]() {
		return reflect.ValueOf(cuda.ErrorLaunchFailed)
	}
	return reflect.ValueOf(int32(-5))
}

// newFaulty wraps the functions in the struct to which api points.
func newFaulty(api any, fail int) *faulty {
	f := &faulty{opener: api.(opener), fail: fail, made: map[string]int{}}
	frees := slices.Collect(maps.Values(makers))
	for i := range reflect.ValueOf(api).Elem().NumField() {
		field, name := reflect.ValueOf(api).Elem().Field(i), reflect.TypeOf(api).Elem().Field(i).Name
		if field.IsNil() || name == "GetErrorName" {
			continue
		}
		call := reflect.ValueOf(field.Interface())
		field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value {
			f.mu.Lock()
			f.calls++
			failing := f.calls == f.fail
			if failing {
				f.which = name
			}
			f.mu.Unlock()
			var out []reflect.Value
			if failing && !slices.Contains(frees, name) {
				out = []reflect.Value{reflect.Zero(field.Type().Out(0))}
			} else {
				out = call.Call(args)
			}
			// The code is the result, or is stored at the address in the last argument.
			code := out[0]
			if last := args[len(args)-1]; code.Kind() != reflect.Int32 {
				code = last.Elem()
			}
			good := code.Int() == 0 && !failing
			if failing && code == out[0] {
				out[0] = failure(code.Type())
			} else if failing {
				code.Set(failure(code.Type()))
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if free := makers[name]; free != "" && good {
				f.made[free]++
			} else if slices.Contains(frees, name) {
				f.made[name]--
			}
			return out
		}))
	}
	return f
}

// left returns an error if something was made and not freed.
func (f *faulty) left() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for free, n := range f.made {
		if n != 0 {
			return fmt.Errorf("%s: %d are left: %v", free, n, f.made)
		}
	}
	return nil
}

// onBoth runs a test with a device of each driver that has loaded the program. At the end of the
// test it closes the device, and checks that everything is freed.
func onBoth(t *testing.T, f func(t *testing.T, d driver.Device)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			api := newFaulty(b.api(t), 0)
			d, err := api.Open(0)
			if err == nil {
				err = d.Load(program)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := errors.Join(d.Close(), api.left()); err != nil {
					t.Error(err)
				}
			})
			f(t, d)
		})
	}
}

func alloc(t *testing.T, d driver.Device, n int) driver.Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	return b
}

func queueOf(t *testing.T, d driver.Device) driver.Queue {
	t.Helper()
	q, err := d.NewQueue(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// whole returns n rounded up to whole groups.
func whole(n int) int { return (n + driver.Group - 1) / driver.Group * driver.Group }

// added launches the kernel add for n work items in q, with copies from in and to out.
func added(d driver.Device, q driver.Queue, n int, in, out []byte) error {
	from, err := d.Alloc(4 * whole(n))
	if err != nil {
		return err
	}
	defer from.Free()
	to, err := d.Alloc(4 * whole(n))
	if err != nil {
		return err
	}
	defer to.Free()
	half := n / 2 * 4
	for _, f := range []func() error{
		func() error { return q.Write(from, 0, in[:half]) },
		func() error { return q.Write(from, half, in[half:]) },
		func() error { return q.Launch("add", n, uint32(n), uint64(7)<<32|5, from, to, nil) },
		func() error { return q.Read(out[half:], to, half) },
		func() error { return q.Read(out[:half], to, 0) },
	} {
		if err = f(); err != nil {
			break
		}
	}
	return errors.Join(err, q.Wait(context.Background())) // the memory is in use until then
}

// numbers returns n numbers of 32 bits.
func numbers(n int) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i*i))
	}
	return b
}

// sums returns an error unless out is what added makes of numbers(n).
func sums(n int, out []byte) error {
	for i := range whole(n) {
		want := uint32(i*i) + 12
		if i >= n {
			want = uint32(whole(n) + driver.Group)
		}
		if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
			return fmt.Errorf("%d rows: row %d: %d, want %d", n, i, got, want)
		}
	}
	return nil
}

// TestLaunch checks that bytes are copied to the device and back, from and to memory of the driver
// and of Go, that arguments of all types are passed correctly, and that the work items of a launch
// are rounded up to whole groups.
func TestLaunch(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		q := queueOf(t, d)
		for _, n := range []int{1, 127, 128, 129, 1000} {
			in, out := numbers(n), make([]byte, 4*whole(n))
			if err := errors.Join(added(d, q, n, in, out), sums(n, out)); err != nil {
				t.Error(err)
			}
			h, err := d.AllocHost(len(in) + len(out))
			if err != nil || len(h.Bytes()) != len(in)+len(out) {
				t.Fatal(err)
			}
			copy(h.Bytes(), in)
			out = h.Bytes()[len(in):]
			if err := errors.Join(added(d, q, n, h.Bytes()[:len(in)], out), sums(n, out)); err != nil {
				t.Error(err)
			}
			h.Free()
			h.Free()
			if h.Bytes() != nil {
				t.Error("memory is left after Free")
			}
		}
	})
}

// TestOrder checks that a queue carries out copies in their order, and that changing Go's memory
// after a Write that was waited for does not change the copy.
func TestOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		q, b := queueOf(t, d), alloc(t, d, 5<<20)
		long, back := bytes.Repeat([]byte{1, 2, 3}, 1<<20), make([]byte, 3<<20)
		first, second := make([]byte, 3), make([]byte, 3)
		if err := errors.Join(q.Write(b, 7, long), q.Read(back, b, 7), q.Write(b, 1, []byte{4, 5, 6}),
			q.Read(first, b, 1), q.Write(b, 1, []byte{7, 8, 9}), q.Read(second, b, 1),
			q.Wait(context.Background())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back, long) || !bytes.Equal(first, []byte{4, 5, 6}) ||
			!bytes.Equal(second, []byte{7, 8, 9}) {
			t.Errorf("%v, %v, or another long copy", first, second)
		}
	})
}

// TestRefusals checks that invalid calls return an error at once, and that the queue remains
// usable.
func TestRefusals(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		q, b := queueOf(t, d), alloc(t, d, 512)
		var foreign struct{ driver.Buffer }
		freed := alloc(t, d, 512)
		freed.Free()
		freed.Free()
		eight := make([]byte, 8)
		add := func(args ...any) error { return q.Launch("add", 1, args...) }
		n, k := uint32(1), uint64(1)
		for what, err := range map[string]error{
			"a kernel that there is not": q.Launch("nothing", 1, b),
			"too many arguments":         add(n, k, b, b, nil, n),
			"a narrow argument":          add(n, n, b, b, nil),
			"an argument of no type":     add(1, k, b, b, nil),
			"a freed argument":           add(n, k, b, freed, nil),
			"a write behind the end":     q.Write(b, 505, eight),
			"a read behind the end":      q.Read(make([]byte, 513), b, 0),
			"a read far behind the end":  q.Read(eight, b, 513),
			"a negative offset":          q.Write(b, -1, eight),
			"another driver's buffer":    q.Write(foreign, 0, eight),
			"no buffer":                  q.Read(eight, nil, 0),
			"a freed buffer":             q.Read(eight, freed, 0),
		} {
			if err == nil {
				t.Errorf("%s: no error", what)
			}
		}
		for _, size := range []int{0, -1, 1 << 50} {
			_, err := d.Alloc(size)
			_, failure := d.AllocHost(size)
			if err == nil || failure == nil || size > 0 && !errors.Is(err, driver.ErrMemory) {
				t.Errorf("%d bytes: %v, %v", size, err, failure)
			}
		}
		for _, err := range []error{q.Launch("add", 0), q.Write(b, 512, nil), q.Read(nil, b, 0),
			add(n, k, b, b, b), q.Read(eight[:4], b, 0), q.Wait(context.Background())} {
			if err != nil {
				t.Error(err)
			}
		}
		if !bytes.Equal(eight, make([]byte, 8)) {
			t.Errorf("read %x", eight)
		}
	})
}

// TestPrograms checks that a queue finds the kernels of all programs, even of one loaded later, and
// that the error of a program that does not compile includes the compiler's log.
func TestPrograms(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		q, to, out := queueOf(t, d), alloc(t, d, 512), make([]byte, 4)
		if q.Launch("second", 1, to) == nil {
			t.Error("a kernel of no program was launched")
		}
		broken := &driver.Program{PTX: "bogus", Source: "kernel void k(global uint *to) { bogus; }"}
		if err := d.Load(broken); err == nil || !strings.Contains(err.Error(), "bogus") {
			t.Errorf("a program that does not compile: %v", err)
		}
		if err := errors.Join(d.Load(second), q.Launch("second", 1, to), q.Read(out, to, 0),
			q.Wait(context.Background())); err != nil || out[0] != 7 {
			t.Errorf("%d, %v", out, err)
		}
		if err := added(d, q, 1, numbers(1), make([]byte, 512)); err != nil {
			t.Error(err)
		}
	})
}

// TestWait checks that a Wait whose context ends returns at once, that the queue refuses calls
// until another Wait has returned, and that its work is carried out nevertheless, also by Close.
func TestWait(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		b := alloc(t, d, 512)
		q, err := d.NewQueue(false)
		if err != nil {
			t.Fatal(err)
		}
		h, err := d.AllocHost(4)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		goes, stop := context.WithCancel(context.Background())
		defer stop()
		for _, value := range []byte{5, 6} {
			err := errors.Join(q.Write(b, 0, []byte{value, 0, 0, 0}), q.Read(h.Bytes(), b, 0))
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Wait(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("with a context that had ended: %v", err)
			}
			for i, err := range []error{q.Launch("add", 1, uint32(1), uint64(1), b, b, nil),
				q.Write(b, 0, h.Bytes()), q.Read(h.Bytes(), b, 0)} {
				if err == nil || !strings.Contains(err.Error(), "in use") {
					t.Errorf("call %d: %v", i, err)
				}
			}
			if value == 5 {
				err = q.Wait(goes)
			} else {
				q.Close()
			}
			if err != nil || h.Bytes()[0] != value {
				t.Errorf("%v, %v", h.Bytes(), err)
			}
		}
		h.Free()
	})
}

// TestConcurrent checks that queues of one device work at the same time.
func TestConcurrent(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				q, err := d.NewQueue(false)
				if err != nil {
					t.Error(err)
					return
				}
				defer q.Close()
				for round := range 20 {
					n := 100*g + round + 1
					out := make([]byte, 4*whole(n))
					if err := errors.Join(added(d, q, n, numbers(n), out), sums(n, out)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
}

// TestTimes checks that Times returns a duration for each launch since the last Wait, and none for
// copies and empty launches.
func TestTimes(t *testing.T) {
	onBoth(t, func(t *testing.T, d driver.Device) {
		q, err := d.NewQueue(true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		b := alloc(t, d, 4*1024)
		for _, launches := range []int{3, 1, 0, 2} {
			err := errors.Join(q.Write(b, 0, make([]byte, 100)), q.Launch("add", 0))
			for i := range launches {
				err = errors.Join(err, q.Launch("add", 1+1000*(i%2), uint32(1), uint64(0), b, b, nil))
			}
			if err := errors.Join(err, q.Wait(context.Background())); err != nil {
				t.Fatal(err)
			}
			if times := q.Times(); len(times) != launches || slices.Min(append(times, 1)) < 1 {
				t.Errorf("%d launches have the times %v", launches, times)
			}
		}
	})
}

// TestOpen checks that every device of List has memory and a name with the index that Open takes.
func TestOpen(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			api := b.api(t).(opener)
			list, err := api.List()
			if err != nil || len(list) == 0 {
				t.Fatal(list, err)
			}
			for i, info := range list {
				if !strings.HasPrefix(info.Name, fmt.Sprintf("%s:%d ", b.name, i)) || info.Driver == "" ||
					info.Memory < 1<<20 || info.Units < 1 {
					t.Errorf("%+v", info)
				}
			}
			d, err := api.Open(0)
			if err != nil || d.Info() != list[0] {
				t.Fatal(d, err)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			for _, index := range []int{-1, len(list)} {
				_, err := api.Open(index)
				if !errors.Is(err, cuda.ErrNone) && !errors.Is(err, opencl.ErrNone) {
					t.Errorf("device %d: %v", index, err)
				}
			}
		})
	}
}

// TestFailures checks each call of a function of the drivers: if it fails, either there is an error
// or the result is right, and everything is freed. Some calls may fail without an error: those
// after the last Wait, those that free something or precede that, and those that ask for properties
// that a device need not have.
func TestFailures(t *testing.T) {
	const n = 200
	in := numbers(n)
	session := func(f *faulty) (err error) {
		d, err := f.Open(0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		if err := d.Load(program); err != nil {
			return err
		}
		h, err := d.AllocHost(len(in) + 4*whole(n))
		if err != nil {
			return err
		}
		defer h.Free()
		copy(h.Bytes(), in)
		q, err := d.NewQueue(true)
		if err != nil {
			return err
		}
		defer q.Close()
		for range 2 {
			out := h.Bytes()[len(in):]
			clear(out)
			err := added(d, q, n, h.Bytes()[:len(in)], out)
			if err == nil {
				err = sums(n, out)
			}
			if err == nil && len(q.Times()) != 1 {
				err = fmt.Errorf("the times of one launch are %v", q.Times())
			}
			if err != nil {
				return err
			}
		}
		f.last = f.calls
		return nil
	}
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			good := newFaulty(b.api(t), 0)
			if err := errors.Join(session(good), good.left()); err != nil {
				t.Fatal(err)
			}
			for k := 1; k <= good.calls; k++ {
				f := newFaulty(b.api(t), k)
				err := session(f)
				property := f.which == "GetDeviceInfo" || f.which == "DeviceGetAttribute"
				silent := property || k > good.last || f.which == "CtxPushCurrent" ||
					slices.Contains(slices.Collect(maps.Values(makers)), f.which)
				if err == nil && !silent || err != nil && !property && !strings.Contains(err.Error(), "error") {
					t.Errorf("call %d (%s): %v", k, f.which, err)
				}
				// After a failed CtxPushCurrent there is no current context, so something is not freed.
				if err := f.left(); err != nil && f.which != "CtxPushCurrent" {
					t.Errorf("call %d (%s): %v", k, f.which, err)
				}
			}
		})
	}
}
