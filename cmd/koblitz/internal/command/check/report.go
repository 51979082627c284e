package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// A namedCount is one of the counts in the text report, with its name.
type namedCount struct {
	name string
	n    int64
}

// shownCounts returns the counts that the text report shows, in its order: the rows, and all other
// counts that are not 0.
func shownCounts(c *verify.Counts) []namedCount {
	all := []namedCount{
		{"rows", c.Rows},
		{reading.Valid.String(), c.Valid},
		{reading.Invalid.String(), c.Invalid},
		{reading.Malformed.String(), c.Malformed},
		{reading.EngineChecked.String(), c.EngineChecked},
		{reading.NotCheckable.String(), c.NotCheckable},
		{reading.Recovered.String(), c.Recovered},
		{reading.Unsigned.String(), c.Unsigned},
		{reading.PassedOver.String(), c.PassedOver},
	}
	return append(all[:1], slices.DeleteFunc(all[1:], func(x namedCount) bool { return x.n == 0 })...)
}

// A summary holds the fields that follow the two lists in a JSON report. No list in it is nil.
type summary struct {
	Unreadable []string `json:"unreadable"`

	Files   int64    `json:"files"`
	Formats []string `json:"formats"`
	verify.Counts
	Unlisted int64 `json:"unlisted"` // number of failures left out because of --max-failures
	// Uncovered lists the formats, of those in Formats, that have no hash of all their rows.
	Uncovered   []string `json:"uncovered"`
	Time        float64  `json:"time"` // duration in seconds
	Rate        float64  `json:"rate"` // rows per second
	Interrupted bool     `json:"interrupted"`

	Kept   *int64         `json:"kept,omitempty"`   // number of rows that --keep wrote
	Device *devices.Share `json:"device,omitempty"` // with --device, unless it is cpu
	Exit   int            `json:"exit"`

	Chains []reading.Blocks `json:"chains"`                  // one for each network that has blocks
	Spent  string           `json:"spent_outputs,omitempty"` // with a node's folder
	Begun  time.Time        `json:"begun"`
	cli.Build
}

// describe returns what is known of a file: its format, compression, size and digest.
func describe(format string, c state.Content) string {
	var known []string
	if format != "" {
		known = append(known, format)
	}
	if c.Compression != "" {
		known = append(known, c.Compression)
	}
	if c.Bytes > 0 {
		known = append(known, fmt.Sprintf("%d bytes", c.Bytes))
	}
	if c.SHA256 != "" {
		known = append(known, "sha256 "+c.SHA256)
	}
	return strings.Join(known, ", ")
}

// inputLine returns the line for an input in a text report on several inputs.
func inputLine(in *state.Input) string {
	text := in.File + ":"
	for i, x := range shownCounts(&in.Counts) {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %d", x.name, x.n)
	}
	if in.Format == "" {
		return text
	}
	text += " (" + describe(in.Format, in.Content)
	for _, f := range in.With {
		text += fmt.Sprintf("; with %s, %s", f.Name, describe("", f.Content))
	}
	if in.Chain != nil && in.Chain.Count > 0 {
		text += "; " + in.Chain.String()
	}
	return text + ")"
}

// A report writes failures at once and the summary at the end as text, or one JSON document at the
// end. It implements verify.Reporter.
type report struct {
	openings
	out     *bufio.Writer // flushed after every batch
	err     io.Writer
	oneFile bool // there is only one input; senders are listed without its name
	folder  bool // the input is a node's folder; each of its files has a line
	inputs  int64
	last    state.Input    // the input that ended last
	now     reading.Blocks // blocks, so far, of the input whose rows are being reported
	asJSON  bool
	// Lists of a JSON report. The second one grows with the number of files only.
	failures     []verify.Row
	ended        []state.Input
	bar          *progress.Progress
	listed       int64
	most         int64 // maximum number of failures listed; negative: all
	errors       []string
	failed       []string // flags whose files had an error
	device       *devices.Accelerator
	keeper       *keeper
	kept         *int64           // number of rows that --keep wrote, or nil
	senders      bool             // list the senders of Ethereum transactions
	verdicts     *verdicts.Writer // the file of --verdicts, or nil
	onlyFailures bool             // write only failures to it
	refused      bool             // an input is not allowed with the flags
	faulty       bool             // a signature got two different verdicts
}

func newReport(o *checkOptions, s cli.Streams, names int) *report {
	r := &report{out: bufio.NewWriter(s.Out), err: s.Err, oneFile: names <= 1, asJSON: o.asJSON,
		keeper: new(keeper), most: o.maxFailures, senders: o.senders,
		onlyFailures: o.verdicts.only == verdictsFailures}
	if o.quiet {
		r.out = bufio.NewWriter(io.Discard)
	}
	return r
}

