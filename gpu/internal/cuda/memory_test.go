package cuda

import (
	"testing"
	"unsafe"
)

// TestIsPinned checks that isPinned is true exactly for slices that lie entirely in pinned memory
// that has not been freed.
func TestIsPinned(t *testing.T) {
	room := make([]byte, 100)
	freed := 0
	d := &device{API: &API{
		CtxPushCurrent: func(Context) Result { return Success },
		CtxPopCurrent:  func(*Context) Result { return Success },
		MemHostAlloc: func(p *unsafe.Pointer, _ uintptr, _ uint32) Result {
			*p = unsafe.Pointer(&room[20])
			return Success
		},
		MemFreeHost: func(p unsafe.Pointer) Result {
			if p == unsafe.Pointer(&room[20]) {
				freed++
			}
			return Success
		},
	}}
	h, err := d.AllocHost(60)
	if err != nil {
		t.Fatal(err)
	}
	for lo := range room {
		for hi := lo + 1; hi <= len(room); hi++ {
			if got, want := d.isPinned(room[lo:hi]), lo >= 20 && hi <= 80; got != want {
				t.Fatalf("bytes %d to %d: %v", lo, hi, got)
			}
		}
	}
	h.Free()
	h.Free()
	if d.isPinned(room[30:40]) || freed != 1 {
		t.Errorf("freed %d times, and pinned: %v", freed, d.isPinned(room[30:40]))
	}
}
