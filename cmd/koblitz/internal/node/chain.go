package node

import (
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A BestChain reads the blocks of a Bitcoin node by their heights. Several goroutines may use it.
type BestChain struct{ b *Bitcoin }

// BestChain returns the chain that the node considers the best one at each request. Canceling the
// context of b ends later calls.
func (b *Bitcoin) BestChain() *BestChain { return &BestChain{b} }

// Network returns the network that the node reports.
func (c *BestChain) Network() consensus.Network { return c.b.Network }

// Name returns the scheme and host of the node's address.
func (c *BestChain) Name() string { return c.b.c.name }

// Tip returns the height of the node's last block when it was first asked.
func (c *BestChain) Tip() int32 { return int32(c.b.Tip) }

// Damage returns nil: a node does not say that blocks are missing.
func (c *BestChain) Damage() error { return nil }

// Close does nothing.
func (c *BestChain) Close() error { return nil }

// Hash asks for the hash of the block at the given height.
func (c *BestChain) Hash(height int32) (chainhash.Hash, error) {
	return c.b.hash(c.b.ctx, int64(height))
}

// Raw asks for the block at the given height, and calls f with each transaction except its
// coinbase. It passes no spent outputs. It returns an error if the block is invalid as a whole.
func (c *BestChain) Raw(height int32, f prevouts.Visit) (prevouts.Header, error) {
	hash, err := c.Hash(height)
	if err != nil {
		return prevouts.Header{}, err
	}
	raw, err := c.b.raw(c.b.ctx, hash)
	if err != nil {
		return prevouts.Header{}, err
	}
	head, err := prevouts.VisitRaw(raw, c.b.Network, height, f)
	if err != nil {
		return head, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return head, nil
}

// Full does the work of Raw, and passes the outputs that each transaction spends. It also returns
// an error if they are not known.
func (c *BestChain) Full(height int32, f prevouts.Visit) (prevouts.Header, error) {
	hash, err := c.Hash(height)
	if err != nil {
		return prevouts.Header{}, err
	}
	text, err := c.b.json(c.b.ctx, hash)
	if err != nil {
		return prevouts.Header{}, err
	}
	defer text.Close()
	w := &wanted{height: int64(height), hash: hash}
	return nodejson.Visit(rows.Source{Name: c.Name(), Reader: text}, c.b.Network, w.found, f)
}
