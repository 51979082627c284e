package check

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	cmd.Flags().StringVar(&v.name, "verdicts", "", "write one row for each signature to `FILE`, "+
		"which ends in .jsonl or .csv;\nit appears when it is complete")
	v.only = verdictsAll
	cli.Choice(cmd, &v.only, "verdicts-only", "", "which rows --verdicts writes: all or failures",
		verdictsAll, verdictsFailures)
}

// validate returns a usage error if the flags are not allowed together. isInput reports whether a
// file is also an input.
func (v *verdictOptions) validate(isInput func(fs.FileInfo) bool) error {
	switch {
	case v.name == "" && v.only != verdictsAll:
		return cli.Usagef("--verdicts-only goes with --verdicts")
	case v.name == "":
		return nil
	}
	var err error
	if v.format, err = verdicts.FormatOf(v.name); err != nil {
		return cli.Usagef("--verdicts: %w", err)
	}
	return cli.ApartFrom(isInput, "--verdicts", v.name)
}

// sameName reports whether a and b name the same file, which need not exist, in a folder that does.
func sameName(a, b string) bool {
	dir, err := os.Stat(filepath.Dir(a))
	return err == nil && cli.IsFile(filepath.Dir(b), dir) && filepath.Base(a) == filepath.Base(b)
}

// open sets cfg so that the verdict of each row is written: to the output of kept, or to a new file
// if the run has no file for --state. It returns nil without --verdicts.
func (v *verdictOptions) open(disk durable.FS, r *report, cfg *verify.Config, kept *keeper) (
	out *verdicts.Writer, err error) {
	if v.name == "" {
		return nil, nil
	}
	if kept.run != nil {
		out = verdicts.Append(kept.run.Output.Writer, v.format, !kept.run.Output.Empty())
	} else if out, err = verdicts.Create(disk, v.name, v.format); err != nil {
		return nil, cli.Unreadable(fmt.Errorf("--verdicts: %w", err))
	}
	cfg.OnlyFailed = v.only == verdictsFailures
	cfg.Row = func(row *verify.Row) { r.outputFailed("--verdicts", out.Write(row)) }
	return out, nil
}
