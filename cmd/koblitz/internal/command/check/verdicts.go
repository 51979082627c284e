package check

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
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
	cli.Complete(cmd, "verdicts-only", []string{verdictsAll, verdictsFailures})
}

// validate returns a usage error if the flags are not allowed together. isInput reports whether a
// file is also an input. state is the value of --state.
func (v *verdictOptions) validate(isInput func(fs.FileInfo) bool, state string) error {
	if !slices.Contains([]string{verdictsAll, verdictsFailures}, v.only) {
		return cli.Usagef("--verdicts-only %q: all or failures", v.only)
	}
	if v.name == "" {
		if v.only != verdictsAll {
			return cli.Usagef("--verdicts-only goes with --verdicts")
		}
		return nil
	}
	var err error
	if v.format, err = verdicts.FormatOf(v.name); err != nil {
		return cli.Usagef("--verdicts: %w", err)
	}
	if v.format == verdicts.Parquet && state != "" {
		return cli.Usagef("--verdicts %s: a Parquet file cannot be gone on with; with --state name a "+
			"file that ends in .jsonl or .csv", v.name)
	}
	return cli.ApartFrom(isInput, "--verdicts", v.name)
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
	out    *verdicts.Writer
	report *report
	failed bool
}

// open sets cfg so that the verdict of each row is written: to the output of kept, or to a new file
// if kept is nil.
func (v *verdictOptions) open(disk durable.FS, r *report, cfg *verify.Config, kept *keeper) (
	f *verdictFile, err error) {
	if v.name == "" {
		return nil, nil
	}
	f = &verdictFile{report: r}
	if kept == nil {
		f.out, err = verdicts.Create(disk, v.name, v.format)
	} else {
		f.out, err = verdicts.Append(kept.run.Output.Writer, v.format, !kept.run.Output.Empty())
	}
	if err != nil {
		return nil, cli.Unreadable(fmt.Errorf("--verdicts: %w", err))
	}
	cfg.OnlyFailed = v.only == verdictsFailures
	cfg.Row = f.row
	return f, nil
}

// row writes the verdict of one row. It reports only the first error.
func (f *verdictFile) row(r *verify.Row) {
	if err := f.out.Write(r); err != nil && !f.failed {
		f.failed = true
		f.report.Unreadable(fmt.Errorf("--verdicts: %w", err))
	}
}

// end renames a new file that is complete to its final name. If the run was interrupted, it removes
// the file instead.
func (f *verdictFile) end(interrupted bool) {
	switch {
	case f == nil:
	case interrupted:
		f.out.Discard()
	default:
		if err := f.out.Commit(); err != nil && !f.failed {
			f.report.Unreadable(fmt.Errorf("--verdicts: %w", err))
		}
	}
}
