package ethereum

import (
	"encoding/json"
	"math"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Options are what the readers share.
type Options struct {
	Chain Chain
}

// A piece is one transaction as its reader found it.
type piece struct {
	raw   []byte          // as EIP-2718 encodes it
	json  json.RawMessage // an object or a string, if raw is nil
	where rows.Where
	rules *rules

	nothing bool // no transaction, but something that holds none

	sum *txSum    // to be filled in, or nil
	of  *blockSum // the block that sum belongs to; without sum: the end of that block
}

const (
	batchPieces = 128
	batchBytes  = 256 << 10
)

// A queue collects transactions into batches.
type queue struct {
	pieces []piece
	bytes  int
}

func (q *queue) add(p ...piece) {
	q.pieces = append(q.pieces, p...)
	for i := range p {
		if p[i].sum != nil {
			p[i].of.read.Add(1)
		}
		q.bytes += len(p[i].raw) + len(p[i].json)
	}
}

func (q *queue) any() bool { return len(q.pieces) > 0 }

func (q *queue) full() bool { return len(q.pieces) >= batchPieces || q.bytes >= batchBytes }

// take returns what is there as a batch, or nil.
func (q *queue) take(consumed int64) rows.Batch {
	if len(q.pieces) == 0 {
		return nil
	}
	b := &batch{q.pieces, consumed}
	*q = queue{}
	return b
}

// A batch implements rows.Batch.
type batch struct {
	pieces   []piece
	consumed int64
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Expand(emit func(*rows.Unit)) {
	x := newExpander(emit)
	for i := range b.pieces {
		p := &b.pieces[i]
		x.begin(p.where)
		if p.of != nil && p.sum == nil {
			if p.of.judge(x) {
				x.emit(&x.unit)
			}
			continue
		}
		x.sums = p.sum
		switch {
		case p.nothing:
			x.decide(rows.PassedOver, "")
		case p.json == nil:
			x.encoded(p.raw, p.rules)
		case p.json[0] == '"':
			var d data
			if err := d.UnmarshalJSON(p.json); err != nil {
				x.decide(rows.Malformed, "%v", err)
				break
			}
			x.encoded(d, p.rules)
		default:
			x.object(p.json, p.rules)
		}
		x.emit(&x.unit)
		if p.sum != nil {
			if x.raw != nil {
				p.sum.leaf = x.newLeaf(p.where.Index, x.raw)
			}
			p.of.read.Done()
		}
	}
}

// height is a block number as rows.Where has it.
func height(number uint64) int32 {
	if number > math.MaxInt32 {
		return -1
	}
	return int32(number)
}
