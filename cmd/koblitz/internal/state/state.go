// Package state saves the progress of a run, so that a later run resumes where it stopped.
//
// A state is one file to which a run only appends. The first line identifies the format. The second
// line describes the run (Head). Each further line is an entry of the report (Record) or a mark,
// which holds the progress of the run (State). Each line begins with a checksum of the line and all
// lines before it, so a changed, lost or moved line is found.
//
// A run writes a mark once everything before the mark is durable (package durable). So after a loss
// of power the file is correct up to its last mark, and the run that resumes cuts off the rest. A
// wrong line before a mark cannot come from a loss of power, so the file is refused.
package state

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// magic is the first line of a state file. Text files do not begin with its first byte.
const magic = "\xc0state of koblitz check, form 3\n"

// IsState reports whether a file that begins with head is a state file.
func IsState(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// A Head describes a run. A run can be resumed from its state only by a run with an equal head.
type Head struct {
	Version string            `json:"version"` // version of the program
	Options map[string]string `json:"options"` // the options that affect the report, by name
	Inputs  []Identity        `json:"inputs"`
}

// A State is the progress of a run.
type State struct {
	Done bool `json:"done"` // every input was read to its end

	Input   int             `json:"input"`           // number of inputs that were read to their end
	Place   *rows.Place     `json:"place,omitempty"` // in the next input; nil: its beginning
	Totals  check.Totals    `json:"totals"`
	Ended   check.Totals    `json:"ended"` // totals of the inputs that were read to their end
	Files   int64           `json:"files"` // number of these inputs that could be opened
	Formats []string        `json:"formats"`
	Blocks  rows.Blocks     `json:"blocks"` // blocks of the next input before Place
	Chains  []rows.Blocks   `json:"chains"` // blocks of each input that was read to its end
	Begun   time.Time       `json:"begun"`  // time at which the first run began
	Listed  int64           `json:"listed"` // number of failures in the report
	Seconds float64         `json:"seconds"`
	Output  json.RawMessage `json:"output,omitempty"` // the result of Output.Save
}

// A RefusedError says why a run does not start: a file that it would write belongs to another
// program, or the state belongs to another run. The files are left unchanged.
type RefusedError string

func (e RefusedError) Error() string { return string(e) }

// Refusedf returns a RefusedError with a formatted text.
func Refusedf(format string, args ...any) error {
	return RefusedError(fmt.Sprintf(format, args...))
}

// A Run saves the progress of a run. Only one goroutine may use it.
type Run struct {
	name    string
	file    durable.File
	end     position // end of the file, including the lines in buf
	written int64    // number of bytes written to file
	buf     []byte   // lines not yet written to file
	reached position // position at the last call of Reached
	replay  int64    // number of bytes of file that Replay reads
	output  Output   // may be nil
}

// A position is a boundary between two lines of a state file.
type position struct {
	at  int64
	sum [sha256.Size]byte // SHA-256 of everything before it
}

// checksumSize is the number of hexadecimal digits of the checksum at the start of a line. A space
// follows the digits.
const checksumSize = 16

// add returns the line with the given text, and moves p to the end of this line.
func (p *position) add(text []byte) []byte {
	h := sha256.New()
	h.Write(p.sum[:])
	h.Write(text)
	h.Sum(p.sum[:0])
	line := append(hex.AppendEncode(nil, p.sum[:checksumSize/2]), ' ')
	line = append(append(line, text...), '\n')
	p.at += int64(len(line))
	return line
}

// start returns the position after magic, where the second line begins.
func start() position { return position{int64(len(magic)), sha256.Sum256([]byte(magic))} }

// Begin opens the state file called name, or creates it if it does not exist. s is the saved
// progress, or the zero State for a new run. output may be nil.
func Begin(disk durable.FS, name string, head *Head, output Output) (r *Run, s *State, err error) {
	file, err := disk.Open(name)
	if durable.Missing(err) {
		file, err = disk.Create(name)
	}
	switch {
	case errors.Is(err, fs.ErrExist): // for example a dangling symbolic link
		return nil, nil, Refusedf("%s is there already, and cannot be opened", name)
	case err != nil:
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	if ok, err := file.Lock(); err != nil {
		return nil, nil, fmt.Errorf("%s cannot be locked: %w", name, err)
	} else if !ok {
		return nil, nil, Refusedf("%s is in use by another run", name)
	}
	found, err := read(file, name)
	if err != nil {
		return nil, nil, err
	}
	r = &Run{name: name, file: file, output: output}
	if found.head == nil {
		if err := r.create(disk, head, found); err != nil {
			return nil, nil, err
		}
	} else if changes := head.changes(found.head); len(changes) > 0 {
		text := name + " is the state of another run"
		for _, c := range changes {
			text += "; " + c
		}
		return nil, nil, RefusedError(text + " (remove it to begin anew)")
	} else if found.size > found.end.at {
		if err := file.Truncate(found.end.at); err != nil {
			return nil, nil, err
		}
	}
	r.end, r.reached, r.written, r.replay = found.end, found.end, found.end.at, found.end.at
	if output != nil {
		if err := output.Resume(found.id, found.outputs); err != nil {
			return nil, nil, err
		}
	}
	return r, &found.state, nil
}

// create writes magic and the head. It makes each of these lines durable before it continues.
func (r *Run) create(disk durable.FS, head *Head, found *contents) error {
	if found.size > 0 {
		if err := r.file.Truncate(0); err != nil {
			return err
		}
	}
	if _, err := r.file.Write([]byte(magic)); err != nil {
		return err
	}
	if err := r.file.Sync(); err != nil {
		return err
	}
	if err := disk.SyncDir(filepath.Dir(r.name)); err != nil {
		return err
	}
	found.id, found.end = rand.Text(), start()
	text := found.end.add(encode(&line{Is: "head", ID: found.id, Head: head}))
	if _, err := r.file.Write(text); err != nil {
		return err
	}
	return r.file.Sync()
}

// contents are the decoded lines of a state file.
type contents struct {
	size    int64
	head    *Head // nil if the file is new, that is, has no head
	id      string
	state   State
	outputs []json.RawMessage
	end     position // position after the last mark, or after the head without one
}

// markText begins the text of each mark, a line with the progress of the run.
var markText = []byte(`{"is":"mark"`)

// read reads a state file. It treats the file as new if it is empty, or if it holds only an
// incomplete part of the first two lines, as a loss of power may leave.
func read(file durable.File, name string) (*contents, error) {
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	c := &contents{size: size}
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 64<<10)
	first, err := in.Peek(int(min(size, int64(len(magic)))))
	if err != nil {
		return nil, err
	}
	if string(first) != magic {
		if size <= int64(len(magic)) && isTornMagic(first) {
			return c, nil
		}
		return nil, Refusedf("%s is not a state that this version of koblitz has saved; it stays as "+
			"it is, so name another file", name)
	}
	in.Discard(len(magic))
	at := start()
	for n := 2; ; n++ {
		begin := at.at
		text, err := next(in, &at)
		if err == io.EOF {
			break
		}
		var l line
		if err == nil && (n == 2 || bytes.HasPrefix(text, markText)) {
			err = decode(text, &l)
		}
		if err == nil && (n == 2 && l.Head == nil || n > 2 && l.Is == "mark" && l.Mark == nil) {
			err = errors.New("it is not the line that belongs there")
		}
		if err == errTorn && !marksIn(in) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s is not as it was saved: line %d, at byte %d: %w (remove the file "+
				"to begin anew)", name, n, begin, err)
		}
		switch {
		case n == 2:
			c.head, c.id, c.end = l.Head, l.ID, at
		case l.Mark != nil:
			c.state, c.end = *l.Mark, at
			if l.Mark.Output != nil {
				c.outputs = append(c.outputs, l.Mark.Output)
			}
		}
	}
	return c, nil
}

