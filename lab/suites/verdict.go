package main

import (
	"slices"
	"strings"
)

// A verdict compares two runs of a suite's tests, without the drop-in and with it.
type verdict struct {
	passed, failed, skipped int // counts with the drop-in
	// ours are tests that fail, are skipped or are missing with the drop-in, although they were not
	// without it.
	ours []test
	// upgraded are tests that fail with the drop-in in the same way as with the version of the
	// module that it replaces, although they pass with the older version that the suite requires.
	upgraded []test
	// theirs are tests that fail without the drop-in too.
	theirs []test
	// healed are tests that fail only without the drop-in.
	healed []test
}

// judge compares the two runs. Tests in nowhere do not count as missing. The outcome of a package
// counts only if none of its tests explains it: if the package does not compile, or panics outside
// of tests.
func judge(without, with *outcomes, nowhere map[test]string) verdict {
	var v verdict
	failures := map[string]bool{}
	for t, end := range with.ended {
		if t.name != "" && end == "fail" {
			failures[t.pkg] = true
		}
	}
	for t, end := range without.ended {
		function, _, _ := strings.Cut(t.name, "/")
		if with.ended[t] == "" && end != "fail" && nowhere[test{t.pkg, function}] == "" {
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

// excuse moves tests from ours to upgraded that fail in the same way in a third run, with the
// version of the module that the drop-in replaces.
func (v *verdict) excuse(with, upgraded *outcomes) {
	v.ours = slices.DeleteFunc(v.ours, func(t test) bool {
		same := with.ended[t] == "fail" && upgraded.ended[t] == "fail" &&
			slices.Equal(lines(with.output[t]), lines(upgraded.output[t]))
		if same {
			v.upgraded = append(v.upgraded, t)
		}
		return same
	})
}

// lines returns the lines of a test's output, without those that package testing adds.
func lines(output string) []string {
	var all []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			all = append(all, line)
		}
	}
	return all
}

// missing returns the names of the tests in ours that did not end with the drop-in, by package.
func (v verdict) missing(with *outcomes) map[string][]string {
	all := map[string][]string{}
	for _, t := range v.ours {
		if with.ended[t] == "" {
			all[t.pkg] = append(all[t.pkg], t.name)
		}
	}
	return all
}