// resume writes again what earlier runs reported, and continues with their totals.
func (r *report) resume(k *keeper) error {
	if k.run != nil {
		if err := k.run.Replay(r.replay); err != nil {
			return cli.Unreadable(err)
		}
	}
	r.keeper, r.listed, r.now = k, k.Listed, k.Blocks
	switch {
	case k.Done:
		r.note("that run has ended; this is its report")
	case k.Input > 0 || k.Place != nil:
		r.note("going on after %d rows", k.Totals.Rows)
	}
	return nil
}

func (r *report) replay(record *state.Record) {
	switch {
	case record.Row != nil:
		r.list(record.Row)
	case record.Input != nil:
		r.input(record.Input)
	default:
		r.Unreadable(errors.New(record.Unreadable))
	}
}

// reached handles m, a position before which all rows have been reported. It updates the progress
// display and the progress to save. If an input ends at m, reached reports the input's counts.
func (r *report) reached(ctx context.Context, t *verify.Counts, m verify.Mark) {
	var offset *int64
	if m.Place != nil {
		offset = &m.Place.Offset
	}
	r.bar.At(r.current(), offset)
	r.now.Merge(m.Blocks)
	k := r.keeper
	if m.End {
		in := r.ends()
		in.Counts = t.Minus(k.Ended)
		if blocks := r.now; blocks.Network != "" {
			in.Chain = &blocks
		}
		countFile(&in, &k.Files, &k.Formats)
		r.input(&in)
		k.Ended = *t
		k.Chains = withBlocks(k.Chains, r.now)
		k.Input++
		r.now = reading.Blocks{}
	}
	if m.End || m.Place != nil {
		k.Totals, k.Listed, k.Blocks = *t, r.listed, r.now
		k.reached(ctx, m.Place)
	}
}

// input reports the counts of an input that has ended. The text report shows them only if there are
// several inputs.
func (r *report) input(in *state.Input) {
	r.keeper.record(&state.Record{Input: in})
	r.inputs++
	r.last = *in
	switch {
	case r.asJSON:
		r.ended = append(r.ended, *in)
	case !r.oneFile || r.folder:
		r.bar.Hide()
		r.line(inputLine(in))
	}
}

// keeps reports whether a row that has not failed is written to the file of --verdicts or listed.
func (r *report) keeps(row *verify.Row) bool {
	return r.verdicts != nil && !r.onlyFailures || r.senders && row.Recovered
}

// Row implements verify.Reporter.
func (r *report) Row(row *verify.Row) {
	failed := row.Failed()
	if r.verdicts != nil && (failed || !r.onlyFailures) {
		r.outputFailed("--verdicts", r.verdicts.Write(row))
	}
	if failed || r.senders && row.Recovered {
		r.list(row)
	}
}

// list lists a failure, or the sender of an Ethereum transaction.
func (r *report) list(row *verify.Row) {
	if row.Failed() && r.listed == r.most {
		return
	}
	r.keeper.record(&state.Record{Row: row})
	r.bar.Hide()
	if !row.Failed() {
		r.sender(row)
		return
	}
	r.listed++
	if r.asJSON {
		kept := *row
		// The ids of many events share memory, and one failure would keep all of it.
		kept.Where.Event = strings.Clone(row.Where.Event)
		r.failures = append(r.failures, kept)
		return
	}
	what := row.Where.String()
	if row.Kind != "" {
		what += ": " + row.Kind
	}
	if row.Signature > 0 {
		what += fmt.Sprintf(" signature %d", row.Signature)
	}
	r.line(fmt.Sprintf("%s: %s: %s", what, row.Verdict, row.Reason))
}

// line writes one line of the text report. It escapes line ends and control characters, so that
// text from an input can neither start another line nor control a terminal.
func (r *report) line(text string) {
	io.WriteString(r.out, reading.Printable(text))
	r.out.WriteByte('\n')
}

// sender lists the sender of an Ethereum transaction.
func (r *report) sender(row *verify.Row) {
	where := row.Where
	where.Line, where.Offset = 0, -1
	text := where.String()
	if r.oneFile {
		text = strings.TrimPrefix(text, where.File+": ")
	}
	r.line(fmt.Sprintf("%s: from 0x%x", text, row.Sender))
}

func (r *report) Unreadable(err error) {
	r.keeper.record(&state.Record{Unreadable: err.Error()})
	r.errors = append(r.errors, err.Error())
	r.refused = r.refused || cli.IsUsage(err)
	r.note("%v", err)
}

// outputFailed reports err, if not nil, as an error of the file that flag names. It reports only
// the first error of each file.
func (r *report) outputFailed(flag string, err error) {
	if err != nil && !slices.Contains(r.failed, flag) {
		r.failed = append(r.failed, flag)
		r.Unreadable(fmt.Errorf("%s: %w", flag, err))
	}
}

// note writes a message to standard error, after all lines of the report that precede it.
func (r *report) note(format string, args ...any) {
	r.bar.Hide()
	r.out.Flush()
	fmt.Fprintf(r.err, "koblitz: %s\n", reading.Printable(fmt.Sprintf(format, args...)))
}

// Fault reports a computation fault. It is listed as an unreadable input, so that the exit status
// is not 0.
func (r *report) Fault(err error) {
	r.faulty = true
	r.Unreadable(err)
}

