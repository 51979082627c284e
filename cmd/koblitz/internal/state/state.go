// Package state keeps how far a run has come, so that a later one goes on where it stopped.
//
// A state is one file that grows. Its first line tells it from other files. The second says what
// the run is about (Head). Each line after that is something that the report lists (Record) or a
// mark, which says how far the run had come (State). Each line begins with a checksum of itself
// and everything before it, so a line that was changed, lost or moved is found.
//
// A mark is written once everything before it is durable (package durable). So after a loss of
// power the file is right up to its last mark, and a run that goes on cuts off the rest. A line
// that is wrong before a mark was changed by somebody else, and the file is refused.
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

// magic is the first line of a state. No text begins with its first byte.
const magic = "\xc0state of koblitz check, form 2\n"

// IsState reports whether a file that begins with head is a state, of whatever run.
func IsState(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// A Head is what a run is about. A run can go on only if its head is the same.
type Head struct {
	Version string            `json:"version"` // of the program
	Options map[string]string `json:"options"` // those that have a part in the report
	Inputs  []Identity        `json:"inputs"`
}

// A State says how far a run has come.
type State struct {
	Done bool `json:"done"` // everything was read

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
	Output  json.RawMessage `json:"output,omitempty"` // that Output.Save returned
}

// A RefusedError says why a run is not begun: files that it would write are another's, or the run
// that it would go on with is another one. They stay as they are.
type RefusedError string

func (e RefusedError) Error() string { return string(e) }

// Refusedf returns a RefusedError.
func Refusedf(format string, args ...any) error {
	return RefusedError(fmt.Sprintf(format, args...))
}

// A Run is a run whose state is saved. It is used by one goroutine.
type Run struct {
	name    string
	file    durable.File
	end     position // of file, with what is in buf
	written int64    // bytes that are in file
	buf     []byte   // lines that are not in file yet
	reached position // where Reached was called
	replay  int64    // bytes of file that Replay reads
	output  Output   // or nil
}

// A position is a place between two lines of a file.
type position struct {
	at  int64
	sum [sha256.Size]byte // over everything before
}

// checksumSize is how many hexadecimal digits of the sum begin a line; a space follows.
const checksumSize = 16

// add moves p behind a line with that text and returns the line.
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

// start is the position behind the magic.
func start() position { return position{int64(len(magic)), sha256.Sum256([]byte(magic))} }

// Begin makes the file of a run, or opens it if there is one: s is then where it goes on, and the
// beginning otherwise. output may be nil.
func Begin(disk durable.FS, name string, head *Head, output Output) (r *Run, s *State, err error) {
	file, err := disk.Open(name)
	if durable.Missing(err) {
		file, err = disk.Create(name)
	}
	switch {
	case errors.Is(err, fs.ErrExist): // such as a link to nothing
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

// create writes the first two lines, each of which is durable before the next is written.
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

// contents are what is in the file of a state.
type contents struct {
	size    int64
	head    *Head // nil: the file is new
	id      string
	state   State
	outputs []json.RawMessage
	end     position // of what counts: the last mark, or the head
}

// markText begins the text of a mark.
var markText = []byte(`{"is":"mark"`)

// read reads the file of a state. A file is new if it is empty, or if it has what a loss of power
// may leave of the first two lines.
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

// isTornMagic reports whether b is a beginning of magic, with zeros in place of some bytes. Fewer
// zeros than magic has bytes may be another's, such as the key of a node's blocks.
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

// errTorn is the error of a line that a loss of power may have left: it has no end, or zeros in it.
// Its text is for the case that a mark follows, since then the line had been durable. errChanged is
// the error of any other line with a wrong checksum.
var (
	errChanged = errors.New("its checksum is wrong")
	errTorn    = errors.New("its checksum is wrong, and lines that were saved later follow")
)

// next returns the text of the line at the position and moves that behind it. At the end the error
// is io.EOF.
func next(in *bufio.Reader, at *position) ([]byte, error) {
	text, err := in.ReadBytes('\n')
	if err == io.EOF && len(text) == 0 || err != nil && err != io.EOF {
		return nil, err
	}
	torn := err == io.EOF || bytes.IndexByte(text, 0) >= 0
	after := *at
	if err == nil && len(text) > checksumSize+1 {
		if body := text[checksumSize+1 : len(text)-1]; bytes.Equal(after.add(body), text) {
			*at = after
			return body, nil
		}
	}
	if torn {
		return nil, errTorn
	}
	return nil, errChanged
}

// marksIn reports whether a line of what is left of a file begins as a mark does.
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

// decode is json.Unmarshal for a line; unknown fields are an error.
func decode(text []byte, l *line) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(l)
}

// Peek returns the id of the run whose state is in a file, and what its output has saved. If the
// file cannot be read there are none of either.
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

// mostChanges is how many changes an error names.
const mostChanges = 10

// changes says what is not as it was. was comes from a file, where text that is not UTF-8 has been
// mended; so h is taken as it would come from one.
func (h *Head) changes(was *Head) (all []string) {
	mended := new(Head)
	if err := json.Unmarshal(encode(h), mended); err != nil {
		panic(err) // encode wrote it
	}
	h = mended
	if h.Version != was.Version {
		all = append(all, fmt.Sprintf("koblitz %s began it, and this is %s", was.Version, h.Version))
	}
	names := maps.Clone(h.Options)
	if names == nil {
		names = map[string]string{}
	}
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

// Replay calls do with every record that counted when the run was begun.
func (r *Run) Replay(do func(*Record)) error {
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
				do(&record)
			} else {
				err = errors.New("it is no line of a report")
			}
		}
		if err != nil {
			return fmt.Errorf("%s is not as it was saved: at byte %d: %w", r.name, begin, err)
		}
	}
}

// bufferSize is how many bytes of records wait before they are written.
const bufferSize = 64 << 10

// Record adds to the report.
func (r *Run) Record(record *Record) error {
	r.buf = append(r.buf, r.end.add(encode(record.line()))...)
	if len(r.buf) < bufferSize {
		return nil
	}
	return r.flush()
}

// Reached says that the next State to be saved covers the records up to here.
func (r *Run) Reached() { r.reached = r.end }

func (r *Run) flush() error {
	n, err := r.file.Write(r.buf)
	r.written += int64(n)
	r.buf = r.buf[:0]
	return err
}

// back drops the records since Reached was called.
func (r *Run) back() error {
	r.end = r.reached
	if left := r.end.at - r.written; left >= 0 {
		r.buf = r.buf[:left]
		return nil
	}
	r.buf, r.written = r.buf[:0], r.end.at
	return r.file.Truncate(r.written)
}

// Save makes s durable with all records up to the last call of Reached. With an Output everything
// that it got is part of s. After an error the Run is of no use; what was saved before stays.
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

// sync makes all lines durable.
func (r *Run) sync() error {
	if err := r.flush(); err != nil {
		return err
	}
	return r.file.Sync()
}

// Close closes the file, which gives up its lock. It saves nothing.
func (r *Run) Close() error { return r.file.Close() }
