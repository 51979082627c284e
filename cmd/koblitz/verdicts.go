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

// verdictOptions holds the flags about the file of --verdicts.
type verdictOptions struct {
	name string
	only string

	format verdicts.Format
}

// These are the values of --verdicts-only.
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

// validate returns a usage error if the flags are not allowed together. isInput reports whether a
// file is also an input.
func (v *verdictOptions) validate(isInput func(fs.FileInfo) bool) error {
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
	return apartFrom(isInput, "--verdicts", v.name)
}

// apartFrom returns an error if the file called name exists and is not a regular file or is also an
// input. name is the value of the given flag, with which the command creates the file.
func apartFrom(isInput func(fs.FileInfo) bool, flag, name string) error {
	old, err := os.Stat(name)
	if err != nil {
		return nil // no file would be replaced
	}
	if !old.Mode().IsRegular() {
		return usagef("%s %s: it is there, and is not a file", flag, name)
	}
	if isInput(old) {
		return usagef("%s %s: the file is read too", flag, name)
	}
	return nil
}

// sameName reports whether a and b name the same file. The file need not exist.
func sameName(a, b string) bool {
	dir, err := os.Stat(filepath.Dir(a))
	other, oerr := os.Stat(filepath.Dir(b))
	return filepath.Clean(a) == filepath.Clean(b) || err == nil && oerr == nil &&
		os.SameFile(dir, other) && filepath.Base(a) == filepath.Base(b)
}

// A verdictFile writes the file of verdicts. The end method of a nil verdictFile does nothing.
type verdictFile struct {
	part   *verdicts.Part
	report *report
	failed bool
}

// parts returns the writer that splits the verdicts into several files, the parts, if the run has a
// state file. Otherwise it returns nil.
func (v *verdictOptions) parts(state string, disk durable.FS) *verdicts.Parts {
	if v.name == "" || state == "" {
		return nil
	}
	return &verdicts.Parts{Name: v.name, Format: v.format, Disk: disk}
}

// open sets cfg so that the verdict of each row is written by parts, which splits the verdicts into
// several files, or, if parts is nil, to one new file.
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

// row writes the verdict of one row. It reports only the first error.
func (f *verdictFile) row(r *check.Row) {
	if err := f.part.Write(r); err != nil && !f.failed {
		f.failed = true
		f.report.Unreadable(fmt.Errorf("--verdicts: %w", err))
	}
}

// end renames the finished file to its final name. If the run was interrupted, it removes the file
// instead.
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
