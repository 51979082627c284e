package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pin writes the go.mod of a suite, and a go.sum that suffices for all runs of the suite.
func (r runner) pin(s suite) error {
	dir, err := os.MkdirTemp("", "suites-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := &module{dir: dir}
	err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/"+s.name+"\n"), 0o666)
	if err != nil {
		return err
	}
	if err := m.lower(s); err != nil {
		return err
	}
	args := []string{"get", "-t", dcrec + "@" + dcrecVersion}
	for _, p := range s.packages {
		// Find the module with the longest path that is a prefix of the package's path: the package
		// belongs to it.
		var version, longest string
		for _, mod := range s.modules {
			path, v, _ := strings.Cut(mod, "@")
			if (p == path || strings.HasPrefix(p, path+"/")) && len(path) > len(longest) {
				longest, version = path, v
			}
		}
		if longest == "" {
			return fmt.Errorf("no module has the package %s", p)
		}
		args = append(args, p+"@"+version)
	}
	if _, err := m.output(args...); err != nil {
		return err
	}
	list := slices.Concat([]string{"list", "-test", "-deps"}, s.packages)
	if _, err := m.output(list...); err != nil {
		return err
	}
	mod, err := m.output("mod", "edit", "-print", "-dropreplace="+btcec)
	if err != nil {
		return err
	}
	if err := m.replace(r.root, s); err != nil {
		return err
	}
	if _, err := m.output(list...); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return err
	}
	to := filepath.Join(r.root, mods, s.name)
	if err := os.WriteFile(to+".mod", mod, 0o666); err != nil {
		return err
	}
	return os.WriteFile(to+".sum", sum, 0o666)
}
