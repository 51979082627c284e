// Command columns prints which lines of files are longer than 100 columns, where a tab is one
// column:
//
//	git ls-files '*.md' '*.go' '*.h' | xargs go run ./lab/layers/columns
//
// In Markdown it leaves out what cannot be wrapped: headings, tables, code and single words. With
// -w it wraps all other long lines. In Go and C it leaves out generated files, directives, and
// lines without a space at which they could be broken.
package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const columns = 100

func main() {
	write := flag.Bool("w", false, "wrap Markdown")
	flag.Parse()
	found, err := check(flag.Args(), *write)
	if err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// check returns the long lines in the files. If write is true, it wraps those in Markdown files
// instead.
func check(files []string, write bool) (found []string, err error) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var lines []string
		switch path.Ext(name) {
		case ".md":
			wrapped := markdown(string(text), columns)
			if write && wrapped != string(text) {
				if !slices.Equal(contents(wrapped), contents(string(text))) {
					return nil, fmt.Errorf("%s: wrapping would change words", name)
				}
				if err := os.WriteFile(name, []byte(wrapped), 0o666); err != nil {
					return nil, err
				}
				continue
			}
			lines = changed(string(text), wrapped)
		case ".go", ".c", ".cl", ".h":
			lines = long(text)
		}
		for _, line := range lines {
			found = append(found, name+":"+line)
		}
	}
	return found, nil
}

// changed returns the number and the beginning of each long line in text that its wrapped form does
// not contain.
func changed(text, wrapped string) (all []string) {
	after := strings.Split(wrapped, "\n")
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > columns && !slices.Contains(after, line) {
			all = append(all, describe(i, line))
		}
	}
	return all
}

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	// unbroken matches lines that have no space at which they could be broken: a directive, or one
	// word, optionally in a comment.
	unbroken = regexp.MustCompile(`^\s*(//go:.*|(// *)?\S*)$`)
)

// long returns the number and the beginning of each line in a Go or C file that is too long.
func long(src []byte) (all []string) {
	if generated.Match(src) {
		return nil
	}
	for i, line := range strings.Split(string(src), "\n") {
		if utf8.RuneCountInString(line) > columns && !unbroken.MatchString(line) {
			all = append(all, describe(i, line))
		}
	}
	return all
}

func describe(i int, line string) string {
	n := utf8.RuneCountInString(line)
	return fmt.Sprintf("%d: %d columns: %.60s…", i+1, n, strings.TrimSpace(line))
}
