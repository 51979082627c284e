package cuda

import (
	"testing"
	"unsafe"
)

// TestIsPinned checks that isPinned is true exactly for slices that lie entirely in pinned memory
// that has not been freed.
func TestIsPinned(t *testing.T) {
	buf := make([]byte, 100)
	freed := 0
	d := &device{API: &API{
		CtxPushCurrent: func(Context) Result { return Success },
		CtxPopCurrent:  func(*Context) Result { return Success },
		MemHostAlloc: func(p *unsafe.Pointer, _ uintptr, _ uint32) Result {
			*p = unsafe.Pointer(&buf[20])
			return Success
		},
		MemFreeHost: func(p unsafe.Pointer) Result {
			if p == unsafe.Pointer(&buf[20]) {
				freed++
			}
			return Success
		},
	}}
	h, err := d.AllocHost(60)
	if err != nil {
		t.Fatal(err)
	}
	for lo := range buf {
		for hi := lo + 1; hi <= len(buf); hi++ {
			if got, want := d.isPinned(buf[lo:hi]), lo >= 20 && hi <= 80; got != want {
				t.Fatalf("bytes %d to %d: %v", lo, hi, got)
			}
		}
	}
	h.Free()
	h.Free()
	if d.isPinned(buf[30:40]) || freed != 1 {
		t.Errorf("freed %d times, and pinned: %v", freed, d.isPinned(buf[30:40]))
	}
}
