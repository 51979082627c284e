package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Memcheck checks only instructions that run. So the subject must run every statement of the
// packages that secrets reach, with at least one of the sets of CPU features that it tries. A
// directive must give the reason for each statement that the subject does not run. Only those
// statements could contain a branch on a secret that memcheck does not detect.

// uncovered builds and runs the subject with counters. It returns the blocks of statements that the
// subject does not run in the packages that secrets reach. It also returns the stale directives,
// which exempt statements that the subject does run. dir is a folder for temporary files. go build
// -cover ignores overlays, so the subject is built from a copy of the library.
func uncovered(
	dir, tags string, packages []goPackage, files overlay,
) (blocks []block, stale []string, err error) {
	copied, counts := filepath.Join(dir, "library"), filepath.Join(dir, "counts")
	for _, name := range []string{copied, counts} { // remove the files of an earlier run
		if err := os.RemoveAll(name); err != nil {
			return nil, nil, err
		}
	}
	if err := copyLibrary(copied, packages, files); err != nil {
		return nil, nil, err
	}
	instrumented := []string{subjectPackage}
	for _, name := range secretPackages {
		instrumented = append(instrumented, strings.TrimSuffix(library+"/"+name, "/"))
	}
	subject := filepath.Join(dir, "counting")
	if err := os.Mkdir(counts, 0o777); err != nil {
		return nil, nil, err
	}
	build := exec.Command("go", "build", "-tags", tags,
		"-cover", "-coverpkg="+strings.Join(instrumented, ","), "-o", subject, subjectPackage)
	build.Dir, build.Env, build.Stderr = copied, append(environment(), "GOWORK=off"), os.Stderr
	if err := build.Run(); err != nil {
		return nil, nil, fmt.Errorf("building the subject with counters: %w", err)
	}
	env := []string{"GOCOVERDIR=" + counts}
	out, err := start(env, subject)
	if err != nil { // this CPU may lack instructions, which valgrind emulates
		if out, err = valgrind(subject, env, "--tool=none"); err != nil {
			return nil, nil, err
		}
	}
	if _, _, err := readCases(out); err != nil {
		return nil, nil, err
	}
	text := filepath.Join(dir, "counts.txt")
	convert := exec.Command("go", "tool", "covdata", "textfmt", "-i", counts, "-o", text)
	if out, err := convert.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	profile, err := os.ReadFile(text)
	if err != nil {
		return nil, nil, err
	}
	return blocksNotRun(string(profile), portable(tags), func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(copied, name))
	})
}

// portable reports whether a build with the given tags, separated by commas, has no assembly.
func portable(tags string) bool { return slices.Contains(strings.Split(tags, ","), "purego") }

