//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolderLinks: what is behind a link to a folder is not checked, and that is said.
func TestFolderLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	event, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	write(t, filepath.Join(dir, "a.jsonl"), []byte(event))
	write(t, filepath.Join(other, "b.jsonl"), []byte(event))
	wantCLI(t, exitOK, nil, "", "check", dir)
	if err := os.Symlink(filepath.Join(other, "b.jsonl"), filepath.Join(dir, "b.jsonl")); err != nil {
		t.Fatal(err)
	}
	wantCLI(t, exitOK, []string{"b.jsonl: rows"}, "", "check", dir)
	if err := os.Symlink(other, filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	wantCLI(t, exitUnreadable, []string{"/c: is a directory"}, "", "check", dir)
}
