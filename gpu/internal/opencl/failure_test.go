package opencl

import (
	"errors"
	"testing"

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

func TestTrimmed(t *testing.T) {
	for in, want := range map[string]string{"": "", "\x00": "", " a b \x00c": "a b", "abc": "abc"} {
		if got := trimmed([]byte(in)); got != want {
			t.Errorf("%q of %q", got, in)
		}
	}
}
