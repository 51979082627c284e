package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mods is the folder, in the repository, that has a go.mod and a go.sum for each suite, as a user
// of the suite's modules would have them, without replace lines. They pin the versions of all
// modules, so that running a suite looks up no version.
const mods = "lab/suites/testdata/mods"

// A module is a temporary main module. The tests of its dependencies run in it.
type module struct {
	dir   string
	flags []string // further flags for go list and go test
}

// temporary creates a temporary main module for the suite, calls f with it, and removes it.
func (r runner) temporary(s suite, f func(*module) error) error {
	dir, err := os.MkdirTemp("", "suites-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, ext := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(filepath.Join(r.root, mods, s.name+ext))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "go"+ext), text, 0o666); err != nil {
			return err
		}
	}
	m := &module{dir: dir}
	if err := m.lower(s); err != nil {
		return err
	}
	return f(m)
}

// lower makes the build use a copy of btcec with another go line, if the suite tests the version
// that unpack speaks of.
func (m *module) lower(s suite) error {
	module := btcec + "@" + btcecVersion
	if !slices.Contains(s.modules, module) {
		return nil
	}
	copied := filepath.Join(m.dir, "lowered")
	if err := unpack(module, copied); err != nil {
		return err
	}
	_, err := m.output("mod", "edit", "-replace="+btcec+"="+copied)
	return err
}

// replace adds to go.mod the replace lines for the suite's drop-ins. root is the repository's root.
func (m *module) replace(root string, s suite) error {
	args := []string{"mod", "edit", "-replace=" + core + "=" + root}
	for _, path := range s.replaced() {
		args = append(args, "-replace="+path+"="+filepath.Join(root, dropIns[path]))
	}
	_, err := m.output(args...)
	return err
}

// command returns a go command that runs in the module's folder, without a workspace and without
// cgo.
func (m *module) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "PWD="+m.dir, "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	return cmd
}

// output runs a go command in the module and returns its standard output. An error includes the
// command's error output.
func (m *module) output(args ...string) ([]byte, error) {
	cmd := m.command(args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, complaint.Bytes())
	}
	return out, nil
}

// reaches returns an error unless the tests of every package depend on a certain package, whose
// path is the argument wanted. Tests that do not depend on that package would say nothing about it.
func (m *module) reaches(wanted string, packages []string) error {
	var missing error
	for _, p := range packages {
		args := slices.Concat([]string{"list", "-test", "-deps", "-f={{.ImportPath}}"}, m.flags)
		out, err := m.output(append(args, p)...)
		if err != nil {
			return err
		}
		// A package that is compiled together with its test files is listed as "PACKAGE [TEST]".
		depends := strings.Fields(string(out))
		if !slices.Contains(depends, p+".test") {
			missing = errors.Join(missing, fmt.Errorf("%s has no tests", p))
		} else if !slices.Contains(depends, wanted) {
			missing = errors.Join(missing, fmt.Errorf("the tests of %s do not reach %s", p, wanted))
		}
	}
	return missing
}

// version returns the version that the build uses of the module with the given path.
func (m *module) version(path string) (string, error) {
	out, err := m.output("list", "-m", "-f", "{{.Version}}", path)
	return strings.TrimSpace(string(out)), err
}
