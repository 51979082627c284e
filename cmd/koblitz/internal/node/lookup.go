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

// lacksPrevouts reports whether the node's getblock does not say what the inputs of a block spend,
// by what the node prints about it: btcd's does not, nor did Bitcoin Core's before release 23. The
// method help is not everywhere; a node that refuses it is taken for one that does.
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

// openRaw asks for a serialized block, and for the transactions that it spends.
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

// lookedUp is Block of such a node. A height below 0 is asked for.
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

// spent looks up what the inputs of a serialized block spend.
func (b *Bitcoin) spent(ctx context.Context, raw []byte, height int32) (*prevouts.Spent, error) {
	return prevouts.SpentBy(b.c.name, raw, height, b.Network,
		func(ids []chainhash.Hash) ([][]byte, error) { return b.transactions(ctx, ids) })
}

// maxTransactions is the most bytes of an answer with more than one transaction.
const maxTransactions = 16 << 20

// transactions asks for serialized transactions, in one batch. If they are too long together, it
// asks for each half of them.
func (b *Bitcoin) transactions(ctx context.Context, ids []chainhash.Hash) ([][]byte, error) {
	batch := make([]request, len(ids))
	at := make(map[int64]int, len(ids)) // by the id of the request
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

// noTransaction is the code of an error about a transaction that a node does not find.
const noTransaction = -5

// decodeTransactions decodes the answers of a batch, which come in any order. at has, by the ids of
// the requests, the places of what it returns.
func decodeTransactions(text []byte, at map[int64]int) ([][]byte, error) {
	var answers [prevouts.LookupAtOnce]struct { // what is behind them is not kept
		ID     int64    `json:"id"` // 0 is never asked for
		Result string   `json:"result"`
		Error  *refusal `json:"error"`
	}
	if err := json.Unmarshal(text, &answers); err != nil {
		var a struct {
			Error *refusal `json:"error"`
		}
		if json.Unmarshal(text, &a) == nil && a.Error != nil {
			return nil, a.Error
		}
		return nil, errors.New("no answers of JSON-RPC, of which each has a transaction in hex digits")
	}
	txs := make([][]byte, len(at))
	for i := range txs {
		a := &answers[i]
		place, ok := at[a.ID]
		switch {
		case a.Error != nil && a.Error.Code == noTransaction:
			return nil, fmt.Errorf("%w; this node's getblock does not say what a block spends, so the node "+
				"needs an index of all transactions (txindex)", a.Error)
		case a.Error != nil:
			return nil, a.Error
		case a.ID == 0:
			return nil, fmt.Errorf("%d answers to %d requests", i, len(at))
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
