package secret_test

import (
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/internal/secret"
)

// TestTiming checks that Do and DoDeep call their function inside
// crypto/subtle.WithDataIndependentTiming, which sets DIT, and that DoLeaf does not. Reading the
// bit itself would need assembly.
func TestTiming(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(func())
		want bool
	}{{"Do", secret.Do, true}, {"DoDeep", secret.DoDeep, true}, {"DoLeaf", secret.DoLeaf, false}} {
		got := false
		tt.do(func() { got = isBelow("crypto/subtle.WithDataIndependentTiming") })
		if got != tt.want {
			t.Errorf("%s: with data-independent timing: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// isBelow reports whether a function with this name is among the callers of isBelow.
func isBelow(name string) bool {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for {
		frame, more := frames.Next()
		if frame.Function == name {
			return true
		}
		if !more {
			return false
		}
	}
}
