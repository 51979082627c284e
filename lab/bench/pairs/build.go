package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is one of the source trees under comparison, with a test program for each package.
type tree struct {
	name     string              // old or new, or the side's name: plain, cgo, replaced
	root     string              // folder
	flags    []string            // flags of go test, for all programs
	env      []string            // additional environment of go test and of the programs
	runner   []string            // command that runs the programs if this system cannot
	layouts  int                 // number of programs of a package
	programs map[string][]string // by package, one program for each layout
	folders  map[string]string   // by package, the folder in which its programs run
}

// build compiles the test programs with the benchmarks of the rows into folder. It returns an error
// if a package lacks the benchmark of a row. To find that out, it runs each benchmark for one
// iteration.
func (t *tree) build(ctx context.Context, rows []*measured, folder string) error {
	t.programs, t.folders = map[string][]string{}, map[string]string{}
	for _, r := range rows {
		if t != r.old && t != r.new {
			continue
		}
		if t.programs[r.Package] == nil {
			if err := t.compile(ctx, r.Package, folder); err != nil {
				return err
			}
		}
		n, _, err := t.run(ctx, r.Row, 0, "1x")
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%s: the %s tree has no benchmark %s in %s",
				r.Name, t.name, r.Bench, r.Package)
		}
	}
	return nil
}

// compile builds the test programs of a package, one for each layout, which is a random order of
// the functions. The addresses of functions change their speed by some percent, at random in each
// tree (Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS
// 2009). The programs do not contain the path of the tree, so equal sources give equal programs.
func (t *tree) compile(ctx context.Context, pkg, folder string) error {
	list := slices.Concat([]string{"list"}, t.flags, []string{"-f", "{{.Dir}}", pattern(pkg)})
	dir, err := t.command(ctx, list...)
	if err != nil {
		return err
	}
	t.folders[pkg] = strings.TrimSpace(string(dir))
	for layout := range t.layouts {
		program := filepath.Join(folder,
			fmt.Sprintf("%s-%s-%d.test", t.name, strings.ReplaceAll(pkg, "/", "-"), layout))
		args := append([]string{"test", "-c", "-trimpath",
			fmt.Sprintf("-ldflags=-randlayout=%d", 1+layout), "-o", program}, t.flags...)
		if _, err := t.command(ctx, append(args, pattern(pkg))...); err != nil {
			return err
		}
		t.programs[pkg] = append(t.programs[pkg], program)
	}
	return nil
}

// command runs the go command in the tree and returns its output.
func (t *tree) command(ctx context.Context, args ...string) ([]byte, error) {
	env := append([]string{"GOWORK=off"}, t.env...)
	cmd := command(ctx, t.root, env, append([]string{"go"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s tree: go %s %s: %w\n%s", t.name, args[0], args[len(args)-1], err,
			&errs)
	}
	return out, nil
}

// pattern returns the argument that selects package pkg for the go command. For a package of the
// tree this is a relative path. If the first element of pkg has a dot, it is the import path of
// another module's package, and pattern returns it unchanged.
func pattern(pkg string) string {
	if first, _, _ := strings.Cut(pkg, "/"); strings.Contains(first, ".") {
		return pkg
	}
	return "./" + pkg
}

// same returns the packages whose programs are identical in both trees. Any difference in speed
// that is measured for them is a measurement error.
func same(old, new *tree) ([]string, error) {
	var pkgs []string
	for _, pkg := range slices.Sorted(maps.Keys(old.programs)) {
		a, err1 := os.ReadFile(old.programs[pkg][0])
		b, err2 := os.ReadFile(new.programs[pkg][0])
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if bytes.Equal(a, b) {
			pkgs = append(pkgs, pkg)
		}
	}
	return pkgs, nil
}
