package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// A test identifies a test by its package and its name. An empty name means the whole package.
type test struct{ pkg, name string }

func (t test) String() string { return strings.TrimSpace(t.pkg + " " + t.name) }

func (t test) compare(u test) int {
	return cmp.Or(strings.Compare(t.pkg, u.pkg), strings.Compare(t.name, u.name))
}

// outcomes holds, for each test, how it ended (pass, fail or skip), and its output if it failed.
type outcomes struct {
	ended  map[test]string
	output map[test]string
}

// test runs the tests of packages, except those in the list called without, and copies the output
// of go test to log. It returns an error if go test fails for another reason than a failing test.
// It does not run go vet, which would complain about other authors' code.
func (m *module) test(log io.Writer, packages, without []string) (*outcomes, error) {
	flags := slices.Clone(m.flags)
	if len(without) != 0 {
		flags = append(flags, "-skip=^("+strings.Join(without, "|")+")$")
	}
	cmd := m.command(slices.Concat(
		[]string{"test", "-json", "-count=1", "-vet=off", "-timeout=30m"}, flags, packages)...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, log), io.MultiWriter(&complaint, log)
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	o, broken := read(&out)
	if broken != nil {
		return nil, broken
	}
	for _, p := range packages {
		if o.ended[test{pkg: p}] == "" {
			return nil, fmt.Errorf("go test says nothing of %s: %w\n%s", p, err, &complaint)
		}
	}
	return o, nil
}

// read returns the outcomes in r, which is the output of go test -json (see go doc test2json).
func read(r io.Reader) (*outcomes, error) {
	o := &outcomes{ended: map[test]string{}, output: map[test]string{}}
	said := map[test]*strings.Builder{}
	built := map[string]*strings.Builder{} // output by the package's name in build errors
	for d := json.NewDecoder(r); d.More(); {
		var e struct{ Action, Package, Test, Output, ImportPath, FailedBuild string }
		if err := d.Decode(&e); err != nil {
			return nil, err
		}
		t := test{e.Package, e.Test}
		switch e.Action {
		case "output":
			if said[t] == nil {
				said[t] = new(strings.Builder)
			}
			said[t].WriteString(e.Output)
		case "build-output":
			if built[e.ImportPath] == nil {
				built[e.ImportPath] = new(strings.Builder)
			}
			built[e.ImportPath].WriteString(e.Output)
		case "pass", "fail", "skip":
			o.ended[t] = e.Action
			if e.Action == "fail" {
				if b := built[e.FailedBuild]; b != nil {
					o.output[t] = b.String()
				}
				if b := said[t]; b != nil {
					o.output[t] += b.String()
				}
			}
			delete(said, t)
		}
	}
	return o, nil
}
