package ethereum

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// RLP returns a reader of RLP-encoded blocks, one after the other. If a file is truncated, the
// complete transactions before its end are judged. Only one transaction is held in memory at a
// time; the lists around it are tracked by their lengths.
func RLP(src reading.Source, opt Options) reading.Reader {
	r := &rlpReader{
		src: src, opt: opt, place: between, in: bufio.NewReaderSize(src.Reader, 64<<10),
		queue: opt.queue(src.From),
	}
	if src.From != nil { // a resumed run starts after a block
		r.n, r.blocks = src.From.Offset, 1
	}
	r.Steps = reading.Steps{Queue: &r.queue, Step: func() error { return r.queue.refusal(r.step()) },
		// The next block may take long to arrive, so earlier blocks do not wait for it.
		Wait:     func() bool { return r.place == between && r.in.Buffered() == 0 },
		Position: func() int64 { return src.Position(r.n) }}
	return r
}

type rlpReader struct {
	reading.Steps
	src   reading.Source
	opt   Options
	in    *bufio.Reader
	n     int64 // number of bytes read
	queue queue

	place  place
	block  uint64 // number of bytes of the block still to be read
	list   uint64 // number of those bytes that belong to the list of transactions
	blocks int
	number uint64
	rules  *rules
	index  int
	sum    *blockSum
	parts  int // number of lists read after the transactions
}

// A place tells which part of a block comes next.
type place uint8

const (
	between place = iota + 1 // before a block
	inTransactions
	afterTransactions // before the uncles or the withdrawals
)

// fail returns err as an error at the reader's position. label, the name of the item being read,
// begins the error's text.
func (r *rlpReader) fail(label string, err error) error {
	return &reading.Error{File: r.src.Name, Offset: r.n, Err: fmt.Errorf("%s: %s", label, reason(err))}
}

// ended returns the error for a read that failed with err after n bytes.
func (r *rlpReader) ended(n int, err error) error {
	r.n += int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the file ends in the middle of a block")
	}
	return &reading.Error{File: r.src.Name, Offset: r.n, Err: err}
}

// step reads one transaction or one other part of a block.
func (r *rlpReader) step() error {
	switch r.place {
	case inTransactions:
		if r.list == 0 {
			r.place = afterTransactions
			return nil
		}
		return r.transaction()
	case afterTransactions:
		if r.block == 0 {
			r.place = between
			switch {
			case r.parts == 0:
				r.sum.flaw("it has no list of uncles")
			case r.parts == 1 && r.sum.header.Header[wire.WithdrawalsRoot] != nil:
				r.sum.flaw("its header has a root of withdrawals, and it has no list of them")
			}
			r.queue.end(r.sum)
			r.queue.mark(&reading.Place{Offset: r.n})
			return nil
		}
		return r.part()
	}
	return r.begin()
}

// begin reads a block up to the start of its first transaction.
func (r *rlpReader) begin() error {
	if _, err := r.in.Peek(1); err == io.EOF {
		if r.blocks == 0 {
			return &reading.Error{File: r.src.Name, Offset: 0, Err: errors.New("an empty file")}
		}
		return io.EOF
	}
	h, err := r.head("block", maxBlock+9)
	if err == nil && !h.List {
		err = r.fail("block", errNoBlock)
	}
	if err == nil {
		err = r.enter(h)
	}
	if err != nil {
		return err
	}
	r.blocks++
	r.block = h.Size

	const what = "the header of a block"
	if h, err = r.head(what, r.block); err != nil {
		return err
	}
	if total(h) > maxHeader {
		return r.fail(what, fmt.Errorf("%d bytes, more than the %d that it may have", total(h),
			maxHeader))
	}
	r.block -= total(h)
	at := r.n
	header, err := r.read(h)
	if err != nil {
		return err
	}
	var all wire.Header
	flaw, err := decodeHeader(header, &all)
	if err != nil {
		r.n = at
		return r.fail(what, err)
	}
	number, time := all.Uint64(wire.Number), all.Uint64(wire.Timestamp)
	r.sum = &blockSum{where: reading.In(r.src.Name), chain: r.opt.Chain, number: &number, time: &time}
	if flaw != "" {
		r.sum.flaw(flaw)
	}
	for _, f := range vital {
		r.sum.header.Header[f] = bytes.Clone(all[f])
	}
	r.sum.header.Header[wire.WithdrawalsRoot] = bytes.Clone(all[wire.WithdrawalsRoot])
	r.number = number
	r.sum.where.Offset, r.sum.where.Block = at, height(r.number)
	hash := keccak256(header)
	r.sum.header.hash = hash[:]
	rules := r.opt.Chain.rulesAt(number, time)
	r.rules = &rules

	if h, err = r.head("the transactions of a block", r.block); err != nil {
		return err
	}
	if !h.List {
		return r.fail("the transactions of a block", wire.ErrExpectedList)
	}
	r.block -= total(h)
	r.list = h.Size
	r.place, r.index, r.parts = inTransactions, 0, 0
	return r.enter(h)
}

// vital lists the fields of a header without which its block cannot be judged.
var vital = []wire.HeaderField{wire.ParentHash, wire.UnclesHash, wire.TransactionsRoot, wire.Number,
	wire.Timestamp}

// decodeHeader sets h to the header that raw encodes. If a field is malformed that is not vital, or
// if there are too many, flaw says so.
func decodeHeader(raw []byte, h *wire.Header) (flaw string, err error) {
	err = h.Decode(raw)
	if err == nil || h[wire.Nonce] == nil { // the last field that every header has
		return "", err
	}
	for _, f := range vital {
		if wrong := f.Check(h[f]); wrong != nil {
			return "", &wire.FieldError{Field: f.String(), Err: wrong}
		}
	}
	return "its header: " + reason(err), nil
}

