package node

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// maxTip limits the number of the last block that a node may report. A chain with one block per
// millisecond would reach it after 8,900 years. The limit keeps sums of block numbers from
// overflowing.
const maxTip = 1<<48 - 1

// An Ethereum is an Ethereum node.
type Ethereum struct {
	Chain ethereum.Chain // the chain that the node reports
	Tip   int64          // number of the node's last block when the method Ethereum asked

	c   *Client
	ctx context.Context // context of all requests
}

// Ethereum asks the node for its chain and its last block. Canceling ctx also ends later requests.
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
	return &Ethereum{Chain: chain, Tip: int64(tip), c: c, ctx: ctx}, nil
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

// Reader returns a reader of the blocks with the numbers first to last, both included.
func (e *Ethereum) Reader(first, last int64) reading.Reader {
	links := new(ethereum.Links) // compares blocks with those of earlier responses
	open := func(n, before int64) (*answer, error) {
		text, err := e.c.post(e.ctx, e.c.request("eth_getBlockByNumber", fmt.Sprintf("%#x", n), true),
			e.c.most)
		if err != nil {
			return nil, err
		}
		name := func(number uint64) string { return fmt.Sprintf("block %d", number) }
		w := &wanted{name: name(uint64(n))}
		opt := ethereum.Options{Chain: e.Chain, Links: links,
			Found: func(number uint64) error { return w.found(name(number)) }}
		return &answer{ethereum.JSON(e.c.source(text, before), opt), text, w}, nil
	}
	return &reader{ctx: e.ctx, name: e.c.name, next: first, to: last, open: open}
}
