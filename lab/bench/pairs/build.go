package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is one of the two source trees under comparison, with a test program for each package.
type tree struct {
	name  string // old or new, or the side's name: plain, cgo, replaced
	root  repository
	flags []string // flags of go test, for all programs
	// Environment variables of go test and of the programs, in addition to this process's.
	env      []string
	runner   []string // command that runs the programs if this system cannot run them directly
	layouts  int
	programs map[string][]string // by package, one program for each layout
	folders  map[string]string   // by package, the folder in which its programs run
}

// build builds the trees, each with the rows for which it is used.
func build(
	ctx context.Context, rows []match, folder string, progress io.Writer, trees ...*tree,
) error {
	for _, t := range trees {
		fmt.Fprintf(progress, "pairs: building the %s tree\n", t.name)
		var used []Row
		for _, r := range rows {
			if r.old == t || r.new == t {
				used = append(used, r.Row)
			}
		}
		if err := t.build(ctx, used, folder); err != nil {
			return err
		}
	}
	return nil
}

// build compiles the test programs with the benchmarks of all rows into folder. It returns an error
// if a package lacks the benchmark of a row. To find that out, it runs each benchmark for one
// iteration.
func (t *tree) build(ctx context.Context, rows []Row, folder string) error {
	t.programs, t.folders = map[string][]string{}, map[string]string{}
	for _, r := range rows {
		if t.programs[r.Package] == nil {
			if err := t.compile(ctx, r.Package, folder); err != nil {
				return err
			}
		}
		n, _, err := t.run(ctx, r, 0, "1x")
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
	var err error
	if t.folders[pkg], err = t.folder(ctx, pkg); err != nil {
		return err
	}
	var programs []string
	for layout := range t.layouts {
		program := filepath.Join(folder,
			fmt.Sprintf("%s-%s-%d.test", t.name, strings.ReplaceAll(pkg, "/", "-"), layout))
		args := append([]string{"test", "-c", "-trimpath",
			fmt.Sprintf("-ldflags=-randlayout=%d", 1+layout), "-o", program}, t.flags...)
		if _, err := t.command(ctx, append(args, pattern(pkg))...); err != nil {
			return err
		}
		programs = append(programs, program)
	}
	t.programs[pkg] = programs
	return nil
}

// command runs the go command in the tree and returns its output.
func (t *tree) command(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = string(t.root)
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), t.env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	gently(cmd)
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

// folder returns the folder in which the tests of a package must run.
func (t *tree) folder(ctx context.Context, pkg string) (string, error) {
	if pattern(pkg) != pkg {
		return filepath.Join(string(t.root), filepath.FromSlash(pkg)), nil
	}
	args := append([]string{"list"}, t.flags...)
	out, err := t.command(ctx, append(args, "-f", "{{.Dir}}", pkg)...)
	return strings.TrimSpace(string(out)), err
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
