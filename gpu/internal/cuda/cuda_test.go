package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
)

// double is the PTX of a kernel. For each of the n bytes at the address "in", it writes twice that
// byte, plus the low byte at the address "add", to the address "out".
const double = `.version 6.3
.target sm_75
.address_size 64
.visible .entry double(.param .u32 n, .param .u64 in, .param .u64 out, .param .u64 add)
.maxntid 128, 1, 1
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %rd<7>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	setp.ge.u32 %p, %r2, %r1;
	@%p bra end;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	ld.param.u64 %rd3, [add];
	cvt.u64.u32 %rd4, %r2;
	add.u64 %rd1, %rd1, %rd4;
	add.u64 %rd2, %rd2, %rd4;
	ld.global.u8 %rd5, [%rd1];
	shl.b64 %rd5, %rd5, 1;
	add.u64 %rd5, %rd5, %rd3;
	st.global.u8 [%rd2], %rd5;
end:
	ret;
}
`

// openWith opens the device of fake, and loads the kernels in ptx.
func openWith(fake *cudatest.Driver, ptx string) (driver.Device, error) {
	d, err := fake.API().Open(0)
	if err != nil {
		return nil, err
	}
	if err := d.Load(&driver.Program{PTX: ptx}); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// open opens the device of fake. At the end of the test it closes the device and checks that there
// were no faults and that everything is freed.
func open(t *testing.T, fake *cudatest.Driver, ptx string) driver.Device {
	t.Helper()
	d, err := openWith(fake, ptx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := fake.Err(); err != nil {
			t.Error(err)
		}
		if err := fake.Leaks(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// doubled runs the kernel double on d and returns its output.
func doubled(d driver.Device, in []byte) (out []byte, err error) {
	out = make([]byte, len(in))
	return out, doubledTo(out, d, in)
}

// doubledPinned runs the kernel double with pinned host memory.
func doubledPinned(d driver.Device, in []byte) ([]byte, error) {
	h, err := d.AllocHost(2 * len(in))
	if err != nil {
		return nil, err
	}
	defer h.Free()
	from, to := h.Bytes()[:len(in)], h.Bytes()[len(in):]
	copy(from, in)
	err = doubledTo(to, d, from)
	return bytes.Clone(to), err
}

// doubledTo runs the kernel double on the bytes src and writes its output to dst.
func doubledTo(dst []byte, d driver.Device, src []byte) error {
	a, err := d.Alloc(len(src))
	if err != nil {
		return err
	}
	defer a.Free()
	b, err := d.Alloc(len(src))
	if err != nil {
		return err
	}
	defer b.Free()
	// Deferred calls run in reverse order, so the queue is closed before its memory is freed.
	q, err := d.NewQueue()
	if err != nil {
		return err
	}
	defer q.Close()
	for _, f := range []func() error{
		func() error { return q.Write(a, 0, src) },
		func() error { return q.Launch("double", len(src), uint32(len(src)), a, b, uint64(3)) },
		func() error { return q.Read(dst, b, 0) },
		func() error { return q.Wait(context.Background()) },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func numbers(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i + i>>8)
	}
	return b
}

func wantDoubled(in []byte) []byte {
	out := make([]byte, len(in))
	for i, v := range in {
		out[i] = 2*v + 3
	}
	return out
}

// TestQueue checks that a kernel computes the right bytes, for numbers of bytes around the size of
// a group of work items, on drivers that describe kernel parameters and on older ones that do not.
func TestQueue(t *testing.T) {
	for _, old := range []bool{false, true} {
		fake := cudatest.New()
		fake.NoParamInfo = old
		d := open(t, fake, double)
		for _, n := range []int{1, 127, 128, 129, 1000} {
			in := numbers(n)
			if out, err := doubled(d, in); err != nil || !bytes.Equal(out, wantDoubled(in)) {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// TestStaging checks that copies that are longer than the pinned memory of a queue arrive at the
// right place in a buffer. Changing the source after Write does not change the copy.
func TestStaging(t *testing.T) {
	d := open(t, cudatest.New(), double)
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	const n = 70<<20 + 5
	b, err := d.Alloc(n + 10)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	in, out := numbers(n), make([]byte, n)
	if err := q.Write(b, 7, in); err != nil {
		t.Fatal(err)
	}
	if err := q.Read(out, b, 7); err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(in, out) {
		t.Error("what comes back is not what was written")
	}
	// Two small copies go to the same place. The second overwrites the first, and each read returns
	// the bytes that were there when it was enqueued.
	small, first, second := []byte{1, 2, 3}, make([]byte, 3), make([]byte, 3)
	for _, err := range []error{
		q.Write(b, 1, small), q.Read(first, b, 1),
		q.Write(b, 1, []byte{4, 5, 6}), q.Read(second, b, 1),
		q.Wait(context.Background()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first, small) || !bytes.Equal(second, []byte{4, 5, 6}) {
		t.Errorf("%v, %v", first, second)
	}
}

// TestHostMemory checks that each copy from or to pinned memory takes one driver call, at any
// length, and does not disturb copies of other host memory.
func TestHostMemory(t *testing.T) {
	fake := cudatest.New()
	d := open(t, fake, double)
	for _, n := range []int{1, 127, 128, 1000} {
		in := numbers(n)
		if out, err := doubledPinned(d, in); err != nil || !bytes.Equal(out, wantDoubled(in)) {
			t.Errorf("%d: %v", n, err)
		}
	}
	const n = 5 << 20
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	h, err := d.AllocHost(n)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Bytes()) != n {
		t.Fatalf("%d bytes, want %d", len(h.Bytes()), n)
	}
	in := numbers(n)
	copy(h.Bytes(), in)
	before := fake.Calls()
	if err := q.Write(b, 0, h.Bytes()); err != nil {
		t.Error(err)
	}
	if calls := fake.Calls() - before; calls != 3 { // Push and Pop of the context are two of them
		t.Errorf("%d calls for one copy", calls)
	}
	back, last := make([]byte, n-1), h.Bytes()[n-1:]
	if err := errors.Join(q.Read(back, b, 1), q.Read(last, b, 0),
		q.Wait(context.Background())); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(back, in[1:]) || last[0] != in[0] {
		t.Error("what comes back is not what was written")
	}
	if err := errors.Join(q.Write(b, 0, h.Bytes()[:0]), q.Read(back[:0], b, n)); err != nil {
		t.Error(err)
	}
	h.Free()
	h.Free()
	if h.Bytes() != nil {
		t.Error("memory is left after Free")
	}
	for _, size := range []int{0, -1} {
		if _, err := d.AllocHost(size); err == nil {
			t.Errorf("%d bytes of pinned memory", size)
		}
	}
}

// TestList checks that a device that the driver cannot describe gets an empty Info, and the devices
// after it keep their indices.
func TestList(t *testing.T) {
	none := cudatest.New()
	none.Count = 0
	if list, err := none.API().List(); list != nil || !errors.Is(err, cuda.ErrNone) {
		t.Errorf("no device: %v, %v", list, err)
	}
	good := cudatest.New()
	good.Count = 3
	want, err := good.API().List()
	if err != nil {
		t.Fatal(err)
	}
	first := 4 // number of the first driver call about a device
	for k := first; k <= good.Calls(); k++ {
		fake := cudatest.New()
		fake.Count = 3
		fake.FailAt(k, cuda.ErrorLaunchFailed)
		list, err := fake.API().List()
		calls := (good.Calls() - first + 1) / 3 // for each device
		broken := (k - first) / calls
		if (k-first)%calls == calls-1 { // the clock rate, which is optional
			if err != nil || len(list) != 3 || list[broken].ClockMHz != 0 {
				t.Errorf("call %d (%s): %+v, %v", k, fake.Failed(), list, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("cuda:%d: ", broken)) ||
			len(list) != 3 {
			t.Errorf("call %d (%s): %+v, %v", k, fake.Failed(), list, err)
			continue
		}
		for i, info := range list {
			if i == broken && info != (driver.Info{}) || i != broken && info != want[i] {
				t.Errorf("call %d (%s): device %d is %+v", k, fake.Failed(), i, info)
			}
		}
	}
}

// TestPrograms checks that a queue finds the kernels of all programs, even of one loaded after the
// queue was made, and that Close unloads all programs.
func TestPrograms(t *testing.T) {
	d := open(t, cudatest.New(), strings.Replace(double, ".entry double", ".entry other", 1))
	in := numbers(300)
	if _, err := doubled(d, in); err == nil || !strings.Contains(err.Error(), "error 500") {
		t.Errorf("a kernel of no program: %v", err)
	}
	if err := d.Load(&driver.Program{PTX: double}); err != nil {
		t.Fatal(err)
	}
	if out, err := doubled(d, in); err != nil || !bytes.Equal(out, wantDoubled(in)) {
		t.Error(err)
	}
}

// TestRefusals checks that faulty calls are refused before they reach the driver.
func TestRefusals(t *testing.T) {
	d := open(t, cudatest.New(), double)
	other := open(t, cudatest.New(), double)
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	b, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	freed, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	freed.Free()
	freed.Free()
	foreign, err := other.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	defer foreign.Free()
	eight := make([]byte, 8)
	for name, err := range map[string]error{
		"behind":            q.Write(b, 1, eight),
		"before":            q.Write(b, -1, eight),
		"far":               q.Read(eight, b, 9),
		"freed":             q.Write(freed, 0, eight),
		"foreign":           q.Read(eight, foreign, 0),
		"nil":               q.Read(eight, nil, 0),
		"no kernel":         q.Launch("triple", 1, uint32(1)),
		"few arguments":     q.Launch("double", 1, uint32(1), b, b),
		"no arguments":      q.Launch("double", 1),
		"many arguments":    q.Launch("double", 1, uint32(1), b, b, uint64(1), uint64(1)),
		"size":              q.Launch("double", 1, uint64(1), b, b, uint64(1)),
		"size of the last":  q.Launch("double", 1, uint32(1), b, b, uint32(1)),
		"type":              q.Launch("double", 1, 1, b, b, uint64(1)),
		"freed argument":    q.Launch("double", 1, uint32(1), b, freed, uint64(1)),
		"foreign argument":  q.Launch("double", 1, uint32(1), b, foreign, uint64(1)),
		"memory of nothing": alloc(d, 0),
		"memory below 0":    alloc(d, -1),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := alloc(d, 1<<30); !errors.Is(err, driver.ErrMemory) {
		t.Errorf("more memory than there is: %v", err)
	}
	// None of the refused calls has reached the queue.
	if err := q.Wait(context.Background()); err != nil {
		t.Error(err)
	}
}

func alloc(d driver.Device, n int) error {
	b, err := d.Alloc(n)
	if err == nil {
		b.Free()
	}
	return err
}

// TestOpenErrors checks that Open refuses devices and programs that cannot be used, and then frees
// everything it has allocated.
func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *cudatest.Driver)
		index  int
		ptx    string
		none   bool
		want   string
	}{
		"old driver": {func(d *cudatest.Driver) { d.Version = 11080 }, 0, double, true,
			"the driver is for CUDA 11.8, and CUDA 12.0 is needed"},
		"old device": {func(d *cudatest.Driver) { d.Major, d.Minor = 7, 2 }, 0, double, true,
			"compute capability 7.2, and 7.5 is needed"},
		"no device": {func(d *cudatest.Driver) { d.Count = 0 }, 0, double, true, "error 100"},
		"index":     {func(d *cudatest.Driver) {}, 1, double, true, "index 1 of 1"},
		"below":     {func(d *cudatest.Driver) {}, -1, double, true, "index -1 of 1"},
		"text": {func(d *cudatest.Driver) {}, 0, double + "bogus", false,
			"CUDA_ERROR_INVALID_PTX): ptx: line 30: unexpected \"bogus\""},
	} {
		fake := cudatest.New()
		c.change(fake)
		d, err := fake.API().Open(c.index)
		if err == nil {
			err = errors.Join(d.Load(&driver.Program{PTX: c.ptx}), d.Close())
		}
		if err == nil || errors.Is(err, cuda.ErrNone) != c.none ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if err := errors.Join(fake.Err(), fake.Leaks()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, minor := range []int32{5, 9} {
		fake := cudatest.New()
		fake.Major, fake.Minor = 7, minor
		open(t, fake, double)
	}
}

// TestFailures checks each driver call in turn: if it fails, either there is an error or the result
// is right, and everything is freed that can be freed.
func TestFailures(t *testing.T) {
	in := numbers(300)
	session := func(fake *cudatest.Driver) ([]byte, error) {
		d, err := openWith(fake, double)
		if err != nil {
			return nil, err
		}
		out, err := doubled(d, in)
		if err == nil {
			out, err = doubledPinned(d, in)
		}
		return out, errors.Join(err, d.Close())
	}
	good := cudatest.New()
	if out, err := session(good); err != nil || !bytes.Equal(out, wantDoubled(in)) {
		t.Fatal(err)
	}
	silent, clock := 0, 0
	for k := 1; k <= good.Calls(); k++ {
		fake := cudatest.New()
		fake.FailAt(k, cuda.ErrorLaunchFailed)
		out, err := session(fake)
		switch {
		case err == nil && !bytes.Equal(out, wantDoubled(in)):
			t.Errorf("call %d (%s): another result", k, fake.Failed())
		case err == nil:
			// Some driver calls may fail without an error: those that only free memory and queues
			// after the result has been read; and CtxPopCurrent, whose error may be that of an
			// earlier call.
			// One attribute is optional.
			name := fake.Failed()
			if name == "CtxPopCurrent" {
				break
			}
			if name == "DeviceGetAttribute" && clock == 0 {
				clock++
				break
			}
			silent++
			if !strings.Contains(name, "Free") &&
				!strings.Contains(name, "Destroy") && name != "CtxPushCurrent" &&
				!strings.HasPrefix(name, "Event") {
				t.Errorf("call %d (%s): no error", k, name)
			}
		case !strings.Contains(err.Error(), "error 719"):
			t.Errorf("call %d (%s): %v", k, fake.Failed(), err)
		}
		if err := fake.Err(); err != nil {
			t.Errorf("call %d (%s): %v", k, fake.Failed(), err)
		}
		// After a failed CtxPushCurrent there is no current context, so nothing can be freed.
		if err := fake.Leaks(); err != nil && fake.Failed() != "CtxPushCurrent" {
			t.Errorf("call %d (%s): %v", k, fake.Failed(), err)
		}
	}
	if silent == 0 || silent > 24 {
		t.Errorf("%d of %d failures are not told", silent, good.Calls())
	}
}

// TestFaultyKernel checks that Wait and all later calls return the error of a faulty kernel.
func TestFaultyKernel(t *testing.T) {
	fake := cudatest.New()
	d, err := openWith(fake, strings.Replace(double, "ld.global.u8 %rd5, [%rd1]",
		"ld.global.u8 %rd5, [%rd1+1]", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = doubled(d, numbers(128))
	var e *cuda.Error
	if !errors.As(err, &e) || e.Code != cuda.ErrorIllegalAddress {
		t.Errorf("error %v", err)
	}
	if err := fake.Err(); err == nil || !strings.Contains(err.Error(),
		"ptx: double: line 23 (in double), group [0 0 0], item [127 0 0]") {
		t.Errorf("fault %v", err)
	}
	if _, err := doubled(d, numbers(128)); !errors.As(err, &e) ||
		e.Code != cuda.ErrorIllegalAddress {
		t.Errorf("afterwards: error %v", err)
	}
	if err := d.Close(); err == nil {
		t.Error("the device is lost, and Close says nothing")
	}
	if err := fake.Leaks(); err != nil {
		t.Error(err)
	}
}

// TestContext checks that a Wait whose context has ended returns at once, and that a second Wait
// waits for the copies and launches of the first.
func TestContext(t *testing.T) {
	d := open(t, cudatest.New(), double)
	b, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	in, out := numbers(8), make([]byte, 8)
	if err := errors.Join(q.Write(b, 0, in), q.Read(out, b, 0)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := q.Wait(ctx); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if q.Write(b, 0, in) == nil || q.Read(out, b, 0) == nil ||
		q.Launch("double", 1, uint32(1), b, b, uint64(0)) == nil {
		t.Error("the queue is in use, and can be used")
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	if err := q.Wait(ctx); err != nil || !bytes.Equal(out, in) {
		t.Errorf("%v, %v", out, err)
	}
	if err := q.Launch("double", 8, uint32(8), b, b, uint64(3)); err != nil {
		t.Error(err)
	}
	if err := errors.Join(q.Read(out, b, 0), q.Wait(ctx)); err != nil ||
		!bytes.Equal(out, wantDoubled(in)) {
		t.Errorf("%v, %v", out, err)
	}
	// Leave a copy under way, for which Close must wait.
	if err := q.Read(out, b, 0); err != nil {
		t.Error(err)
	}
	cancelled, cancel2 := context.WithCancel(context.Background())
	cancel2()
	if err := q.Wait(cancelled); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// TestManyQueues checks that queues used by different goroutines do not disturb each other.
func TestManyQueues(t *testing.T) {
	d := open(t, cudatest.New(), double)
	errs := make(chan error)
	for i := range 8 {
		go func() {
			var all error
			for j := range 10 {
				in := numbers(100*i + j + 1)
				out, err := doubled(d, in)
				if err == nil && !bytes.Equal(out, wantDoubled(in)) {
					err = errors.New("another result")
				}
				all = errors.Join(all, err)
			}
			errs <- all
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
