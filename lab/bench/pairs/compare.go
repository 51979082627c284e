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
	Old    string // the commit
	Target string // GOOS/GOARCH of the programs, which this machine can run; "" for its own

	// Otherwise the old tree is the module in Dir without replace lines, and the new tree is the same
	// module with them. Each element of Replace has the path of a module and the folder of the
	// repository that replaces it. With 0 pairs, only the results are compared.
	Replace [][2]string
}

// ErrShort is the error of Compare if the median ratio of a row is below the row's Least.
var ErrShort = errors.New("a row falls short of its least ratio")

// A comparison is what Compare has prepared.
type comparison struct {
	Settings
	root     string // of the repository
	folder   string // for temporary files
	rows     []*measured
	note     string // line above the table
	progress io.Writer
}

// Compare measures the old and the new tree alternately. It writes a Markdown table to out, and a
// line to progress after each round. If the ratio of a row is less than required, Compare writes
// the table and returns ErrShort. If ctx ends, the error is that of ctx, not that of the program
// that was interrupted.
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
	root, err := root(ctx, s.Dir)
	if err != nil {
		return err
	}
	c := &comparison{Settings: s, root: root, folder: folder, progress: progress}
	if s.Replace == nil {
		err = c.commits(ctx)
	} else {
		err = c.replaced(ctx)
	}
	if err != nil || s.Pairs == 0 {
		return err
	}
	return c.measure(ctx, out)
}

// build builds the trees.
func (c *comparison) build(ctx context.Context, trees ...*tree) error {
	for _, t := range trees {
		fmt.Fprintf(c.progress, "pairs: building the %s tree\n", t.name)
		if err := t.build(ctx, c.rows, c.folder); err != nil {
			return err
		}
	}
	return nil
}

// commits prepares the comparison with an older commit.
func (c *comparison) commits(ctx context.Context) error {
	env, runner, err := target(c.Target)
	if err != nil {
		return err
	}
	before := filepath.Join(c.folder, "tree")
	id, err := export(ctx, c.root, c.Old, before)
	if err != nil {
		return err
	}
	old := &tree{name: "old", root: before, env: env, runner: runner, layouts: c.Layouts}
	new := &tree{name: "new", root: c.root, env: env, runner: runner, layouts: c.Layouts}
	for _, r := range c.Rows {
		c.rows = append(c.rows, &measured{Row: r, trees: [2]*tree{old, new}})
	}
	if err := c.build(ctx, old, new); err != nil {
		return err
	}
	c.note = fmt.Sprintf("Old: %.12s. New: %s.", id, machine.Commit(c.root))
	if c.Target != "" {
		c.note += " Programs for " + c.Target + "."
	}
	return nil
}

// replaced builds the module of operations in three ways: unchanged without cgo, unchanged with
// cgo, and with the replace lines. It compares the results of the three builds. Each row is
// measured in two of them.
func (c *comparison) replaced(ctx context.Context) error {
	mod, err := c.withLines(ctx)
	if err != nil {
		return err
	}
	side := func(name string, env string, flags ...string) *tree {
		return &tree{name: name, root: c.Dir, layouts: c.Layouts, flags: flags, env: []string{env}}
	}
	plain, cgo := side("plain", "CGO_ENABLED=0"), side("cgo", "CGO_ENABLED=1")
	replaced := side("replaced", "CGO_ENABLED=0", "-mod=mod", "-modfile="+mod)
	for _, r := range c.Rows {
		old := plain
		if r.Cgo {
			old = cgo
		}
		c.rows = append(c.rows, &measured{Row: r, trees: [2]*tree{old, replaced}})
	}
	if err := c.build(ctx, plain, cgo, replaced); err != nil {
		return err
	}
	compared := 0
	for _, t := range []*tree{plain, cgo} {
		n, err := agree(ctx, t, replaced)
		if err != nil {
			return err
		}
		compared += n
	}
	if c.Pairs == 0 {
		fmt.Fprintf(c.progress, "pairs: %d operations have the same results\n", compared)
	}
	c.note = "Commit " + machine.Commit(c.root) + ". Old: without the replace lines. New: with them."
	return nil
}

// withLines writes the module's go.mod with the replace lines, and its go.sum, into the folder for
// temporary files. It returns the path of this go.mod.
func (c *comparison) withLines(ctx context.Context) (string, error) {
	args := []string{"mod", "edit", "-print"}
	for _, r := range c.Replace {
		args = append(args, "-replace="+r[0]+"="+filepath.Join(c.root, filepath.FromSlash(r[1])))
	}
	mod, err := (&tree{name: "replaced", root: c.Dir}).command(ctx, args...)
	if err != nil {
		return "", err
	}
	sum, err1 := os.ReadFile(filepath.Join(c.Dir, "go.sum"))
	file := filepath.Join(c.folder, "replaced.mod")
	err2 := os.WriteFile(file, mod, 0o600)
	err3 := os.WriteFile(filepath.Join(c.folder, "replaced.sum"), sum, 0o600)
	return file, errors.Join(err1, err2, err3)
}

// agree returns an error unless builds a and b print the same results for each package of a. It
// returns the number of operations compared.
func agree(ctx context.Context, a, b *tree) (operations int, err error) {
	for pkg := range a.programs {
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
// end it writes the table to out, below lines that describe the trees, the machine and the
// measurement.
func (c *comparison) measure(ctx context.Context, out io.Writer) error {
	began := time.Now().UTC()
	took := func() time.Duration { return time.Since(began).Round(time.Second) }
	err := turns(ctx, c.rows, c.Pairs, c.Each, func(pair int) {
		fmt.Fprintf(c.progress, "pairs: %d/%d  %v\n", pair+1, c.Pairs, took())
	})
	if err != nil {
		return err
	}
	where := cmp.Or(strings.Join(onOneCPU(), " "), "on whatever CPU")
	text, short := table(c.rows)
	_, err = fmt.Fprintf(out, "> %s\n> %s.\n> %d pairs of runs of %v, old and new in turns (ABBA), "+
		"%d layouts of the programs' functions, %s, CPU time; %s, %v.\n\n%s\n",
		c.note, machine.Describe(), c.Pairs, c.Each, c.Layouts, where,
		began.Format("2006-01-02 15:04 UTC"), took(), text)
	if err != nil {
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
func table(rows []*measured) (text string, short bool) {
	var b strings.Builder
	b.WriteString("| row | old | new | old / new, median | quartiles | at least |\n" +
		"|---|---|---|---|---|---|\n")
	var below []string
	for _, r := range rows {
		q := stats.Sample{Xs: r.ratios()}
		median, least := q.Quantile(0.5), ""
		if r.Least > 0 {
			least = fmt.Sprint(r.Least)
			if median < r.Least {
				below = append(below, fmt.Sprintf("%s (%s)", r.Name, ratio(median)))
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s to %s | %s |\n", r.Name, microseconds(r.times[0]),
			microseconds(r.times[1]), ratio(median), ratio(q.Quantile(0.25)), ratio(q.Quantile(0.75)), least)
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
