package cuda_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/library"
)

// TestInfo checks that List and Open describe a device.
func TestInfo(t *testing.T) {
	fake := cudatest.New()
	fake.Count = 2
	list, err := fake.API().List()
	want := driver.Info{Name: "cuda:0 interpreter of PTX", Driver: "CUDA 12.4",
		Memory: 1 << 30, Units: 1, ClockMHz: 1980, Major: 9}
	if err != nil || len(list) != 2 || list[0] != want || list[1].Name[:6] != "cuda:1" {
		t.Errorf("%+v, %v", list, err)
	}
	if got := open(t, fake, double).Info(); got != want {
		t.Errorf("%+v", got)
	}
	fake = cudatest.New()
	fake.NoClock = true
	want.ClockMHz = 0
	if got := open(t, fake, double).Info(); got != want {
		t.Errorf("without a clock rate: %+v", got)
	}
}

// TestLost checks which errors say that the device is lost.
func TestLost(t *testing.T) {
	for code := cuda.Result(1); code < 1000; code++ {
		err := error(&cuda.Error{Code: code})
		if got, want := errors.Is(err, driver.ErrLost), code >= 700 && code <= 719; got != want {
			t.Errorf("error %d: lost is %v", code, got)
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
		failWith cuda.Result
		compiled int
	}{
		{"code", cudatest.Cubin(double, 8, 6), 0, 0},
		{"for an older device", cudatest.Cubin(double, 8, 0), 0, 0},
		{"none", nil, 0, 1},
		{"for a newer device", cudatest.Cubin(double, 8, 9), 0, 1},
		{"for another generation", cudatest.Cubin(double, 9, 0), 0, 1},
		{"damaged", []byte("\x7fELFbogus"), 0, 1},
		{"damaged inside", cudatest.Cubin("bogus", 8, 6), 0, 1},
		{"refused", cudatest.Cubin(double, 8, 6), cuda.ErrorInvalidImage, 1},
	} {
		fake := cudatest.New()
		fake.Major, fake.Minor = 8, 6
		d, err := fake.API().Open(0)
		if err != nil {
			t.Fatal(err)
		}
		if c.failWith != 0 {
			fake.FailAt(2, c.failWith) // the call after CtxPushCurrent
		}
		err = d.Load(&driver.Program{PTX: double, Cubin: func(major, minor int) []byte {
			if major != 8 || minor != 6 {
				t.Errorf("%s: code is wanted for %d.%d", c.name, major, minor)
			}
			return c.code
		}})
		in := numbers(300)
		out, failure := doubled(d, in)
		if err := errors.Join(err, failure); err != nil || !bytes.Equal(out, wantDoubled(in)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := fake.Compiled(); got != c.compiled {
			t.Errorf("%s: %d texts are compiled, want %d", c.name, got, c.compiled)
		}
		if err := errors.Join(d.Close(), fake.Err(), fake.Leaks()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