// part reads the list of uncles or, since Shanghai, of withdrawals. It stores the hash or root of
// the list, to be compared with the one in the header.
func (r *rlpReader) part() error {
	const what = "a part of the block behind its transactions"
	h, err := r.head(what, r.block)
	if err != nil {
		return err
	}
	r.block -= total(h)
	r.parts++
	if r.parts > 2 {
		r.sum.flaw("it has an item behind its withdrawals")
		return r.discard(h)
	}
	if total(h) > maxList {
		return r.fail(what, fmt.Errorf("%d bytes, more than the %d that it may have", total(h), maxList))
	}
	raw, err := r.read(h)
	if err != nil {
		return err
	}
	x := newExpander(nil)
	defer x.Release()
	if r.parts == 1 {
		sum := keccak256(raw)
		r.sum.uncles = &sum
		if !areHeaders(raw) {
			r.sum.flaw("its uncles are not a list of headers")
		}
		return nil
	}
	if r.sum.header.Header[wire.WithdrawalsRoot] == nil {
		r.sum.flaw("it has withdrawals, and its header no root of them")
	}
	var leaves []*leaf
	content, _, err := wire.SplitList(raw)
	for err == nil && len(content) > 0 {
		if len(leaves) == maxTransactions {
			return r.fail("the withdrawals of a block", fmt.Errorf("more than %d", maxTransactions))
		}
		var rest []byte
		if _, _, rest, err = wire.Split(content); err == nil {
			item := content[:len(content)-len(rest)]
			if !isWithdrawal(item) {
				r.sum.flaw("a withdrawal is not a list of two numbers, an address and an amount")
			}
			leaves = append(leaves, x.newLeaf(len(leaves), item))
			content = rest
		}
	}
	if err != nil {
		return r.fail("the withdrawals of a block", err)
	}
	root, _ := x.root(leaves)
	r.sum.withdrawals = &root
	return nil
}

var errNoBlock = errors.New("not the beginning of one")

// total returns the length in bytes of the item with head h.
func total(h wire.Head) uint64 { return uint64(h.Width) + h.Size }

// head parses the head of the next item without consuming it. remaining is the number of unread
// bytes of the list around the item. label names the item in errors.
func (r *rlpReader) head(label string, remaining uint64) (h wire.Head, err error) {
	if remaining == 0 {
		return h, r.fail(label, wire.ErrTooFew)
	}
	b, err := r.in.Peek(1)
	if err == nil {
		b, err = r.in.Peek(max(1, wire.HeadWidth(b[0])))
	}
	if err != nil {
		return h, r.ended(len(b), err)
	}
	if h, err = wire.ParseHead(b); err != nil {
		return h, r.fail(label, err)
	}
	if h.Size > remaining-min(remaining, uint64(h.Width)) {
		if label == "block" {
			return h, r.fail(label, errNoBlock)
		}
		return h, r.fail(label, wire.ErrTooLarge)
	}
	return h, nil
}

// enter consumes the head of a list.
func (r *rlpReader) enter(h wire.Head) error {
	n, err := r.in.Discard(h.Width)
	if err != nil {
		return r.ended(n, err)
	}
	r.n += int64(n)
	return nil
}

// read reads the item with head h. The result includes the head.
func (r *rlpReader) read(h wire.Head) ([]byte, error) {
	b := make([]byte, total(h))
	n, err := io.ReadFull(r.in, b)
	if err != nil {
		return nil, r.ended(n, err)
	}
	r.n += int64(n)
	return b, nil
}

// discard skips the item with head h.
func (r *rlpReader) discard(h wire.Head) error {
	n, err := io.CopyN(io.Discard, r.in, int64(total(h)))
	r.n += n
	if err != nil {
		return r.ended(0, err)
	}
	return nil
}

// flaw records the reason why the block is malformed. If the same reason is recorded already, it
// does nothing.
func (s *blockSum) flaw(reason string) {
	if !slices.Contains(s.flaws, reason) {
		s.flaws = append(s.flaws, reason)
	}
}

// transaction queues one transaction. A legacy transaction is a list; any other is a string with
// its EIP-2718 encoding.
func (r *rlpReader) transaction() error {
	h, err := r.head(fmt.Sprintf("transaction %d of block %d", r.index, r.number), r.list)
	if err != nil {
		return err
	}
	r.list -= total(h)
	p := piece{where: reading.In(r.src.Name), rules: r.rules}
	p.of, p.sum = r.sum.transaction()
	p.where.Offset, p.where.Block, p.where.Index = r.n, height(r.number), r.index
	r.index++
	if h.Size > maxTransaction {
		p.over = tooLong(h.Size)
		r.queue.add(p)
		return r.discard(h)
	}
	if p.raw, err = r.read(h); err != nil {
		return err
	}
	if !h.List {
		p.raw, _, err = wire.SplitString(p.raw)
		switch {
		case err != nil:
			p.over = errors.New(reason(err))
		case len(p.raw) > 0 && p.raw[0] >= 0xc0:
			p.raw, p.over = nil, errors.New("a list, as a legacy transaction is, inside of a string")
		}
	}
	r.queue.add(p)
	return nil
}

// tooLong returns the error for a transaction of size bytes.
func tooLong(size uint64) error {
	return fmt.Errorf("%d bytes, more than the %d that a transaction can have", size, maxTransaction)
}
