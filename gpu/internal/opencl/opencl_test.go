//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestDrain checks that as long as Finish fails, the queue keeps the commands and their host
// memory, since the device may still copy from and to it. The queue releases them once Finish
// succeeds.
func TestDrain(t *testing.T) {
	code, released := int32(-5), 0
	a := &API{
		Finish: func(queueID) int32 { return code },
		GetEventInfo: func(_ eventID, _ uint32, _ uintptr, status unsafe.Pointer, _ *uintptr) int32 {
			*(*int32)(status) = 0
			return 0
		},
		ReleaseEvent: func(eventID) int32 {
			released++
			return 0
		},
	}
	q := &queue{API: a, under: []command{{memory: make([]byte, 1)}, {}}}
	for range 2 {
		var failed *Error
		if err := q.Drain(); !errors.As(err, &failed) || failed.Code != code {
			t.Error(err)
		}
		if len(q.under) != 2 || q.under[0].memory == nil || released != 0 {
			t.Fatalf("%d commands are left, %d events were released", len(q.under), released)
		}
	}
	code = 0
	if err := q.Drain(); err != nil {
		t.Error(err)
	}
	if len(q.under) != 0 || released != 2 {
		t.Errorf("%d commands are left, %d events were released", len(q.under), released)
	}
}

// TestPlatforms checks that a platform that fails does not hide the devices of other platforms. Its
// error is returned if there are no devices at all. Without platforms, or with platforms that have
// none, the error is ErrNone.
func TestPlatforms(t *testing.T) {
	const fails, none, one = codeNoHostMemory, codeNoDevice, 0 // results of GetDeviceIDs
	for _, c := range []struct {
		platforms []int32
		want      int
		none      bool
	}{
		{nil, 0, true}, {[]int32{none}, 0, true}, {[]int32{fails, none}, 0, false},
		{[]int32{fails, one}, 1, false}, {[]int32{one, none, one}, 2, false},
	} {
		a := &API{
			GetPlatformIDs: func(size uint32, list *platformID, count *uint32) int32 {
				if len(c.platforms) == 0 {
					return codeNoPlatform
				}
				if list == nil {
					*count = uint32(len(c.platforms))
				}
				for i := range int(size) {
					unsafe.Slice(list, size)[i] = platformID(i)
				}
				return 0
			},
			GetDeviceIDs: func(p platformID, _ uint64, _ uint32, list *deviceID, count *uint32) int32 {
				if list != nil {
					*list = deviceID(10 + p)
				} else if c.platforms[p] == one {
					*count = 1
				}
				return c.platforms[p]
			},
			GetDeviceInfo: func(deviceID, uint32, uintptr, unsafe.Pointer, *uintptr) int32 { return -30 },
		}
		list, err := a.List()
		if len(list) != c.want || (err == nil) != (c.want > 0) || errors.Is(err, ErrNone) != c.none {
			t.Errorf("%v: %v, %v", c.platforms, list, err)
		}
		for i, place := range c.platforms {
			places, err := a.candidates()
			if place == one && (err != nil || places[len(places)-1].platform < platformID(i)) {
				t.Errorf("%v: %v, %v", c.platforms, places, err)
			}
		}
	}
}

// TestCapable checks that capable refuses a device that lacks something that kernels need, and the
// error says what is missing.
func TestCapable(t *testing.T) {
	for _, c := range []struct {
		lacking uint32
		want    string
	}{
		{0, ""}, {deviceAvailable, "not available"}, {deviceCompiler, "no compiler"},
		{deviceLittle, "big-endian"}, {deviceGroup, "127, and 128"},
	} {
		a := &API{GetDeviceInfo: func(_ deviceID, name uint32, _ uintptr, value unsafe.Pointer,
			size *uintptr) int32 {
			*size = 4
			got := uint32(1)
			if name == deviceGroup {
				got = 128
			}
			if name == c.lacking {
				got--
			}
			*(*uint32)(value) = got
			return 0
		}}
		err := a.capable(1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#x: %v", c.lacking, err)
		}
	}
}

// TestCodes checks that only negative codes are errors, and that the errors for codes which mean a
// lack of memory wrap ErrMemory.
func TestCodes(t *testing.T) {
	if err := errors.Join(failure("Finish", 0), failure("slow", 3)); err != nil {
		t.Error(err)
	}
	for code, memory := range map[int32]bool{-4: true, -6: true, -61: true, -5: false, -11: false} {
		if err := failure("Finish", code); err == nil || errors.Is(err, driver.ErrMemory) != memory {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// TestText checks that text returns C strings without surrounding white space.
func TestText(t *testing.T) {
	for in, want := range map[string]string{"": "", "\x00": "", " a b \x00c": "a b", "abc": "abc"} {
		got := text(func(size uintptr, value unsafe.Pointer, needed *uintptr) int32 {
			if value == nil {
				*needed = uintptr(len(in))
			} else {
				copy(unsafe.Slice((*byte)(value), size), in)
			}
			return 0
		})
		if got != want {
			t.Errorf("%q of %q", got, in)
		}
	}
}

// TestWarnings checks that compiling a program produces no log, because some drivers print the log
// to standard error.
func TestWarnings(t *testing.T) {
	opened, err := Open(0)
	if err != nil {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	d := opened.(*device)
	if d.Load(new(driver.Program)) == nil {
		t.Error("no source is compiled")
	}
	const source = "#warning of a test\n__kernel void k_nothing(uint n) {}\n"
	if err := d.Load(&driver.Program{Name: "warnings", Source: source}); err != nil {
		t.Fatal(err)
	}
	if said := d.buildLog(d.programs[0], d.device); said != "" {
		t.Errorf("the compiler says %q", said)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
