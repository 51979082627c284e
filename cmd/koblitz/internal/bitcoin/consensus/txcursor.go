package consensus

import (
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/hashing"
	"github.com/koblitz-go/koblitz/hashes"
)

// A TxCursor reads the transactions of a block in order and adds them to a body. It parses some
// ahead, so that their IDs are hashed together.
type TxCursor struct {
	wireform.Cursor
	Txs    int // transactions of the block, as it says
	left   int // transactions that were not parsed
	Body   *Body
	parsed []ParsedTx // and not given out
	given  *ParsedTx  // the last one that was given out, in room, or nil
	room   []ParsedTx // for parsed
}

// ReadBlock returns a cursor before the first transaction of a serialized block, which has its
// header.
func ReadBlock(block []byte, body *Body) TxCursor {
	c := TxCursor{Cursor: wireform.Cursor{Data: block, At: wireform.HeaderSize}, Body: body}
	c.Txs = c.Transactions()
	c.left = c.Txs
	return c
}

// A ParsedTx is a transaction in the bytes of a block.
type ParsedTx struct {
	Tx      *wire.MsgTx
	At      wireform.TxBytes
	ID, WID chainhash.Hash // WID is the hash of all bytes, BIP 141
}

const (
	// maxParsed is the maximum number of transactions that a TxCursor parses ahead. It also stops
	// after maxParsedBytes bytes. Parsed transactions take at most about fifty times that in
	// memory.
	maxParsed      = 64
	maxParsedBytes = 32 << 10
)

// Next returns the next transaction. It returns nil after the last one, or if the block cannot be
// read further; the cursor's Err then tells why. The result is valid until the next call, which
// releases it, since a transaction may take megabytes and its new owner accounts for them.
func (c *TxCursor) Next() *ParsedTx {
	if c.given != nil {
		*c.given, c.given = ParsedTx{}, nil
	}
	if len(c.parsed) == 0 && c.Err == nil && c.left > 0 {
		c.parse()
	}
	if len(c.parsed) == 0 {
		return nil
	}
	c.given, c.parsed = &c.parsed[0], c.parsed[1:]
	return c.given
}

// parse parses transactions ahead.
func (c *TxCursor) parse() {
	if c.room == nil {
		c.room = make([]ParsedTx, min(c.left, maxParsed))
	}
	c.parsed = c.room[:0]
	hasher := hashing.New(hashes.AppendDoubleSHA256)
	defer hasher.Release()
	begin := c.At
	for ; len(c.parsed) < len(c.room) && c.left > 0 && c.At-begin < maxParsedBytes; c.left-- {
		tx, at := c.Transaction()
		if c.Err != nil {
			break
		}
		c.parsed = append(c.parsed, ParsedTx{Tx: tx, At: at})
		c.parsed[len(c.parsed)-1].hash(c.Data, hasher)
	}
	hasher.Run()
	for i := range c.parsed {
		t := &c.parsed[i]
		if !t.At.Segwit() {
			t.WID = t.ID
		}
		c.Body.add(t.Tx, t.ID, t.WID)
	}
}

// hash registers the IDs of t, which is in b, with a Hasher.
func (t *ParsedTx) hash(b []byte, h *hashing.Hasher) {
	raw := b[t.At.Begin:t.At.End]
	switch {
	case !t.At.Segwit():
		h.Later((*[32]byte)(&t.ID), raw)
		return
	case len(raw) > maxParsedBytes:
		t.ID = t.At.ID(b)
	default:
		parts := t.At.Stripped(b)
		h.LaterOf((*[32]byte)(&t.ID), parts[:]...)
	}
	h.Later((*[32]byte)(&t.WID), raw)
}
