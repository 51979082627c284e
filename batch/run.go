package batch

import (
	"context"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A run is one call on rows of any kind. It is what the engine's workers call.
type run struct {
	load     func(j *engine.Job, lo, hi int)
	verdicts []Verdict
	dst      []byte // 65 bytes a row, or nil
	valid    atomic.Int64
}

// run gives verdicts to all rows, with as many results in dst if that is not
// nil, and returns how many are valid.
func (o options) run(ctx context.Context, kind engine.Kind, load func(j *engine.Job, lo, hi int), verdicts []Verdict, dst []byte) (int, error) {
	clear(verdicts)
	if ctx == nil {
		ctx = context.Background()
	}
	r := run{load: load, verdicts: verdicts, dst: dst}
	err := engine.Run(ctx, kind, len(verdicts), o.workers, o.memory, &r)
	return int(r.valid.Load()), err
}

func (r *run) Load(j *engine.Job, lo, hi int) { r.load(j, lo, hi) }

// each returns what loads rows one by one: parse sets row to the i-th.
func each(parse func(row *engine.Row, i int)) func(j *engine.Job, lo, hi int) {
	return func(j *engine.Job, lo, hi int) {
		row := &j.Rows()[0]
		for i := lo; i < hi; i++ {
			parse(row, i)
			j.Append(row, i-lo)
		}
	}
}

// sixteen returns what loads BIP-340 signatures on messages of 32 bytes, whose
// challenges are hashed sixteen at a time: setKey sets the key of the i-th row.
func sixteen(messages, signatures Column, setKey func(row *engine.Row, i int)) func(j *engine.Job, lo, hi int) {
	return func(j *engine.Job, lo, hi int) {
		rows, at := j.Rows(), lo
		for ; len(rows) == hash.Sixteen && hi-at >= hash.Sixteen; at += hash.Sixteen {
			var keys [32 * hash.Sixteen]byte
			var e [hash.Sixteen][32]byte
			for k := range rows {
				setKey(&rows[k], at+k)
				rows[k].PutX((*[32]byte)(keys[32*k:]))
			}
			hash.Challenges(&e, signatures.from(at), hash.Rows{Data: keys[:], Stride: 32}, messages.from(at))
			for k := range rows {
				if rows[k].SetSchnorrSignature(signatures.at64(at + k)) {
					rows[k].SetChallenge(&e[k])
				}
				j.Append(&rows[k], at+k-lo)
			}
		}
		for ; at < hi; at++ {
			setKey(&rows[0], at)
			rows[0].SetSchnorr(messages.at32(at)[:], signatures.at64(at))
			j.Append(&rows[0], at-lo)
		}
	}
}

// from returns the rows of c from row i on.
func (c Column) from(i int) hash.Rows { return hash.Rows{Data: c.Data[i*c.Stride:], Stride: c.Stride} }

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
