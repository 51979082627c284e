package main

import (
	"reflect"
	"testing"
)

func TestJudge(t *testing.T) {
	const pkg = "example.org/p"
	named := func(names ...string) (tests []test) {
		for _, name := range names {
			tests = append(tests, test{pkg, name})
		}
		return tests
	}
	for what, c := range map[string]struct {
		without, with map[string]string // by name; "" for the package's outcome
		want          verdict
	}{
		"the same": {
			without: map[string]string{"": "pass", "TestA": "pass", "TestB": "skip"},
			with:    map[string]string{"": "pass", "TestA": "pass", "TestB": "skip"},
			want:    verdict{passed: 1, skipped: 1},
		},
		"a failure of ours": {
			without: map[string]string{"": "pass", "TestA": "pass", "TestB": "pass"},
			with:    map[string]string{"": "fail", "TestA": "fail", "TestB": "pass"},
			want:    verdict{passed: 1, failed: 1, ours: named("TestA")},
		},
		"a failure of theirs": {
			without: map[string]string{"": "fail", "TestA": "fail", "TestB": "pass"},
			with:    map[string]string{"": "fail", "TestA": "fail", "TestB": "pass"},
			want:    verdict{passed: 1, failed: 1, theirs: named("TestA")},
		},
		"one of each in a package": {
			without: map[string]string{"": "fail", "TestA": "fail", "TestB": "pass"},
			with:    map[string]string{"": "fail", "TestA": "fail", "TestB": "fail"},
			want:    verdict{failed: 2, ours: named("TestB"), theirs: named("TestA")},
		},
		"a failure without the drop-in alone": {
			without: map[string]string{"": "fail", "TestA": "fail"},
			with:    map[string]string{"": "pass", "TestA": "pass"},
			want:    verdict{passed: 1, healed: named("", "TestA")},
		},
		"a test that is skipped with the drop-in alone": {
			without: map[string]string{"": "pass", "TestA": "pass"},
			with:    map[string]string{"": "pass", "TestA": "skip"},
			want:    verdict{skipped: 1, ours: named("TestA")},
		},
		"a failure where a test was skipped": {
			without: map[string]string{"": "pass", "TestA": "skip"},
			with:    map[string]string{"": "fail", "TestA": "fail"},
			want:    verdict{failed: 1, ours: named("TestA")},
		},
		"missing tests": {
			without: map[string]string{"": "fail", "TestA": "pass", "TestB": "skip", "TestC": "fail"},
			with:    map[string]string{"": "pass"},
			want:    verdict{ours: named("TestA", "TestB"), healed: named("")},
		},
		"a package that fails without a test": {
			without: map[string]string{"": "pass", "TestA": "pass"},
			with:    map[string]string{"": "fail"},
			want:    verdict{ours: named("", "TestA")},
		},
		"a package that fails in both runs": {
			without: map[string]string{"": "fail"},
			with:    map[string]string{"": "fail"},
			want:    verdict{theirs: named("")},
		},
	} {
		outcomes := func(ended map[string]string) *outcomes {
			o := &outcomes{ended: map[test]string{}}
			for name, end := range ended {
				o.ended[test{pkg, name}] = end
			}
			return o
		}
		got := judge(outcomes(c.without), outcomes(c.with))
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", what, got, c.want)
		}
	}
}
