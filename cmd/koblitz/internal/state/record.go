package state

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// A text is a string of arbitrary bytes, such as the name of a file. In JSON it is a string if it
// is valid UTF-8, and otherwise an object with the string in Go's quoted form.
type text string

type quoted struct {
	Quoted string `json:"quoted"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(quoted{strconv.Quote(string(t))})
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var q quoted
		if err := json.Unmarshal(b, &q); err != nil {
			return err
		}
		s, err := strconv.Unquote(q.Quoted)
		*t = text(s)
		return err
	}
	return json.Unmarshal(b, (*string)(t))
}

// A Record is an entry that a report lists. Exactly one of its fields is set.
type Record struct {
	Row        *verify.Row
	Unreadable string // error text: a file cannot be read, or the machine failed
	Input      *Input
}

// An Input holds the totals of one finished input, and identifies the files that were read.
type Input struct {
	Name   string
	Format string // format of the input; "" if it could not be opened
	Totals verify.Counts
	Blocks reading.Blocks // also set for an input without blocks, if its format has a network
	Content
	With []File // files read with the input, such as a block's spent outputs
}

// A Content identifies the contents of a file.
type Content struct {
	Bytes       int64  `json:"bytes,omitempty"` // size of the file before decompression
	SHA256      string `json:"sha256,omitempty"`
	Compression string `json:"compression,omitempty"` // empty if the file is not compressed
}

// A File is a file that was read, with its contents' size and hash.
type File struct {
	Name text `json:"file"`
	Content
}

// NewFile returns a File with the given name and contents.
func NewFile(name string, c Content) File { return File{text(name), c} }

// A line is a line of a state file other than the first (magic) and a mark.
type line struct {
	// Is is the type of the line. A "head" uses the field Head. A "row", "unreadable" or "input"
	// holds a Record.
	Is        string          `json:"is"`
	Head      *Head           `json:"head,omitempty"`
	Where     *reading.Where  `json:"where,omitempty"`
	File      text            `json:"file,omitempty"` // file name of Where, or name of an input
	Kind      text            `json:"kind,omitempty"` // kind of a unit, or format of an input
	Signature int             `json:"signature,omitempty"`
	Verdict   reading.Verdict `json:"verdict,omitempty"`
	Reason    text            `json:"reason,omitempty"`
	Sender    []byte          `json:"sender,omitempty"` // recovered address of a row
	Totals    *verify.Counts  `json:"totals,omitempty"`
	Blocks    *reading.Blocks `json:"blocks,omitempty"`
	Content
	With []File `json:"with,omitempty"`
}

func (r *Record) line() line {
	switch {
	case r.Row != nil:
		row := *r.Row
		l := line{Is: "row", Where: &row.Where, File: text(row.Where.File), Kind: text(row.Kind),
			Signature: row.Signature, Verdict: row.Verdict, Reason: text(row.Reason)}
		row.Where.File = ""
		if row.Recovered {
			l.Sender = row.Sender[:]
		}
		return l
	case r.Input != nil:
		in := r.Input
		return line{Is: "input", File: text(in.Name), Kind: text(in.Format), Totals: &in.Totals,
			Blocks: &in.Blocks, Content: in.Content, With: in.With}
	}
	return line{Is: "unreadable", Reason: text(r.Unreadable)}
}

// record returns the Record from which l was made. ok is false if l is a head, the description of
// the run.
func (l *line) record() (r Record, ok bool) {
	switch {
	case l.Is == "row" && l.Where != nil && (l.Sender == nil || len(l.Sender) == 20):
		r.Row = &verify.Row{Where: *l.Where, Kind: string(l.Kind), Signature: l.Signature,
			Verdict: l.Verdict, Reason: string(l.Reason), Recovered: l.Sender != nil}
		r.Row.Where.File = string(l.File)
		copy(r.Row.Sender[:], l.Sender)
	case l.Is == "input" && l.Totals != nil && l.Blocks != nil:
		r.Input = &Input{string(l.File), string(l.Kind), *l.Totals, *l.Blocks, l.Content, l.With}
	case l.Is == "unreadable":
		r.Unreadable = string(l.Reason)
	default:
		return r, false
	}
	return r, true
}
