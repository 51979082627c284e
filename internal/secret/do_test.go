package secret_test

import (
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/secret"
)

// TestDo checks that Do, DoDeep and DoLeaf each run a function once, and that their calls may be
// nested.
func TestDo(t *testing.T) {
	for name, do := range map[string]func(func()){
		"Do": secret.Do, "DoDeep": secret.DoDeep, "DoLeaf": secret.DoLeaf,
	} {
		count := 0
		do(func() { count++ })
		do(func() { do(func() { count++ }) })
		if count != 2 {
			t.Errorf("%s runs two functions %d times", name, count)
		}
	}
	sum := 0
	if n := testing.AllocsPerRun(10, func() {
		secret.Do(func() { sum++ })
		secret.DoDeep(func() { sum++ })
		secret.DoLeaf(func() { sum++ })
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPanic checks that Do, DoDeep and DoLeaf panic with the value with which their function
// panics, also if they are nested, and that they do not return after panic(nil).
func TestPanic(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	for name, do := range map[string]func(func()){
		"Do": secret.Do, "DoDeep": secret.DoDeep, "DoLeaf": secret.DoLeaf,
	} {
		for _, want := range []any{t, nil} {
			returned := false
			func() {
				defer func() {
					if got := recover(); got != want {
						t.Errorf("%s: panics with %v, want %v", name, got, want)
					}
				}()
				do(func() { do(func() { panic(want) }) })
				returned = true
			}()
			if returned {
				t.Errorf("%s returns after a panic with %v", name, want)
			}
		}
	}
}

// TestConcurrent checks that many goroutines can call Do at the same time. The race detector finds
// violations.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	sums := make([]int, 16)
	for i := range sums {
		wg.Go(func() {
			for k := range 100 {
				secret.Do(func() { sums[i] += k })
			}
		})
	}
	wg.Wait()
	for i, sum := range sums {
		if sum != 4950 {
			t.Errorf("goroutine %d: %d", i, sum)
		}
	}
}
