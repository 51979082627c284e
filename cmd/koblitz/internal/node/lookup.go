package node

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// lacksPrevouts reports whether the node's getblock omits the outputs that a block spends. btcd
// omits them, as did Bitcoin Core before release 23. The node's help text decides. Some nodes
// refuse the method help; for them lacksPrevouts returns false.
func (c *Client) lacksPrevouts(ctx context.Context) (bool, error) {
	if c.isREST() {
		return false, nil
	}
	var help string
	if c.call(ctx, maxSmall, &help, "help", "getblock") != nil {
		return false, ctx.Err()
	}
	return !strings.Contains(help, "prevout"), nil
}

// openRaw requests a serialized block and the transactions whose outputs it spends.
func (b *Bitcoin) openRaw(ctx context.Context, n, before int64, hash chainhash.Hash) (*answer,
	error) {
	raw, err := b.raw(ctx, hash)
	if err != nil {
		return nil, err
	}
	spent, err := b.spent(ctx, raw, int32(n))
	if err != nil {
		return nil, err
	}
	text := bytes.NewReader(raw)
	taken := func() int64 { return text.Size() - int64(text.Len()) }
	src := rows.Source{Name: b.c.name, Reader: text,
		Consumed: func() int64 { return before + taken() }}
	return &answer{rows: bitcoin.RawBlock(src, false, spent, b.Network),
		taken: taken, close: func() error { return nil }, next: n + 1,
		done: func() error { return nil }}, nil
}

// lookedUp does the work of Block for a node with Lookup set. If height is below 0, it asks the
// node for the height.
func (b *Bitcoin) lookedUp(height int32, hash chainhash.Hash) (*prevouts.FullBlock, error) {
	if height < 0 {
		var header struct {
			Height *int32 `json:"height"`
		}
		if err := b.c.call(b.ctx, maxSmall, &header, "getblockheader", hash.String(), true); err != nil {
			return nil, err
		}
		if header.Height == nil || *header.Height < 0 {
			return nil, fmt.Errorf("%s: getblockheader: no height", b.c.name)
		}
		height = *header.Height
	}
	raw, err := b.raw(b.ctx, hash)
	if err != nil {
		return nil, err
	}
	spent, err := b.spent(b.ctx, raw, height)
	if err != nil {
		return nil, err
	}
	return &prevouts.FullBlock{Raw: raw, Spent: spent}, nil
}

// spent requests the outputs that the serialized block raw spends.
func (b *Bitcoin) spent(ctx context.Context, raw []byte, height int32) (*prevouts.Spent, error) {
	return prevouts.SpentBy(b.c.name, raw, height, b.Network,
		func(ids []chainhash.Hash) ([][]byte, error) { return b.transactions(ctx, ids) })
}

// maxTransactions limits a response with several transactions, in bytes.
const maxTransactions = 16 << 20

// transactions requests the serialized transactions with the given ids in one batch. If the
// response would be too long, it requests each half of them separately.
func (b *Bitcoin) transactions(ctx context.Context, ids []chainhash.Hash) ([][]byte, error) {
	batch := make([]request, len(ids))
	at := make(map[int64]int, len(ids)) // index in ids, keyed by request id
	for i, id := range ids {
		batch[i] = b.c.request("getrawtransaction", id.String(), 0)
		at[batch[i].ID] = i
	}
	limit := int64(maxTransactions)
	if len(ids) == 1 {
		limit = maxRaw
	}
	text, err := b.c.whole(ctx, batch, limit)
	if errors.Is(err, errTooLong) && len(ids) > 1 {
		first, err := b.transactions(ctx, ids[:len(ids)/2])
		if err != nil {
			return nil, err
		}
		rest, err := b.transactions(ctx, ids[len(ids)/2:])
		return append(first, rest...), err
	}
	if err == nil {
		var txs [][]byte
		if txs, err = decodeTransactions(text, at); err == nil {
			return txs, nil
		}
		err = fmt.Errorf("%s: %w", b.c.name, err)
	}
	return nil, fmt.Errorf("getrawtransaction: %w", err)
}

// noTransaction is Bitcoin Core's error code for an unknown transaction.
const noTransaction = -5

// decodeTransactions decodes the responses in a batch, which may come in any order. indexes maps
// the id of each request to the index of its transaction in the result.
func decodeTransactions(text []byte, indexes map[int64]int) ([][]byte, error) {
	var answers [prevouts.LookupAtOnce]struct { // decoding drops responses past the array's end
		ID     int64    `json:"id"` // no request has id 0
		Result string   `json:"result"`
		Error  *refusal `json:"error"`
	}
	if err := json.Unmarshal(text, &answers); err != nil {
		if err := refusalIn(text); err != nil {
			return nil, err
		}
		return nil, errors.New("no answers of JSON-RPC, of which each has a transaction in hex digits")
	}
	txs := make([][]byte, len(indexes))
	for i := range txs {
		a := &answers[i]
		place, ok := indexes[a.ID]
		switch {
		case a.Error != nil && a.Error.Code == noTransaction:
			return nil, fmt.Errorf("%w; this node's getblock does not say what a block spends, so the node "+
				"needs an index of all transactions (txindex)", a.Error)
		case a.Error != nil:
			return nil, a.Error
		case a.ID == 0:
			return nil, fmt.Errorf("%d answers to %d requests", i, len(indexes))
		case !ok || txs[place] != nil:
			return nil, fmt.Errorf("an answer of id %d, which was not asked for, or comes a second time",
				a.ID)
		}
		raw, err := hex.DecodeString(a.Result)
		if err != nil || len(raw) == 0 {
			return nil, errors.New("a transaction is wanted, in hex digits")
		}
		txs[place], a.Result = raw, ""
	}
	return txs, nil
}
