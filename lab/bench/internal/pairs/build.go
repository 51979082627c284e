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

// older holds benchmarks to add to old trees that lack them, since they were written later.
//
//go:embed testdata/older
var older embed.FS

// A tree is one of the two source trees under comparison, with a test program for each package.
type tree struct {
	name   string // old or new, or the side's name: plain, cgo, replaced
	commit string
	root   repository
	flags  []string // flags of go test, for all programs
	// Environment variables of go test and of the programs, in addition to this process's.
	env      []string
	runner   []string // command that runs the programs if this system cannot run them directly
	layouts  int
	programs map[string][]string // by package, one program for each layout
	folders  map[string]string   // by package, the folder in which its programs run
	added    []string            // packages to which benchmarks from older were added
}

// build compiles the programs of all rows into folder and looks for their benchmarks. If a package
// lacks one, build adds the benchmarks in older to the package.
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

// missing returns, for each package that lacks the benchmark of a row, such a row. To find them, it
// runs each benchmark for one iteration.
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

// compile builds the test programs of a package, one for each layout, which is a random order of
// the functions. The addresses of functions change their speed by some percent, at random in each
// tree (Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS
// 2009). The programs do not contain the path of the tree, so equal sources give equal programs.
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

// same returns the packages whose programs are identical in both trees. Any difference that is
// measured in their rows is an error of the method.
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

// overlay writes the files that are to be added to a package into folder, together with a list of
// them for the -overlay flag of the go command. It returns the path of the list, or "" if there are
// no files. It does not change the tree.
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
