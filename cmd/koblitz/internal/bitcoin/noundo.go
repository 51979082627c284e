package bitcoin

import (
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// NoUndo returns a reader of blk*.dat files that come without rev*.dat files: of a folder, or of
// one file. It gives one row, which is not checkable, because the outputs that the blocks spend are
// not known. src.Reader is the content of the file, which is read to its end, or nil.
func NoUndo(src reading.Source) reading.Reader {
	where := reading.In(src.Name)
	q := &units.Queue{}
	q.Add(&units.Decided{Where: where, Decided: reading.NotCheckable,
		Reason: "no undo records: a node's rev*.dat files have the outputs that its blocks spend, and " +
			"there are none here; name the node's own folder, or ask the node (--node), or give a " +
			"serialized block its outputs (--spent)"})
	step := func() error {
		if src.Reader != nil {
			if _, err := io.Copy(io.Discard, src.Reader); err != nil {
				return &reading.Error{File: src.Name, Offset: -1, Err: err}
			}
		}
		return io.EOF
	}
	return &reading.Steps{Queue: q, Step: step, Position: func() int64 { return src.Position(0) }}
}
