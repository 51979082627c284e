//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// TestDrain checks that as long as Finish fails, the queue keeps the commands and their host
// memory, since the device may still copy from and to it. The queue releases them once Finish
// succeeds.
func TestDrain(t *testing.T) {
	code, released := int32(-5), 0
	a := &api{
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
	q := &queue{api: a, under: []command{{memory: make([]byte, 1)}, {}}}
	for range 2 {
		var failed *Error
		if err := q.Wait(context.Background()); !errors.As(err, &failed) || failed.Code != code {
			t.Error(err)
		}
		if len(q.under) != 2 || q.under[0].memory == nil || released != 0 {
			t.Fatalf("%d commands are left, %d events were released", len(q.under), released)
		}
	}
	code = 0
	if err := q.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	if len(q.under) != 0 || released != 2 {
		t.Errorf("%d commands are left, %d events were released", len(q.under), released)
	}
}

// TestPlaces checks that a platform that fails does not hide the devices of other platforms. Its
// error is returned if there are no devices at all.
func TestPlaces(t *testing.T) {
	for want := range 2 {
		a := &api{
			GetPlatformIDs: func(_ uint32, list *platformID, count *uint32) int32 {
				if list != nil {
					copy(unsafe.Slice(list, 2), []platformID{1, 2})
				} else {
					*count = 2
				}
				return 0
			},
			GetDeviceIDs: func(p platformID, _ uint64, _ uint32, list *deviceID, count *uint32) int32 {
				switch {
				case p == 1:
					return codeNoHostMemory
				case want == 0:
					return codeNoDevice
				case list != nil:
					*list = 7
				default:
					*count = 1
				}
				return 0
			},
		}
		places, err := a.candidates()
		if len(places) != want || (err == nil) != (want > 0) {
			t.Errorf("%v, %v", places, err)
		}
		if want > 0 && len(places) > 0 && places[0] != (candidate{2, 7}) {
			t.Errorf("%v", places)
		}
	}
}

// TestNoPlaces checks that list returns ErrNone for a loader without drivers and for drivers
// without devices.
func TestNoPlaces(t *testing.T) {
	for _, platforms := range []uint32{0, 1} {
		a := &api{
			GetPlatformIDs: func(_ uint32, list *platformID, count *uint32) int32 {
				switch {
				case platforms == 0:
					return codeNoPlatform
				case list != nil:
					*list = 1
				default:
					*count = platforms
				}
				return 0
			},
			GetDeviceIDs: func(platformID, uint64, uint32, *deviceID, *uint32) int32 {
				return codeNoDevice
			},
		}
		if list, err := a.list(); list != nil || !errors.Is(err, ErrNone) {
			t.Errorf("%d platforms: %v, %v", platforms, list, err)
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
		a := &api{GetDeviceInfo: func(_ deviceID, name uint32, _ uintptr, value unsafe.Pointer,
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

// TestAllocHost checks that when any OpenCL function fails, AllocHost returns the error and frees
// what it has allocated, and that Free frees everything even if a function fails.
func TestAllocHost(t *testing.T) {
	for _, failing := range []string{"", "CreateBuffer", "CreateCommandQueue", "EnqueueMapBuffer",
		"a null pointer", "Finish", "EnqueueUnmapMemObject"} {
		objects, mapped := 0, 0
		what := failing
		code := func(name string, code *int32) bool {
			if name == what {
				*code = codeNoHostMemory
				return false
			}
			*code = 0
			return true
		}
		buf := make([]byte, 100)
		a := &api{
			CreateBuffer: func(_ contextID, flags uint64, size uintptr, host unsafe.Pointer,
				c *int32) memoryID {
				if flags != memoryReadWrite|memoryAllocHost || size != 100 || host != nil {
					t.Errorf("flags %#x, %d bytes, at %p", flags, size, host)
				}
				if code("CreateBuffer", c) {
					objects++
				}
				return 7
			},
			ReleaseMemObject: func(m memoryID) int32 { objects--; return 0 },
			CreateCommandQueue: func(_ contextID, _ deviceID, _ uint64, c *int32) queueID {
				if code("CreateCommandQueue", c) {
					objects++
				}
				return 8
			},
			ReleaseCommandQueue: func(queueID) int32 { objects--; return 0 },
			EnqueueMapBuffer: func(_ queueID, m memoryID, blocking uint32, flags uint64, off,
				size uintptr, _ uint32, _, _ uintptr, c *int32) unsafe.Pointer {
				if m != 7 || blocking != 1 || flags != mapReadWrite || off != 0 || size != 100 {
					t.Errorf("object %d, flags %#x, %d bytes at %d", m, flags, size, off)
				}
				if !code("EnqueueMapBuffer", c) || what == "a null pointer" {
					return nil
				}
				mapped++
				return pointer(buf)
			},
			EnqueueUnmapMemObject: func(_ queueID, m memoryID, host unsafe.Pointer, _ uint32, _,
				_ uintptr) (c int32) {
				if m != 7 || host != pointer(buf) {
					t.Errorf("object %d at %p", m, host)
				}
				if code("EnqueueUnmapMemObject", &c) {
					mapped--
				}
				return c
			},
			Finish: func(queueID) (c int32) { code("Finish", &c); return c },
		}
		d := &device{api: a}
		h, err := d.AllocHost(100)
		if failing != "" && failing != "EnqueueUnmapMemObject" {
			if err == nil || objects != 0 {
				t.Errorf("%s: error %v, %d objects are left", failing, err, objects)
			}
			continue
		}
		if err != nil || len(h.Bytes()) != 100 || objects != 1 || mapped != 1 {
			t.Fatalf("%s: error %v, %d objects, mapped %d", failing, err, objects, mapped)
		}
		h.Free()
		h.Free()
		if objects != 0 || (mapped != 0) != (failing != "") {
			t.Errorf("%s: %d objects are left, mapped %d", failing, objects, mapped)
		}
	}
}
