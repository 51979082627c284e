package bitcoin

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A BestChain reads the blocks of a Directory by their heights in the chain with the most work. It
// keeps the files of the last blocks open, since the order of a node's files differs little from
// the order of the chain. Several goroutines may use it.
type BestChain struct {
	d      *Directory
	blocks []int32 // index number by height, or -1

	limit int // maxOpenBlocks, or less in tests

	mu   sync.Mutex
	open []*openBlocks // the files that were used last come last
}

// maxOpenBlocks is the maximum number of blk*.dat files that a BestChain keeps open. A node asks
// for blocks up to 1,024 ahead, and they arrive in any order. So one file of 128 MiB can hold
// blocks whose neighbors in the chain are twelve files away.
const maxOpenBlocks = 16

// BestChain reads the headers of the folder, and returns its chain. The range of the Directory does
// not apply.
func (d *Directory) BestChain() (*BestChain, error) {
	if d.failed {
		return nil, fmt.Errorf("%s: its headers cannot be read", d.path)
	}
	if err := d.readIndex(); err != nil {
		return nil, err
	}
	c := &BestChain{d: d, limit: maxOpenBlocks}
	tip := int32(-1)
	for n := range d.index.n {
		if h := d.index.height(n); !d.index.lost.has(n) && h > tip {
			tip = h
		}
	}
	// A file without its parents may state any height in its coinbase.
	if int64(tip) > int64(d.index.n)+maxHeight {
		return nil, fmt.Errorf("%s: a block of height %d", d.path, tip)
	}
	c.blocks = slices.Repeat([]int32{-1}, int(tip)+1)
	for n := range d.index.n {
		if h := d.index.height(n); h >= 0 && !d.index.lost.has(n) && c.blocks[h] < 0 {
			c.blocks[h] = n
		}
	}
	return c, nil
}

// maxHeight is the maximum height of a block in a folder that lacks the first blocks.
const maxHeight = 1 << 23

// Network returns the network of the chain.
func (c *BestChain) Network() consensus.Network { return c.d.network }

// Name returns the folder's name.
func (c *BestChain) Name() string { return c.d.path }

// Tip returns the height of the last block, or -1 if no block has a known height.
func (c *BestChain) Tip() int32 { return int32(len(c.blocks)) - 1 }

// Damage returns the error that ended reading the headers of a file, so that blocks may be missing.
// It returns nil if all files were read to their ends.
func (c *BestChain) Damage() error {
	for i := range c.d.files {
		if c.d.files[i].err != nil {
			return c.d.files[i].err
		}
	}
	return nil
}

// Close closes the files.
func (c *BestChain) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, o := range c.open {
		err = errors.Join(err, o.close())
	}
	c.open = nil
	return err
}

// Hash returns the hash of the block at the given height.
func (c *BestChain) Hash(height int32) (hash chainhash.Hash, err error) {
	r, err := c.record(height)
	if err != nil {
		return hash, err
	}
	return r.header.Hash, nil
}

// record reads the block at the given height.
func (c *BestChain) record(height int32) (*record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, n, err := c.find(height)
	if err != nil {
		return nil, err
	}
	return o.read(n, height)
}

// Raw calls f with each transaction of the block at the given height, except its coinbase. It
// passes no spent outputs. It returns an error if the block is invalid as a whole; f may have been
// called before.
func (c *BestChain) Raw(height int32, f prevouts.Visit) (h wireform.Header, err error) {
	r, err := c.record(height)
	if err != nil {
		return h, err
	}
	return c.visit(r, nil, f)
}

// Full does the work of Raw, and passes the outputs that each transaction spends. It also returns
// an error if they are not known.
func (c *BestChain) Full(height int32, f prevouts.Visit) (h wireform.Header, err error) {
	r, err := c.reader(height)
	if err != nil {
		return h, err
	}
	return c.visit(r.block, r.spent, f)
}

// visit calls f as VisitRaw does, and adds the place of the block to an error.
func (c *BestChain) visit(r *record, spent func(inputs int) ([]wireform.Output, error),
	f prevouts.Visit) (h wireform.Header, err error) {
	if h, err = prevouts.VisitRaw(r.Data, c.d.network, r.height, spent, f); err != nil {
		err = &reading.Error{File: r.file, Offset: r.where(0).Offset, Err: err}
	}
	return h, err
}

// reader returns a reader with the block at the given height and its undo record open. Other
// calls may close what the reader's openBlocks has open: visit must not use it.
func (c *BestChain) reader(height int32) (*blocksReader, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, n, err := c.find(height)
	if err != nil {
		return nil, err
	}
	r := &blocksReader{d: c.d, o: o, next: n + 1}
	err = r.open(height)
	if err == nil && r.have == spentUnknown && o.undos != nil {
		// The undo.File gives each record once. Another one gives it again.
		if err = o.undos.Close(); err == nil {
			o.undos = nil
			err = r.open(height)
		}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// find returns the open file with the block at the given height, and the block's index number.
func (c *BestChain) find(height int32) (o *openBlocks, n int32, err error) {
	if height < 0 || int64(height) >= int64(len(c.blocks)) || c.blocks[height] < 0 {
		if err := c.Damage(); err != nil {
			return nil, 0, fmt.Errorf("%s: no block %d, as far as it can be read: %w", c.d.path, height, err)
		}
		return nil, 0, fmt.Errorf("%s: no block %d", c.d.path, height)
	}
	n = c.blocks[height]
	i := c.d.fileOf(n)
	if k := slices.IndexFunc(c.open, func(o *openBlocks) bool { return o.i == i }); k >= 0 {
		o := c.open[k]
		c.open = append(slices.Delete(c.open, k, k+1), o)
		return o, n, nil
	}
	if len(c.open) == c.limit {
		if err := c.open[0].close(); err != nil {
			return nil, 0, err
		}
		c.open = slices.Delete(c.open, 0, 1)
	}
	if o, err = c.d.openBlocks(i); err != nil {
		return nil, 0, err
	}
	c.open = append(c.open, o)
	return o, n, nil
}
