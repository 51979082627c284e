package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
)

// verdictOptions are the flags about a file of verdicts.
type verdictOptions struct {
	name string
	only string

	format verdicts.Format
}

// Values of --verdicts-only.
const (
	verdictsAll      = "all"
	verdictsFailures = "failures"
)

func (v *verdictOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&v.name, "verdicts", "", "write one row for each signature to `FILE`, which ends in "+
		".jsonl, .csv or\n.parquet; it appears when it is complete")
	f.StringVar(&v.only, "verdicts-only", verdictsAll, "which rows --verdicts writes: all or failures")
	complete(cmd, "verdicts-only", []string{verdictsAll, verdictsFailures})
}

// validate looks at the flags; reads reports whether a file is read.
func (v *verdictOptions) validate(reads func(fs.FileInfo) bool) error {
	if !slices.Contains([]string{verdictsAll, verdictsFailures}, v.only) {
		return usagef("--verdicts-only %q: all or failures", v.only)
	}
	if v.name == "" {
		if v.only != verdictsAll {
			return usagef("--verdicts-only goes with --verdicts")
		}
		return nil
	}
	var err error
	if v.format, err = verdicts.FormatOf(v.name); err != nil {
		return usagef("--verdicts: %w", err)
	}
	return apartFrom(reads, "--verdicts", v.name)
}

// apartFrom refuses the name that a flag gives to a new file if another file than a regular one has
// it, or a file that is read.
func apartFrom(reads func(fs.FileInfo) bool, flag, name string) error {
	old, err := os.Stat(name)
	if err != nil {
		return nil // there is nothing to lose
	}
	if !old.Mode().IsRegular() {
		return usagef("%s %s: it is there, and is not a file", flag, name)
	}
	if reads(old) {
		return usagef("%s %s: the file is read too", flag, name)
	}
	return nil
}

// sameName reports whether two names are those of one file, which need not be there.
func sameName(a, b string) bool {
	dir, err := os.Stat(filepath.Dir(a))
	other, oerr := os.Stat(filepath.Dir(b))
	return filepath.Clean(a) == filepath.Clean(b) || err == nil && oerr == nil &&
		os.SameFile(dir, other) && filepath.Base(a) == filepath.Base(b)
}

// A verdictFile is the file of verdicts of a run; a nil one does nothing.
type verdictFile struct {
	part   *verdicts.Part
	report *report
	failed bool
}

// parts are the files of a run that has a state, or nil.
func (v *verdictOptions) parts(state string, disk durable.FS) *verdicts.Parts {
	if v.name == "" || state == "" {
		return nil
	}
	return &verdicts.Parts{Name: v.name, Format: v.format, Disk: disk}
}

// open begins the file, unless there are parts, and makes cfg tell of the rows that it wants.
func (v *verdictOptions) open(r *report, cfg *check.Config, parts *verdicts.Parts) (*verdictFile,
	error) {
	if v.name == "" {
		return nil, nil
	}
	cfg.OnlyFailed = v.only == verdictsFailures
	if parts != nil {
		cfg.Row = parts.Row
		return nil, nil
	}
	part, err := verdicts.Create(v.name, v.format, verdicts.Disk{})
	if err != nil {
		return nil, unreadable(fmt.Errorf("--verdicts: %w", err))
	}
	f := &verdictFile{part: part, report: r}
	cfg.Row = f.row
	return f, nil
}

// row writes one row. That it cannot be written is said once.
func (f *verdictFile) row(r *check.Row) {
	if err := f.part.Write(r); err != nil && !f.failed {
		f.failed = true
		f.report.Unreadable(fmt.Errorf("--verdicts: %w", err))
	}
}

// end gives the file its name, or removes it if the run is interrupted.
func (f *verdictFile) end(interrupted bool) {
	switch {
	case f == nil:
	case interrupted:
		f.part.Discard()
	default:
		if err := f.part.Commit(); err != nil && !f.failed {
			f.report.Unreadable(fmt.Errorf("--verdicts: %w", err))
		}
	}
}
