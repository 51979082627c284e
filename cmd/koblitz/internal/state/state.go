// Package state saves the progress of a run, so that a later run resumes where it stopped.
//
// A state is one file to which a run only appends. The first line identifies the format. The second
// line describes the run (Head). Each further line is an entry of the report (Record) or a mark. A
// mark holds the progress of the run (State), which includes the length of the run's output, and
// the SHA-256 of everything before it. So a changed, lost or moved line is found.
//
// A run writes a mark once everything before the mark is durable (package durable). So after a loss
// of power the file is correct up to its last mark. The run that resumes cuts off the rest, and
// cuts the output to the length in that mark. Both files are created, and locked, before the first
// mark: if a file is neither empty nor named by a mark, it belongs to someone else and stays as it
// is.
package state

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// magic is the first line of a state file. Text files do not begin with its first byte. Every
// version of the program begins it with anyForm.
const (
	anyForm = "\xc0state of koblitz check, form "
	magic   = anyForm + "7\n"
)

// IsState reports whether a file that begins with head is a state file, of this form or another.
func IsState(head []byte) bool { return bytes.HasPrefix(head, []byte(anyForm)) }

// A Head describes a run. A run can be resumed from its state only by a run with an equal head.
type Head struct {
	Version string            `json:"version"` // version of the program
	Options map[string]string `json:"options"` // the options that affect the report, by name
	Inputs  []Identity        `json:"inputs"`
}

// A State is the progress of a run.
type State struct {
	Done bool `json:"done"` // every input was read to its end

	Input   int              `json:"input"`           // number of inputs that were read to their end
	Place   *reading.Place   `json:"place,omitempty"` // in the next input; nil: its beginning
	Totals  verify.Counts    `json:"totals"`
	Ended   verify.Counts    `json:"ended"` // totals of the inputs that were read to their end
	Files   int64            `json:"files"` // number of these inputs that could be opened
	Formats []string         `json:"formats"`
	Blocks  reading.Blocks   `json:"blocks"` // blocks of the next input before Place
	Chains  []reading.Blocks `json:"chains"` // blocks of each input that was read to its end
	Begun   time.Time        `json:"begun"`  // time at which the first run began
	Listed  int64            `json:"listed"` // number of failures in the report
	Seconds float64          `json:"seconds"`
	Output  *Extent          `json:"output,omitempty"` // of the file with the run's output
}

// A Run saves the progress of a run. Only one goroutine may use it.
type Run struct {
	// Output is the file that the run writes in addition to its report, or nil. A resumed run
	// completes it to the contents that one uninterrupted run would have written.
	Output *Appended

	list   *Appended // the state file
	replay int64     // number of bytes of the state file that Replay reads
}

// Begin opens the state file called name, or creates it if it does not exist. output is the name of
// the output file, or "". s is the saved progress, or the zero State for a new run. Begin reads the
// output up to its saved length, unless ctx is cancelled.
func Begin(ctx context.Context, disk durable.FS, name string, head *Head, output string) (r *Run,
	s *State, err error) {
	r = new(Run)
	isNew, s, err := r.open(disk, name, head)
	if err == nil && output != "" {
		if err = r.openOutput(ctx, disk, output, isNew, s); err != nil {
			r.Close()
			return nil, nil, fmt.Errorf("--verdicts: %w", err)
		}
	}
	switch {
	case err != nil:
	case isNew:
		err = r.create(head)
	default:
		err = r.list.cut()
	}
	if err != nil {
		r.Close()
		return nil, nil, fmt.Errorf("--state: %w", err)
	}
	r.replay = r.list.reached.size
	return r, s, nil
}

// open opens the state file. It returns an error if it is the state of another run.
func (r *Run) open(disk durable.FS, name string, head *Head) (isNew bool, s *State, err error) {
	r.list, err = openFile(disk, name, magic, "a state that this version of koblitz has saved")
	if err != nil {
		return false, nil, err
	}
	old, s, err := r.read()
	if err != nil || old == nil {
		return true, s, err
	}
	if change := head.changed(old); change != "" {
		return false, nil, durable.Refusedf("%s is the state of another run; %s (remove it to begin "+
			"anew)", name, change)
	}
	return false, s, nil
}

// openOutput opens the output file, and cuts it to the length in s. For a new run the file must be
// empty or missing.
func (r *Run) openOutput(ctx context.Context, disk durable.FS, name string, isNew bool, s *State) (
	err error) {
	if r.Output, err = openFile(disk, name, "", ""); err != nil {
		return err
	}
	switch {
	case !isNew && s.Output == nil:
		return fmt.Errorf("%s has no length of %s", r.list.name, name)
	case !isNew:
		return r.Output.resume(ctx, s.Output, s.Done)
	}
	size, err := r.Output.end.Size()
	if err != nil {
		return err
	}
	if size > 0 {
		return durable.Refusedf("%s is there already, and not of this run; remove it, or name another "+
			"file", name)
	}
	r.Output.end.Hide()
	return r.Output.Reached()
}

