// Package state keeps how far a run has come, so that a later one goes on where it stopped.
//
// There are two files. FILE is small; it is written anew each time and says how far the run has
// come. FILE.report grows: its first line says what the run is about (Head), and each further one
// is something that the report lists (Record). FILE names how many bytes of FILE.report count; a
// run that goes on cuts off what is behind them. Both are written so that they are right after a
// loss of power (package durable): first what FILE names is synced, then FILE.
package state

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// kind is the first field of a state, by which one is told from other files.
const kind = "state of koblitz check, form 1"

// ReportSuffix is what the name of the second file has more than that of the first.
const ReportSuffix = ".report"

// A Head is what a run is about. A run can go on only if its head is the same.
type Head struct {
	Version string            `json:"version"` // of the program
	Options map[string]string `json:"options"` // those that have a part in the report
	Inputs  []Identity        `json:"inputs"`
}

// A State says how far a run has come.
type State struct {
	Kind string `json:"kind"`
	Head string `json:"head"` // SHA-256 of the first line of the report's file
	Done bool   `json:"done"` // everything was read

	Input   int             `json:"input"`           // how many inputs have ended
	Place   *rows.Place     `json:"place,omitempty"` // in the next one; none: its beginning
	Totals  check.Totals    `json:"totals"`
	Ended   check.Totals    `json:"ended"` // of the inputs that have ended
	Files   int64           `json:"files"` // of those, how many could be opened
	Formats []string        `json:"formats"`
	Blocks  rows.Blocks     `json:"blocks"` // of the next input, before Place
	Chains  []rows.Blocks   `json:"chains"` // of the inputs that have ended
	Begun   time.Time       `json:"begun"`  // when the first run began
	Listed  int64           `json:"listed"` // failures
	Seconds float64         `json:"seconds"`
	Report  int64           `json:"report"` // bytes of its file
	Output  json.RawMessage `json:"output,omitempty"`
	Sum     string          `json:"sum"` // SHA-256 of the state with an empty sum
}

// sum is what Sum has to be. It tells a file that was damaged or edited by mistake, no more.
func (s State) sum() string {
	s.Sum = ""
	sum := sha256.Sum256(encode(&s))
	return hex.EncodeToString(sum[:])
}

// A Run is a run whose state is saved. It is used by one goroutine.
type Run struct {
	fs     durable.FS
	name   string
	head   string
	log    durable.File
	size   int64  // of log, with what is in buf
	buf    []byte // records that are not in log yet
	output Output // or nil
}

// A ChangedError says why a run cannot go on.
type ChangedError struct {
	File    string // of the state
	Changes []string
}

func (e *ChangedError) Error() string {
	text := fmt.Sprintf("%s is the state of another run", e.File)
	for _, c := range e.Changes {
		text += "; " + c
	}
	return text
}

// Begin makes the files of a run, or opens them if there are any: s is then where it goes on, and
// nil otherwise. output may be nil.
func Begin(fs durable.FS, name string, head *Head, output Output) (r *Run, s *State, err error) {
	first := append(encode(head), '\n')
	sum := sha256.Sum256(first)
	r = &Run{fs: fs, name: name, head: hex.EncodeToString(sum[:]), output: output}
	data, err := durable.ReadFile(fs, name)
	if durable.Missing(err) {
		return r, nil, r.create(first)
	}
	if err != nil {
		return nil, nil, err
	}
	s = new(State)
	if err := json.Unmarshal(data, s); err != nil || s.Kind != kind {
		return nil, nil, fmt.Errorf("%s is not a state that this program has saved; it stays as it is",
			name)
	}
	if s.Sum != s.sum() {
		return nil, nil, fmt.Errorf("%s is not as this program has saved it: its checksum is wrong", name)
	}
	if err := r.open(s, head); err != nil {
		return nil, nil, err
	}
	if output != nil {
		if err := output.Resume(s.Output); err != nil {
			return nil, nil, err
		}
	}
	return r, s, nil
}

// create begins a run: there is a report's file with the head, and a state that names it.
func (r *Run) create(first []byte) (err error) {
	if r.log, err = r.fs.Create(r.name + ReportSuffix); err != nil {
		return err
	}
	r.buf, r.size = first, int64(len(first))
	if r.output != nil {
		if err := r.output.Resume(nil); err != nil {
			return err
		}
	}
	if err := r.fs.SyncDir(filepath.Dir(r.name)); err != nil {
		return err
	}
	return r.Save(&State{Report: r.size})
}

