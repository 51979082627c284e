package ethereum

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// maxBlock is more than any block has ever had, and keeps a file that is
	// something else from filling memory.
	maxBlock = 256 << 20
	maxItem  = 32 << 20
)

// RLP reads encoded blocks, one after the other. What stands whole before the
// place where a file breaks off is judged.
func RLP(src rows.Source, opt Options) rows.Reader {
	r := &rlpReader{src: src, opt: opt}
	r.in.r = bufio.NewReaderSize(src.Reader, 64<<10)
	r.stream = rlp.NewStream(&r.in, 0)
	return r
}

type rlpReader struct {
	src    rows.Source
	opt    Options
	in     counter
	stream *rlp.Stream
	queue  queue
	err    error

	place  place
	blocks int
	number uint64
	rules  *rules
	index  int
	sum    *blockSum
	behind int // parts read behind the transactions
}

// A place is where in a block the reader is.
type place uint8

const (
	between place = iota // blocks
	inTransactions
	behind // the transactions: uncles, withdrawals
)

func (r *rlpReader) Close() error { return nil }

func (r *rlpReader) Next() (rows.Batch, error) {
	for r.err == nil && !r.queue.full() && !(r.place == between && r.in.r.Buffered() == 0 && r.queue.any()) {
		r.err = r.step() // not beyond a block behind which more may be long in coming
	}
	if b := r.queue.take(r.src.Position(r.in.n)); b != nil {
		return b, nil
	}
	return nil, r.err
}

// fail is an error of the stream at the place to which it has come.
func (r *rlpReader) fail(what string, err error) error {
	switch {
	case r.in.err != nil && r.in.err != io.EOF:
		err = r.in.err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends in the middle of a block")
	default:
		err = fmt.Errorf("%s: %s", what, reason(err))
	}
	return &rows.Error{File: r.src.Name, Offset: r.in.n, Err: err}
}

// step reads on by one transaction or another part of a block.
func (r *rlpReader) step() error {
	switch r.place {
	case inTransactions:
		return r.transaction()
	case behind:
		raw, err := r.item("a part of the block behind its transactions")
		if err == rlp.EOL {
			r.place = between
			r.queue.add(piece{of: r.sum, where: r.sum.where})
			if err := r.stream.ListEnd(); err != nil {
				return r.fail("the end of the block", err)
			}
			return nil
		}
		if err == nil {
			err = r.part(raw)
		}
		return err
	}
	kind, size, err := r.stream.Kind()
	switch {
	case err == io.EOF && r.in.err == io.EOF && r.blocks > 0:
		return io.EOF
	case err == io.EOF && r.in.err == io.EOF && r.in.n == 0:
		return &rows.Error{File: r.src.Name, Offset: 0, Err: errors.New("an empty file")}
	case err == nil && (kind != rlp.List || size > maxBlock):
		err = errors.New("not the beginning of one")
	}
	if err != nil {
		return r.fail("block", err)
	}
	r.blocks++
	at := r.in.n
	if _, err := r.stream.List(); err != nil {
		return r.fail("block", err)
	}
	header, err := r.item("the header of a block")
	if err == rlp.EOL {
		err = r.fail("the header of a block", err)
	}
	if err != nil {
		return err
	}
	var time uint64
	r.sum = &blockSum{where: rows.In(r.src.Name)}
	if r.number, time, err = parseHeader(header, &r.sum.header); err != nil {
		return r.fail("the header of a block", err)
	}
	r.sum.where.Offset, r.sum.where.Block = at, height(r.number)
	rules := r.opt.Chain.rulesAt(r.number, time)
	r.rules = &rules
	if _, err := r.stream.List(); err != nil {
		return r.fail("the transactions of a block", err)
	}
	r.place, r.index, r.behind = inTransactions, 0, 0
	return nil
}

// part takes what the header names a hash of: the uncles, and since Shanghai
// the withdrawals.
func (r *rlpReader) part(raw []byte) error {
	x := newExpander(nil)
	switch r.behind {
	case 0:
		h := x.sum(raw)
		r.sum.uncles = &h
	case 1:
		content, _, err := rlp.SplitList(raw)
		var leaves []*leaf
		for err == nil && len(content) > 0 {
			var rest []byte
			if _, _, rest, err = rlp.Split(content); err == nil {
				leaves = append(leaves, x.newLeaf(len(leaves), content[:len(content)-len(rest)]))
				content = rest
			}
		}
		if err != nil {
			return r.fail("the withdrawals of a block", err)
		}
		root, _ := x.root(leaves)
		r.sum.withdrawals = &root
	default:
		r.sum.parts = true
	}
	r.behind++
	return nil
}

// item reads one item as it stands. The error at the end of a list is rlp.EOL;
// every other one says where it is.
func (r *rlpReader) item(what string) ([]byte, error) {
	_, size, err := r.stream.Kind()
	if err == nil && size > maxItem {
		err = fmt.Errorf("%d bytes", size)
	}
	var raw []byte
	if err == nil {
		raw, err = r.stream.Raw()
	}
	if err != nil && err != rlp.EOL {
		return nil, r.fail(what, err)
	}
	return raw, err
}

// parseHeader returns the number and the time of a block from its header, and
// puts what the rest of the block hashes to into h.
func parseHeader(raw []byte, h *header) (block, time uint64, err error) {
	rest, _, err := rlp.SplitList(raw)
	for f := parentHash; (f <= timestamp || f <= withdrawalsRoot && len(rest) > 0) && err == nil; f++ {
		var content []byte
		switch f {
		case number:
			block, rest, err = rlp.SplitUint64(rest)
		case timestamp:
			time, rest, err = rlp.SplitUint64(rest)
		case transactionsRoot, unclesHash, withdrawalsRoot:
			content, rest, err = rlp.SplitString(rest)
			if err == nil && len(content) != 32 {
				err = fmt.Errorf("%d bytes where a hash is wanted", len(content))
			}
			h[f] = "0x" + hex.EncodeToString(content)
		default:
			_, rest, err = rlp.SplitString(rest)
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("too few fields")
	}
	return block, time, err
}

// transaction queues one transaction: a list if it is a legacy one, otherwise a
// string that holds its encoding.
func (r *rlpReader) transaction() error {
	what := fmt.Sprintf("transaction %d of block %d", r.index, r.number)
	at := r.in.n
	raw, err := r.item(what)
	if err == rlp.EOL {
		if err := r.stream.ListEnd(); err != nil {
			return r.fail(what, err)
		}
		r.place = behind
		return nil
	}
	if err != nil {
		return err
	}
	kind, content, _, err := rlp.Split(raw)
	if err != nil {
		return r.fail(what, err)
	}
	if kind != rlp.List {
		raw = content
	}
	p := piece{raw: raw, where: rows.In(r.src.Name), rules: r.rules}
	p.of, p.sum = r.sum.transaction()
	p.where.Offset, p.where.Block, p.where.Index = at, height(r.number), r.index
	r.index++
	r.queue.add(p)
	return nil
}

// A counter counts the bytes that went through it. It reads byte by byte where
// the stream asks for it, so that the stream needs no buffer of its own.
type counter struct {
	r   *bufio.Reader
	n   int64
	err error
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err != nil {
		c.err = err
		return 0, err
	}
	c.n++
	return b, nil
}
