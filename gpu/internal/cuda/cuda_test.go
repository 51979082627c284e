package cuda_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/library"
)

// double is the PTX of a kernel. For each of the n bytes at the address "in", it writes twice that
// byte, plus the low byte of "add", to the address "out".
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

// doubled returns an error unless d runs the kernel double on n bytes correctly.
func doubled(d driver.Device, n int) error {
	a, err := d.Alloc(n)
	if err != nil {
		return err
	}
	defer a.Free()
	b, err := d.Alloc(n)
	if err != nil {
		return err
	}
	defer b.Free()
	// Deferred calls run in reverse order, so the queue is closed before its memory is freed.
	q, err := d.NewQueue(false)
	if err != nil {
		return err
	}
	defer q.Close()
	in, out := make([]byte, n), make([]byte, n)
	for i := range in {
		in[i] = byte(i*i + i>>8)
	}
	for _, f := range []func() error{
		func() error { return q.Write(a, 0, in) },
		func() error { return q.Launch("double", n, uint32(n), a, b, uint64(3)) },
		func() error { return q.Read(out, b, 0) },
		func() error { return q.Wait(context.Background()) },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	for i := range in {
		if out[i] != 2*in[i]+3 {
			return errors.New("another result")
		}
	}
	return nil
}

// TestInfo checks that List and Open describe devices, and that a device that the driver cannot
// describe gets an empty Info, while the devices after it keep their indices.
func TestInfo(t *testing.T) {
	want := driver.Info{Name: "cuda:1 interpreter of PTX", Driver: "CUDA 12.4", Memory: 1 << 30,
		Units: 1, ClockMHz: 1980, Major: 9}
	for _, broken := range []bool{false, true} {
		fake := cudatest.New()
		fake.Count, fake.NoClock = 2, broken
		if broken {
			want.ClockMHz = 0
		}
		a := fake.API()
		if total := a.DeviceTotalMem; broken {
			a.DeviceTotalMem = func(n *uintptr, d cuda.DeviceID) cuda.Result {
				if d == 0 {
					return cuda.ErrorLaunchFailed
				}
				return total(n, d)
			}
		}
		list, err := a.List()
		if len(list) != 2 || list[1] != want || (list[0] == driver.Info{}) != broken ||
			broken != (err != nil && strings.HasPrefix(err.Error(), "cuda:0: cuda: DeviceTotalMem: ")) {
			t.Errorf("%+v, %v", list, err)
		}
		d, err := a.Open(1)
		if err != nil || d.Info() != want {
			t.Errorf("%+v, %v", d.Info(), err)
		}
	}
}

// TestCodes checks which errors say that the device is lost, or that there is no memory.
func TestCodes(t *testing.T) {
	for code := cuda.Result(1); code < 1000; code++ {
		err := error(&cuda.Error{Code: code})
		if errors.Is(err, driver.ErrLost) != (code >= 700 && code <= 719) ||
			errors.Is(err, driver.ErrMemory) != (code == 2) {
			t.Errorf("error %d: lost is %t", code, errors.Is(err, driver.ErrLost))
		}
	}
}

// TestSearched checks that the error names all files in which the driver was searched.
func TestSearched(t *testing.T) {
	_, err := cuda.Load()
	if err == nil {
		t.Skip("there is a CUDA driver")
	}
	want := map[string][]string{
		"linux": {"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1",
			"/usr/lib/wsl/lib/libcuda.so.1"},
		"windows": {"nvcuda.dll"},
	}
	for _, name := range want[runtime.GOOS] {
		if !strings.Contains(err.Error(), name+":") && !errors.Is(err, library.ErrPlatform) {
			t.Errorf("%v, without %s", err, name)
		}
	}
}

// TestCubin checks that Load takes the machine code for the device without compiling, and that it
// compiles the PTX if there is no code or the driver refuses the code for any reason.
func TestCubin(t *testing.T) {
	for _, c := range []struct {
		name     string
		code     []byte
		compiled int
	}{
		{"code", cudatest.Cubin(double, 8, 6), 0},
		{"for an older device", cudatest.Cubin(double, 8, 0), 0},
		{"none", nil, 1},
		{"for a newer device", cudatest.Cubin(double, 8, 9), 1},
		{"for another generation", cudatest.Cubin(double, 9, 0), 1},
		{"damaged", []byte("\x7fELFbogus"), 1},
		{"damaged inside", cudatest.Cubin("bogus", 8, 6), 1},
	} {
		fake := cudatest.New()
		fake.Major, fake.Minor = 8, 6
		d, err := fake.API().Open(0)
		if err != nil {
			t.Fatal(err)
		}
		err = d.Load(&driver.Program{PTX: double, Cubin: func(major, minor int) []byte {
			if major != 8 || minor != 6 {
				t.Errorf("%s: code is wanted for %d.%d", c.name, major, minor)
			}
			return c.code
		}})
		if err := errors.Join(err, doubled(d, 300)); err != nil || fake.Compiled() != c.compiled {
			t.Errorf("%s: %v, %d texts are compiled, want %d", c.name, err, fake.Compiled(), c.compiled)
		}
		if err := errors.Join(d.Close(), fake.Err(), fake.Leaks()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOpenErrors checks that Open refuses devices and programs that cannot be used, and then frees
// everything it has allocated.
func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *cudatest.Driver)
		ptx    string
		none   bool
		want   string
	}{
		"old driver": {func(d *cudatest.Driver) { d.Version = 11080 }, double, true,
			"the driver is for CUDA 11.8, and CUDA 12.0 is needed"},
		"old device": {func(d *cudatest.Driver) { d.Major, d.Minor = 7, 2 }, double, true,
			"compute capability 7.2, and 7.5 is needed"},
		"no device": {func(d *cudatest.Driver) { d.Count = 0 }, double, true, "error 100"},
		"text": {func(d *cudatest.Driver) {}, double + "bogus", false,
			"CUDA_ERROR_INVALID_PTX): ptx: line 30: unexpected \"bogus\""},
		"oldest device": {func(d *cudatest.Driver) { d.Major, d.Minor = 7, 5 }, double, false, ""},
		"newer device":  {func(d *cudatest.Driver) { d.Major, d.Minor = 7, 9 }, double, false, ""},
	} {
		fake := cudatest.New()
		c.change(fake)
		d, err := fake.API().Open(0)
		if err == nil {
			err = d.Load(&driver.Program{PTX: c.ptx})
			if err == nil {
				err = doubled(d, 200)
			}
			err = errors.Join(err, d.Close())
		}
		if (err == nil) != (c.want == "") || errors.Is(err, cuda.ErrNone) != c.none ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if err := errors.Join(fake.Err(), fake.Leaks()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoAddress checks that pinned memory without an address is an error.
func TestNoAddress(t *testing.T) {
	api := cudatest.New().API()
	api.MemHostAlloc = func(*unsafe.Pointer, uintptr, uint32) cuda.Result { return cuda.Success }
	d, err := api.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.AllocHost(8); err == nil {
		t.Error("it is accepted")
	}
}

// TestFaultyKernel checks that Wait and all later calls return the error of a faulty kernel, and
// that a buffer of another device is refused.
func TestFaultyKernel(t *testing.T) {
	fake, other := cudatest.New(), cudatest.New()
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	e, err := other.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueue(false)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := e.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(&driver.Program{PTX: strings.Replace(double, "ld.global.u8 %rd5, [%rd1]",
		"ld.global.u8 %rd5, [%rd1+1]", 1)}); err != nil {
		t.Fatal(err)
	}
	if q.Write(foreign, 0, make([]byte, 8)) == nil ||
		q.Launch("double", 1, uint32(1), foreign, foreign, uint64(1)) == nil {
		t.Error("a buffer of another device is accepted")
	}
	q.Close()
	for range 2 {
		var failed *cuda.Error
		if err := doubled(d, 128); !errors.As(err, &failed) || failed.Code != cuda.ErrorIllegalAddress ||
			!errors.Is(err, driver.ErrLost) {
			t.Errorf("error %v", err)
		}
	}
	if err := fake.Err(); err == nil || !strings.Contains(err.Error(),
		"ptx: double: line 23 (in double), group 0, item 127") {
		t.Errorf("fault %v", err)
	}
	if err := d.Close(); err == nil {
		t.Error("the device is lost, and Close says nothing")
	}
	if err := fake.Leaks(); err != nil {
		t.Error(err)
	}
}
