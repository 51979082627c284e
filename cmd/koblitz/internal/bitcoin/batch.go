package bitcoin

import (
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Options are what the readers share.
type Options struct {
	// Network says whose rules hold. blk*.dat files name theirs themselves.
	Network Network
	// Found, if it is set, is called by GetBlock for each block, before its transactions are read,
	// with the height that it names and the hash of its header. An error ends the reading.
	Found func(height int32, hash chainhash.Hash) error
}

// A piece is a part of a batch, in the order of the input.
type piece interface {
	expand(x *expander)
	inputs() int
	size() int64   // as rows.Batch has it, without the block
	block() []byte // that its scripts are part of, or nil
}

// A span is a part of a transaction: inputs from … to-1.
type span struct {
	t        *transaction
	from, to int
	memory   int64 // its share of that of the transaction
}

func (s span) expand(x *expander) { x.transaction(s.t, s.from, s.to) }
func (s span) inputs() int        { return s.to - s.from }
func (s span) size() int64        { return s.memory + int64(s.inputs())*rows.RowSize }
func (s span) block() []byte      { return s.t.block }

// A verdict is a unit that the reader decided on itself.
type verdict rows.Unit

func (v *verdict) expand(x *expander) { x.unit = rows.Unit(*v); x.emit(&x.unit) }
func (v *verdict) inputs() int        { return 1 }
func (v *verdict) size() int64        { return rows.RowSize }
func (v *verdict) block() []byte      { return nil }

const (
	// batchInputs is how many inputs a batch holds before it goes out: enough to
	// be worth a goroutine's while, few enough to spread one block over many.
	batchInputs = 64

	// batchMemory is the size of its pieces with which a batch goes out all the
	// same: transactions of ordinary inputs take an eighth of it.
	batchMemory = 1 << 20
)

// A queue collects pieces into batches.
type queue struct {
	pieces []piece
	n      int   // inputs in pieces
	memory int64 // of pieces
	marks  []mark
	ends   []blockEnd
}

// A blockEnd says which blocks end behind a piece.
type blockEnd struct {
	pieces int // of the queue that stand before it
	blocks rows.Blocks
}

// ended says that a block has been read to its end. Its height is below 0 if it is not known.
func (q *queue) ended(n Network, height int32, hash chainhash.Hash) {
	if k := len(q.ends); k == 0 || q.ends[k-1].pieces != len(q.pieces) {
		q.ends = append(q.ends, blockEnd{pieces: len(q.pieces)})
	}
	q.ends[len(q.ends)-1].blocks.Add("bitcoin "+n.String(), int64(height), hash.String())
}

// blocks takes the blocks that end in the first pieces.
func (q *queue) blocks(pieces int) (blocks rows.Blocks) {
	i := 0
	for ; i < len(q.ends) && q.ends[i].pieces <= pieces; i++ {
		blocks.Merge(q.ends[i].blocks)
	}
	q.ends = slices.Delete(q.ends, 0, i)
	for i := range q.ends {
		q.ends[i].pieces -= pieces
	}
	return blocks
}

// A mark is a place behind a piece.
type mark struct {
	pieces int // of the queue that stand before it
	place  *rows.Place
}

// mark says that reading can begin again behind what was added last. If that is on its way already
// there is a batch with nothing in it but the place.
func (q *queue) mark(place *rows.Place) {
	q.marks = append(q.marks, mark{len(q.pieces), place})
}

func (q *queue) add(p piece) {
	q.pieces = append(q.pieces, p)
	q.n += p.inputs()
	q.memory += p.size()
}

// shares is among how many spans of a transaction its memory is divided: if fewer
// of them are under way, it is the last one that goes or the first one that comes.
const shares = 4

// transaction adds all inputs of t, cut to the size of a batch.
func (q *queue) transaction(t *transaction) {
	spent := t.spentScripts()
	if spent > maxSpentScripts {
		q.add(t.overSpent())
		return
	}
	n := len(t.tx.TxIn)
	held, scratch := memory(t.tx)
	each := (held+spent)/min(shares, (n+batchInputs-1)/batchInputs) + scratch + 3*spent
	for from := 0; from < n; from += batchInputs {
		q.add(span{t, from, min(from+batchInputs, n), int64(each)})
	}
}

// any reports whether take has anything.
func (q *queue) any() bool { return len(q.pieces)+len(q.marks)+len(q.ends) > 0 }

// full reports whether take has enough for a batch.
func (q *queue) full() bool { return q.n >= batchInputs || q.memory >= batchMemory }

// next returns how many pieces the next batch has, and the place behind them, or nil. Its marks
// are taken off, and the others count from there.
func (q *queue) next() (end int, place *rows.Place) {
	inputs, memory := 0, int64(0)
	for ; end < len(q.pieces) && inputs < batchInputs && memory < batchMemory; end++ {
		inputs += q.pieces[end].inputs()
		memory += q.pieces[end].size()
	}
	i := 0
	for i < len(q.marks) && q.marks[i].pieces <= end {
		i++
	}
	if i > 0 {
		end, place = q.marks[i-1].pieces, q.marks[i-1].place
	}
	q.marks = slices.Delete(q.marks, 0, i)
	for i := range q.marks {
		q.marks[i].pieces -= end
	}
	return end, place
}

// take returns the next batch, or nil if nothing is left. It ends at a mark, if there is one in
// it.
func (q *queue) take(consumed int64) rows.Batch {
	if !q.any() {
		return nil
	}
	b := &batch{consumed: consumed}
	end, place := q.next()
	b.place, b.ended = place, q.blocks(end)
	n := 0
	var block []byte
	for _, p := range q.pieces[:end] {
		n += p.inputs()
		b.size += p.size()
		if other := p.block(); other != nil && (block == nil || &other[0] != &block[0]) {
			block = other
			b.blocks += int64(len(block))
		}
	}
	q.n -= n
	q.memory -= b.size
	b.pieces = append(b.pieces, q.pieces[:end]...)
	k := copy(q.pieces, q.pieces[end:])
	clear(q.pieces[k:])
	q.pieces = q.pieces[:k]
	return b
}

// A batch implements rows.Batch.
type batch struct {
	pieces   []piece
	size     int64 // of the pieces
	blocks   int64 // bytes that they are part of
	consumed int64
	place    *rows.Place // behind the last piece, or nil
	ended    rows.Blocks
}

func (b *batch) Expand(emit func(*rows.Unit)) {
	sumTogether(b.pieces)
	x := expander{emit: emit}
	for _, p := range b.pieces {
		p.expand(&x)
	}
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Blocks() rows.Blocks { return b.ended }

func (b *batch) Place() *rows.Place { return b.place }

func (b *batch) Size() int64 { return b.size + b.blocks + perBatch }

// malformedBlock is the verdict on a block as a whole.
func malformedBlock(where rows.Where, h *header, why string) *verdict {
	return &verdict{Where: where, Kind: "block", Decided: rows.Malformed,
		Reason: fmt.Sprintf("block %v: %s", h.hash, why)}
}
