package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// A replaced module's own tests use unexported names, and add methods to exported types. So they
// run as tests of our package that defines the types: an overlay (go help build, -overlay) puts
// their files in the place of our package's test files, without the declarations in suite.leftOut,
// which use what our package lacks.
//
// Most tests of exported names also use a few unexported helpers: numbers from hexadecimal digits,
// the parameters of the curve, errors of a kind. For a package that needs them, a file in the
// folder names defines these helpers, if possible in terms of exported names of our package.
const names = "lab/suites/testdata/names"

// A place is our package, in the folder dir, to which the tests of another package, theirs, are
// added. names is a file of helpers, or "".
type place struct{ theirs, dir, names string }

// ours returns the import path of our package.
func (p place) ours() string {
	if strings.HasPrefix(p.dir, "compat/impl/") {
		return core + "/" + p.dir
	}
	return p.theirs
}

var places = []place{
	{dcrec, "compat/impl/secp256k1", "secp256k1.go"},
	{dcrec + "/ecdsa", "compat/impl/ecdsa", "ecdsa.go"},
	{dcrec + "/schnorr", dropIns[dcrec] + "/schnorr", "schnorr.go"},
	{btcec, dropIns[btcec], "btcec.go"},
	{btcec + "/ecdsa", dropIns[btcec] + "/ecdsa", "btcec-ecdsa.go"},
	{btcec + "/ellswift", dropIns[btcec] + "/ellswift", ""},
	{btcec + "/schnorr", "compat/impl/btcec/schnorr", "btcec-schnorr.go"},
	{erigon, dropIns[erigon], ""},
}

// places returns the places for the suite's packages.
func (s suite) places() (all []place) {
	for _, p := range places {
		if strings.HasPrefix(p.theirs+"/", s.first()+"/") {
			all = append(all, p)
		}
	}
	return all
}

// lay adds to the module's overlay the tests of the suite's packages. dir is the folder of the
// replaced module's sources.
func (m *module) lay(root, dir string, s suite) error {
	m.overlay = maps.Clone(m.overlay)
	if m.overlay == nil {
		m.overlay = map[string]string{}
	}
	found := map[string]bool{}
	for _, p := range s.places() {
		to := filepath.Join(root, p.dir)
		mine, err := filepath.Glob(filepath.Join(to, "*_test.go"))
		if err != nil {
			return err
		}
		for _, file := range mine {
			m.overlay[file] = "" // an empty path hides the file
		}
		from := filepath.Join(dir, strings.TrimPrefix(p.theirs, s.first()))
		theirs, err := filepath.Glob(filepath.Join(from, "*_test.go"))
		if err != nil {
			return err
		}
		if len(theirs) == 0 {
			return fmt.Errorf("no test files in %s", from)
		}
		for _, file := range theirs {
			text, err := without(file, s.leftOut, found)
			if err != nil {
				return err
			}
			name := filepath.Base(file)
			copied := filepath.Join(m.dir, strings.ReplaceAll(p.dir, "/", "-")+"-"+name)
			if err := os.WriteFile(copied, text, 0o666); err != nil {
				return err
			}
			m.overlay[filepath.Join(to, name)] = copied
		}
		if p.names != "" {
			m.overlay[filepath.Join(to, "names_test.go")] = filepath.Join(root, names, p.names)
		}
	}
	for name := range s.leftOut {
		if !found[name] {
			return fmt.Errorf("%s has no %s, which is left out", s.name, name)
		}
	}
	return nil
}

// renamed returns outcomes in which our packages have the names of the packages whose tests they
// ran.
func (o *outcomes) renamed(places []place) *outcomes {
	theirs := map[string]string{}
	for _, p := range places {
		theirs[p.ours()] = p.theirs
	}
	r := &outcomes{ended: map[test]string{}, output: map[test]string{}}
	for t, end := range o.ended {
		as := test{theirs[t.pkg], t.name}
		r.ended[as], r.output[as] = end, o.output[t]
	}
	return r
}
