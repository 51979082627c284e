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
// only with the drop-in is our fault. Both runs require the version of dcrec that the drop-in
// replaces, also if the software's authors require an older one. The exit status is 1 if a test
// fails by our fault.
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
	"time"
)

const (
	// core is the module in the repository's root. Its package implementation defines the types and
	// functions of the drop-in for dcrec.
	core           = "github.com/koblitz-go/koblitz"
	implementation = core + "/compat/impl/secp256k1"
)

func main() {
	quick := flag.Bool("quick", false, "only the suites of CI")
	pin := flag.Bool("pin", false, "write testdata/mods anew, from the versions in suites.go")
	root := flag.String("root", "../..", "the repository's root")
	copied := flag.String("unpack", "",
		"put the code of the btcec that the drop-in stands for into a `folder`, and run nothing")
	logs := flag.String("logs", "", "the folder for logs of go test -json; none are kept without it")
	flag.Parse()
	err := error(nil)
	if *copied != "" { // for lab/oracle
		err = unpack(btcec+"@"+btcecVersion, *copied)
	} else {
		err = run(os.Stdout, *root, *logs, *pin, *quick, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

// run runs or pins the suites with the given names.
func run(out io.Writer, root, logs string, pin, quick bool, names []string) error {
	chosen, err := choose(names, quick)
	if err != nil {
		return err
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	r := runner{root: repository, logs: logs}
	fmt.Fprintln(out, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	var all []report
	var wrong error
	for _, s := range chosen {
		if pin {
			if err := r.pin(s); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			continue
		}
		rep, err := r.run(s)
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s could not be run: %w", s.name, err))
			continue
		}
		rep.details(out)
		if len(rep.ours) != 0 {
			wrong = errors.Join(wrong,
				fmt.Errorf("%s has tests that fail with the drop-in and pass without it", s.name))
		}
		all = append(all, *rep)
	}
	if !pin {
		table(out, all)
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
	root  string   // absolute path of the repository's root
	logs  string   // folder for logs, or "" for none
	flags []string // further flags for go list and go test in the run with the drop-in
}

// log creates the file for the output of one run of a suite.
func (r runner) log(s suite, kind string) (io.WriteCloser, error) {
	name := os.DevNull
	if r.logs != "" {
		name = filepath.Join(r.logs, s.name+"-"+kind+".json")
	}
	return os.Create(name)
}

// run runs a suite without and with the drop-in, and reports the outcomes.
func (r runner) run(s suite) (*report, error) {
	rep := &report{suite: s}
	start := time.Now()
	err := r.temporary(s, func(m *module) (err error) {
		if rep.version, err = m.version(dcrec); err != nil {
			return err
		}
		rep.base, err = r.tests(s, m, "without", dcrec)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("without the drop-in: %w", err)
	}
	rep.before = time.Since(start)
	start = time.Now()
	err = r.temporary(s, func(m *module) (err error) {
		if err := m.replace(r.root, s); err != nil {
			return err
		}
		m.flags = r.flags
		rep.drop, err = r.tests(s, m, "with", implementation)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("with the drop-in: %w", err)
	}
	rep.after = time.Since(start)
	rep.verdict = judge(rep.base, rep.drop)
	if rep.passed+rep.failed == 0 {
		return nil, errors.New("no test ran")
	}
	return rep, nil
}

// tests runs the tests of a suite, and writes their output to a log. It returns an error unless the
// tests of each package depend on a certain package, whose path is the argument wanted.
func (r runner) tests(s suite, m *module, kind, wanted string) (*outcomes, error) {
	if err := m.reaches(wanted, s.packages); err != nil {
		return nil, err
	}
	log, err := r.log(s, kind)
	if err != nil {
		return nil, err
	}
	o, err := m.test(log, s.packages, slices.Sorted(maps.Keys(s.leftOut)))
	return o, errors.Join(err, log.Close())
}