// isTornMagic reports whether b, the content of a file, is a prefix of magic in which a loss of
// power may have zeroed some bytes. If b is shorter than magic and begins with a zero, isTornMagic
// returns false: the file may belong to another program, such as the key file of a node's blocks
// folder.
func isTornMagic(b []byte) bool {
	if 0 < len(b) && len(b) < len(magic) && b[0] == 0 {
		return false
	}
	for i, c := range b {
		if c != 0 && c != magic[i] {
			return false
		}
	}
	return true
}

// errTorn is the error for a line that a loss of power may have left: the line has no end, or
// contains zeros. read returns it only if a mark follows, because the mark shows that the line was
// once durable. errChanged is the error for any other line with a wrong checksum.
var (
	errChanged = errors.New("its checksum is wrong")
	errTorn    = errors.New("its checksum is wrong, and lines that were saved later follow")
)

// next returns the text of the line that begins at pos, and moves pos past the line. At the end of
// the file it returns io.EOF.
func next(in *bufio.Reader, pos *position) ([]byte, error) {
	text, err := in.ReadBytes('\n')
	if err == io.EOF && len(text) == 0 || err != nil && err != io.EOF {
		return nil, err
	}
	torn := err == io.EOF || bytes.IndexByte(text, 0) >= 0
	after := *pos
	if err == nil && len(text) > checksumSize+1 {
		if body := text[checksumSize+1 : len(text)-1]; bytes.Equal(after.add(body), text) {
			*pos = after
			return body, nil
		}
	}
	if torn {
		return nil, errTorn
	}
	return nil, errChanged
}

// marksIn reports whether any remaining line of the file begins like a mark (a line with the
// progress of the run).
func marksIn(in *bufio.Reader) bool {
	for {
		text, err := in.ReadBytes('\n')
		if len(text) > checksumSize && bytes.HasPrefix(text[checksumSize+1:], markText) {
			return true
		}
		if err != nil {
			return false
		}
	}
}

