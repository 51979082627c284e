package opencl

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestFailure checks that failure treats only negative codes as errors, and that the errors for
// codes which mean a lack of memory wrap ErrMemory.
func TestFailure(t *testing.T) {
	if err := errors.Join(failure("Finish", 0), failure("slow", 3)); err != nil {
		t.Error(err)
	}
	for code, memory := range map[int32]bool{-4: true, -6: true, -61: true, -5: false, -11: false} {
		err := failure("Finish", code)
		if err == nil || errors.Is(err, driver.ErrMemory) != memory {
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
