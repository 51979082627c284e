// Package units turns judged inputs into reading.Units, and collects them into batches.
package units

import (
	"fmt"

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

// A Piece is a part of a batch: some inputs of a parsed transaction, a verdict that is known
// already, a transaction that Expand parses, or the check of a whole block. Expand passes its units
// on.
type Piece interface {
	reading.Piece
	Expand(x *Expander)
}

// A span is the inputs from, …, to-1 of a transaction.
type span struct {
	t        *Transaction
	from, to int
	memory   int64 // the span's share of the transaction's memory, without t.Block
}

func (s span) Expand(x *Expander) { x.Transaction(s.t, s.from, s.to) }
func (s span) Rows() int          { return s.to - s.from }
func (s span) Size() int64        { return s.memory + int64(s.Rows())*reading.RowSize }

// A Decided is a reading.Unit whose verdict the reader has decided.
type Decided reading.Unit

func (v *Decided) Expand(x *Expander) { x.Unit = reading.Unit(*v); x.Emit(&x.Unit) }
func (v *Decided) Rows() int          { return 1 }
func (v *Decided) Size() int64        { return reading.RowSize }

// A Queue collects pieces into batches.
type Queue struct{ reading.Pieces[Piece] }

// Ended records that a block was read to its end. A negative height is unknown.
func (q *Queue) Ended(n consensus.Network, height int32, hash chainhash.Hash) {
	var b reading.Blocks
	b.Add("bitcoin "+n.String(), int64(height), hash.String())
	q.Pieces.Ended(b)
}

// Mark records that reading can resume at place, after the piece that was added last.
func (q *Queue) Mark(place *reading.Place) {
	q.Pieces.Mark(func() *reading.Place { return place })
}

const (
	// spanInputs is the maximum number of inputs of a span.
	spanInputs = 64

	// shares is the maximum number of spans of a transaction over which the transaction's memory is
	// divided. Usually at least that many of its spans are in progress at a time, so together they
	// account for the whole memory.
	shares = 4
)

// Transaction adds all inputs of t to the queue, split into spans.
func (q *Queue) Transaction(t *Transaction) {
	spent := t.SpentScripts()
	if spent > wireform.MaxSpentScripts {
		q.Add(t.OverSpent())
		return
	}
	n := len(t.Tx.TxIn)
	held, scratch := memory(t.Tx)
	each := (held+spent)/min(shares, (n+spanInputs-1)/spanInputs) + scratch + 3*spent
	for from := 0; from < n; from += spanInputs {
		q.Add(span{t, from, min(from+spanInputs, n), int64(each)})
	}
}

// Take implements reading.Queue. The size of a batch includes the blocks that hold the scripts.
func (q *Queue) Take(consumed int64) reading.Batch {
	q.Expand = func(pieces []Piece, emit func(*reading.Unit)) {
		x := Expander{Emit: emit}
		for _, p := range pieces {
			p.Expand(&x)
		}
	}
	b := q.Cut(consumed)
	if b == nil {
		return nil
	}
	var block []byte
	for _, p := range b.Pieces {
		s, ok := p.(span)
		if ok && s.t.Block != nil && (block == nil || &s.t.Block[0] != &block[0]) {
			block = s.t.Block
			b.Memory += int64(len(block))
		}
	}
	return b
}

// MalformedBlock returns the verdict Malformed on the block with header h, with the given reason.
func MalformedBlock(where reading.Where, h *wireform.Header, reason string) *Decided {
	return &Decided{Where: where, Kind: "block", Decided: reading.Malformed,
		Reason: fmt.Sprintf("block %v: %s", h.Hash, reason)}
}
