package rows

import "encoding/json"

// A Place is where in an input reading can begin again: everything before it is in the batches
// that its reader has returned, and nothing of what comes behind it. A Place is kept in a file
// between two runs of the command, so it does not depend on the machine.
type Place struct {
	// Offset is how many bytes of the decompressed input are passed over before the reader gets
	// it: Source.Reader begins there. A reader that finds its way itself leaves it 0.
	Offset int64 `json:"offset"`
	// Detail is what else the reader of this format wants to be told, in a form of its own.
	// It may be nil.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// A Resumable is a Batch behind which reading may begin again.
//
// A reader that is opened at the place behind a batch (Source.From) returns what the same reader
// would have returned after that batch: the same units, with the same places in them. How they
// are cut into batches may differ.
type Resumable interface {
	Batch
	// Place is the place behind the batch, or nil if there is none, as in the midst of a block of
	// JSON. It is called once, by the goroutine that called Next, before Expand.
	Place() *Place
}

// PlaceOf returns the place behind b, or nil if reading cannot begin again there.
func PlaceOf(b Batch) *Place {
	if r, ok := b.(Resumable); ok {
		return r.Place()
	}
	return nil
}

// NewPlace is the place at offset with detail, which encoding/json can write, as its Detail.
func NewPlace(offset int64, detail any) *Place {
	text, err := json.Marshal(detail)
	if err != nil {
		panic(err) // readers tell plain structs of numbers and strings
	}
	return &Place{Offset: offset, Detail: text}
}

// Tell decodes Detail into what v points to. A nil Place, or one without Detail, leaves *v as it
// is.
func (p *Place) Tell(v any) error {
	if p == nil || p.Detail == nil {
		return nil
	}
	return json.Unmarshal(p.Detail, v)
}

// Skipped is Offset, or 0 for a nil Place.
func (p *Place) Skipped() int64 {
	if p == nil {
		return 0
	}
	return p.Offset
}
