package main

import (
	"bytes"
	"context"
	"fmt"
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
}

// build compiles the test programs with the benchmarks of the rows into folder. It returns an error
// if a package lacks the benchmark of a row. To find that out, it runs each benchmark for one
// iteration.
func (t *tree) build(ctx context.Context, rows []*measured, folder string) error {
	t.programs = map[string][]string{}
	for _, r := range rows {
		if !slices.Contains(r.trees[:], t) {
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
	for layout := range t.layouts {
		program := filepath.Join(folder,
			fmt.Sprintf("%s-%s-%d.test", t.name, strings.ReplaceAll(pkg, "/", "-"), layout))
		args := append([]string{"test", "-c", "-trimpath",
			fmt.Sprintf("-ldflags=-randlayout=%d", 1+layout), "-o", program}, t.flags...)
		if _, err := t.command(ctx, append(args, "./"+pkg)...); err != nil {
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
