package tempfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNothingLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	for _, named := range []bool{false, true} {
		f, err := New("blocks")
		if err != nil {
			t.Fatal(err)
		}
		if named && !f.named {
			// As on a system where an open file keeps its name.
			if err := os.WriteFile(f.Name(), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			f.named = true
		}
		if filepath.Dir(f.Name()) != dir {
			t.Errorf("in %s", f.Name())
		}
		if _, err := f.WriteAt([]byte("x"), 10); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v, %v", left, err)
		}
	}
}

func TestNoPlace(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", missing)
	t.Setenv("TMP", missing)
	t.Setenv("TEMP", missing)
	if f, err := New("blocks"); err == nil {
		f.Close()
		t.Error("a file in a folder that is not there")
	}
}
