//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package library

import (
	"runtime"
	"strings"
	"testing"
)

// libc returns the name of a system library, and the name of a function in the library.
func libc() (name, function string) {
	switch runtime.GOOS {
	case "linux":
		return "libc.so.6", "strlen"
	case "darwin":
		return "/usr/lib/libSystem.B.dylib", "strlen"
	}
	return "kernel32.dll", "LoadLibraryW"
}

// TestOpen checks that Open loads the first library that exists and finds its functions. The error
// names all libraries that were tried, on one line.
func TestOpen(t *testing.T) {
	name, function := libc()
	lib, err := Open("libkoblitz-nowhere.so", name)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := lib.Symbol(function); err != nil || at == 0 {
		t.Error(at, err)
	}
	if at, err := lib.Symbol("koblitz_nowhere"); err == nil {
		t.Errorf("a function that does not exist is at %#x", at)
	}
	for _, names := range [][]string{nil, {"libkoblitz-a.so", "libkoblitz-b.so"}} {
		_, err := Open(names...)
		if err == nil {
			t.Fatalf("%q: no error", names)
		}
		for _, name := range names {
			if !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q, of %s", err, name)
			}
		}
	}
}