// decode parses text into l like json.Unmarshal, but returns an error for unknown fields.
func decode(text []byte, l *line) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(l)
}

// Peek returns the id of the run whose state is in the file called name, and the results of
// Output.Save that this state contains. If the file cannot be read, both are empty.
func Peek(disk durable.FS, name string) (id string, saved []json.RawMessage) {
	file, err := disk.Open(name)
	if err != nil {
		return "", nil
	}
	defer file.Close()
	c, err := read(file, name)
	if err != nil {
		return "", nil
	}
	return c.id, c.outputs
}

// mostChanges is the maximum number of changes that an error lists.
const mostChanges = 10

// changes lists the differences between h and old. The head old comes from a file, where JSON has
// replaced text that is not UTF-8, so changes encodes and decodes h in the same way before it
// compares.
func (h *Head) changes(old *Head) (all []string) {
	mended := new(Head)
	if err := json.Unmarshal(encode(h), mended); err != nil {
		panic(err) // unreachable: encode wrote the text
	}
	h = mended
	if h.Version != old.Version {
		all = append(all, fmt.Sprintf("koblitz %s began it, and this is %s", old.Version, h.Version))
	}
	names := maps.Clone(h.Options)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, old.Options)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if now, then := h.Options[name], old.Options[name]; now != then {
			all = append(all, fmt.Sprintf("--%s was %q, and is %q", name, then, now))
		}
	}
	if len(h.Inputs) != len(old.Inputs) {
		all = append(all, fmt.Sprintf("there were %d files, and there are %d", len(old.Inputs),
			len(h.Inputs)))
	}
	for i := range min(len(h.Inputs), len(old.Inputs)) {
		if c := h.Inputs[i].changed(&old.Inputs[i]); c != "" {
			all = append(all, c)
		}
	}
	if n := len(all); n > mostChanges {
		all = append(all[:mostChanges], fmt.Sprintf("and %d more changes", n-mostChanges))
	}
	return all
}

// encode returns v as JSON in one line.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // unreachable: v is a struct that JSON can encode
	}
	return b
}

// Replay calls visit with each record in the state file up to the mark (saved progress) from which
// the run resumed.
func (r *Run) Replay(visit func(*Record)) error {
	in := bufio.NewReader(io.NewSectionReader(r.file, int64(len(magic)),
		r.replay-int64(len(magic))))
	at := start()
	for {
		begin := at.at
		text, err := next(in, &at)
		if err == io.EOF {
			return nil
		}
		var l line
		if err == nil {
			err = decode(text, &l)
		}
		if err == nil && l.Head == nil && l.Mark == nil {
			if record, ok := l.record(); ok {
				visit(&record)
			} else {
				err = errors.New("it is no line of a report")
			}
		}
		if err != nil {
			return fmt.Errorf("%s is not as it was saved: at byte %d: %w", r.name, begin, err)
		}
	}
}

// bufferSize is the number of bytes of records that Record collects before it writes them.
const bufferSize = 64 << 10

// Record adds a record, an entry of the report, to the state file.
func (r *Run) Record(record *Record) error {
	r.buf = append(r.buf, r.end.add(encode(record.line()))...)
	if len(r.buf) < bufferSize {
		return nil
	}
	return r.flush()
}

// Reached makes the next Save cover all records added so far.
func (r *Run) Reached() { r.reached = r.end }

func (r *Run) flush() error {
	n, err := r.file.Write(r.buf)
	r.written += int64(n)
	r.buf = r.buf[:0]
	return err
}

// back drops the records added since the last call of Reached.
func (r *Run) back() error {
	r.end = r.reached
	if left := r.end.at - r.written; left >= 0 {
		r.buf = r.buf[:left]
		return nil
	}
	r.buf, r.written = r.buf[:0], r.end.at
	return r.file.Truncate(r.written)
}

// Save makes s durable, with all records that were added before the last call of Reached. If there
// is an Output, Save also makes durable everything written to the Output. After an error the Run
// must not be used; the state that was saved before remains valid.
func (r *Run) Save(s *State) error {
	if err := r.back(); err != nil {
		return err
	}
	if err := r.sync(); err != nil {
		return err
	}
	if r.output != nil {
		var err error
		if s.Output, err = r.output.Save(); err != nil {
			return err
		}
	}
	r.buf = append(r.buf, r.end.add(encode(&line{Is: "mark", Mark: s}))...)
	r.reached = r.end
	if err := r.sync(); err != nil {
		return err
	}
	if r.output != nil {
		return r.output.Saved()
	}
	return nil
}

// sync writes all lines in buf and makes them durable.
func (r *Run) sync() error {
	if err := r.flush(); err != nil {
		return err
	}
	return r.file.Sync()
}

// Close closes the state file, which releases its lock. It does not save the progress.
func (r *Run) Close() error { return r.file.Close() }
