package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aclements/go-moremath/stats"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
)

// Settings says which trees and rows Compare measures, and how.
type Settings struct {
	Dir  string // folder of the new tree: a repository, or the module of operations
	Rows []Row  // must not be empty

	Pairs   int           // number of runs of each row in each tree
	Layouts int           // number of random orders of the functions in each program; at least one
	Each    time.Duration // intended duration of a run

	// Without Replace, the old tree is a commit of the repository.
	Old    string // the commit, which is checked out
	Target string // GOOS/GOARCH of the programs, which this machine can run; "" for its own

	// Otherwise the old tree is the module in Dir without replace lines, and the new tree is the same
	// module with them. Each element of Replace has the path of a module and the folder of the
	// repository that replaces it. With 0 pairs, only the results are compared.
	Replace [][2]string
}

// ErrShort is the error of Compare if the median ratio of a row is below the row's Least.
var ErrShort = errors.New("a row falls short of its least ratio")

// Compare measures the old and the new tree alternately. It writes a Markdown table to out, and a
// line to progress after each round. It checks an old commit out in a separate worktree, which it
// always removes. If the ratio of a row is less than required, Compare writes the table and returns
// ErrShort. If ctx ends, the error is that of ctx, not that of the program that was interrupted.
func Compare(ctx context.Context, s Settings, out, progress io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "koblitz-pairs-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		err = errors.Join(err, os.RemoveAll(folder))
	}()
	here, err := open(ctx, s.Dir)
	if err != nil {
		return err
	}
	if s.Replace != nil {
		return s.replaced(ctx, here, folder, out, progress)
	}
	before := repository(filepath.Join(folder, "tree"))
	remove, err := here.checkout(ctx, s.Old, string(before))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	return s.commits(ctx, before, here, folder, out, progress)
}

