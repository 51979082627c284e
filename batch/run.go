package batch

import (
	"context"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A run is one call on rows of any kind. It is what the engine's workers call.
type run struct {
	// parse sets row to the i-th of the rows.
	parse    func(row *engine.Row, i int)
	verdicts []Verdict
	dst      []byte // 65 bytes a row, or nil
	valid    atomic.Int64
}

// run gives verdicts to all rows, with as many results in dst if that is not
// nil, and returns how many are valid.
func (o options) run(ctx context.Context, kind engine.Kind, parse func(row *engine.Row, i int), verdicts []Verdict, dst []byte) (int, error) {
	clear(verdicts)
	if ctx == nil {
		ctx = context.Background()
	}
	r := run{parse: parse, verdicts: verdicts, dst: dst}
	err := engine.Run(ctx, kind, len(verdicts), o.workers, &r)
	return int(r.valid.Load()), err
}

func (r *run) Load(j *engine.Job, lo, hi int) {
	row := j.Row()
	for i := lo; i < hi; i++ {
		r.parse(row, i)
		j.Append(row, i-lo)
	}
}

func (r *run) Store(j *engine.Job, lo, hi int) bool {
	valid := 0
	for i, v := range j.Verdicts() {
		r.verdicts[lo+i] = Verdict(v)
		if v == engine.Valid {
			valid++
		}
	}
	r.valid.Add(int64(valid))
	if r.dst != nil {
		dst := r.dst[lo*keyWidth : hi*keyWidth]
		clear(dst)
		for i, p := range j.Points {
			putUncompressed((*[keyWidth]byte)(dst[i*keyWidth:]), p)
		}
	}
	return true
}

// keyWidth is the length of an uncompressed key.
const keyWidth = 65

func putUncompressed(b *[keyWidth]byte, p *point.Affine) {
	b[0] = 0x04
	p.X.PutBytes((*[32]byte)(b[1:33]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
}
