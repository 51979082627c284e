// Suites runs the tests of software that uses github.com/decred/dcrd/dcrec/secp256k1/v4, as the
// software's authors released them, without and with the drop-in for that module. It compares the
// outcomes.
//
//	cd lab/suites && GOWORK=off go run .            # everything
//	cd lab/suites && GOWORK=off go run . -quick     # what CI runs
//	cd lab/suites && GOWORK=off go run . btcec lnd  # some
//
// Each suite runs in a temporary main module that requires the modules of the suite, which come
// from the module cache. The run with the drop-in differs only by replace lines in go.mod. A test
// that fails in both runs is the fault of its authors. A test that fails, is skipped or is missing
// only with the drop-in is our fault. If there is such a test, and the suite requires an older
// version of dcrec than the one that the drop-in replaces, a third run uses that version without
// the drop-in. Tests that fail there with the same output are not our fault. The exit status is 1
// if a test fails by our fault.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	// core is the module in the repository's root. Its package implementation defines the types and
	// functions of the drop-in for dcrec.
	core           = "github.com/koblitz-go/koblitz"
	implementation = core + "/compat/impl/secp256k1"
	// dropIn is the folder, in the repository, of the drop-in for dcrec.
	dropIn = "compat/dcrec/v4"
	// above is the module btcec, which depends on dcrec. The drop-in in dropInAbove replaces it.
	above       = "github.com/btcsuite/btcd/btcec/v2"
	dropInAbove = "compat/btcec/v2"
	// erigon is the module with which Erigon calls libsecp256k1. The drop-in in dropInErigon
	// replaces it.
	erigon       = "github.com/erigontech/secp256k1"
	dropInErigon = "compat/erigon/secp256k1"
)

func main() {
	switch err := run(os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

var (
	errUsage  = errors.New("usage")
	errOurs   = errors.New("tests fail with the drop-in that pass without it")
	errBroken = errors.New("suites that could not be run")
)

func run(args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("suites", flag.ContinueOnError)
	f.SetOutput(errs)
	quick := f.Bool("quick", false, "only the suites of CI")
	pin := f.Bool("pin", false, "write testdata/mods anew, from the versions in suites.go")
	root := f.String("root", "../..", "the repository's root")
	copied := f.String("unpack", "",
		"put the code of the btcec that the drop-in stands for into a `folder`, and run nothing")
	logs := f.String("logs", "", "the folder for logs of go test -json; none are kept without it")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if *copied != "" { // for lab/oracle
		return unpack(above+"@"+aboveVersion, *copied)
	}
	chosen, err := choose(f.Args(), *quick)
	if err != nil {
		fmt.Fprintln(errs, err)
		return errUsage
	}
	repository, err := filepath.Abs(*root)
	if err != nil {
		return err
	}
	r := runner{root: repository, logs: *logs}
	if *pin {
		for _, s := range chosen {
			if err := r.pin(s); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		return nil
	}
	fmt.Fprintln(out, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	var failed, broken []string
	var all []report
	for _, s := range chosen {
		rep, err := r.run(s)
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", s.name, err)
			broken = append(broken, s.name)
			continue
		}
		rep.details(out)
		if len(rep.ours) != 0 {
			failed = append(failed, s.name)
		}
		all = append(all, *rep)
	}
	table(out, all)
	var wrong error
	if len(failed) != 0 {
		wrong = fmt.Errorf("%w: %s", errOurs, strings.Join(failed, " "))
	}
	if len(broken) != 0 {
		wrong = errors.Join(wrong, fmt.Errorf("%w: %s", errBroken, strings.Join(broken, " ")))
	}
	return wrong
}

// choose returns the suites with the given names. Without names it returns all suites, or only the
// quick ones if quick is set.
func choose(names []string, quick bool) ([]suite, error) {
	var chosen []suite
	for _, s := range suites {
		if slices.Contains(names, s.name) || len(names) == 0 && (s.quick || !quick) {
			chosen = append(chosen, s)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(suites, func(s suite) bool { return s.name == name }) {
			return nil, fmt.Errorf("there is no suite %s", name)
		}
	}
	return chosen, nil
}

// A runner runs suites with the drop-ins in one repository.
type runner struct {
	root    string            // absolute path of the repository's root
	logs    string            // folder for logs, or "" for none
	overlay map[string]string // texts that replace files below root in the run with the drop-in
}

// log returns a writer for the output of one run of a suite.
func (r runner) log(s suite, kind string) (io.WriteCloser, error) {
	if r.logs == "" {
		return nopCloser{io.Discard}, nil
	}
	return os.Create(filepath.Join(r.logs, s.name+"-"+kind+".json"))
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// run runs a suite without and with the drop-in, and reports the outcomes.
func (r runner) run(s suite) (*report, error) {
	rep := &report{suite: s}
	start := time.Now()
	var before, after *outcomes
	err := r.temporary(s, func(m *module) (err error) {
		if rep.version, err = m.version(s.replaced()); err != nil {
			return err
		}
		before, err = r.tests(s, m, "without", s.packages, s.replaced())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("without the drop-in: %w", err)
	}
	rep.base = before
	rep.before = time.Since(start)
	start = time.Now()
	err = r.temporary(s, func(m *module) (err error) {
		after, err = r.with(s, m, rep)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("with the drop-in: %w", err)
	}
	rep.drop, rep.after = after, time.Since(start)
	rep.verdict = judge(before, after, rep.nowhere)
	if len(rep.ours) != 0 && rep.version != version && !s.cgo {
		err := r.temporary(s, func(m *module) error {
			if err := m.upgrade(); err != nil {
				return err
			}
			o, err := r.tests(s, m, "upgraded", s.packages, replaced)
			if err == nil {
				rep.excuse(after, o)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("with %s: %w", version, err)
		}
	}
	if rep.passed+rep.failed == 0 {
		return nil, errors.New("no test ran")
	}
	return rep, nil
}

// with runs a suite with the drop-in. If s.own is set, the tests are those of the replaced module
// itself, and rep.nowhere gets those of them that compile in no package of ours.
func (r runner) with(s suite, m *module, rep *report) (*outcomes, error) {
	dir, err := m.output("list", "-m", "-f", "{{.Dir}}", s.first())
	if err != nil {
		return nil, err
	}
	if err := m.replace(r.root, s); err != nil {
		return nil, err
	}
	m.overlay = r.overlay
	if !s.own {
		return r.tests(s, m, "with", s.packages, implementation)
	}
	dropped, err := m.lay(r.root, strings.TrimSpace(string(dir)), s.first())
	if err != nil {
		return nil, err
	}
	rep.nowhere = nowhere(places[s.first()], dropped)
	if err := r.listed(s.name, rep.nowhere); err != nil {
		return nil, err
	}
	var packages []string
	for _, p := range places[s.first()] {
		packages = append(packages, p.ours)
	}
	o, err := r.tests(s, m, "with", packages, implementation)
	if err != nil {
		return nil, err
	}
	return join(o), nil
}

// tests runs the tests of packages, and writes their output to a log. It returns an error unless
// the tests of each package depend on a certain package, whose path is the argument wanted.
func (r runner) tests(
	s suite, m *module, kind string, packages []string, wanted string,
) (*outcomes, error) {
	if err := m.reaches(wanted, packages); err != nil {
		return nil, err
	}
	log, err := r.log(s, kind)
	if err != nil {
		return nil, err
	}
	o, err := m.test(log, packages, slices.Sorted(maps.Keys(s.leftOut)))
	return o, errors.Join(err, log.Close())
}
