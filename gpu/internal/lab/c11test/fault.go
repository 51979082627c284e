package c11test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// A Fault is a change of the kernels' text that makes the kernels wrong. The first text, which
// occurs once, is replaced by the second.
type Fault [2]string

// Plant plants faults in source: all of them with KOBLITZ_DEEP=every, else every tenth, beginning
// with a random one of the first ten. It fails the test for each fault that the function isWrong,
// which gets the changed text, does not find, and if isWrong finds that source itself is wrong.
func Plant(
	t *testing.T, source string, faults []Fault, isWrong func(t *testing.T, source string) bool,
) {
	t.Helper()
	first, step := rand.IntN(min(10, len(faults))), 10
	if os.Getenv("KOBLITZ_DEEP") == "every" {
		first, step = 0, 1
	}
	chosen := []Fault{{}}
	for i, f := range faults {
		if n := strings.Count(source, f[0]); n != 1 {
			t.Fatalf("%q occurs %d times", f[0], n)
		}
		if i%step == first {
			chosen = append(chosen, f)
		}
	}
	t.Logf("covers %d of %d faults", len(chosen)-1, len(faults))
	for i, f := range chosen {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			wrong := isWrong(t, strings.Replace(source, f[0], f[1], 1))
			if wrong != (f != Fault{}) {
				t.Errorf("the fault %q is detected: %t", f[1], wrong)
			}
		})
	}
}
