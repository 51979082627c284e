//go:build oclgrind

package launch

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// TestOclgrind checks that two rows of each kind, a valid and an invalid one, get the right
// verdicts and results in Oclgrind, a simulator of OpenCL devices that detects accesses outside of
// buffers and races. The OpenCL loader must be configured to use it (.ci/acceptance). A row takes
// some ten seconds. All known answers would take too long, so the test leaves them out.
func TestOclgrind(t *testing.T) {
	d, err := opencl.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.Info().Name, "Oclgrind") {
		t.Fatalf("%+v", d.Info())
	}
	e := newEngine(d, Options{Memory: setMemory, Timeout: patience})
	if err := errors.Join(d.Load(kernels.Rows()), e.allocate(setMemory),
		e.writeTable(t.Context(), kernels.Comb())); err != nil {
		t.Fatal(err)
	}
	for i, s := range hostile.Sets(1) {
		s, err := s.Some(2)
		if err != nil {
			t.Fatal(err)
		}
		ownKeys(&s)
		c := s.Call()
		if err := errors.Join(e.Run(t.Context(), c), s.Check(c)); err != nil {
			t.Errorf("set %d: %v", i, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// ownKeys removes the keys that no row uses from the set of keys of s, except for one empty entry.
// Making the table of a key takes as long as verifying a row.
func ownKeys(s *hostile.Set) {
	if s.Keys == nil {
		return
	}
	var keys []byte
	for _, row := range s.Rows {
		number := int(binary.LittleEndian.Uint32(row.Fields[1]))
		if (number+1)*device.PointSize > len(s.Keys) {
			continue // out of range, and still so in the smaller set
		}
		binary.LittleEndian.PutUint32(row.Fields[1], uint32(len(keys)/device.PointSize))
		keys = append(keys, s.Keys[number*device.PointSize:][:device.PointSize]...)
	}
	s.Keys = append(keys, make([]byte, device.PointSize)...)
}
