package rows

import "encoding/json"

// A Place is a position in an input from which reading can resume: everything before it is in
// batches that the reader has returned, and nothing after it is. Places are stored in a file
// between two runs of the command, so they do not depend on the machine.
type Place struct {
	// Offset is the number of bytes of the decompressed input that are skipped before the reader
	// starts (see Source.Reader). Readers that seek by their own means leave it 0.
	Offset int64 `json:"offset"`
	// Detail is further state in a form that the format's reader defines. It may be nil.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// A Resumable is a Batch after which reading may resume.
//
// A reader that starts at the place after a batch (Source.From) returns the same units, with the
// same places, as the original reader returned after that batch. The division into batches may
// differ.
type Resumable interface {
	Batch
	// Place returns the place after the batch, or nil if reading cannot resume there, as within a
	// block in JSON. It is called once, before Expand, by the goroutine that called Next.
	Place() *Place
}

// PlaceOf returns the place after b, or nil if reading cannot resume there.
func PlaceOf(b Batch) *Place {
	if r, ok := b.(Resumable); ok {
		return r.Place()
	}
	return nil
}

// NewPlace returns the place at offset. detail is encoded with encoding/json.
func NewPlace(offset int64, detail any) *Place {
	text, err := json.Marshal(detail)
	if err != nil {
		panic(err) // readers tell plain structs of numbers and strings
	}
	return &Place{Offset: offset, Detail: text}
}

// Tell decodes Detail into v. If p or its Detail is nil, v is unchanged.
func (p *Place) Tell(v any) error {
	if p == nil || p.Detail == nil {
		return nil
	}
	return json.Unmarshal(p.Detail, v)
}

// Skipped returns Offset, or 0 for a nil Place.
func (p *Place) Skipped() int64 {
	if p == nil {
		return 0
	}
	return p.Offset
}
