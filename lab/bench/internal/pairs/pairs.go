package pairs

import (
	"context"
	"errors"
	"fmt"
	"io"
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
func Compare(ctx context.Context, s Settings, out, progress io.Writer) error {
	return temporarily(ctx, func(folder string) (err error) {
		here, err := open(ctx, s.Dir)
		if err != nil {
			return err
		}
		dir := filepath.Join(folder, "tree")
		remove, err := here.checkout(ctx, s.Old, dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		return s.compare(ctx, repository(dir), here, folder, out, progress)
	})
}

// compare does the work of Compare with the trees in two folders.
func (s Settings) compare(
	ctx context.Context, before, after repository, folder string, out, progress io.Writer,
) error {
	env, runner, err := target(s.Target)
	if err != nil {
		return err
	}
	old, new := &tree{name: "old", root: before}, &tree{name: "new", root: after}
	for _, t := range []*tree{old, new} {
		t.env, t.runner, t.layouts = env, runner, s.Layouts
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
	var notes []string
	if s.Target != "" {
		notes = append(notes, "Programs for "+s.Target+".")
	}
	if len(equal) > 0 {
		notes = append(notes, "The programs of these packages are the same in both trees: "+
			strings.Join(equal, ", ")+".")
	}
	first := fmt.Sprintf("Old: %s. New: %s.", old.commit, new.commit)
	all, err := s.measure(ctx, rows, first, notes, out, progress)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n%s\n", table(all), verdict(all, s.Least))
	if err == nil && len(slower(all, s.Least)) > 0 {
		err = ErrSlower
	}
	return err
}
