//go:build !purego

package cpu

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAgainstKernel checks that Linux lists every feature that this package reports, for the first
// CPU. Linux may list more.
func TestAgainstKernel(t *testing.T) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		t.Skipf("without /proc/cpuinfo: %v", err)
	}
	defer f.Close()
	var flags []string
	for s := bufio.NewScanner(f); s.Scan() && flags == nil; {
		if rest, ok := strings.CutPrefix(s.Text(), "flags"); ok {
			flags = strings.Fields(rest)
		}
	}
	for _, name := range Features() {
		linux := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
		other := strings.Replace(linux, "avx512", "avx512_", 1)
		if !slices.Contains(flags, linux) && !slices.Contains(flags, other) {
			t.Errorf("%s is in use, and Linux does not list it", name)
		}
	}
}
