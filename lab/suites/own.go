package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A replaced module's own tests cannot run outside of the packages that they test: they use
// unexported names, and add methods to exported types. So an overlay (go help build, -overlay) adds
// the test files to our package that defines the types, and to our package with the replaced path.
// Declarations in them that do not compile there are removed.
//
// Most tests of exported names also use a few unexported helpers: numbers from hexadecimal digits,
// the parameters of the curve, errors of a kind. For each package, a file in the folder names
// defines these helpers, if possible in terms of exported names of our packages.
const names = "lab/suites/testdata/names"

// namesTested lists tests that are left out: they test unexported helpers of the replaced modules.
var namesTested = []string{"TestBigAffineToJacobian", "TestScalarBaseMultJacobian"}

// A place is one of our packages, ours, to which the tests of another package, theirs, can be added
// because both packages have the same name. dir is the folder of our package.
type place struct{ theirs, ours, dir string }

// places maps each replaced module to our packages to which its tests are added.
var places = map[string][]place{
	dcrec: {
		{dcrec, implementation, "compat/impl/secp256k1"},
		{dcrec + "/ecdsa", core + "/compat/impl/ecdsa", "compat/impl/ecdsa"},
		{dcrec, dcrec, dropIns[dcrec]},
		{dcrec + "/ecdsa", dcrec + "/ecdsa", dropIns[dcrec] + "/ecdsa"},
		{dcrec + "/schnorr", dcrec + "/schnorr", dropIns[dcrec] + "/schnorr"},
	},
	btcec: {
		{btcec, btcec, dropIns[btcec]},
		{btcec + "/ecdsa", btcec + "/ecdsa", dropIns[btcec] + "/ecdsa"},
		{btcec + "/ellswift", btcec + "/ellswift", dropIns[btcec] + "/ellswift"},
		{btcec + "/schnorr", core + "/compat/impl/btcec/schnorr", "compat/impl/btcec/schnorr"},
		{btcec + "/schnorr", btcec + "/schnorr", dropIns[btcec] + "/schnorr"},
	},
	erigon: {{erigon, erigon, dropIns[erigon]}},
}

// names returns the file that defines the helpers for the tests in this place, or no file if they
// need none.
func (p place) names(root string) ([]string, error) {
	name := strings.NewReplacer(dcrec+"/", "", dcrec, "secp256k1", btcec+"/", "btcec-", btcec, "btcec",
		erigon, "erigon").Replace(p.theirs)
	return filepath.Glob(filepath.Join(root, names, name+".go"))
}

// lay replaces the tests of our package in every place by those of the module with the given path,
// and removes the declarations that do not compile there. For each place, it returns the removed
// declarations by name, with the compiler's first error. dir is the folder of the module's sources.
func (m *module) lay(root, dir, path string) ([]map[string]string, error) {
	m.overlay = maps.Clone(m.overlay)
	if m.overlay == nil {
		m.overlay = map[string]string{}
	}
	var dropped []map[string]string
	for i, p := range places[path] {
		mine, err := filepath.Glob(filepath.Join(root, p.dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range mine {
			m.overlay[file] = "" // an empty path hides the file
		}
		from := filepath.Join(dir, strings.TrimPrefix(p.theirs, path))
		files, err := filepath.Glob(filepath.Join(from, "*_test.go"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("no test files in %s", from)
		}
		laid := map[string]*source{}
		to := filepath.Join(m.dir, "laid", strconv.Itoa(i))
		if err := os.MkdirAll(to, 0o777); err != nil {
			return nil, err
		}
		more, err := p.names(root)
		if err != nil {
			return nil, err
		}
		for _, file := range append(files, more...) {
			name := filepath.Base(file)
			if !strings.HasSuffix(name, "_test.go") {
				name = "names_test.go"
			}
			s, err := parse(file, filepath.Join(to, name))
			if err != nil {
				return nil, err
			}
			laid[name] = s
			m.overlay[filepath.Join(root, p.dir, name)] = s.copied
		}
		d, err := m.drop(p.ours, laid)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		dropped = append(dropped, d)
	}
	return dropped, nil
}

// drop removes declarations from the files in laid until our package pkg compiles with these files.
// It returns the removed declarations by name, with the reasons.
func (m *module) drop(pkg string, laid map[string]*source) (map[string]string, error) {
	dropped := map[string]string{}
	for _, s := range laid {
		for _, d := range s.decls {
			if slices.Contains(namesTested, d.name) {
				s.blank(complaint{line: d.first, text: "it tests an unexported function"}, dropped)
			}
		}
		if err := s.write(); err != nil {
			return nil, err
		}
	}
	for {
		complaints, err := m.compile(pkg)
		if err != nil || len(complaints) == 0 {
			return dropped, err
		}
		progress := false
		for _, c := range complaints {
			s := laid[c.file]
			if s == nil || s.at(c.line) == nil {
				return nil, fmt.Errorf("%s:%d is in no declaration of theirs: %s", c.file, c.line, c.text)
			}
			if !s.blank(c, dropped) {
				continue
			}
			progress = true
			if err := s.write(); err != nil {
				return nil, err
			}
		}
		if !progress {
			return nil, fmt.Errorf("it does not compile: %+v", complaints)
		}
	}
}

// A complaint is an error that the compiler prints.
type complaint struct {
	file string // base name of the file; a package has only one folder
	line int
	text string
}

var complains = regexp.MustCompile(`^(.*\.go):(\d+):(?:\d+:)? (.*)$`)

// compile compiles package pkg with its tests, and returns the compiler's errors.
func (m *module) compile(pkg string) ([]complaint, error) {
	flags, err := m.flags()
	if err != nil {
		return nil, err
	}
	cmd := m.command(slices.Concat([]string{"test", "-vet=off", "-run=^$"}, flags, []string{pkg})...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	var all []complaint
	for line := range strings.Lines(string(out)) {
		if f := complains.FindStringSubmatch(strings.TrimSpace(line)); f != nil {
			n, err := strconv.Atoi(f[2])
			if err != nil {
				return nil, err
			}
			all = append(all, complaint{filepath.Base(f[1]), n, f[3]})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return all, nil
}

// join returns outcomes in which our packages have the names of the packages that they replace. If
// a test ran in two places, join takes the worse outcome: fail, then skip, then pass.
func join(o *outcomes) *outcomes {
	rank := map[string]int{"": 0, "pass": 1, "skip": 2, "fail": 3}
	theirs := &outcomes{ended: map[test]string{}, output: map[test]string{}}
	for t, end := range o.ended {
		as := t
		for _, p := range slices.Concat(places[dcrec], places[btcec]) {
			if p.ours == t.pkg {
				as.pkg = p.theirs
			}
		}
		if rank[end] > rank[theirs.ended[as]] {
			theirs.ended[as] = end
		}
		theirs.output[as] += o.output[t]
	}
	return theirs
}
