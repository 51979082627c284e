package ethereum

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// A block is a block as it was read, or a transaction that was read alone.
type block struct {
	where reading.Where
	rules rules
	lone  bool // a transaction that was read alone

	// decided, if not Unchecked, is the verdict on the block. Nothing more is judged then.
	decided reading.Verdict
	reason  string

	isJSON bool
	list   []byte   // JSON: the list txs, before expand splits it
	txs    [][]byte // the transactions: items of a list in RLP, or values in JSON
	first  int64    // RLP: offset of the first transaction
	rows   int      // upper bound on the number of transactions
	items  int      // number of withdrawals, and in JSON of entries in the transactions' lists
	held   int      // number of bytes as read that the block keeps in memory

	header  wire.Header // the fields that are known
	hash    []byte      // 32 bytes; nil if unknown
	unknown bool        // the block has fields that the format does not define
	flaws   []string

	withdrawals [][]byte // in RLP; nil if there is no list
	uncles      []byte   // the list in RLP, or nil
}

// flaw records a reason why the block is malformed, unless there are enough reasons already.
func (b *block) flaw(format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	if len(b.flaws) < 4 && !slices.Contains(b.flaws, reason) {
		b.flaws = append(b.flaws, reason)
	}
}

// Rows implements reading.Piece.
func (b *block) Rows() int { return b.rows + 1 }

// Size implements reading.Piece. The block is held as it was read, with the messages that are
// signed, and leaves of tries. In JSON every byte takes two digits; the encoded transactions are
// held too, and the lists and the data of one transaction are decoded.
func (b *block) Size() int64 {
	return int64(3*b.held + perItem*b.items + b.Rows()*(reading.RowSize+perRow))
}

// expand calls emit with the reading.Units of the blocks.
func expand(blocks []*block, emit func(*reading.Unit)) {
	for _, b := range blocks {
		b.expand(emit)
	}
}

func (b *block) expand(emit func(*reading.Unit)) {
	if b.decided != reading.Unchecked {
		u := reading.Unit{Where: b.where, Decided: b.decided, Reason: b.reason}
		if !b.lone {
			u.Kind = "block"
		}
		emit(&u)
		return
	}
	if b.list != nil {
		b.txs = elements(b.list)
	}
	x := expander{block: b}
	items := make([]item, len(b.txs))
	var raws, messages [][]byte
	offset := b.first
	for i, tx := range b.txs {
		x.item = &items[i]
		x.unit = reading.Unit{Where: b.where, Scheme: reading.Recover}
		if !b.lone {
			x.unit.Where.Index = i
		}
		if !b.isJSON {
			x.unit.Where.Offset = offset
			offset += int64(len(tx))
		}
		x.read(tx)
		raws, messages = append(raws, x.raw), append(messages, x.message)
	}
	ids, digests := batch.AppendKeccak256(nil, raws), batch.AppendKeccak256(nil, messages)
	for i := range items {
		items[i].finish(&ids[i], &digests[i])
		emit(&items[i].unit)
	}
	if b.lone {
		return
	}
	if v, reason := b.judge(raws); v != reading.Unchecked {
		emit(&reading.Unit{Where: b.where, Kind: "block", Decided: v, Reason: reason})
	}
}

// elements returns the elements of a list in JSON.
func elements(list []byte) (all [][]byte) {
	d := reading.NewDecoder(list)
	d.ReadToken()
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			break // unreachable: the reader has checked the list
		}
		end := d.InputOffset()
		all = append(all, list[end-int64(len(value)):end])
	}
	return all
}

// judge returns the verdict on the block as a whole, and its reason. The verdict is Unchecked if
// the block has no flaw. raws are the encoded transactions; one is nil if it was not encoded.
func (b *block) judge(raws [][]byte) (v reading.Verdict, reason string) {
	h := &b.header
	differ := func(f wire.HeaderField, is [32]byte) {
		if h[f] != nil && !bytes.Equal(h[f], is[:]) {
			b.flaw("%q is not 0x%x", f, is)
		}
	}
	if !slices.ContainsFunc(raws, func(raw []byte) bool { return raw == nil }) {
		differ(wire.TransactionsRoot, root(raws))
	}
	if b.withdrawals != nil {
		differ(wire.WithdrawalsRoot, root(b.withdrawals))
	}
	if b.uncles != nil {
		differ(wire.UnclesHash, keccak256(b.uncles))
	}
	if is := keccak256(h.Append(nil)); b.isJSON && h.IsComplete() && b.hash != nil &&
		!bytes.Equal(is[:], b.hash) {
		if b.unknown && len(b.flaws) == 0 {
			return reading.NotCheckable, fmt.Sprintf("the fields of the block hash to 0x%x, which is not "+
				"its \"hash\": they were changed, or a field that the format does not define belongs to "+
				"them", is)
		}
		b.flaw("the fields of the block hash to 0x%x, and its \"hash\" is another", is)
	}
	switch {
	case len(b.flaws) > 0:
		return reading.Malformed, strings.Join(b.flaws, "; ")
	case h[wire.TransactionsRoot] == nil:
		return reading.NotCheckable, "no \"transactionsRoot\": nothing shows that these are its " +
			"transactions"
	}
	return reading.Unchecked, ""
}

// Options holds the settings that all readers share.
type Options struct {
	Chain Chain
	// Found, if not nil, is called by the JSON reader after the fields of each block have been
	// read. It gets the block's number, or the greatest one if the block has none. If it returns an
	// error, reading ends.
	Found func(number uint64) error
	// Links, if not nil, compares the blocks of several readers with each other.
	Links *Links
}

// A queue collects blocks into batches.
type queue struct {
	reading.Pieces[*block]
	chain Chain
	links *Links
}

// newQueue returns the queue of a reader that begins at the place start, or at the beginning of the
// file if start is nil.
func newQueue(opt Options, start *reading.Place) *queue {
	q := &queue{reading.Pieces[*block]{Expand: expand}, opt.Chain, opt.Links}
	if q.links == nil {
		q.links = linksAt(start)
	}
	return q
}

// end adds a block, which was read to its end. Reading can resume at place after it.
func (q *queue) end(b *block, place *reading.Place) {
	number, time := b.number(wire.Number), b.number(wire.Timestamp)
	b.where.Block = height(number)
	b.rules = q.chain.rulesAt(number, time)
	ended := reading.Blocks{Parts: 1, Unvouched: 1} // as a pending block, which has no hash yet
	hash := ""
	if b.hash != nil {
		hash = fmt.Sprintf("0x%x", b.hash)
		if parent := b.header[wire.ParentHash]; parent != nil && number != latest && time != latest {
			var broken string
			broken, ended.Parts, ended.Unvouched = q.links.add(q.chain, link{Number: number, Time: time,
				Hash: [32]byte(b.hash), Parent: [32]byte(parent)})
			ended.Branches = ended.Unvouched - ended.Parts
			if broken != "" {
				b.flaw("%s", broken)
			}
		}
	}
	ended.Add(q.chain.String(), int64(b.where.Block), hash)
	q.Add(b)
	q.Ended(ended)
	links := Links{slices.Clone(q.links.Recent)}
	q.Mark(func() *reading.Place { return links.place(place) })
}

// number returns the value of a number in the header, or latest if it is unknown.
func (b *block) number(f wire.HeaderField) uint64 {
	if b.header[f] == nil {
		return latest
	}
	return b.header.Uint64(f)
}

// height converts a block number to the type of reading.Where.Block.
func height(number uint64) int32 {
	if number > math.MaxInt32 {
		return -1
	}
	return int32(number)
}
