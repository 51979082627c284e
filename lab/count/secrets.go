package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"strings"
)

// This file compares traces. Memcheck cannot check the code that Go's compiler generates for other
// architectures, so that code runs under qemu instead. Each operation runs with one secret after
// another, and the plugin hashes the executed instructions and the addresses read and written. An
// operation passes if the same trace, which is a pair of hashes, occurs at least once with every
// secret: other traces may occur too, because Go's scheduler may run during a round. This is no
// proof, since it covers only the secrets tried.

// tries is the number of times that lab/count/subject runs an operation with each secret.
const tries = 6

// A trace holds a hash of the executed instructions and one of the addresses read and written.
type trace struct{ path, addresses string }

// Prefixes of the names of some operations of the program lab/count/subject.
const (
	planted = "planted: " // depends on the secret and must be found
	moved   = "moved: "   // the secret has another address each time: addresses are not compared
)

// compareSecrets runs these operations of lab/count/subject and prints them. It returns an error if
// an operation depends on its secret, or if an operation with a planted leak does not.
func compareSecrets(w io.Writer, arch, tags string) error {
	names, traces, err := emulate(arch, tags, "trace=1", []string{"secrets"},
		func(string) error { return nil })
	if err != nil {
		return err
	}
	return judge(w, names, traces)
}

// judge prints a verdict on each operation: whether one trace occurred with every secret.
func judge(w io.Writer, names, traces *bytes.Buffer) error {
	order, common, err := inCommon(names, traces)
	if err != nil {
		return err
	}
	wrong := 0
	for _, name := range order {
		s := common[name]
		verdict := "the same"
		switch depends := len(s.traces) == 0; {
		case depends && strings.HasPrefix(name, planted):
			verdict = "found"
		case depends:
			verdict = "DEPENDS ON THE SECRET"
			wrong++
		case strings.HasPrefix(name, planted):
			verdict = "NOT FOUND"
			wrong++
		}
		if _, err := fmt.Fprintf(w, "%-44s %3d secrets  %s\n", name, s.secrets, verdict); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d operations are not as they should be", wrong)
	}
	return nil
}

// A seen holds the traces of an operation that occurred with every secret so far.
type seen struct {
	secrets int
	traces  map[trace]bool
}

// inCommon returns the names of the operations in their order. For each name, common has the traces
// that occurred with every secret.
func inCommon(names, traces *bytes.Buffer) (order []string, common map[string]*seen, err error) {
	common = map[string]*seen{}
	var all []trace
	for line := range strings.Lines(traces.String()) {
		var t trace
		if _, err := fmt.Sscanf(line, "trace %s %s", &t.path, &t.addresses); err == nil {
			all = append(all, t)
		}
	}
	for name := range strings.Lines(names.String()) {
		name = strings.TrimSpace(name)
		if len(all) < tries {
			return nil, nil, fmt.Errorf("%s has no traces", name)
		}
		now := map[trace]bool{}
		for _, t := range all[:tries] {
			if strings.HasPrefix(name, moved) {
				t.addresses = ""
			}
			now[t] = true
		}
		all = all[tries:]
		s := common[name]
		if s == nil {
			s = &seen{traces: now}
			common[name] = s
			order = append(order, name)
		}
		s.secrets++
		maps.DeleteFunc(s.traces, func(t trace, _ bool) bool { return !now[t] })
	}
	if len(all) > 0 || len(order) == 0 {
		return nil, nil, fmt.Errorf("%d operations, and %d traces more", len(order), len(all))
	}
	return order, common, nil
}
