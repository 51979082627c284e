package node

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"sync"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Bitcoin is a Bitcoin node, and the chain that it considers the best one at each request.
// Several goroutines may use it.
type Bitcoin struct {
	c       *Client
	ctx     context.Context // context of all requests
	network consensus.Network
	tip     int32

	full    chan struct{} // holds an element for each call of Full, at most fullBlocks
	parsing sync.Mutex    // held by Full while it parses: two blocks could exceed the memory limit
}

// fullBlocks limits the number of blocks that Full requests at the same time. An answer waits until
// those before it are parsed, and Bitcoin Core closes a connection after 30 seconds without a byte.
const fullBlocks = 4

// chainNames maps the chain names of getblockchaininfo to this program's names, where the two
// differ.
var chainNames = map[string]string{"main": "mainnet", "test": "testnet3"}

// Bitcoin asks the node for its chain and its last block. Canceling ctx also ends later requests.
func (c *Client) Bitcoin(ctx context.Context) (*Bitcoin, error) {
	var info struct {
		Chain  string `json:"chain"`
		Blocks *int64 `json:"blocks"`
	}
	if err := c.call(ctx, maxSmall, &info, "getblockchaininfo"); err != nil {
		return nil, err
	}
	if name, ok := chainNames[info.Chain]; ok {
		info.Chain = name
	}
	network, ok := consensus.ParseNetwork(info.Chain)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: the node is on chain %+.20q, which is not known here", c.name,
			info.Chain)
	case info.Blocks == nil || *info.Blocks < 0 || *info.Blocks > math.MaxInt32:
		return nil, fmt.Errorf("%s: the node does not say how many blocks it has", c.name)
	}
	return &Bitcoin{c: c, ctx: ctx, network: network, tip: int32(*info.Blocks),
		full: make(chan struct{}, fullBlocks)}, nil
}

// Network returns the network that the node reports.
func (b *Bitcoin) Network() consensus.Network { return b.network }

// Name returns the scheme and host of the node's address.
func (b *Bitcoin) Name() string { return b.c.name }

// Tip returns the height of the node's last block when the method Bitcoin asked.
func (b *Bitcoin) Tip() int32 { return b.tip }

// Damage returns nil: a node does not say that blocks are missing.
func (b *Bitcoin) Damage() error { return nil }

// Close does nothing.
func (b *Bitcoin) Close() error { return nil }

// Reader returns a reader of the blocks at the heights first to last, both included.
func (b *Bitcoin) Reader(first, last int64) reading.Reader {
	return &reader{ctx: b.ctx, name: b.c.name, next: first, to: last, open: b.open}
}

// open requests the block at height n.
func (b *Bitcoin) open(n, before int64) (*answer, error) {
	text, w, found, err := b.block(int32(n))
	if err != nil {
		return nil, err
	}
	return &answer{nodejson.Blocks(b.c.source(text, before), b.network, found), text, w}, nil
}

// block requests the block at the given height in JSON, with the outputs that it spends. The
// reader of the response calls found, which expects the block.
func (b *Bitcoin) block(height int32) (text *body, w *wanted, found nodejson.Found, err error) {
	hash, err := b.Hash(height)
	if err != nil {
		return nil, nil, nil, err
	}
	name := func(height int32, hash chainhash.Hash) string {
		return fmt.Sprintf("block %d, %v", height, hash)
	}
	w = &wanted{name: name(height, hash)}
	found = func(height int32, hash chainhash.Hash) error { return w.found(name(height, hash)) }
	text, err = b.c.post(b.ctx, b.c.request("getblock", hash.String(), 3), b.c.most)
	return text, w, found, err
}

// Hash asks for the hash of the block at the given height.
func (b *Bitcoin) Hash(height int32) (hash chainhash.Hash, err error) {
	var text string
	if err := b.c.call(b.ctx, maxSmall, &text, "getblockhash", height); err != nil {
		return hash, err
	}
	if h, err := chainhash.NewHashFromStr(text); err == nil && len(text) == 2*chainhash.HashSize {
		return *h, nil
	}
	return hash, fmt.Errorf("%s: what the node says to be a block's hash is none", b.c.name)
}

// Full asks for the block at the given height, and calls f with each transaction except its
// coinbase, and with the outputs that the transaction spends. It returns an error if the block is
// invalid as a whole; f may have been called before.
func (b *Bitcoin) Full(height int32, f prevouts.Visit) (head wireform.Header, err error) {
	b.full <- struct{}{}
	defer func() { <-b.full }()
	text, w, found, err := b.block(height)
	if err != nil {
		return head, err
	}
	defer text.Close()
	b.parsing.Lock()
	defer b.parsing.Unlock()
	head, err = nodejson.Visit(b.c.source(text, 0), b.network, found, f)
	if err == nil {
		err = w.done()
	}
	if err != nil {
		return head, fmt.Errorf("block %d: %w", height, err)
	}
	return head, nil
}

// maxRaw limits a response with a serialized block in hexadecimal, in bytes.
const maxRaw = 2*4_000_000 + maxSmall

// Raw does the work of Full, but asks for the serialized block, and passes no spent outputs.
func (b *Bitcoin) Raw(height int32, f prevouts.Visit) (head wireform.Header, err error) {
	hash, err := b.Hash(height)
	if err != nil {
		return head, err
	}
	var digits string
	if err := b.c.call(b.ctx, maxRaw, &digits, "getblock", hash.String(), 0); err != nil {
		return head, err
	}
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return head, fmt.Errorf("%s: a serialized block is wanted, in hex digits", b.c.name)
	}
	head, err = prevouts.VisitRaw(raw, b.network, height, nil, f)
	if err == nil && head.Hash != hash {
		err = fmt.Errorf("the serialized block is %v, and %v was asked for", head.Hash, hash)
	}
	if err != nil {
		return head, fmt.Errorf("%s: %w", b.c.name, err)
	}
	return head, nil
}
