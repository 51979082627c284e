package main

import (
	"slices"
)

// A verdict compares the outcomes of a suite's tests without the drop-in and with it.
type verdict struct {
	passed, failed, skipped int // numbers of tests in the run with the drop-in
	// ours lists the tests that fail, are skipped or are missing with the drop-in, but not without
	// it.
	ours []test
	// theirs lists the tests that fail both with and without the drop-in.
	theirs []test
	// healed lists the tests that pass with the drop-in and fail without it.
	healed []test
}

// judge compares the run without and the run with the drop-in. If a package fails because one of
// its tests does, only the test counts. The package itself counts if it does not compile, or if it
// panics outside of tests.
func judge(without, with *outcomes) verdict {
	var v verdict
	failures := map[string]bool{}
	for t, end := range with.ended {
		if t.name != "" && end == "fail" {
			failures[t.pkg] = true
		}
	}
	for t, end := range without.ended {
		if with.ended[t] == "" && end != "fail" {
			v.ours = append(v.ours, t)
		}
	}
	for t, end := range with.ended {
		if t.name == "" && failures[t.pkg] {
			continue
		}
		if t.name != "" {
			switch end {
			case "pass":
				v.passed++
			case "fail":
				v.failed++
			case "skip":
				v.skipped++
			}
		}
		before := without.ended[t]
		switch {
		case end == before && end != "fail":
		case end == "fail" && before == "fail":
			v.theirs = append(v.theirs, t)
		case end == "pass" && before == "fail":
			v.healed = append(v.healed, t)
		case end != "pass":
			v.ours = append(v.ours, t)
		}
	}
	for _, list := range []*[]test{&v.ours, &v.theirs, &v.healed} {
		slices.SortFunc(*list, test.compare)
	}
	return v
}

// missing returns, by package, the names of the tests in v.ours that did not end in the run with
// the drop-in.
func (v verdict) missing(with *outcomes) map[string][]string {
	all := map[string][]string{}
	for _, t := range v.ours {
		if with.ended[t] == "" {
			all[t.pkg] = append(all[t.pkg], t.name)
		}
	}
	return all
}
