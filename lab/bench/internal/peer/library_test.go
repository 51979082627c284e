//go:build linux || darwin || freebsd

package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// built returns libsecp256k1, built from the C sources in the Rust crate. If it cannot be built,
// built skips the test, or fails it if -require names libsecp256k1.
func built(t *testing.T) library {
	t.Helper()
	lib, err := buildLibrary(rustSources)
	if err != nil {
		if slices.Contains(strings.Split(*require, ","), "libsecp256k1") {
			t.Fatal(err)
		}
		t.Skipf("without libsecp256k1: %v", err)
	}
	return lib
}

// copyOf copies the library file into a new folder under the given name, and returns the copy's
// path.
func copyOf(t *testing.T, lib library, name string) string {
	t.Helper()
	b, err := os.ReadFile(lib.path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLibraryByPath checks that a second copy of libsecp256k1, named by its path, becomes a
// separate peer.
func TestLibraryByPath(t *testing.T) {
	lib := built(t)
	in := NewInputs(16, 16)
	path := copyOf(t, lib, "libother.so.3")
	link := filepath.Join(filepath.Dir(path), "libother.so")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	peers, err := Open(in, Config{
		Only: []string{"libsecp256k1"}, Others: map[string]string{"other": link},
		Rust: rustSources, Absent: func(name string, reason error) {
			t.Errorf("%s is not opened: %v", name, reason)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range peers {
		if strings.HasPrefix(p.Name, Koblitz) {
			continue
		}
		names = append(names, p.Name)
		if err := Check(in, peers[0], p, func(string) bool { return true }, nil); err != nil {
			t.Error(err)
		}
		if len(p.Drivers) < 60 {
			t.Errorf("%s has only %d drivers", p.Name, len(p.Drivers))
		}
	}
	if got := fmt.Sprint(names); got != "[libsecp256k1 other]" {
		t.Fatalf("opened %s", got)
	}
	if p := peers[len(peers)-1]; p.Version != "libother.so.3" || !strings.Contains(p.Note, link) {
		t.Errorf("the copy is called %q, %q", p.Version, p.Note)
	}
}

// TestLibraryRefused checks that Open leaves out a file that is not a libsecp256k1 and gives a
// reason. If this peer is required, Open must return an error.
func TestLibraryRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	in := NewInputs(0, 0)
	paths := map[string]string{
		"no such file": filepath.Join(dir, "none.so"), "text": text, "folder": dir,
	}
	if c, _ := filepath.Glob("/lib/*/libm.so.6"); runtime.GOOS == "linux" && len(c) > 0 {
		paths["another library"] = c[0]
	}
	for what, path := range paths {
		var left string
		absent := func(name string, reason error) { left = name + ": " + reason.Error() }
		c := Config{Only: []string{"x"}, Others: map[string]string{"x": path}, Absent: absent}
		if _, err := Open(in, c); err != nil || !strings.HasPrefix(left, "x: ") ||
			!strings.Contains(left, filepath.Base(path)) {
			t.Errorf("%s: left out %q, error %v", what, left, err)
		}
		c.Require = []string{"x"}
		if _, err := Open(in, c); err == nil || !strings.Contains(err.Error(), "x is required") {
			t.Errorf("%s, required: %v", what, err)
		}
		t.Logf("%s: %s", what, left)
	}
}

// TestNoCompiler checks the errors when PATH is empty, so that neither a C compiler nor cargo can
// be run.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CC", "")
	if _, err := buildLibrary(rustSources); err == nil || err.Error() != "no C compiler" {
		t.Errorf("libsecp256k1 without a compiler: %v", err)
	}
	_, err := NewRust(NewInputs(0, 0), rustSources, []string{"k256"})
	if err == nil || !strings.Contains(err.Error(), "no cargo") {
		t.Errorf("Rust without cargo: %v", err)
	}
}
