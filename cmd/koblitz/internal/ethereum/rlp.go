package ethereum

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// RLP returns a reader of RLP-encoded blocks, one after the other.
func RLP(src reading.Source, opt Options) reading.Reader {
	r := &rlpReader{file: src.Name, in: bufio.NewReaderSize(src.Reader, 64<<10),
		n: src.From.Skipped(), some: src.From != nil, queue: newQueue(opt, src.From)}
	r.Steps = reading.Steps{Queue: r.queue, Step: r.step,
		// The next block may take long to arrive, so earlier blocks do not wait for it.
		Wait:     func() bool { return r.in.Buffered() == 0 },
		Position: func() int64 { return src.Position(r.n) }}
	return r
}

type rlpReader struct {
	reading.Steps
	file  string
	in    *bufio.Reader
	n     int64 // number of bytes read
	some  bool  // a block was read
	queue *queue
}

// fail returns err as an error at the reader's position.
func (r *rlpReader) fail(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the file ends in the middle of a block")
	}
	return &reading.Error{File: r.file, Offset: r.n, Err: err}
}

// step reads one block.
func (r *rlpReader) step() error {
	first, err := r.in.Peek(1)
	switch {
	case err == io.EOF && r.some:
		return err
	case err == io.EOF:
		return r.fail(errors.New("an empty file"))
	case err != nil:
		return r.fail(err)
	}
	head, err := r.in.Peek(max(1, wire.HeadWidth(first[0])))
	if err != nil {
		r.n += int64(len(head))
		return r.fail(err)
	}
	h, err := wire.ParseHead(head)
	switch {
	case err != nil:
		return r.fail(fmt.Errorf("block: %s", reason(err)))
	case !h.List:
		return r.fail(errors.New("block: RLP: not the beginning of one"))
	case h.Size > maxBlock:
		return r.fail(fmt.Errorf("block: RLP: %d bytes, more than the %d of a block", h.Size, maxBlock))
	}
	raw := make([]byte, h.Width+int(h.Size))
	at := r.n
	n, err := io.ReadFull(r.in, raw)
	if r.n += int64(n); err != nil {
		return r.fail(err)
	}
	r.some = true
	b := &block{where: reading.In(r.file), held: len(raw)}
	b.where.Offset = at + int64(h.Width)
	if err := b.decode(raw[h.Width:]); err != nil {
		b.flaw("%v", err)
	}
	r.queue.end(b, &reading.Place{Offset: r.n})
	return nil
}

// decode sets b to the block whose parts are the items in raw: the header, the transactions, the
// uncles and, since Shanghai, the withdrawals.
func (b *block) decode(raw []byte) error {
	header, raw, err := splitItem(raw)
	if err != nil {
		return fmt.Errorf("its header: %s", reason(err))
	}
	hash := keccak256(header)
	b.hash = hash[:]
	if err := b.header.Decode(header); err != nil {
		b.flaw("its header: %s", reason(err))
		b.header[wire.ParentHash] = nil // it may have another length; the block is not linked
	}
	if h, err := wire.ParseHead(raw); err == nil {
		b.first = b.where.Offset + int64(len(header)+h.Width)
	}
	b.txs, raw, err = splitItems(raw)
	if b.rows = len(b.txs); err != nil {
		return fmt.Errorf("its transactions: %s", reason(err))
	}
	if b.uncles, raw, err = splitItem(raw); err != nil {
		return fmt.Errorf("its uncles: %s", reason(err))
	}
	uncles, _, err := splitItems(b.uncles)
	for _, uncle := range uncles {
		err = errors.Join(err, new(wire.Header).Decode(uncle))
	}
	if err != nil {
		b.flaw("its uncles are not a list of headers")
	}
	if hasRoot := b.header[wire.WithdrawalsRoot] != nil; hasRoot != (len(raw) > 0) {
		b.flaw("it has a list of withdrawals, or its header a root of them, but not both")
	}
	if len(raw) == 0 {
		return nil
	}
	if b.withdrawals, raw, err = splitItems(raw); err != nil {
		return fmt.Errorf("its withdrawals: %s", reason(err))
	}
	b.items = len(b.withdrawals)
	for _, w := range b.withdrawals {
		if !isWithdrawal(w) {
			b.flaw("%v", errWithdrawal)
		}
	}
	if len(raw) > 0 {
		b.flaw("it has an item behind its withdrawals")
	}
	return nil
}

// splitItem returns the first item of b, with its head, and the bytes after it.
func splitItem(b []byte) (item, rest []byte, err error) {
	if _, _, rest, err = wire.Split(b); err != nil {
		return nil, nil, err
	}
	n := len(b) - len(rest)
	return b[:n:n], rest, nil
}

// splitItems returns the items in the list that is the first item of b, and the bytes after it. The
// list may have at most maxTransactions items.
func splitItems(b []byte) (items [][]byte, rest []byte, err error) {
	list, rest, err := wire.SplitList(b)
	items = [][]byte{}
	for err == nil && len(list) > 0 {
		if len(items) == maxTransactions {
			return items, nil, fmt.Errorf("more than %d items", maxTransactions)
		}
		var item []byte
		if item, list, err = splitItem(list); err == nil {
			items = append(items, item)
		}
	}
	return items, rest, err
}
