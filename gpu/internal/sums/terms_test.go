package sums

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// TestNumbers checks that constants that Go and C share are equal.
func TestNumbers(t *testing.T) {
	source := kernels.Sums().Source
	for name, want := range map[string]string{
		"TERM_POINT":    fmt.Sprint(pointBytes / wordBytes),
		"TERM_HALF":     fmt.Sprint(halfBytes / wordBytes),
		"XYZZ_WORDS":    fmt.Sprint(xyzzBytes / wordBytes),
		"STATE_WORDS":   fmt.Sprint(stateBytes / wordBytes),
		"STATE_BAD":     "0",
		"PLACE_BUCKETS": fmt.Sprint(placeRun),
		"ENTRY_TERM":    fmt.Sprintf("0x%08x", maxTerms-1) + "u",
	} {
		found := regexp.MustCompile(`\n#define ` + name + ` (\w+)`).FindStringSubmatch(source)
		if found == nil || found[1] != want {
			t.Errorf("%s is %q, want %s", name, found, want)
		}
	}
}

// TestShapes checks, for all numbers of terms, that the counts which kernels keep in 32 bits or
// fewer do not overflow, and that every launch has enough memory for its output.
func TestShapes(t *testing.T) {
	for n := 1; n <= MaxRows(device.Sum); n = n*3/2 + 1 {
		shapes := []*Shape{best(n)}
		for c := minWindow; c <= maxWindow; c++ {
			shapes = append(shapes, of(device.Sum, n, c, 0))
		}
		for _, s := range shapes {
			if err := checkShape(s); err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
		}
	}
	if s, long := best(1000), best(1<<20); s.window >= long.window || long.window != maxWindow {
		t.Errorf("windows of %d bits for few terms, and of %d for many", s.window, long.window)
	}
}

func checkShape(s *Shape) error {
	top := halfBits - s.window*(s.windows-1)
	switch {
	case s.windows > 32:
		return fmt.Errorf("entries cannot name the window")
	case top < 1 || top > s.window:
		return fmt.Errorf("%d bits in the last window", top)
	case int64(s.entries()+s.run) > 1<<31:
		return fmt.Errorf("%d entries", s.entries())
	case s.pieces*s.run < s.entries() || s.pieces > maxPieces:
		return fmt.Errorf("%d pieces", s.pieces)
	case s.chunks<<s.shift < s.buckets || s.window-1 < s.shift:
		return fmt.Errorf("%d chunks", s.chunks)
	}
	m, sizes := new(Memory), s.sizes()
	for p := range m.buffers {
		m.buffers[p] = sized(sizes[p])
	}
	for _, l := range s.launches(m) {
		last := l.args[len(l.args)-1].(sized)
		rows := 0
		switch l.kernel {
		case "k_sum_fold", "k_sum_reduce":
			rows = l.n * xyzzBytes
		case "k_sum_join":
			rows = l.n * wordBytes
			if int(l.args[len(l.args)-2].(sized)) < l.n*xyzzBytes {
				return fmt.Errorf("%s writes %d heads", l.kernel, l.n)
			}
		}
		if l.n < 1 || int64(l.n) > 1<<31 || int(last) < rows {
			return fmt.Errorf("%s: %d work items", l.kernel, l.n)
		}
	}
	if out, n := s.result(); n < s.windows || sizes[out] < n*xyzzBytes ||
		stateBytes+n*xyzzBytes > SumBytes {
		return fmt.Errorf("%d points are left", n)
	}
	return nil
}

// A sized is a buffer that consists of nothing but its size in bytes.
type sized int

func (sized) Free() {}

// littleEndian returns the 32 bytes of x, the least significant first.
func littleEndian(x *big.Int) []byte {
	b := x.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

var _ driver.Buffer = sized(0)
