package node

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// batchBlocks is the number of blocks in one batch request. A mainnet block takes about 0.5 MB of
// JSON, and nodes refuse to send more than 25 MB (go-ethereum's default).
const batchBlocks = 8

// maxTip limits the number of the last block that a node may report. A chain with one block per
// millisecond would reach it after 8,900 years. The limit keeps sums of block numbers from
// overflowing.
const maxTip = 1<<48 - 1

// An Ethereum is an Ethereum node.
type Ethereum struct {
	Chain ethereum.Chain // the chain that the node reports
	Tip   int64          // number of the node's last block when the method Ethereum asked

	c *Client
}

// Ethereum asks the node for its chain and its last block.
func (c *Client) Ethereum(ctx context.Context) (*Ethereum, error) {
	id, err := c.quantity(ctx, "eth_chainId")
	if err != nil {
		return nil, err
	}
	chain, ok := ethereum.ParseChain(strconv.FormatUint(id, 10))
	if !ok {
		return nil, fmt.Errorf("%s: there is no chain of id %d", c.name, id)
	}
	tip, err := c.quantity(ctx, "eth_blockNumber")
	if err != nil {
		return nil, err
	}
	if tip > maxTip {
		return nil, fmt.Errorf("%s: eth_blockNumber: the node says that its last block is %d, and no "+
			"chain has that many blocks", c.name, tip)
	}
	return &Ethereum{Chain: chain, Tip: int64(tip), c: c}, nil
}

// quantity calls a method whose result is a number, in hexadecimal after 0x.
func (c *Client) quantity(ctx context.Context, method string) (uint64, error) {
	var text string
	if err := c.call(ctx, maxSmall, &text, method); err != nil {
		return 0, err
	}
	digits, ok := strings.CutPrefix(text, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%s: %s: the answer is no number of 64 bits", c.name, method)
	}
	return n, nil
}

// Reader returns a reader of the blocks with the numbers first to last, both included. Canceling
// ctx ends the reading.
func (e *Ethereum) Reader(ctx context.Context, first, last int64) rows.Reader {
	links := new(ethereum.Links)
	open := func(ctx context.Context, n, last, before int64) (*answer, error) {
		return e.open(ctx, n, last, before, links)
	}
	return &reader{ctx: ctx, name: e.c.name, next: first, to: last, open: open}
}

// open requests up to batchBlocks blocks: block n and its successors, but none after the block with
// the number last. before is the number of bytes that earlier responses had, and links compares the
// blocks with those of earlier responses.
func (e *Ethereum) open(ctx context.Context, n, last, before int64, links *ethereum.Links) (*answer,
	error) {
	next := min(n+batchBlocks, last+1)
	var batch []request
	w := wantedNumbers{}
	for i := n; i < next; i++ {
		batch = append(batch, e.c.request("eth_getBlockByNumber", fmt.Sprintf("%#x", i), true))
		w[uint64(i)] = true
	}
	text, err := e.c.post(ctx, batch, e.c.most)
	if err != nil {
		return nil, err
	}
	src := rows.Source{Name: e.c.name, Reader: text,
		Consumed: func() int64 { return before + text.taken.Load() }}
	opt := ethereum.Options{Chain: e.Chain, Found: w.found, Links: links}
	return &answer{rows: ethereum.JSON(src, opt), taken: text.taken.Load, close: text.Close,
		next: next, done: func() error { return w.done(n, next) }}, nil
}

// wantedNumbers holds the numbers of requested blocks that have not arrived. The responses in a
// batch may come in any order.
type wantedNumbers map[uint64]bool

func (w wantedNumbers) found(number *uint64) error {
	switch {
	case number == nil:
		return errors.New("a block without its number")
	case !w[*number]:
		return fmt.Errorf("block %d was not asked for, or comes a second time", *number)
	}
	delete(w, *number)
	return nil
}

// done returns an error unless all blocks with the numbers start, …, end-1 have arrived.
func (w wantedNumbers) done(start, end int64) error {
	for n := start; n < end; n++ {
		if w[uint64(n)] {
			return fmt.Errorf("no block %d in the answer", n)
		}
	}
	return nil
}