// open makes sure that the files belong together and are about head.
func (r *Run) open(s *State, head *Head) (err error) {
	if r.log, err = r.fs.Open(r.name + ReportSuffix); err != nil {
		return fmt.Errorf("%s needs the file that was written with it: %w", r.name, err)
	}
	size, err := r.log.Size()
	if err != nil {
		return err
	}
	if size < s.Report {
		return r.torn(fmt.Errorf("it has %d bytes, and %d count", size, s.Report))
	}
	if size > s.Report {
		if err := r.log.Truncate(s.Report); err != nil {
			return err
		}
	}
	r.size = s.Report
	first, err := r.reader().ReadBytes('\n')
	if err != nil {
		return r.torn(err)
	}
	if sum := sha256.Sum256(first); hex.EncodeToString(sum[:]) != s.Head {
		return r.torn(errors.New("it begins otherwise"))
	}
	if s.Head == r.head {
		return nil
	}
	var was Head
	if err := json.Unmarshal(first, &was); err != nil {
		return r.torn(err)
	}
	return &ChangedError{r.name, head.changes(&was)}
}

func (r *Run) torn(err error) error {
	return fmt.Errorf("%s is not the file that was written with %s: %w", r.name+ReportSuffix, r.name,
		err)
}

func (r *Run) reader() *bufio.Reader {
	return bufio.NewReader(io.NewSectionReader(r.log, 0, r.size))
}

// mostChanges is how many changes an error names.
const mostChanges = 10

// changes says what is not as it was.
func (h *Head) changes(was *Head) (all []string) {
	if h.Version != was.Version {
		all = append(all, fmt.Sprintf("koblitz %s began it, and this is %s", was.Version, h.Version))
	}
	names := maps.Clone(h.Options)
	maps.Copy(names, was.Options)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if now, then := h.Options[name], was.Options[name]; now != then {
			all = append(all, fmt.Sprintf("--%s was %q, and is %q", name, then, now))
		}
	}
	if len(h.Inputs) != len(was.Inputs) {
		all = append(all, fmt.Sprintf("there were %d files, and there are %d", len(was.Inputs),
			len(h.Inputs)))
	}
	for i := range min(len(h.Inputs), len(was.Inputs)) {
		if c := h.Inputs[i].changed(&was.Inputs[i]); c != "" {
			all = append(all, c)
		}
	}
	if n := len(all); n > mostChanges {
		all = append(all[:mostChanges], fmt.Sprintf("and %d more changes", n-mostChanges))
	}
	return all
}

// encode is v as JSON in one line.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return b
}

// Replay calls do with every record that counts. It is called before Record.
func (r *Run) Replay(do func(*Record)) error {
	in := r.reader()
	if _, err := in.ReadBytes('\n'); err != nil { // the head
		return r.torn(err)
	}
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			return nil
		}
		if err != nil {
			return r.torn(err)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		var l line
		if err := d.Decode(&l); err != nil {
			return r.torn(err)
		}
		record, ok := l.record()
		if !ok {
			return r.torn(errors.New("a line is not one of a report"))
		}
		do(&record)
	}
}

// bufferSize is how many bytes of records wait before they are written.
const bufferSize = 64 << 10

// Record adds to the report.
func (r *Run) Record(record *Record) error {
	text := append(encode(record.line()), '\n')
	r.buf = append(r.buf, text...)
	r.size += int64(len(text))
	if len(r.buf) < bufferSize {
		return nil
	}
	return r.flush()
}

// Recorded is how many bytes of the report's file there are, for State.Report.
func (r *Run) Recorded() int64 { return r.size }

func (r *Run) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	_, err := r.log.Write(r.buf)
	r.buf = r.buf[:0]
	return err
}

// Save makes s durable, and before it what it names. With an Output everything that the output
// got is part of s. An error leaves the state that was saved before; the Run is of no use then.
func (r *Run) Save(s *State) error {
	if err := r.flush(); err != nil {
		return err
	}
	if err := r.log.Sync(); err != nil {
		return err
	}
	if r.output != nil {
		saved, err := r.output.Save()
		if err != nil {
			return err
		}
		s.Output = saved
	}
	s.Kind, s.Head = kind, r.head
	s.Sum = s.sum()
	return durable.WriteFile(r.fs, r.name, append(encode(s), '\n'))
}

// Close closes the file of the report. It saves nothing.
func (r *Run) Close() error { return r.log.Close() }