// copyLibrary writes the source files of packages to dir. A file in the overlay replaces the
// library's file of that name.
func copyLibrary(dir string, packages []goPackage, files overlay) error {
	var root string
	names := []string{"go.mod", "go.sum"}
	for _, p := range packages {
		if p.ImportPath == library {
			root = p.Dir
		}
		if !p.ours() {
			continue
		}
		for _, base := range slices.Concat(p.GoFiles, p.SFiles, p.EmbedFiles) {
			names = append(names, filepath.Join(p.name(), base))
		}
	}
	for _, name := range names {
		text, err := files.read(filepath.Join(root, name))
		if err != nil {
			return err
		}
		copied := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(copied, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A block is a block of statements that no case of the subject runs. reason is the text of the
// directive that exempts it, or "" if there is none.
type block struct{ place, reason string }

// blocksNotRun reads a profile in the format of go test -coverprofile, and returns the blocks that
// were not run in the packages that secrets reach. It leaves out functions with the directive
// //ct:public, functions with a name that permits leaks, and refusals. stale lists the directives
// that exempt statements from running, but apply to none of the returned blocks.
func blocksNotRun(
	profile string, portable bool, read func(name string) ([]byte, error),
) (blocks []block, stale []string, err error) {
	sources, used := map[string]*source{}, map[*directive]bool{}
	for line := range strings.Lines(profile) {
		// The format of a line is: name.go:line.column,line.column statements count
		place, n, ok := strings.Cut(strings.TrimSpace(line), " ")
		name, at, ok2 := strings.Cut(strings.TrimPrefix(place, library+"/"), ":")
		if !ok || !ok2 || strings.HasPrefix(name, "mode") {
			continue
		}
		pkg := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(name)), ".")
		if !slices.Contains(secretPackages, pkg) {
			continue
		}
		if sources[name] == nil {
			src, err := read(name)
			if err != nil {
				return nil, nil, err
			}
			if sources[name], err = parseSource(pkg, string(src)); err != nil {
				return nil, nil, err
			}
		}
		if !strings.HasSuffix(n, " 0") {
			continue
		}
		var number, column, endLine, endColumn, statements int
		if _, err := fmt.Sscanf(at+" "+n, "%d.%d,%d.%d %d",
			&number, &column, &endLine, &endColumn, &statements); err != nil {
			return nil, nil, fmt.Errorf("the profile of statements: %q", line)
		}
		s := sources[name]
		fn := s.function(number)
		f := functionName(fn)
		if mayLeak(f) || s.public(fn) {
			continue
		}
		b := block{place: fmt.Sprintf("%s:%d: %s: %s", name, number, f, s.line(number))}
		if d := s.unrun(number, portable); d != nil {
			b.reason, used[d] = d.text, true
		} else if strings.HasPrefix(filepath.Base(name), "kernels_") &&
			(portable || s.line(number) == "default:") {
			// A build without kernels does not call some functions that select a kernel. In a build
			// with kernels, their default cases are never reached.
			b.reason = "only called where there are kernels"
		} else if fn != nil && statements == 1 && s.refuses(fn, number, endLine) {
			continue
		}
		blocks = append(blocks, b)
	}
	if len(sources) == 0 {
		return nil, nil, fmt.Errorf("the profile of statements names none of the library's")
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		for _, d := range sources[name].directives {
			if d.unrun(portable) && !used[d] {
				stale = append(stale, fmt.Sprintf("%s:%d: %v", name, d.line, d))
			}
		}
	}
	return blocks, stale, nil
}

// refuses reports whether a single statement in the given lines of function fn is a return of
// variables, constants and new errors about lengths. Nothing in it can depend on a secret.
func (s *source) refuses(fn *ast.FuncDecl, first, last int) (ok bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if r, is := n.(*ast.ReturnStmt); is && first <= s.at(r.Pos()) && s.at(r.End()) <= last {
			ok = !slices.ContainsFunc(r.Results, func(e ast.Expr) bool { return !simple(e) })
		}
		return true
	})
	return ok
}

// simple reports whether e is a variable, a constant, or a new error about lengths.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return simple(e.X)
	case *ast.CallExpr:
		name := types.ExprString(e.Fun)
		return (name == "errors.New" || name == "fmt.Errorf") &&
			!slices.ContainsFunc(e.Args, func(arg ast.Expr) bool {
				_, literal := arg.(*ast.BasicLit)
				return !literal && !strings.HasPrefix(types.ExprString(arg), "len(")
			})
	}
	return false
}

// judgeCoverage prints the blocks without a reason and the stale directives. It reports whether
// there are no such blocks and no such directives.
func judgeCoverage(w io.Writer, blocks []block, stale []string) (ok bool) {
	missing := 0
	for _, b := range blocks {
		if b.reason == "" {
			fmt.Fprintf(w, "NOT RUN by any case, and no reason given: %s\n", b.place)
			missing++
		}
	}
	for _, d := range stale {
		fmt.Fprintf(w, "RUN, though a directive says that it is not: %s\n", d)
	}
	fmt.Fprintf(w,
		"statements that no case runs where secrets are: %d for a reason, %d without one\n",
		len(blocks)-missing, missing)
	return missing == 0 && len(stale) == 0
}
