//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// inside is an environment variable that TestLibrary sets in the process that it starts.
const inside = "KOBLITZ_CUDA_TEST_LIBRARY"

// TestLibrary checks that a process can load a driver library under the name libcuda.so.1 and call
// its functions. The library is written in C with the declarations of cuda.h; the test runs itself
// again as that process.
func TestLibrary(t *testing.T) {
	started := os.Getenv(inside) != ""
	if started {
		useLibrary(t)
		return
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("without gcc: the library is written in C")
	}
	for name, c := range map[string]struct{ flag, want string }{
		"whole":         {"-DWHOLE", "the library was called"},
		"without names": {"-DcuGetErrorName=other", "the library was called"},
		"a part":        {"-DcuEventDestroy_v2=other", "the CUDA driver has no cuEventDestroy_v2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if out, err := exec.Command("gcc", "-std=c11", "-O1", "-Wall", "-Werror", "-shared",
				"-fPIC", c.flag, "-o", filepath.Join(dir, "libcuda.so.1"),
				"testdata/libcuda.c").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestLibrary$", "-test.v")
			cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, inside+"="+name)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func useLibrary(t *testing.T) {
	list, err := cuda.List()
	if errors.Is(err, cuda.ErrNone) && list == nil {
		t.Log(err)
		return
	}
	info := driver.Info{Name: "cuda:1 a device in C", Driver: "CUDA 13.0", Memory: 5 << 32,
		Units: 108, ClockMHz: 1410, Major: 8, Minor: 6}
	if err != nil || len(list) != 2 || list[1] != info {
		t.Fatalf("%+v, %v", list, err)
	}
	d, err := cuda.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(&driver.Program{PTX: "another text"}); err == nil ||
		!strings.HasSuffix(err.Error(), "ModuleLoadDataEx: error 218: what is wrong: and more") {
		t.Errorf("error %v", err)
	}
	if err := d.Load(&driver.Program{PTX: "a text"}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 128, 5000} {
		if err := doubled(d, n); err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
	q, err := d.NewQueue(true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Launch("double", 1, uint32(1), b, b, uint64(3)); err != nil {
		t.Error(err)
	}
	err = q.Wait(context.Background())
	if times := q.Times(); err != nil || len(times) != 1 || times[0] != 1500*time.Microsecond {
		t.Errorf("the times are %v, %v", times, err)
	}
	q.Close()
	b.Free()
	want := "error 2 (CUDA_ERROR_OUT_OF_MEMORY)"
	if os.Getenv(inside) == "without names" {
		want = "error 2"
	}
	if _, err := d.Alloc(77); !errors.Is(err, driver.ErrMemory) ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	t.Log("the library was called")
}