// create writes the head after magic, and the first mark.
func (r *Run) create(head *Head) error {
	r.list.end.Hide()
	if err := r.list.cut(); err != nil {
		return err
	}
	r.list.Write(append(encode(head), '\n'))
	if err := r.Reached(); err != nil {
		return err
	}
	return r.Save(&State{})
}

// markText begins the text of each mark, a line with the progress of the run.
const markText = "mark "

// mark returns the line of the mark with the given text that follows p.
func (p *position) mark(text []byte) []byte {
	return fmt.Appendf(nil, "%s%x %s\n", markText, p.sumWith(text), text)
}

// read reads the state file up to its last mark, the position reached. head is nil if the file has
// no mark: it is new, or the first save was incomplete.
func (r *Run) read() (head *Head, s *State, err error) {
	s = new(State)
	size, err := r.list.end.Size()
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r.list.end, 0, size), 64<<10)
	var second []byte
	at := &r.list.end.position
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, nil, err
		}
		if len(text) == 0 {
			break
		}
		mark, isMark := bytes.CutPrefix(text, []byte(markText))
		if isMark {
			_, mark, _ = bytes.Cut(bytes.TrimSuffix(mark, []byte("\n")), []byte(" "))
			if !bytes.Equal(at.mark(mark), text) {
				if _, err := in.Peek(1); err == io.EOF && isTorn(text) {
					break
				}
				return nil, nil, fmt.Errorf("%s is not as it was saved: the lines up to line %d have another "+
					"SHA-256 (remove the file to begin anew)", r.list.name, n)
			}
			s = new(State)
			if err := decode(mark, s); err != nil {
				return nil, nil, fmt.Errorf("%s: line %d: %w", r.list.name, n, err)
			}
		}
		if n == 2 {
			second = text
		}
		at.size += int64(len(text))
		at.sum.Write(text)
		if n == 1 || isMark {
			r.list.reached = at.clone()
		}
	}
	if r.list.reached.size == int64(len(magic)) {
		return nil, s, nil
	}
	head = new(Head)
	if err := decode(second, head); err != nil {
		return nil, nil, fmt.Errorf("%s: line 2 does not describe a run", r.list.name)
	}
	return head, s, nil
}

// isTorn reports whether text, the last line of a file, may be what a loss of power has left.
func isTorn(text []byte) bool {
	return text[len(text)-1] != '\n' || bytes.IndexByte(text, 0) >= 0
}

// changed describes the first difference between h and old, the head of an earlier run. It returns
// "" if they are equal.
func (h *Head) changed(old *Head) string {
	if h.Version != old.Version {
		return fmt.Sprintf("koblitz %s began it, and this is %s", old.Version, h.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Options)) {
		if now, then := h.Options[name], old.Options[name]; now != then {
			return fmt.Sprintf("--%s was %q, and is %q", name, then, now)
		}
	}
	if len(h.Inputs) != len(old.Inputs) {
		return fmt.Sprintf("there were %d files, and there are %d", len(old.Inputs), len(h.Inputs))
	}
	for i := range h.Inputs {
		if c := h.Inputs[i].changed(&old.Inputs[i]); c != "" {
			return c
		}
	}
	return ""
}

// Replay calls visit with each record in the state file up to the mark (saved progress) from which
// the run resumed.
func (r *Run) Replay(visit func(*Record)) error {
	in := bufio.NewReader(io.NewSectionReader(r.list.end, 0, r.replay))
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err == nil && (n <= 2 || bytes.HasPrefix(text, []byte(markText))) {
			continue
		}
		var record Record
		if err == nil {
			err = decode(text, &record)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", r.list.name, n, err)
		}
		visit(&record)
	}
}

// Record adds a record, an entry of the report, to the state file.
func (r *Run) Record(record *Record) error {
	_, err := r.list.Write(append(encode(record), '\n'))
	return err
}

// Reached makes the next Save cover all records added, and all output written, so far.
func (r *Run) Reached() error {
	err := r.list.Reached()
	if r.Output != nil {
		err = errors.Join(err, r.Output.Reached())
	}
	return err
}

// Save makes s durable, with all records that were added, and all output that was written, before
// the last call of Reached. It drops later ones. After an error the Run must not be used; the state
// that was saved before remains valid.
func (r *Run) Save(s *State) error {
	if r.Output != nil {
		if err := r.Output.save(); err != nil {
			return fmt.Errorf("--verdicts: %w", err)
		}
		s.Output = r.Output.extent()
	}
	if err := r.list.save(); err != nil {
		return err
	}
	r.list.Write(r.list.end.mark(encode(s)))
	if err := r.list.Reached(); err != nil {
		return err
	}
	return r.list.save()
}

// Close closes the files, which releases their locks. It does not save the progress.
func (r *Run) Close() error {
	var err error
	for _, f := range []*Appended{r.list, r.Output} {
		if f != nil {
			err = errors.Join(err, f.end.Close())
		}
	}
	return err
}
