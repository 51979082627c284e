package tempfile

import (
	"os"
	"strings"
	"testing"
)

// TestSpool checks that WriteOut writes the added text, whatever its length.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	for _, n := range []int{0, 1, 1000, 50000} {
		s := Spool{Space: NewSpace(1 << 30)}
		var want, got strings.Builder
		if s.Any() {
			t.Error("an empty spool has something")
		}
		for i := range n {
			text := strings.Repeat(string(rune('a'+i%26)), 100)
			s.Add(text)
			want.WriteString(text)
			if cap(s.last) > 2*spoolMemory {
				t.Fatalf("%d bytes in memory", cap(s.last))
			}
		}
		if onDisk := s.file != nil; s.Any() != (n > 0) || onDisk != (n*100 >= spoolMemory) {
			t.Errorf("%d texts: on disk is %v", n, onDisk)
		}
		if err := s.WriteOut(&got); err != nil || got.String() != want.String() || s.Any() {
			t.Errorf("%d texts: %d bytes, want %d, %v", n, got.Len(), want.Len(), err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
