package reading

import "slices"

// A Piece is a part of a batch.
type Piece interface {
	// Rows returns about how many Units the piece gives.
	Rows() int
	// Size returns the piece's part of Batch.Size.
	Size() int64
}

// A batch of pieces is complete at pieceRows rows, or at pieceBytes bytes if it has fewer. That is
// enough to be worth a goroutine's time, and few enough to spread a block over many goroutines.
const (
	pieceRows  = 64
	pieceBytes = 1 << 20
)

// A Pieces is a Queue of pieces that divides them into batches.
type Pieces[P Piece] struct {
	// Expand calls emit with the Units of the pieces of a batch.
	Expand func(pieces []P, emit func(*Unit))

	entries []entry[P]
	rows    int
	bytes   int64
}

// An entry is a piece with the marks after it. The first entry may have marks alone, which follow a
// piece that has left the queue.
type entry[P Piece] struct {
	pieces []P           // one piece, or none
	blocks Blocks        // blocks that end after the piece
	place  func() *Place // returns the place after the piece; nil if reading cannot resume there
}

// Add appends a piece.
func (q *Pieces[P]) Add(p P) {
	q.entries = append(q.entries, entry[P]{pieces: []P{p}})
	q.rows += p.Rows()
	q.bytes += p.Size()
}

// last returns the entry to which marks are added.
func (q *Pieces[P]) last() *entry[P] {
	if len(q.entries) == 0 {
		q.entries = append(q.entries, entry[P]{})
	}
	return &q.entries[len(q.entries)-1]
}

// Ended records blocks that end after the piece that was added last.
func (q *Pieces[P]) Ended(blocks Blocks) { q.last().blocks.Merge(blocks) }

// Mark records that reading can resume after the piece that was added last, at the place that the
// function returns. If that piece has left the queue, the next batch has this place, and may have
// no pieces.
func (q *Pieces[P]) Mark(place func() *Place) { q.last().place = place }

// Any implements Queue.
func (q *Pieces[P]) Any() bool { return len(q.entries) > 0 }

// Full implements Queue.
func (q *Pieces[P]) Full() bool { return q.rows >= pieceRows || q.bytes >= pieceBytes }

// Drain empties the queue and returns its pieces.
func (q *Pieces[P]) Drain() (pieces []P) {
	for _, e := range q.entries {
		pieces = append(pieces, e.pieces...)
	}
	*q = Pieces[P]{Expand: q.Expand}
	return pieces
}

// Take implements Queue.
func (q *Pieces[P]) Take(consumed int64) Batch {
	if b := q.Cut(consumed); b != nil {
		return b
	}
	return nil
}

// Cut does the work of Take. If there are places in a batch from which reading can resume, the
// batch ends at the last of them.
func (q *Pieces[P]) Cut(consumed int64) *PieceBatch[P] {
	if len(q.entries) == 0 {
		return nil
	}
	n, end, rows, bytes := 0, 0, 0, int64(0)
	for n < len(q.entries) && rows < pieceRows && bytes < pieceBytes {
		e := &q.entries[n]
		for _, p := range e.pieces {
			rows += p.Rows()
			bytes += p.Size()
		}
		if n++; e.place != nil {
			end = n
		}
	}
	b := &PieceBatch[P]{Part: Part{Read: consumed}, expand: q.Expand}
	if end > 0 {
		n, b.After = end, q.entries[end-1].place()
	}
	for _, e := range q.entries[:n] {
		for _, p := range e.pieces {
			q.rows -= p.Rows()
			q.bytes -= p.Size()
			b.Memory += p.Size()
		}
		b.Pieces = append(b.Pieces, e.pieces...)
		b.Ended.Merge(e.blocks)
	}
	q.entries = slices.Delete(q.entries, 0, n)
	return b
}

// A PieceBatch is a Batch from a queue of pieces.
type PieceBatch[P Piece] struct {
	Part
	Pieces []P
	expand func(pieces []P, emit func(*Unit))
}

// Expand implements Batch.
func (b *PieceBatch[P]) Expand(emit func(*Unit)) { b.expand(b.Pieces, emit) }