// commits compares the trees in two folders.
func (s Settings) commits(
	ctx context.Context, before, after repository, folder string, out, progress io.Writer,
) error {
	env, runner, err := target(s.Target)
	if err != nil {
		return err
	}
	side := func(name string, root repository) *tree {
		return &tree{name: name, root: root, env: env, runner: runner, layouts: s.Layouts}
	}
	old, new := side("old", before), side("new", after)
	var rows []match
	for _, r := range s.Rows {
		rows = append(rows, match{r, old, new})
	}
	if err := build(ctx, rows, folder, progress, old, new); err != nil {
		return err
	}
	equal, err := same(old, new)
	if err != nil {
		return err
	}
	commit, err1 := before.describe(ctx)
	commitAfter, err2 := after.describe(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	notes := []string{fmt.Sprintf("Old: %s. New: %s.", commit, commitAfter)}
	if s.Target != "" {
		notes = append(notes, "Programs for "+s.Target+".")
	}
	if len(equal) > 0 {
		notes = append(notes, "The programs of these packages are the same in both trees: "+
			strings.Join(equal, ", ")+".")
	}
	return s.measure(ctx, rows, notes, out, progress)
}

// replaced builds the module of operations in three ways: unchanged without cgo, unchanged with
// cgo, and with the replace lines. It compares the results of the three builds, and measures each
// row in two of them.
func (s Settings) replaced(
	ctx context.Context, here repository, folder string, out, progress io.Writer,
) error {
	commit, err := here.describe(ctx)
	if err != nil {
		return err
	}
	mod, err := s.withLines(ctx, string(here), folder)
	if err != nil {
		return err
	}
	side := func(name string, env string, flags ...string) *tree {
		return &tree{name: name, root: repository(s.Dir), layouts: s.Layouts, flags: flags,
			env: []string{env}}
	}
	plain, c := side("plain", "CGO_ENABLED=0"), side("cgo", "CGO_ENABLED=1")
	replaced := side("replaced", "CGO_ENABLED=0", "-mod=mod", "-modfile="+mod)
	var rows []match
	for _, r := range s.Rows {
		m := match{r, plain, replaced}
		if r.Cgo {
			m.old = c
		}
		rows = append(rows, m)
	}
	if err := build(ctx, rows, folder, progress, plain, c, replaced); err != nil {
		return err
	}
	compared := 0
	for _, t := range []*tree{plain, c} {
		n, err := agree(ctx, t, replaced)
		if err != nil {
			return err
		}
		compared += n
	}
	if s.Pairs == 0 {
		fmt.Fprintf(progress, "pairs: %d operations have the same results\n", compared)
		return nil
	}
	notes := []string{"Commit " + commit + ". Old: without the replace lines. New: with them."}
	return s.measure(ctx, rows, notes, out, progress)
}

// withLines copies the module's go.mod and go.sum into folder, adds the replace lines to the copy
// of go.mod, and returns the path of that copy.
func (s Settings) withLines(ctx context.Context, root, folder string) (string, error) {
	mod := filepath.Join(folder, "replaced.mod")
	for from, to := range map[string]string{
		"go.mod": mod, "go.sum": filepath.Join(folder, "replaced.sum"),
	} {
		b, err := os.ReadFile(filepath.Join(s.Dir, from))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(to, b, 0o600); err != nil {
			return "", err
		}
	}
	args := []string{"mod", "edit"}
	for _, r := range s.Replace {
		args = append(args, "-replace="+r[0]+"="+filepath.Join(root, filepath.FromSlash(r[1])))
	}
	t := &tree{name: "replaced", root: repository(s.Dir)}
	_, err := t.command(ctx, append(args, mod)...)
	return mod, err
}

// agree returns an error unless builds a and b print the same results for each package of a. It
// returns the number of operations compared.
func agree(ctx context.Context, a, b *tree) (operations int, err error) {
	for pkg := range a.programs {
		if pattern(pkg) == pkg {
			continue // tests of another module print no results; a run shows whether they pass
		}
		x, err := a.results(ctx, pkg)
		if err != nil {
			return 0, err
		}
		y, err := b.results(ctx, pkg)
		if err != nil {
			return 0, err
		}
		if len(x) == 0 {
			return 0, fmt.Errorf("%s prints no results", pkg)
		}
		if !slices.Equal(x, y) {
			return 0, fmt.Errorf("%s: the %s and the %s side have other results:\n%s\n\n%s", pkg,
				a.name, b.name, strings.Join(x, "\n"), strings.Join(y, "\n"))
		}
		operations += len(x)
	}
	return operations, nil
}

// measure measures the rows by calling turns. After each round it writes a line to progress. At the
// end it writes the table to out, below lines that describe the machine and the measurement. The
// first line is notes[0], and the last are the other notes.
func (s Settings) measure(
	ctx context.Context, rows []match, notes []string, out, progress io.Writer,
) error {
	began := time.Now().UTC()
	took := func() time.Duration { return time.Since(began).Round(time.Second) }
	all, err := turns(ctx, rows, s.Pairs, s.Each, func(pair int) {
		fmt.Fprintf(progress, "pairs: %d/%d  %v\n", pair+1, s.Pairs, took())
	})
	if err != nil {
		return err
	}
	where := cmp.Or(strings.Join(onOneCPU(), " "), "on whatever CPU")
	lines := []string{
		machine.Describe() + ".",
		fmt.Sprintf("%d pairs of runs of %v, old and new in turns (ABBA), %d layouts of the "+
			"programs' functions, %s, CPU time; %s, %v.",
			s.Pairs, s.Each, s.Layouts, where, began.Format("2006-01-02 15:04 UTC"), took()),
	}
	for _, line := range slices.Concat(notes[:1], lines, notes[1:]) {
		fmt.Fprintf(out, "> %s\n", line)
	}
	text, short := table(all)
	if _, err := fmt.Fprintf(out, "\n%s\n", text); err != nil {
		return err
	}
	if short {
		return ErrShort
	}
	return nil
}

// table returns the rows as a Markdown table, and reports whether a row's ratio is less than
// required. The time per element is the median of all runs. The ratio is the median of the pairs'
// ratios, with its quartiles. Ratios are rounded down, so that no ratio just below a limit is shown
// as the limit.
func table(all []sequence) (text string, short bool) {
	var b strings.Builder
	b.WriteString("| row | old | new | old / new, median | quartiles | at least | stretch |\n" +
		"|---|---|---|---|---|---|---|\n")
	var below []string
	for _, s := range all {
		q := stats.Sample{Xs: s.ratios()}
		median, least, stretch := q.Quantile(0.5), "", ""
		if s.Least > 0 {
			least = fmt.Sprint(s.Least)
			if median < s.Least {
				below = append(below, fmt.Sprintf("%s (%s)", s.Name, ratio(median)))
			}
		}
		if s.Stretch > 0 {
			stretch = fmt.Sprint(s.Stretch)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s to %s | %s | %s |\n", s.Name, microseconds(s.Old),
			microseconds(s.New), ratio(median), ratio(q.Quantile(0.25)), ratio(q.Quantile(0.75)), least,
			stretch)
	}
	if len(below) > 0 {
		fmt.Fprintf(&b, "\nShort of the least: %s.\n", strings.Join(below, ", "))
	} else {
		b.WriteString("\nNo row falls short of the least.\n")
	}
	return b.String(), len(below) > 0
}

// microseconds formats the median of times in ns.
func microseconds(ns []float64) string {
	return fmt.Sprintf("%.3g µs", stats.Sample{Xs: ns}.Quantile(0.5)/1000)
}

// ratio formats a ratio x with three decimals, rounded down.
func ratio(x float64) string { return fmt.Sprintf("%.3f", math.Floor(x*1000+1e-9)/1000) }
