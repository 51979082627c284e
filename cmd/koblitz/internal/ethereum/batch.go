package ethereum

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Options holds the settings that all readers share.
type Options struct {
	Chain Chain
	// Found, if not nil, is called by the JSON reader after the fields of each block have been
	// read. It gets the block's number, or nil if the block has none. If it returns an error,
	// reading ends.
	Found func(number *uint64) error
	// Links, if not nil, compares the blocks of several readers with each other.
	Links *Links
}

// queue returns the queue of a reader that begins at the place start, or at the beginning of the
// file if start is nil.
func (o *Options) queue(start *reading.Place) queue {
	q := queue{guard: newGuard(o.Chain, start), links: o.Links}
	if q.links == nil {
		q.links = linksAt(start)
	}
	return q
}

// A piece is one transaction as it was read. Exactly one of the fields raw, json and over is set.
// All three are empty in a piece that has the field nothing set, and in a piece that marks the end
// of a block.
type piece struct {
	raw  []byte          // the transaction as EIP-2718 encodes it
	json json.RawMessage // the transaction in JSON: an object or a string
	over error           // limit that the transaction exceeds, or why it was not read

	items int // JSON: number of entries in the transaction's lists
	where reading.Where
	rules *rules

	nothing bool // the piece represents a response without a block

	sum *txSum    // filled in when the transaction is parsed; may be nil
	of  *blockSum // the block that sum belongs to; if sum is nil, this piece is the block's end

	place *reading.Place // resume point after this piece, or nil
	links Links          // the blocks before that point
}

// size returns an upper bound on the memory in bytes that p takes until it is reported.
func (p *piece) size() int64 {
	n := perByte*int64(len(p.raw)) + perItem*int64(p.items) + perPiece + reading.RowSize +
		int64(p.copied())
	if text := int64(cap(p.json)); text > 0 {
		n += text + text/2 + perByte*(text/2)
	}
	if p.of != nil && p.sum == nil {
		n += perLeaf*int64(len(p.of.txs)) + perLinks
	}
	return n
}

// copied returns an upper bound on the number of bytes that p adds to a Hasher's Copies: the
// transaction's encoding (if p holds JSON), the signed message, and up to three trie leaves.
func (p *piece) copied() int {
	if n := p.encoded(); n <= maxTogether {
		return 5*n + perCopies
	}
	return 0
}

// usual returns the number of bytes that p normally adds to a Hasher's Copies, with one trie leaf.
func (p *piece) usual() int {
	switch n := p.encoded(); {
	case n > maxTogether:
		return 0
	case p.json != nil:
		return 3*n + perCopies
	default:
		return 2*n + perCopies
	}
}

// encoded returns an upper bound on the length of the encoded transaction.
func (p *piece) encoded() int { return max(len(p.raw), len(p.json)/2) }

const batchPieces = 128

// A queue collects transactions into batches.
type queue struct {
	pieces []piece
	bytes  int
	guard  chainGuard
	links  *Links
}

// add appends pieces (mostly transactions) to the queue. Once the file is refused, it adds nothing
// and drops the pieces that were held back in the queue.
func (q *queue) add(p ...piece) {
	for i := range p {
		if q.guard.refused != nil {
			return
		}
		if !q.guard.see(&p[i], len(q.pieces)) {
			ready := q.ready()
			for i := range q.pieces[ready:] {
				q.bytes -= q.pieces[ready+i].bytes()
			}
			clear(q.pieces[ready:])
			q.pieces = q.pieces[:ready]
			return
		}
		if p[i].sum != nil {
			p[i].of.read.Add(1)
		}
		q.pieces = append(q.pieces, p[i])
		q.bytes += p[i].bytes()
	}
}

// end appends the piece that marks the end of block s.
func (q *queue) end(s *blockSum) {
	s.linked(q.links)
	q.add(piece{of: s, where: s.where})
}

// ready returns the number of pieces (mostly transactions) that a batch may take. Pieces that are
// held back do not count.
func (q *queue) ready() int {
	if q.guard.held {
		return q.guard.first
	}
	return len(q.pieces)
}

// refusal returns the error with which the file was refused. If it was not refused, it returns err.
func (q *queue) refusal(err error) error {
	if q.guard.refused != nil {
		return q.guard.refused
	}
	return err
}

