package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `package p

import (
	"fmt"
	"testing"
)

import other "os"

// i has a comment.
func i() {
	fmt.Println(other.Args)
}

func (x *g) k() int { return len(fmt.Sprint(j)) }
`

// TestWithout checks that a function and the imports that only it uses are replaced by spaces.
func TestWithout(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p_test.go")
	if err := os.WriteFile(file, []byte(sample), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, blanked := range map[string][]string{
		"i":    {"func i() {\n\tfmt.Println(other.Args)\n}", `other "os"`},
		"*g.k": {"func (x *g) k() int { return len(fmt.Sprint(j)) }"},
		"j":    nil,
	} {
		found, want := map[string]bool{}, sample
		for _, text := range blanked {
			spaces := strings.Map(func(r rune) rune {
				if r == '\n' {
					return r
				}
				return ' '
			}, text)
			want = strings.Replace(want, text, spaces, 1)
		}
		got, err := without(file, map[string]string{name: "a reason"}, found)
		if err != nil || string(got) != want || found[name] != (blanked != nil) {
			t.Errorf("without %s: %v, %v\n%s", name, err, found, got)
		}
	}
}
