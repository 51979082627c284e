package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestJudge checks that an operation passes if the same trace occurred with every secret, even if
// other traces occurred too.
func TestJudge(t *testing.T) {
	a, b, noise, moved := "trace 1 2\n", "trace 1 3\n", "trace 9 9\n", "trace 1 4\n"
	six := func(traces ...string) (all string) {
		for k := range tries {
			all += fmt.Sprint(k, "\n", traces[k%len(traces)])
		}
		return all
	}
	for _, tt := range []struct {
		names, traces string
		want          string // text that the report or the error must contain
		ok            bool
	}{
		{"x\nx\n", six(a) + six(a), "2 secrets  the same", true},
		{"x\nx\n", six(a, noise) + six(noise, b, a), "the same", true},
		{"x\nx\nx\n", six(a) + six(b) + six(a), "3 secrets  DEPENDS", false},
		{"x\nx\n", six(a, b) + six(noise), "DEPENDS", false},
		{"moved: x\nmoved: x\n", six(a) + six(moved), "the same", true},
		{"moved: x\nmoved: x\n", six(a) + six(noise), "DEPENDS", false},
		{"planted: x\nplanted: x\n", six(a) + six(b), "found", true},
		{"planted: x\nplanted: x\n", six(a) + six(a), "NOT FOUND", false},
		{"x\ny\n", six(a) + six(b), "1 secrets  the same", true},
		{"x\nx\n", six(a), "x has no traces", false},
		{"x\n", six(a) + six(a), "traces more", false},
		{"", "", "0 operations", false},
	} {
		var report bytes.Buffer
		err := judge(&report, bytes.NewBufferString(tt.names), bytes.NewBufferString(tt.traces))
		if text := fmt.Sprint(report.String(), err); (err == nil) != tt.ok ||
			!strings.Contains(text, tt.want) {
			t.Errorf("%q: %s, want %q", tt.names, text, tt.want)
		}
	}
}
