package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"strings"
)

// This file compares traces. Memcheck cannot check the code that Go's compiler generates for
// another architecture; here that code runs under qemu. Each operation runs with one secret after
// another, and the plugin hashes the executed instructions and the addresses read and written. Go's
// scheduler may run during a round, so a trace must be seen at least once for each secret. This is
// no proof, since it covers only the secrets tried.

// tries is the number of times that count/secrets runs an operation with each secret.
const tries = 6

// A trace holds the hashes of the executed instructions and of the addresses.
type trace struct{ path, addresses string }

// Prefixes of the names of operations in count/secrets.
const (
	planted = "planted: " // depends on the secret and must be found
	moved   = "moved: "   // the secret has another address each time: addresses are not compared
)

// compareSecrets prints the operations of count/secrets. It returns an error if an operation
// depends on the secret, or if a planted leak does not.
func compareSecrets(w io.Writer, arch, tags string) error {
	names, traces, err := emulate("./lab/count/secrets", arch, tags, "trace=1",
		func(string) error { return nil })
	if err != nil {
		return err
	}
	return judge(w, names, traces)
}

// judge prints the traces that an operation has with every secret.
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

// A seen holds the traces that an operation had with every secret so far.
type seen struct {
	secrets int
	traces  map[trace]bool
}

// inCommon returns the names of the operations in their order, and for each the traces that
// occurred with every secret.
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
