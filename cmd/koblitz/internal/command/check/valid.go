package check

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// keepHelp describes --keep in the help of the command check.
const keepHelp = `Valid rows (--keep FILE):
  The valid events, packed rows, records of CSV (after the header) or lines of JSONL,
  in the order of the input, byte for byte: another check of FILE finds them all valid.
  An event from an envelope or a list is written alone, on its own line. Fields that
  the format does not define stay. FILE appears when a run that checked something is
  complete; after Ctrl-C an existing file of that name is unchanged.`

// keeps reports whether --keep is allowed with a format. It is not allowed for Bitcoin and
// Ethereum, where a row is only a part of a transaction or block.
func keeps(f flags.Format) bool { return !f.IsBitcoin() && !f.IsEthereum() }

// validateKeep returns a usage error if --keep is not allowed with the other flags or the inputs.
// isInput reports whether the run also reads a file.
func (o *checkOptions) validateKeep(all []entry, isInput func(fs.FileInfo) bool) error {
	spec := &o.table.Spec
	switch {
	case o.keep == "":
		return nil
	case o.keep == reading.Stdin:
		return cli.Usagef("--keep needs the name of a file: standard output has the report")
	case !keeps(o.format) || slices.ContainsFunc(all, entry.isNode):
		return cli.Usagef("--keep goes with nostr, packed rows, CSV and JSONL: " + rowOfBlock)
	case o.table.Asked() && spec.Scheme == reading.Recover && spec.Names[columns.Sender] == "" &&
		spec.Names[columns.Key] == "":
		return cli.Usagef("--keep writes rows that are valid: without a column for the sender or the " +
			"key rows are recovered at best")
	case o.verdicts.name != "" && sameName(o.keep, o.verdicts.name):
		return cli.Usagef("--keep and --verdicts name the same file")
	}
	return cli.ApartFrom(isInput, "--keep", o.keep)
}

const rowOfBlock = "of Bitcoin and Ethereum a row is a part of a transaction, or of a block"

// A validFile writes the file of --keep. The methods of a nil validFile do nothing. The reading
// goroutine calls the methods fits and table. The reporting goroutine calls row and end.
type validFile struct {
	name   string
	out    *durable.Pending
	after  string // bytes written after each row
	report *report
	kept   int64 // number of rows written

	first string // name of the first table, or empty if there was none
	// header is the header of the first table, with the blank lines before it, because the first
	// bytes of a file tell its format. It is written before the first row, or at the end.
	header []byte
}

// openValid creates the file that --keep names. It sets cfg.Valid to a function that writes valid
// rows to the file.
func (o *checkOptions) openValid(disk durable.FS, r *report, cfg *verify.Config) (*validFile,
	error) {
	if o.keep == "" {
		return nil, nil
	}
	out, err := durable.NewPending(disk, o.keep)
	if err != nil {
		return nil, cli.Unreadable(fmt.Errorf("--keep: %w", err))
	}
	v := &validFile{name: o.keep, out: out, after: "\n", report: r}
	if o.format == flags.PackedBIP340 || o.format == flags.PackedECDSA {
		v.after = ""
	}
	cfg.Valid, r.kept = v.row, &v.kept
	return v, nil
}

// fits returns an error if --keep is not allowed with f, the format of the input called name.
func (v *validFile) fits(name string, f flags.Format) error {
	if v == nil || keeps(f) {
		return nil
	}
	return cli.Usagef("%s: --keep does not go with %s: %s", name, f, rowOfBlock)
}

// table returns an error if the header of the table in r differs from that of the first table,
// because the rows of all tables go into one file. It leaves writing to the reporting goroutine,
// which may end while a table is being opened.
func (v *validFile) table(name string, r reading.Reader) error {
	if v == nil {
		return nil
	}
	header := columns.Header(r)
	if v.first == "" {
		v.first, v.header = name, header
	}
	const blank = "\r\n"
	if !bytes.Equal(bytes.TrimLeft(header, blank), bytes.TrimLeft(v.header, blank)) {
		return cli.Usagef("%s: --keep writes one table, and this one does not begin as %s does; check "+
			"them one by one", name, v.first)
	}
	return nil
}

// row writes a valid row.
func (v *validFile) row(raw []byte) {
	v.begin()
	v.out.Write(raw)
	_, err := v.out.WriteString(v.after)
	v.report.outputFailed("--keep", err)
	v.kept++
}

// begin writes the header if no row was written yet. An error comes again at the next write, or at
// the end.
func (v *validFile) begin() {
	if v.kept == 0 && v.header != nil {
		v.out.Write(v.header)
		v.out.WriteByte('\n')
	}
}

// end renames the finished file to its final name. If the run was interrupted, had a fault, refused
// an input or checked nothing, end removes the file instead.
func (v *validFile) end(interrupted bool, t *verify.Counts) {
	if v == nil {
		return
	}
	r := v.report
	if interrupted || r.refused || r.faulty || t.Rows == 0 {
		v.out.Discard()
		r.kept = nil
		r.note("--keep: %s is not written", v.name)
		return
	}
	v.begin()
	if err := v.out.Commit(); err != nil {
		r.kept = nil
		r.outputFailed("--keep", err)
		return
	}
	if v.kept == 0 {
		r.note("--keep: no row is valid: there is none in %s", v.name)
	}
}
