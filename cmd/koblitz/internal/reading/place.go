package reading

import "encoding/json"

// A Place is a position in an input from which reading can resume. The batches that the reader has
// returned contain everything before the position, and nothing after it. The command stores Places
// in a file between two runs, so they do not depend on the machine.
type Place struct {
	// Offset is the number of bytes of the decompressed input that are skipped before the reader
	// starts (see Source.Reader). Readers that seek by their own means leave it 0.
	Offset int64 `json:"offset"`
	// Detail holds the other data that the reader needs to resume. The reader of each format
	// defines its form. It may be nil.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// NewPlace returns the place at offset. It encodes detail with encoding/json.
func NewPlace(offset int64, detail any) *Place {
	text, err := json.Marshal(detail)
	if err != nil {
		panic(err) // unreachable: details are structs of numbers and strings
	}
	return &Place{Offset: offset, Detail: text}
}

// Tell decodes p.Detail into v. If p or p.Detail is nil, Tell leaves v unchanged.
func (p *Place) Tell(v any) error {
	if p == nil || p.Detail == nil {
		return nil
	}
	return json.Unmarshal(p.Detail, v)
}

// Skipped returns p.Offset, or 0 if p is nil.
func (p *Place) Skipped() int64 {
	if p == nil {
		return 0
	}
	return p.Offset
}
