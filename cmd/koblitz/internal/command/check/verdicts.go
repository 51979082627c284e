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

// open prepares r for writing the verdict of each row: to the output of kept, or to a new file if
// the run has no file for --state. It returns the new file, or nil if there is none.
func (v *verdictOptions) open(disk durable.FS, r *report, kept *keeper) (file *durable.Pending,
	err error) {
	switch {
	case v.name == "":
		return nil, nil
	case kept.run != nil:
		output := kept.run.Output
		r.verdicts = verdicts.NewWriter(output.Writer, v.format, !output.Empty())
		return nil, nil
	}
	if file, err = durable.NewPending(disk, v.name); err != nil {
		return nil, cli.Unreadable(fmt.Errorf("--verdicts: %w", err))
	}
	r.verdicts = verdicts.NewWriter(file.Writer, v.format, false)
	return file, nil
}
