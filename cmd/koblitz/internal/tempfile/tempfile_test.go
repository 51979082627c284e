package tempfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestNothingLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // for Windows
	for _, named := range []bool{false, true} {
		f, err := NewSpace(100).New("blocks")
		if err != nil {
			t.Fatal(err)
		}
		if named && !f.named {
			// Create a file with the removed name again, because on some systems an open file keeps
			// its name.
			if err := os.WriteFile(f.file.Name(), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			f.named = true
		}
		if filepath.Dir(f.file.Name()) != dir {
			t.Errorf("in %s", f.file.Name())
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
	if f, err := NewSpace(100).New("blocks"); err == nil {
		f.Close()
		t.Error("a file in a folder that is not there")
	}
}

// TestSpace checks that two files may use exactly the limit of their space together, in any order
// of growth. A write over the limit must leave the files unchanged, and closing a file must return
// its bytes.
func TestSpace(t *testing.T) {
	s := NewSpace(100)
	file := func() *File {
		t.Helper()
		f, err := s.New("test")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.file.Close() })
		return f
	}
	a, b := file(), file()
	for _, step := range []struct {
		what string
		do   func() error
		fits bool
		used int64
	}{
		{"60 bytes", func() error { return a.Extend(60) }, true, 60},
		{"fewer", func() error { return a.Extend(50) }, true, 60},
		{"41 in the other", func() error { return b.Extend(41) }, false, 60},
		{"30 in the other", func() error { _, err := b.Write(make([]byte, 30)); return err }, true, 90},
		{"11 behind", func() error { _, err := b.Write(make([]byte, 11)); return err }, false, 90},
		{"the last 10", func() error { _, err := b.Write([]byte("0123456789")); return err }, true, 100},
		{"over", func() error { _, err := a.WriteAt([]byte("abc"), 57); return err }, true, 100},
		{"beyond", func() error { _, err := a.WriteAt([]byte("abc"), 58); return err }, false, 100},
		{"far beyond", func() error { _, err := a.WriteAt([]byte("c"), 1<<60); return err }, false, 100},
		{"closed", a.Close, true, 40},
		{"60 more", func() error { return b.Extend(100) }, true, 100},
		{"closed, too", b.Close, true, 0},
	} {
		var full *FullError
		err := step.do()
		if errors.As(err, &full) == step.fits || step.fits && err != nil || s.used.Load() != step.used {
			t.Errorf("%s: %v, %d bytes used, want %d", step.what, err, s.used.Load(), step.used)
		}
		if step.what == "beyond" {
			got := make([]byte, 10)
			if _, err := b.ReadAt(got, 30); err != nil || !bytes.Equal(got, []byte("0123456789")) {
				t.Errorf("%q, %v", got, err)
			}
			if info, err := a.file.Stat(); err != nil || info.Size() != 60 || a.Size() != 60 {
				t.Errorf("the file has grown: %v, %v", info, err)
			}
		}
	}
}
