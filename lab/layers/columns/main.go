// Command columns prints which lines of files are longer than 100 columns, where a tab is one
// column:
//
//	git ls-files '*.md' '*.go' '*.h' | xargs go run ./lab/layers/columns
//
// It leaves out lines without a space at which they could be broken. In Markdown it also leaves out
// headings, tables, HTML and blocks of code, and in Go and C generated files and directives.
package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

const columns = 100

func main() {
	found, err := check(os.Args[1:])
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

// check returns the long lines in the files.
func check(files []string) (found []string, err error) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, line := range long(string(text), path.Ext(name) == ".md") {
			found = append(found, name+":"+line)
		}
	}
	return found, nil
}

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	// unbroken matches lines that have no space at which they could be broken: a directive, or one
	// word, optionally in a comment, or in an item or a quotation of Markdown.
	unbroken = regexp.MustCompile(`^\s*(//go:.*|((//|[-*+>]|\d+[.)]) *)?\S*)$`)
	// unwrapped matches headings, tables, HTML and link targets of Markdown. The expression code
	// matches a code span in a line.
	unwrapped = regexp.MustCompile(`^ *(#{1,6} |\||<|\[[^]]+\]:)`)
	code      = regexp.MustCompile("`[^`]*`")
)

// long returns the number and the beginning of each line in a text that is too long.
func long(text string, markdown bool) (all []string) {
	if !markdown && generated.MatchString(text) {
		return nil
	}
	block := false
	for i, line := range strings.Split(text, "\n") {
		joined := line
		if markdown {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
				block = !block
			}
			if block || unwrapped.MatchString(line) {
				continue
			}
			joined = code.ReplaceAllString(line, "code")
		}
		n := utf8.RuneCountInString(line)
		if n > columns && !unbroken.MatchString(joined) {
			all = append(all, fmt.Sprintf("%d: %d columns: %.60s…", i+1, n, strings.TrimSpace(line)))
		}
	}
	return all
}
