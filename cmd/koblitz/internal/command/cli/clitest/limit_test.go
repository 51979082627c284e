//go:build linux && !race

package clitest

import (
	"fmt"
	"testing"
)

func TestMain(m *testing.M) { Program(nil).Main(m) }

// TestMemoryLimit checks the limit that tests of hostile inputs rely on: a process that allocates
// more than the limit must die with status 2.
func TestMemoryLimit(t *testing.T) {
	for size, want := range map[int]int{FourWorkers / 2: 0, FourWorkers + FourWorkers/4: 2} {
		t.Setenv(allocate, fmt.Sprint(size))
		if status, _, stderr := Limited(t, nil); status != want {
			t.Errorf("%d bytes: status %d, want %d\n%s", size, status, want, stderr)
		}
	}
}
