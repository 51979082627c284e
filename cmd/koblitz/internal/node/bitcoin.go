package node

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Bitcoin is a Bitcoin node.
type Bitcoin struct {
	Network consensus.Network // the network that the node reports
	Tip     int64             // height of the node's last block when the method Bitcoin asked

	c   *Client
	ctx context.Context // context for requests by the BestChain
}

// chainNames maps the chain names of getblockchaininfo to this program's names, where the two
// differ.
var chainNames = map[string]string{"main": "mainnet", "test": "testnet3"}

// Bitcoin asks the node for its chain and its last block. Canceling ctx also ends later calls of
// the BestChain's methods.
func (c *Client) Bitcoin(ctx context.Context) (*Bitcoin, error) {
	var info struct {
		Chain  string `json:"chain"`
		Blocks *int64 `json:"blocks"`
	}
	var err error
	if c.isREST() {
		err = c.getSmall(ctx, &info, "/chaininfo.json")
	} else {
		err = c.call(ctx, maxSmall, &info, "getblockchaininfo")
	}
	if err != nil {
		return nil, err
	}
	if name, ok := chainNames[info.Chain]; ok {
		info.Chain = name
	}
	network, ok := consensus.ParseNetwork(info.Chain)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: the node is on chain %.20q, which is not known here", c.name,
			info.Chain)
	case info.Blocks == nil || *info.Blocks < 0 || *info.Blocks > math.MaxInt32:
		return nil, fmt.Errorf("%s: the node does not say how many blocks it has", c.name)
	}
	return &Bitcoin{Network: network, Tip: *info.Blocks, c: c, ctx: ctx}, nil
}

// Reader returns a reader of the blocks at the heights first to last, both included. Canceling ctx
// ends the reading.
func (b *Bitcoin) Reader(ctx context.Context, first, last int64) rows.Reader {
	return &reader{ctx: ctx, name: b.c.name, next: first, to: last, open: b.open}
}

// open requests block n.
func (b *Bitcoin) open(ctx context.Context, n, _, before int64) (*answer, error) {
	hash, err := b.hash(ctx, n)
	if err != nil {
		return nil, err
	}
	text, err := b.json(ctx, hash)
	if err != nil {
		return nil, err
	}
	src := rows.Source{Name: b.c.name, Reader: text,
		Consumed: func() int64 { return before + text.taken.Load() }}
	w := &wanted{height: n, hash: hash}
	return &answer{rows: nodejson.Blocks(src, b.Network, w.found), taken: text.taken.Load,
		close: text.Close, next: n + 1, done: w.done}, nil
}

// hash requests the hash of the block at the given height.
func (b *Bitcoin) hash(ctx context.Context, height int64) (hash chainhash.Hash, err error) {
	var text string
	if b.c.isREST() {
		var answer struct {
			Hash string `json:"blockhash"`
		}
		err = b.c.getSmall(ctx, &answer, fmt.Sprintf("/blockhashbyheight/%d.json", height))
		text = answer.Hash
	} else {
		err = b.c.call(ctx, maxSmall, &text, "getblockhash", height)
	}
	if err != nil {
		return hash, err
	}
	if h, err := chainhash.NewHashFromStr(text); err == nil && len(text) == 2*chainhash.HashSize {
		return *h, nil
	}
	return hash, fmt.Errorf("%s: what the node says to be a block's hash is none", b.c.name)
}

// json requests a block in JSON, with the outputs that it spends. The REST interface returns the
// same JSON as getblock with verbosity 3.
func (b *Bitcoin) json(ctx context.Context, hash chainhash.Hash) (*body, error) {
	if b.c.isREST() {
		return b.c.get(ctx, fmt.Sprintf("/block/%v.json", hash), b.c.most)
	}
	return b.c.post(ctx, b.c.request("getblock", hash.String(), 3), b.c.most)
}

// maxRaw limits a response with a serialized block in hexadecimal, in bytes.
const maxRaw = 2*4_000_000 + maxSmall

// raw requests a serialized block. It checks only that the hash of the block's header is hash. The
// rest of the block is compared with the header when the block is checked.
func (b *Bitcoin) raw(ctx context.Context, hash chainhash.Hash) (raw []byte, err error) {
	if b.c.isREST() {
		answer, err := b.c.get(ctx, fmt.Sprintf("/block/%v.bin", hash), maxRaw)
		if err != nil {
			return nil, err
		}
		defer answer.Close()
		if raw, err = io.ReadAll(answer); err != nil {
			return nil, fmt.Errorf("%s: %w", b.c.name, err)
		}
	} else {
		var digits string
		if err := b.c.call(ctx, maxRaw, &digits, "getblock", hash.String(), 0); err != nil {
			return nil, err
		}
		if raw, err = hex.DecodeString(digits); err != nil {
			return nil, fmt.Errorf("%s: a serialized block is wanted, in hex digits", b.c.name)
		}
	}
	const header = 80
	if len(raw) <= header || chainhash.DoubleHashH(raw[:header]) != hash {
		return nil, fmt.Errorf("%s: the serialized block is not %v, which was asked for", b.c.name, hash)
	}
	return raw, nil
}

// A wanted identifies a requested block.
type wanted struct {
	height int64
	hash   chainhash.Hash
	came   bool
}

func (w *wanted) found(height int32, hash chainhash.Hash) error {
	switch {
	case hash != w.hash:
		return fmt.Errorf("this is block %v, and %v was asked for", hash, w.hash)
	case int64(height) != w.height:
		return fmt.Errorf("\"height\" is %d, and block %d was asked for", height, w.height)
	case w.came:
		return errors.New("the block comes a second time")
	}
	w.came = true
	return nil
}

func (w *wanted) done() error {
	if !w.came {
		return fmt.Errorf("no block %v in the answer", w.hash)
	}
	return nil
}