func (r *report) Progress(t *verify.Counts, consumed int64) {
	r.tellDevice()
	if r.out.Buffered() > 0 {
		r.out.Flush()
	}
	r.bar.Set(t.Rows, consumed)
}

// tellDevice reports a failure of the device, once.
func (r *report) tellDevice() {
	if failure := r.device.TakeFailure(); failure != "" {
		r.note("%s", failure)
	}
}

// finish writes the summary and returns the exit status.
func (r *report) finish(t verify.Counts, interrupted bool) int {
	r.bar.Finish(t.Rows)
	r.tellDevice()
	k := r.keeper
	chains := withBlocks(k.Chains, r.now)
	if !interrupted && len(r.errors) == 0 && t.Rows == 0 && !slices.ContainsFunc(chains,
		func(b reading.Blocks) bool { return b.Count > 0 }) {
		r.Unreadable(fmt.Errorf("nothing was checked: %d lines, answers, transactions or blocks are "+
			"passed over, and nothing has a signature; is this the right input?", t.PassedOver))
	}
	if k.finish(interrupted); k.err != nil {
		r.Unreadable(k.err)
	}
	s := summary{
		Unreadable: append([]string{}, r.errors...), Counts: t, Uncovered: []string{},
		Files: k.Files, Formats: append([]string{}, k.Formats...),
		Unlisted: t.Invalid + t.Malformed + t.NotCheckable + t.UnsignedData - r.listed,
		Time:     k.Seconds, Rate: float64(t.Rows) / max(k.Seconds, 1e-9),
		Interrupted: interrupted, Device: r.device.Share(), Kept: r.kept,
		Chains: append([]reading.Blocks{}, chains...),
		Begun:  k.Begun.UTC().Truncate(time.Second), Build: cli.ThisBuild(),
	}
	for _, in := range r.left() { // the run was interrupted
		countFile(&in, &s.Files, &s.Formats)
	}
	for _, f := range s.Formats {
		if !flags.Format(f).HasBlocks() {
			s.Uncovered = append(s.Uncovered, f)
		}
	}
	if slices.Contains(s.Formats, string(flags.Core)) {
		s.Spent = "as the undo records say"
	}
	switch {
	case interrupted:
		s.Exit = cli.ExitInterrupted
	case r.refused:
		s.Exit = cli.ExitUsage
	case t.Invalid+t.Malformed > 0:
		s.Exit = cli.ExitInvalid
	case len(r.errors) > 0:
		s.Exit = cli.ExitUnreadable
	case t.NotCheckable+t.UnsignedData > 0:
		s.Exit = cli.ExitNotCheckable
	}
	if r.asJSON {
		r.writeJSON(&s)
	} else {
		r.finishText(&s)
	}
	r.out.Flush()
	return s.Exit
}

func (r *report) finishText(s *summary) {
	if s.Unlisted > 0 {
		fmt.Fprintf(r.out, "… and %d more (--max-failures -1 lists all)\n", s.Unlisted)
	}
	if s.Interrupted {
		r.note("interrupted; this is what was checked before%s", r.keeper.hint())
	}
	detail := func(name, text string) { r.line(fmt.Sprintf("%-14s %s", name, text)) }
	switch {
	case r.inputs == 0 && r.oneFile && r.current() != "":
		detail("file", r.current()+" (not read to its end)")
	case r.inputs != 1:
		detail("files", fmt.Sprint(s.Files))
	case r.last.Format != "":
		detail("file", fmt.Sprintf("%s (%s)", r.last.File, describe(r.last.Format, r.last.Content)))
		for _, f := range r.last.With {
			detail("with", fmt.Sprintf("%s (%s)", f.Name, describe("", f.Content)))
		}
	}
	for _, c := range s.Chains {
		detail("chain", c.String())
	}
	if len(s.Uncovered) > 0 {
		detail("uncovered", strings.Join(s.Uncovered, ", ")+": no hash covers all rows")
	}
	if s.Spent != "" {
		detail("spent outputs", s.Spent)
	}
	for _, x := range shownCounts(&s.Counts) {
		detail(x.name, fmt.Sprint(x.n))
	}
	if s.Kept != nil {
		detail("kept", fmt.Sprint(*s.Kept))
	}
	if s.Device != nil {
		detail("device", fmt.Sprint(s.Device))
	}
	detail("time", fmt.Sprintf("%.3g s", s.Time))
	detail("rate", fmt.Sprintf("%.0f/s", s.Rate))
	detail("run", fmt.Sprintf("%s, %v", s.Begun.Format(time.RFC3339), s.Build))
}

const exitStatusHelp = `Exit status:
  0    everything is valid
  1    something is invalid or malformed
  2    the command line is wrong
  3    something cannot be read or written, or there was nothing to check
  4    something cannot be judged, or an unsigned input carries data
  130  interrupted
Of several, the first in the order 130, 2, 1, 3, 4 counts.`
