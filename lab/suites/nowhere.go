package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// nowhere returns the tests and examples of the replaced module that do not compile in any of our
// packages, and the declarations that these tests need. The value of each is the compiler's first
// error. The map dropped[i] holds the declarations that do not compile in the package places[i].
func nowhere(places []place, dropped []map[string]string) map[test]string {
	all := map[test]string{}
	for i, p := range places {
		for name, reason := range dropped[i] {
			t := test{p.theirs, name}
			if all[t] != "" || strings.HasPrefix(name, "import ") || strings.HasPrefix(name, "Benchmark") {
				continue
			}
			everywhere := true
			for j, q := range places {
				everywhere = everywhere && (q.theirs != p.theirs || dropped[j][name] != "")
			}
			if everywhere {
				all[t] = reason
			}
		}
	}
	return all
}

// unreachable returns the path of a suite's list of tests that do not compile in any of our
// packages. Each line of the list has the name of a test, a colon, and the reason.
func unreachable(suite string) string { return "lab/suites/testdata/nowhere/" + suite + ".txt" }

// listed returns an error unless the suite's list has exactly the tests in the map nowhere.
func (r runner) listed(suite string, nowhere map[test]string) error {
	unreachable := unreachable(suite)
	text, err := os.ReadFile(filepath.Join(r.root, unreachable))
	if err != nil {
		return err
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		list[name] = true
	}
	for t := range nowhere {
		if !list[t.String()] {
			err = errors.Join(err, fmt.Errorf("it compiles nowhere, and is not in %s: %s", unreachable, t))
		}
		delete(list, t.String())
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		err = errors.Join(err, fmt.Errorf("it compiles, and is in %s: %s", unreachable, name))
	}
	return err
}

// list writes the suite's list of tests: those in the map called nowhere.
func (r runner) list(suite string, nowhere map[test]string) error {
	var text strings.Builder
	for _, t := range slices.SortedFunc(maps.Keys(nowhere), test.compare) {
		fmt.Fprintf(&text, "%s: %s\n", t, nowhere[t])
	}
	return os.WriteFile(filepath.Join(r.root, unreachable(suite)), []byte(text.String()), 0o666)
}
