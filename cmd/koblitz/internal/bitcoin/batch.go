package bitcoin

import (
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Options are what the readers share.
type Options struct {
	// Network says whose rules hold. blk*.dat files name theirs themselves.
	Network Network
}

// A piece is a part of a batch, in the order of the input.
type piece interface {
	expand(x *expander)
	inputs() int
}

// A span is a part of a transaction: inputs from … to-1.
type span struct {
	t        *transaction
	from, to int
}

func (s span) expand(x *expander) { x.transaction(s.t, s.from, s.to) }
func (s span) inputs() int        { return s.to - s.from }

// A verdict is a unit that the reader decided on itself.
type verdict rows.Unit

func (v *verdict) expand(x *expander) { x.unit = rows.Unit(*v); x.emit(&x.unit) }
func (v *verdict) inputs() int        { return 1 }

// batchInputs is how many inputs a batch holds before it goes out: enough to
// be worth a goroutine's while, few enough to spread one block over many.
const batchInputs = 64

// A queue collects pieces into batches.
type queue struct {
	pieces []piece
	n      int // inputs in pieces
}

func (q *queue) add(p piece) {
	q.pieces = append(q.pieces, p)
	q.n += p.inputs()
}

// transaction adds all inputs of t, cut to the size of a batch.
func (q *queue) transaction(t *transaction) {
	for from, n := 0, len(t.tx.TxIn); from < n; from += batchInputs {
		q.add(span{t, from, min(from+batchInputs, n)})
	}
}

// any reports whether take has anything.
func (q *queue) any() bool { return len(q.pieces) > 0 }

// full reports whether take has enough for a batch.
func (q *queue) full() bool { return q.n >= batchInputs }

// take returns the next batch, or nil if nothing is left.
func (q *queue) take(consumed int64) rows.Batch {
	if len(q.pieces) == 0 {
		return nil
	}
	b := &batch{consumed: consumed}
	i := 0
	for n := 0; i < len(q.pieces) && n < batchInputs; i++ {
		n += q.pieces[i].inputs()
		q.n -= q.pieces[i].inputs()
	}
	b.pieces = append(b.pieces, q.pieces[:i]...)
	k := copy(q.pieces, q.pieces[i:])
	clear(q.pieces[k:])
	q.pieces = q.pieces[:k]
	return b
}

// A batch implements rows.Batch.
type batch struct {
	pieces   []piece
	consumed int64
}

func (b *batch) Expand(emit func(*rows.Unit)) {
	x := expander{emit: emit}
	for _, p := range b.pieces {
		p.expand(&x)
	}
}

func (b *batch) Consumed() int64 { return b.consumed }
