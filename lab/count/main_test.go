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
	a, b, noise, moved := "7 1 2\n", "7 1 3\n", "9 9 9\n", "7 1 4\n"
	six := func(traces ...string) (all string) {
		for k := range tries {
			all += traces[k%len(traces)]
		}
		return all
	}
	for _, tt := range []struct {
		names, traces string
		want          string // text that the report or the error must contain
		ok            bool
	}{
		{"x\nx\n", six(a) + six(a), "2 secrets  the same", true},
		{"x\nx\n", six(a, noise) + six(noise, b, a), " 7   2 secrets  the same", true},
		{"public: x\npublic: x\n", six(noise) + six(a), " 7   2 secrets  not compared", true},
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
		err := judge(&report, tt.names, tt.traces)
		if text := fmt.Sprint(report.String(), err); (err == nil) != tt.ok ||
			!strings.Contains(text, tt.want) {
			t.Errorf("%q: %s, want %q", tt.names, text, tt.want)
		}
	}
}
