package pairs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Settings says which trees and rows Compare measures, and how.
type Settings struct {
	Dir    string // folder of the repository; its working tree is the new tree
	Old    string // commit that is checked out as the old tree
	Target string // GOOS/GOARCH of the programs, which this machine can run; "" for its own
	Rows   []Row  // must not be empty
	Method
	Least float64 // a row with a median ratio below this counts as slower
}

// ErrSlower is the error of Compare if the median ratio of a row is below Settings.Least.
var ErrSlower = errors.New("a row is slower than before")

// Compare measures the old and the new tree alternately. It writes a Markdown table to out, and a
// line to progress after each round. It checks the old tree out in a separate worktree, which it
// always removes. If a row is slower than Settings.Least allows, Compare writes the table and
// returns ErrSlower.
func Compare(ctx context.Context, s Settings, out, progress io.Writer) (err error) {
	env, runner, err := target(s.Target)
	if err != nil {
		return err
	}
	here, err := open(ctx, s.Dir)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "koblitz-pairs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	dir := filepath.Join(folder, "tree")
	remove, err := here.checkout(ctx, s.Old, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err() // not the error of the program that was interrupted
		}
	}()

	old := &tree{name: "old", root: repository(dir), layouts: s.Layouts}
	new := &tree{name: "new", root: here, layouts: s.Layouts}
	for _, t := range []*tree{old, new} {
		t.env, t.runner = env, runner
		fmt.Fprintf(progress, "pairs: building the %s tree\n", t.name)
		if t.commit, err = t.root.describe(ctx); err != nil {
			return err
		}
		if err := t.build(ctx, s.Rows, folder); err != nil {
			return err
		}
	}
	equal, err := same(old, new)
	if err != nil {
		return err
	}
	var rows []match
	for _, r := range s.Rows {
		rows = append(rows, match{r, old, new})
	}
	all, w, err := watched(ctx, rows, s.Pairs, s.Each, progress)
	if err != nil {
		return err
	}
	lines := head(s, old, new, w)
	if len(equal) > 0 {
		lines = append(lines, "The programs of these packages are the same in both trees: "+
			strings.Join(equal, ", ")+".")
	}
	for _, line := range lines {
		fmt.Fprintf(out, "> %s\n", line)
	}
	_, err = fmt.Fprintf(out, "\n%s\n%s\n", table(all), verdict(all, s.Least))
	if err == nil && len(slower(all, s.Least)) > 0 {
		err = ErrSlower
	}
	return err
}

// head returns the lines above the table: which trees were compared, how, and on which machine.
func head(s Settings, old, new *tree, w watch) []string {
	lines := []string{
		fmt.Sprintf("Old: %s. New: %s.", old.commit, new.commit),
		w.machine(),
		w.method(s.Pairs, s.Each, s.Layouts, "old and new in turns (ABBA)"),
		w.disturbance(),
	}
	if s.Target != "" {
		lines = append(lines, "Programs for "+s.Target+".")
	}
	return lines
}
