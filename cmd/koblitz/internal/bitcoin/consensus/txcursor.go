package consensus

import (
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/hashes"
)

// A TxCursor reads the transactions of a block in order and adds them to a Body, which checks them
// against the header. It parses several transactions ahead, so that their ids are hashed together.
type TxCursor struct {
	wireform.Cursor
	Txs    int // number of transactions that the block states
	left   int // number of transactions not parsed yet
	Body   *Body
	parsed []ParsedTx // transactions parsed ahead, in room
	given  *ParsedTx  // the transaction that Next returned last, in room, or nil
	room   []ParsedTx // memory for the elements of parsed
}

// ReadBlock returns a cursor at the first transaction of block, which is a serialized block and has
// at least its header.
func ReadBlock(block []byte, body *Body) TxCursor {
	c := TxCursor{Cursor: wireform.Cursor{Data: block, At: wireform.HeaderSize}, Body: body}
	c.Txs = c.Transactions()
	c.left = c.Txs
	return c
}

// A ParsedTx is a parsed transaction, with the positions of its parts in the block.
type ParsedTx struct {
	Tx      *wire.MsgTx
	At      wireform.TxBytes
	ID, WID chainhash.Hash // WID covers the witness too (wtxid, BIP 141)
}

const (
	// maxParsed is the maximum number of transactions that a TxCursor parses ahead. A TxCursor also
	// stops parsing ahead after maxParsedBytes bytes. Parsed transactions take at most about fifty
	// times that many bytes of memory.
	maxParsed      = 64
	maxParsedBytes = 32 << 10
)

// Next returns the next transaction. It returns nil after the last one, and if the rest of the
// block cannot be read; then Err is set. The result is valid until the next call. That call drops
// the cursor's reference to the transaction, because a transaction may take megabytes of memory,
// for which the caller must account.
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

// parse parses the next few transactions and adds them to the Body.
func (c *TxCursor) parse() {
	if c.room == nil {
		c.room = make([]ParsedTx, min(c.left, maxParsed))
	}
	c.parsed = c.room[:0]
	hasher := reading.NewHasher(hashes.AppendDoubleSHA256)
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

// hash registers the ids of t, a transaction in the block b, with the Hasher h.
func (t *ParsedTx) hash(b []byte, h *reading.Hasher) {
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
