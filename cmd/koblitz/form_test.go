package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestForm checks that no line is longer than 100 columns and no file longer than 600 lines.
func TestForm(t *testing.T) {
	count := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		count++
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(lines) > 600 {
			t.Errorf("%s has %d lines", name, len(lines))
		}
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
		return nil
	})
	if err != nil || count < 90 {
		t.Errorf("%d files, %v", count, err)
	}
}
