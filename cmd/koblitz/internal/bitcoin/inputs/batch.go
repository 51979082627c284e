package inputs

import (
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Piece is a part of a batch: inputs of one transaction, a verdict, or another unit of work.
type Piece interface {
	Expand(x *Expander)
	Inputs() int
	Size() int64   // as rows.Batch.Size, but without the block's bytes
	Block() []byte // the serialized block that holds the piece's scripts, or nil
}

// A span is the inputs of a transaction with numbers from, …, to-1.
type span struct {
	t        *Transaction
	from, to int
	memory   int64 // the span's share of the transaction's memory
}

func (s span) Expand(x *Expander) { x.Transaction(s.t, s.from, s.to) }
func (s span) Inputs() int        { return s.to - s.from }
func (s span) Size() int64        { return s.memory + int64(s.Inputs())*rows.RowSize }
func (s span) Block() []byte      { return s.t.Block }

// A Verdict is a unit on which the reader has decided.
type Verdict rows.Unit

func (v *Verdict) Expand(x *Expander) { x.Unit = rows.Unit(*v); x.Emit(&x.Unit) }
func (v *Verdict) Inputs() int        { return 1 }
func (v *Verdict) Size() int64        { return rows.RowSize }
func (v *Verdict) Block() []byte      { return nil }

const (
	// batchInputs is the number of inputs at which a batch is complete. It is large enough to be
	// worth a goroutine's time, and small enough to spread one block over many goroutines.
	batchInputs = 64

	// batchMemory is the size in bytes at which a batch is complete even with fewer inputs.
	// Transactions with ordinary inputs take an eighth of that.
	batchMemory = 1 << 20
)

// A Queue collects pieces into batches.
type Queue struct {
	Pieces []Piece
	n      int   // number of inputs in Pieces
	memory int64 // size of Pieces in bytes
	marks  []mark
	ends   []blockEnd
}

// A blockEnd lists the blocks that end after the same piece of the queue.
type blockEnd struct {
	pieces int // number of pieces in the queue up to that end
	blocks rows.Blocks
}

// Ended records that a block was read to its end. A negative height is unknown.
func (q *Queue) Ended(n consensus.Network, height int32, hash chainhash.Hash) {
	if k := len(q.ends); k == 0 || q.ends[k-1].pieces != len(q.Pieces) {
		q.ends = append(q.ends, blockEnd{pieces: len(q.Pieces)})
	}
	q.ends[len(q.ends)-1].blocks.Add("bitcoin "+n.String(), int64(height), hash.String())
}

// blocks removes the blocks that end within the given number of pieces from the queue, and returns
// them.
func (q *Queue) blocks(pieces int) (blocks rows.Blocks) {
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

// A mark is a place between two pieces of the queue at which reading can resume.
type mark struct {
	pieces int // number of pieces in the queue before the place
	place  *rows.Place
}

// Mark records that reading can resume at place, after the piece that was added last. If that piece
// has left the queue, the next batch has no pieces but has this place.
func (q *Queue) Mark(place *rows.Place) {
	q.marks = append(q.marks, mark{len(q.Pieces), place})
}

// Add appends a piece to the queue.
func (q *Queue) Add(p Piece) {
	q.Pieces = append(q.Pieces, p)
	q.n += p.Inputs()
	q.memory += p.Size()
}

// shares is the number of spans over which a transaction's memory is divided. Fewer of its spans
// are in progress only while the first ones arrive or the last ones leave.
const shares = 4

// Transaction adds all inputs of t to the queue, split into spans of batchInputs inputs.
func (q *Queue) Transaction(t *Transaction) {
	spent := t.SpentScripts()
	if spent > wireform.MaxSpentScripts {
		q.Add(t.OverSpent())
		return
	}
	n := len(t.Tx.TxIn)
	held, scratch := memory(t.Tx)
	each := (held+spent)/min(shares, (n+batchInputs-1)/batchInputs) + scratch + 3*spent
	for from := 0; from < n; from += batchInputs {
		q.Add(span{t, from, min(from+batchInputs, n), int64(each)})
	}
}

// Any reports whether Take would return a batch.
func (q *Queue) Any() bool { return len(q.Pieces)+len(q.marks)+len(q.ends) > 0 }

// Full reports whether the queue holds enough for a batch.
func (q *Queue) Full() bool { return q.n >= batchInputs || q.memory >= batchMemory }

// next returns the number of pieces in the next batch, and the place after them or nil. It removes
// the marks within the batch, and renumbers the remaining marks.
func (q *Queue) next() (end int, place *rows.Place) {
	inputs, memory := 0, int64(0)
	for ; end < len(q.Pieces) && inputs < batchInputs && memory < batchMemory; end++ {
		inputs += q.Pieces[end].Inputs()
		memory += q.Pieces[end].Size()
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

// Take returns the next batch, or nil if the queue is empty. A batch with a mark in it ends at the
// last one of them. Take implements rows.Queue.
func (q *Queue) Take(consumed int64, _ bool) rows.Batch {
	if !q.Any() {
		return nil
	}
	b := &Batch{consumed: consumed}
	end, place := q.next()
	b.place, b.ended = place, q.blocks(end)
	n := 0
	var block []byte
	for _, p := range q.Pieces[:end] {
		n += p.Inputs()
		b.size += p.Size()
		if other := p.Block(); other != nil && (block == nil || &other[0] != &block[0]) {
			block = other
			b.blocks += int64(len(block))
		}
	}
	q.n -= n
	q.memory -= b.size
	b.Pieces = append(b.Pieces, q.Pieces[:end]...)
	k := copy(q.Pieces, q.Pieces[end:])
	clear(q.Pieces[k:])
	q.Pieces = q.Pieces[:k]
	return b
}

// A Batch implements rows.Batch.
type Batch struct {
	Pieces   []Piece
	size     int64 // total size of the pieces in bytes
	blocks   int64 // total size in bytes of the blocks that hold the scripts
	consumed int64
	place    *rows.Place // after the last piece, or nil
	ended    rows.Blocks
}

func (b *Batch) Expand(emit func(*rows.Unit)) {
	x := Expander{Emit: emit}
	for _, p := range b.Pieces {
		p.Expand(&x)
	}
}

func (b *Batch) Consumed() int64 { return b.consumed }

func (b *Batch) Blocks() rows.Blocks { return b.ended }

func (b *Batch) Place() *rows.Place { return b.place }

func (b *Batch) Size() int64 { return b.size + b.blocks }

// MalformedBlock returns the verdict Malformed on the block with header h. why is the reason.
func MalformedBlock(where rows.Where, h *wireform.Header, why string) *Verdict {
	return &Verdict{Where: where, Kind: "block", Decided: rows.Malformed,
		Reason: fmt.Sprintf("block %v: %s", h.Hash, why)}
}
