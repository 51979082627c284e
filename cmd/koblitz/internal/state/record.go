package state

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// A Record is an entry that a report lists. Exactly one of its fields is set.
type Record struct {
	Row        *verify.Row `json:"row,omitzero"`
	Unreadable string      `json:"unreadable,omitzero"` // a file cannot be read, or a fault
	Input      *Input      `json:"input,omitzero"`
}

// An Input holds the totals of one finished input, and identifies the files that were read. Reports
// in JSON have it in this form.
type Input struct {
	File   string `json:"file"`
	Format string `json:"format,omitempty"` // "" if the input could not be opened
	Content
	With  []File          `json:"with,omitempty"`  // files read with it, such as spent outputs
	Chain *reading.Blocks `json:"chain,omitempty"` // nil if its format has no network
	verify.Counts
}

// A Content identifies the contents of a file.
type Content struct {
	Bytes       int64  `json:"bytes,omitempty"` // size of the file before decompression
	SHA256      string `json:"sha256,omitempty"`
	Compression string `json:"compression,omitempty"` // empty if the file is not compressed
}

// A File is a file that was read, with its contents' size and hash.
type File struct {
	Name string `json:"file"`
	Content
}

// quoted makes a string of arbitrary bytes, such as the name of a file, a JSON string: the string
// in Go's quoted form.
var quoted = json.JoinOptions(
	json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, s string) error {
		return e.WriteToken(jsontext.String(strconv.Quote(s)))
	})),
	json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, s *string) error {
		t, err := d.ReadToken()
		if err == nil {
			*s, err = strconv.Unquote(t.String())
		}
		return err
	})),
	json.RejectUnknownMembers(true),
	json.Deterministic(true),
)

// encode returns v as JSON in one line.
func encode(v any) []byte {
	b, err := json.Marshal(v, quoted)
	if err != nil {
		panic(err) // unreachable: v is a struct that JSON can encode
	}
	return b
}

// decode decodes a line that encode has made.
func decode(text []byte, v any) error { return json.Unmarshal(text, v, quoted) }
