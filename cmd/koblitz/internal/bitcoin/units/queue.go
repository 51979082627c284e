// Package units turns judged inputs into reading.Units, and collects them into batches.
package units

import (
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Transaction is a transaction with its place in the input.
type Transaction struct {
	bitcoin.Transaction
	ID       chainhash.Hash
	Where    reading.Where
	Block    []byte // the serialized block that holds the scripts of Tx, or nil
	LeaveOut bool   // skip inputs with an unknown output; the reader has counted them
}

// An Expander makes reading.Units from the inputs of transactions. It reuses its memory.
type Expander struct {
	Emit  func(*reading.Unit)
	Unit  reading.Unit
	judge bitcoin.Judge
}

// schemes and verdicts map the schemes and verdicts of package bitcoin to those of package rows.
var (
	schemes  = [...]reading.Scheme{bitcoin.ECDSA: reading.ECDSA, bitcoin.Schnorr: reading.Schnorr}
	verdicts = [...]reading.Verdict{bitcoin.Invalid: reading.Invalid,
		bitcoin.EngineChecked: reading.EngineChecked, bitcoin.NotCheckable: reading.NotCheckable,
		bitcoin.Unsigned: reading.Unsigned}
)

// Transaction judges the inputs start, …, end-1 of t, and emits a reading.Unit for each.
func (x *Expander) Transaction(t *Transaction, start, end int) {
	where := t.Where
	where.Tx = t.ID.String()
	for i := start; i < end; i++ {
		if t.LeaveOut && !t.Spent[i].Known {
			continue
		}
		where.Input = i
		r := x.judge.Input(&t.Transaction, i)
		x.Unit = reading.Unit{Where: where, Scheme: schemes[r.Scheme], Kind: r.Kind, LaxDER: r.LaxDER,
			Signatures: x.Unit.Signatures[:0], Keys: r.Keys, Decided: verdicts[r.Verdict],
			Reason: r.Reason, Commitment: reading.Commitment(r.Commitment)}
		for _, s := range r.Signatures {
			x.Unit.Signatures = append(x.Unit.Signatures, reading.Signature{Digest: s.Digest, Sig: s.Sig})
		}
		x.Emit(&x.Unit)
	}
}

// A Piece is a part of a batch, from which Expand makes the reading.Units of some inputs: inputs of
// one transaction, a verdict that is known already, or a transaction that is not parsed yet.
type Piece interface {
	Expand(x *Expander)
	Inputs() int
	Size() int64   // as reading.Batch.Size, but without the block's bytes
	Block() []byte // the serialized block that holds the piece's scripts, or nil
}

// A span is the inputs from, …, to-1 of a transaction.
type span struct {
	t        *Transaction
	from, to int
	memory   int64 // the span's share of the transaction's memory
}

func (s span) Expand(x *Expander) { x.Transaction(s.t, s.from, s.to) }
func (s span) Inputs() int        { return s.to - s.from }
func (s span) Size() int64        { return s.memory + int64(s.Inputs())*reading.RowSize }
func (s span) Block() []byte      { return s.t.Block }

// A Decided is a reading.Unit whose verdict the reader has decided.
type Decided reading.Unit

func (v *Decided) Expand(x *Expander) { x.Unit = reading.Unit(*v); x.Emit(&x.Unit) }
func (v *Decided) Inputs() int        { return 1 }
func (v *Decided) Size() int64        { return reading.RowSize }
func (v *Decided) Block() []byte      { return nil }

// none is used as the Piece of an Entry that holds no piece but only marks: the ends of blocks, and
// a place to resume.
type none struct{}

func (none) Expand(*Expander) {}
func (none) Inputs() int      { return 0 }
func (none) Size() int64      { return 0 }
func (none) Block() []byte    { return nil }

const (
	// batchInputs is the number of inputs at which a batch is complete. It is large enough to be
	// worth a goroutine's time, and small enough to spread one block over many goroutines.
	batchInputs = 64

	// batchMemory is the size in bytes at which a batch is complete if it has fewer than
	// batchInputs inputs. A batch of batchInputs ordinary inputs takes about an eighth of
	// batchMemory.
	batchMemory = 1 << 20
)

// A Queue collects pieces into batches.
type Queue struct {
	Entries []Entry
	n       int   // number of inputs in Entries
	memory  int64 // size of Entries in bytes
}

// An Entry is a piece in a Queue, with the marks after the piece: the ends of blocks, and a place
// to resume. An Entry without a piece holds marks that follow a piece that has left the queue.
type Entry struct {
	Piece
	blocks reading.Blocks // blocks that end after the piece
	place  *reading.Place // place after the piece from which reading can resume, or nil
}

// last returns the entry to which marks (ends of blocks and places to resume) are added.
func (q *Queue) last() *Entry {
	if len(q.Entries) == 0 {
		q.Entries = append(q.Entries, Entry{Piece: none{}})
	}
	return &q.Entries[len(q.Entries)-1]
}

// Ended records that a block was read to its end. A negative height is unknown.
func (q *Queue) Ended(n consensus.Network, height int32, hash chainhash.Hash) {
	q.last().blocks.Add("bitcoin "+n.String(), int64(height), hash.String())
}

// Mark records that reading can resume at place, after the piece that was added last. If that piece
// has left the queue, the next batch has no pieces but has this place.
func (q *Queue) Mark(place *reading.Place) { q.last().place = place }

// Add appends a piece, such as some inputs of a transaction, to the queue.
func (q *Queue) Add(p Piece) {
	q.Entries = append(q.Entries, Entry{Piece: p})
	q.n += p.Inputs()
	q.memory += p.Size()
}

// shares is the maximum number of spans of a transaction over which the transaction's memory is
// divided. Usually at least that many of its spans are in progress at a time, so together they
// account for the whole memory.
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
func (q *Queue) Any() bool { return len(q.Entries) > 0 }

// Full reports whether the queue holds enough for a batch.
func (q *Queue) Full() bool { return q.n >= batchInputs || q.memory >= batchMemory }

// next returns the number of entries in the next batch, and the place to resume after them, or nil.
// If entries that fit into the batch have such places, the batch ends at the last of these places.
func (q *Queue) next() (end int, place *reading.Place) {
	count, memory, n := 0, int64(0), 0
	for ; n < len(q.Entries) && count < batchInputs && memory < batchMemory; n++ {
		count += q.Entries[n].Inputs()
		memory += q.Entries[n].Size()
		if q.Entries[n].place != nil {
			end, place = n+1, q.Entries[n].place
		}
	}
	if place == nil {
		end = n
	}
	return end, place
}

// Take returns the next batch, or nil if the queue is empty. Take implements reading.Queue.
func (q *Queue) Take(consumed int64, _ bool) reading.Batch {
	if !q.Any() {
		return nil
	}
	b := &Batch{Part: reading.Part{Read: consumed}}
	end, place := q.next()
	b.After = place
	var block []byte
	for _, e := range q.Entries[:end] {
		q.n -= e.Inputs()
		q.memory -= e.Size()
		b.Memory += e.Size()
		b.Ended.Merge(e.blocks)
		if other := e.Block(); other != nil && (block == nil || &other[0] != &block[0]) {
			block = other
			b.Memory += int64(len(block))
		}
		b.Pieces = append(b.Pieces, e.Piece)
	}
	q.Entries = slices.Delete(q.Entries, 0, end)
	return b
}

// A Batch implements reading.Batch.
type Batch struct {
	reading.Part // Memory includes the blocks that hold the scripts
	Pieces       []Piece
}

func (b *Batch) Expand(emit func(*reading.Unit)) {
	x := Expander{Emit: emit}
	for _, p := range b.Pieces {
		p.Expand(&x)
	}
}

// MalformedBlock returns the verdict Malformed on the block with header h, with the given reason.
func MalformedBlock(where reading.Where, h *wireform.Header, reason string) *Decided {
	return &Decided{Where: where, Kind: "block", Decided: reading.Malformed,
		Reason: fmt.Sprintf("block %v: %s", h.Hash, reason)}
}
