package pairs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// ReplaceSettings says what CompareReplaced measures with and without the replace lines, and how.
type ReplaceSettings struct {
	Dir     string      // folder of the module with the operations
	Replace [][2]string // paths of modules, each with the folder of the repository that replaces it
	Rows    []DropIn
	Method  // with 0 pairs, only the results are compared
}

// ErrShort is the error of CompareReplaced if the median ratio of a row is below the row's Least.
var ErrShort = errors.New("a row falls short of its least ratio")

// CompareReplaced builds the module of operations in three ways: unchanged without cgo, unchanged
// with cgo, and with the replace lines. It compares the results of the three builds, measures each
// row alternately in two of them, and writes a Markdown table. If the ratio of a row is less than
// required, it writes the table and returns ErrShort.
func CompareReplaced(ctx context.Context, s ReplaceSettings, out, progress io.Writer) error {
	return temporarily(ctx, func(folder string) error { return s.compare(ctx, folder, out, progress) })
}

// compare does the work of CompareReplaced.
func (s ReplaceSettings) compare(
	ctx context.Context, folder string, out, progress io.Writer,
) error {
	here, err := open(ctx, s.Dir)
	if err != nil {
		return err
	}
	commit, err := here.describe(ctx)
	if err != nil {
		return err
	}
	mod, err := withLines(ctx, s, string(here), folder)
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
	use := map[*tree][]Row{}
	for _, d := range s.Rows {
		m := match{d.Row, plain, replaced}
		if d.Cgo {
			m.old = c
		}
		rows = append(rows, m)
		use[m.old], use[m.new] = append(use[m.old], m.Row), append(use[m.new], m.Row)
	}
	for _, t := range []*tree{plain, c, replaced} {
		fmt.Fprintf(progress, "dropins: building the %s side\n", t.name)
		if err := t.build(ctx, use[t], folder); err != nil {
			return err
		}
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
		fmt.Fprintf(progress, "dropins: %d operations have the same results\n", compared)
		return nil
	}
	first := "Commit " + commit + ". Old: without the replace lines. New: with them."
	all, err := s.measure(ctx, rows, first, nil, out, progress)
	if err != nil {
		return err
	}
	text, short := replacedTable(s.Rows, all)
	if _, err := fmt.Fprintln(out, text); err != nil {
		return err
	}
	if short {
		return ErrShort
	}
	return nil
}

// withLines copies the module's go.mod and go.sum into folder, adds the replace lines to the copy
// of go.mod, and returns the path of that copy.
func withLines(ctx context.Context, s ReplaceSettings, root, folder string) (string, error) {
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

// replacedTable returns the rows as a Markdown table, and reports whether the ratio of any row is
// less than required.
func replacedTable(rows []DropIn, all []sequence) (text string, short bool) {
	var b strings.Builder
	b.WriteString("| | without | with | without / with | quartiles | at least | stretch |\n" +
		"|---|---|---|---|---|---|---|\n")
	var below []string
	for i, s := range all {
		q := s.ratios()
		median := quantile.Median(q)
		least, stretch := "", ""
		if d := rows[i]; d.Least > 0 {
			least, stretch = fmt.Sprint(d.Least), fmt.Sprint(d.Stretch)
			if median < d.Least {
				below = append(below, fmt.Sprintf("%s (%s)", s.Name, ratio(median)))
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s to %s | %s | %s |\n", s.Name,
			microseconds(quantile.Median(s.Old)), microseconds(quantile.Median(s.New)), ratio(median),
			ratio(quantile.Of(q, 0.25)), ratio(quantile.Of(q, 0.75)), least, stretch)
	}
	if len(below) > 0 {
		fmt.Fprintf(&b, "\nShort of the least: %s.\n", strings.Join(below, ", "))
	} else {
		b.WriteString("\nNo row falls short of the least.\n")
	}
	return b.String(), len(below) > 0
}
