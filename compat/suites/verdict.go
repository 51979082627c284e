package main

import (
	"slices"
	"strings"
)

// A verdict is what two runs of the same tests say, one without the drop-in and one with it.
type verdict struct {
	passed, failed, skipped int // with the drop-in
	// ours are tests that ended otherwise with the drop-in: that failed, were skipped or were
	// missing though they passed without it.
	ours []test
	// theirs are tests that failed without the drop-in too.
	theirs []test
	// healed are tests that failed without the drop-in alone.
	healed []test
}

// judge compares the two runs. A package counts for itself only where none of its tests explains
// how it ended: where it does not compile, or panics outside of tests.
//
// Tests that cannot be compiled with the drop-in are not missing.
func judge(without, with *outcomes, nowhere map[test]string) verdict {
	var v verdict
	explained := map[string]bool{}
	for t, end := range with.ended {
		if t.name != "" && end == "fail" {
			explained[t.pkg] = true
		}
	}
	for t, end := range with.ended {
		before := without.ended[t]
		if t.name == "" {
			if end == "pass" || explained[t.pkg] {
				continue
			}
		} else {
			switch end {
			case "pass":
				v.passed++
			case "fail":
				v.failed++
			case "skip":
				v.skipped++
			}
		}
		switch {
		case end == "fail" && before == "fail":
			v.theirs = append(v.theirs, t)
		case end == "fail", end == "skip" && before != "skip":
			v.ours = append(v.ours, t)
		case end == "pass" && before == "fail":
			v.healed = append(v.healed, t)
		}
	}
	for t, end := range without.ended {
		function, _, _ := strings.Cut(t.name, "/")
		if nowhere[test{t.pkg, function}] != "" {
			continue
		}
		if _, ran := with.ended[t]; !ran && end == "pass" {
			v.ours = append(v.ours, t)
		}
	}
	for _, list := range [][]test{v.ours, v.theirs, v.healed} {
		slices.SortFunc(list, test.compare)
	}
	return v
}
