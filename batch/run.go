package batch

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// pieceRows is the most rows that the engine, or a device, is given at a time when
// each is to have its verdict.
const pieceRows = 1 << 20

// verdictBuffers holds buffers of verdicts: of at most pieceRows, or as many as an
// accumulator had rows.
var verdictBuffers sync.Pool // *[]engine.Verdict

// takeVerdicts returns a buffer of at least n verdicts, for putVerdicts to take back.
func takeVerdicts(n int) *[]engine.Verdict {
	b, _ := verdictBuffers.Get().(*[]engine.Verdict)
	if b == nil {
		b = new([]engine.Verdict)
	}
	if cap(*b) < n {
		*b = make([]engine.Verdict, n)
	}
	*b = (*b)[:n]
	return b
}

func putVerdicts(b *[]engine.Verdict) { verdictBuffers.Put(b) }

// copyVerdicts sets dst to src.
func copyVerdicts(dst []Verdict, src []engine.Verdict) {
	for i, v := range src {
		dst[i] = Verdict(v)
	}
}

// A call is what all methods of rows have in common.
type call struct {
	options
	device.Call
	key func(row engine.Row, i int) // of row i of the call, if its kind is a prepared one
}

// each gives verdicts to all rows, with as many results of the kind's size in out if
// that is not nil, and returns how many are valid.
func (c *call) each(ctx context.Context, verdicts []Verdict, out []byte) (valid int, err error) {
	clear(verdicts)
	ctx = crew.Context(ctx)
	buffer := takeVerdicts(min(len(verdicts), pieceRows))
	defer putVerdicts(buffer)
	for lo := 0; lo < len(verdicts); lo += pieceRows {
		hi := min(lo+pieceRows, len(verdicts))
		piece := c.Call
		piece.N, piece.LowS, piece.Verdicts = hi-lo, c.lowS, (*buffer)[:hi-lo]
		for k := range piece.Cols {
			if col := &piece.Cols[k]; col.Data != nil {
				col.Data = col.Data[lo*col.Stride:]
			}
		}
		if out != nil {
			size := c.Kind.ResultSize()
			piece.Out = out[lo*size : hi*size]
		}
		o := c.engine()
		if c.key != nil {
			o.Key = func(row engine.Row, i int) { c.key(row, lo+i) }
		}
		n, err := engine.Do(ctx, &piece, o)
		copyVerdicts(verdicts[lo:hi], piece.Verdicts)
		valid += n
		if err != nil {
			return valid, err
		}
	}
	return valid, nil
}

// all reports whether all n rows are valid.
func (c *call) all(ctx context.Context, n int) (bool, error) {
	c.N, c.LowS = n, c.lowS
	return engine.All(crew.Context(ctx), &c.Call, c.engine())
}
