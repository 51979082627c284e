package kernels

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// packed returns a file of the folder cubin, made from the given PTX.
func packed(t *testing.T, code, ptx string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Comment = fmt.Sprintf("%x", sha256.Sum256([]byte(ptx)))
	if _, err := z.Write([]byte(code)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCubin checks that cubin returns the code for the greatest compute capability that a device
// can run, and ignores files that are damaged or were made from other PTX.
func TestCubin(t *testing.T) {
	damaged := packed(t, "damaged", "ptx")
	damaged[len(damaged)-5] ^= 1
	whole := packed(t, "short", "ptx")
	from := fstest.MapFS{
		"cubin/rows.sm_80.gz":  {Data: packed(t, "80", "ptx")},
		"cubin/rows.sm_86.gz":  {Data: packed(t, "86", "ptx")},
		"cubin/rows.sm_87.gz":  {Data: packed(t, "old", "old ptx")},
		"cubin/rows.sm_90.gz":  {Data: damaged},
		"cubin/rows.sm_100.gz": {Data: whole[:len(whole)-1]},
		"cubin/rows.sm_110.gz": {Data: []byte("not compressed")},
		"cubin/rows.sm_120.gz": {Data: packed(t, "120", "ptx")},
		"cubin/sums.sm_75.gz":  {Data: packed(t, "75", "ptx")},
	}
	for _, c := range []struct {
		major, minor int
		want         string
	}{
		{7, 5, ""}, {8, 0, "80"}, {8, 5, "80"}, {8, 6, "86"}, {8, 7, "86"}, {8, 9, "86"}, {9, 0, ""},
		{10, 3, ""}, {11, 0, ""}, {12, 0, "120"}, {12, 1, "120"}, {13, 0, ""},
	} {
		if got := cubin(from, "rows", "ptx", c.major, c.minor); string(got) != c.want {
			t.Errorf("%d.%d: %q, want %q", c.major, c.minor, got, c.want)
		}
	}
}

// TestCubins checks that every embedded file is machine code that its program returns. Without the
// tag cubin it checks that no program has any.
func TestCubins(t *testing.T) {
	files, err := fs.Glob(cubins, "cubin/*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range []*driver.Program{Rows(), Sums()} {
		for major := range 20 {
			for minor := range 10 {
				name := fmt.Sprintf("cubin/%s.sm_%d%d.gz", p.Name, major, minor)
				if _, err := fs.Stat(cubins, name); err != nil {
					continue
				}
				found++
				if code := p.Cubin(major, minor); !bytes.HasPrefix(code, []byte("\x7fELF")) {
					t.Errorf("%s: %d bytes of something else", name, len(code))
				}
			}
		}
		if len(files) == 0 && p.Cubin(9, 0) != nil {
			t.Errorf("%s has machine code", p.Name)
		}
	}
	if found != len(files) {
		t.Errorf("%d of %d files are used", found, len(files))
	}
	t.Logf("%d files", found)
}
