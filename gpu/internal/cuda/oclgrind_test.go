//go:build oclgrind

package cuda_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// TestOclgrind runs two rows of each kind, a good one and a bad one, in Oclgrind, a simulator of
// OpenCL devices that finds accesses beside buffers and races. The OpenCL loader must be told to
// use it (.ci/acceptance). It takes some ten seconds a row, so no device of it can be opened by
// package gpu, which asks for known answers first.
func TestOclgrind(t *testing.T) {
	d, err := opencl.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.Info().Name, "Oclgrind") {
		t.Fatalf("%+v", d.Info())
	}
	if err := d.Load(kernels.Rows()); err != nil {
		t.Fatal(err)
	}
	for i, s := range hostile.Sets(1) {
		s, err := s.Some(2)
		if err != nil {
			t.Fatal(err)
		}
		ownKeys(&s)
		c := s.Call()
		if err := do(d, c); err != nil {
			t.Errorf("set %d: %v", i, err)
		} else if err := s.Check(c); err != nil {
			t.Errorf("set %d: %v", i, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// ownKeys leaves the keys of a set that rows name, and one more, which is none: it takes as long to
// make the table of a key as to do a row.
func ownKeys(s *hostile.Set) {
	if s.Keys == nil {
		return
	}
	var keys []byte
	for _, row := range s.Rows {
		number := int(binary.LittleEndian.Uint32(row.Fields[1]))
		if (number+1)*device.PointSize > len(s.Keys) {
			continue // and it is beyond the keys that are left, too
		}
		binary.LittleEndian.PutUint32(row.Fields[1], uint32(len(keys)/device.PointSize))
		keys = append(keys, s.Keys[number*device.PointSize:][:device.PointSize]...)
	}
	s.Keys = append(keys, make([]byte, device.PointSize)...)
}