// mark records that reading can resume after the piece (transaction) that was added last.
func (q *queue) mark(place *reading.Place) {
	if n := len(q.pieces); n > 0 && q.guard.refused == nil {
		q.pieces[n-1].place = place
		q.pieces[n-1].links.recent = slices.Clone(q.links.recent)
	}
}

func (p *piece) bytes() int { return len(p.raw) + len(p.json) }

// Any implements reading.Queue.
func (q *queue) Any() bool { return len(q.pieces) > 0 }

// Full implements reading.Queue.
func (q *queue) Full() bool {
	if q.guard.held {
		return q.guard.first >= batchPieces
	}
	return len(q.pieces) >= batchPieces || q.bytes >= reading.BatchBytes
}

// Take returns a batch of the first pieces, or nil. If one of these pieces has a place where
// reading can resume, the batch ends at the last such piece. If soon is false, no input will come
// soon, and the queue releases the pieces that it holds back. Take implements reading.Queue.
func (q *queue) Take(consumed int64, soon bool) reading.Batch {
	if !soon {
		q.guard.held = false
	}
	ready := q.ready()
	if ready == 0 {
		return nil
	}
	b := &batch{Part: reading.Part{Read: consumed}}
	var links Links
	n := 0
	for bytes := 0; n < ready && n < batchPieces && bytes < reading.BatchBytes; n++ {
		bytes += q.pieces[n].bytes()
		if q.pieces[n].place != nil {
			b.After, links = q.pieces[n].place, q.pieces[n].links
		}
	}
	for b.After != nil && q.pieces[n-1].place != b.After {
		n--
	}
	for i := range n {
		p := &q.pieces[i]
		b.Memory += p.size()
		q.bytes -= p.bytes()
		if p.of != nil && p.sum == nil {
			b.Ended.Add(p.of.chain.String(), int64(p.of.where.Block), p.of.named())
			b.Ended.Roots += p.of.roots
			b.Ended.Leaves += p.of.leaves
		}
	}
	q.guard.first -= n
	b.After = links.place(q.guard.place(b.After))
	if n == len(q.pieces) {
		b.pieces = q.pieces
		q.pieces, q.bytes = nil, 0
		return b
	}
	b.pieces = append(b.pieces, q.pieces[:n]...)
	clear(q.pieces[:n]) // only the batch refers to these pieces now
	q.pieces = q.pieces[n:]
	return b
}

// A batch implements reading.Batch.
type batch struct {
	reading.Part
	pieces []piece
}

func (b *batch) Expand(emit func(*reading.Unit)) {
	x := newExpander(emit)
	defer x.Release()
	items := make([]item, len(b.pieces))
	room := 0
	for i := range b.pieces {
		room += b.pieces[i].usual()
	}
	x.Copies = slices.Grow(x.Copies, room)
	for i := range b.pieces {
		x.item = &items[i]
		x.read(&b.pieces[i])
	}
	x.Run()
	for i := range b.pieces {
		x.item = &items[i]
		p := &b.pieces[i]
		switch {
		case p.of == nil || p.sum != nil:
			x.finish()
			x.emit(&x.unit)
			if p.sum != nil {
				p.of.read.Done()
			}
		case p.of.judge(x):
			x.emit(&x.unit)
		}
	}
}

// read parses a piece. The end of a block is judged later, after the hashes have been computed.
func (x *expander) read(p *piece) {
	x.begin(p.where)
	x.sums = p.sum
	switch {
	case p.of != nil && p.sum == nil:
	case p.nothing:
		x.decide(reading.PassedOver, "")
	case p.over != nil:
		x.decide(reading.Malformed, "%v", p.over)
	case p.json == nil:
		x.encoded(p.raw, p.rules)
	case p.json[0] == '"':
		var d data
		if err := d.UnmarshalJSON(p.json); err != nil {
			x.decide(reading.Malformed, "%v", err)
			break
		}
		if len(d) > maxTransaction {
			x.decide(reading.Malformed, "%v", tooLong(uint64(len(d))))
			break
		}
		x.encoded(d, p.rules)
	default:
		x.object(p.json, p.rules)
	}
	if p.sum != nil && x.raw != nil {
		p.sum.leaf = x.newLeaf(p.where.Index, x.raw)
	}
	x.raw = nil
}

// height converts a block number to the type of reading.Where.Block.
func height(number uint64) int32 {
	if number > math.MaxInt32 {
		return -1
	}
	return int32(number)
}
