package pairs

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// older has benchmarks for trees that were made before them.
//
//go:embed testdata/older
var older embed.FS

// A tree is one of those that are compared, with a program for each package.
type tree struct {
	name     string // old or new, or what was done to it
	commit   string
	root     repository
	flags    []string // of go test, for all programs
	env      []string // of go test and of the programs, added to this process's
	runner   []string // what runs the programs, with arguments before theirs; nothing for this system
	layouts  int
	programs map[string][]string // by package, one for each layout
	folders  map[string]string   // by package: where its programs run
	added    []string            // packages that got benchmarks from older
}

// build makes the programs of all rows in a folder and looks for their benchmarks. To a
// package without one of them those of older are added.
func (t *tree) build(ctx context.Context, rows []Row, older fs.FS, folder string) error {
	t.programs, t.folders = map[string][]string{}, map[string]string{}
	for _, r := range rows {
		if t.programs[r.Package] == nil {
			if err := t.compile(ctx, r.Package, "", folder); err != nil {
				return err
			}
		}
	}
	missing, err := t.missing(ctx, rows)
	if err != nil {
		return err
	}
	for pkg, r := range missing {
		overlay, err := overlay(older, t.root, pkg, folder)
		if err != nil {
			return err
		}
		if overlay == "" {
			return t.lacks(r)
		}
		if err := t.compile(ctx, pkg, overlay, folder); err != nil {
			return err
		}
		t.added = append(t.added, pkg)
	}
	if len(missing) > 0 {
		missing, err = t.missing(ctx, rows)
	}
	for _, r := range missing {
		return t.lacks(r)
	}
	return err
}

func (t *tree) lacks(r Row) error {
	return fmt.Errorf("%s: the %s tree has no benchmark %s in %s",
		r.Name, t.name, r.Bench, r.Package)
}

// missing returns a row for each package that does not have the benchmarks of all its rows.
// Whatever is there has then run once.
func (t *tree) missing(ctx context.Context, rows []Row) (map[string]Row, error) {
	without := map[string]Row{}
	for _, r := range rows {
		n, _, err := t.run(ctx, r, 0, "1x")
		if err != nil {
			return nil, err
		}
		if n == 0 {
			without[r.Package] = r
		}
	}
	return without, nil
}

// compile makes the test programs of a package, which differ in the order of their functions:
// where a function lies decides how fast it is by some percent, in each tree by other chances
// (Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS
// 2009). The paths of the trees stay out of them: equal sources give equal programs.
func (t *tree) compile(ctx context.Context, pkg, overlay, folder string) error {
	var err error
	if t.folders[pkg], err = t.folder(ctx, pkg); err != nil {
		return err
	}
	var programs []string
	for layout := range t.layouts {
		program := filepath.Join(folder,
			fmt.Sprintf("%s-%s-%d.test", t.name, strings.ReplaceAll(pkg, "/", "-"), layout))
		args := append([]string{"test", "-c", "-trimpath", "-overlay=" + overlay,
			fmt.Sprintf("-ldflags=-randlayout=%d", 1+layout), "-o", program}, t.flags...)
		if _, err := t.command(ctx, append(args, pattern(pkg))...); err != nil {
			return err
		}
		programs = append(programs, program)
	}
	t.programs[pkg] = programs
	return nil
}

// command runs go in the tree and returns what it prints.
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

// pattern returns what go calls a package: one of the tree is a folder, and one of another module
// an import path, whose first element has a dot.
func pattern(pkg string) string {
	if first, _, _ := strings.Cut(pkg, "/"); strings.Contains(first, ".") {
		return pkg
	}
	return "./" + pkg
}

// folder returns where the tests of a package expect to run.
func (t *tree) folder(ctx context.Context, pkg string) (string, error) {
	if pattern(pkg) != pkg {
		return filepath.Join(string(t.root), filepath.FromSlash(pkg)), nil
	}
	args := append([]string{"list"}, t.flags...)
	out, err := t.command(ctx, append(args, "-f", "{{.Dir}}", pkg)...)
	return strings.TrimSpace(string(out)), err
}

// same returns the packages whose programs are the same in both trees, byte for byte: by
// how much their rows differ is what this way of measuring cannot see.
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

// overlay writes the files that are added to a package, and a list of them for the flag
// -overlay of go, whose path it returns; it is empty if there are none. No file of the
// tree is touched.
func overlay(older fs.FS, root repository, pkg, folder string) (string, error) {
	files, err := fs.Glob(older, path.Join(pkg, "*.go"))
	if err != nil || len(files) == 0 {
		return "", err
	}
	replace := map[string]string{}
	for _, file := range files {
		b, err := fs.ReadFile(older, file)
		if err != nil {
			return "", err
		}
		at := filepath.Join(folder, "older-"+path.Base(file))
		if err := os.WriteFile(at, b, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(string(root), filepath.FromSlash(file))] = at
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(folder, "overlay.json")
	return list, os.WriteFile(list, b, 0o600)
}
