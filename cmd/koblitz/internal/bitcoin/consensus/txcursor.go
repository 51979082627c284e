package consensus

import (
	"iter"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A TxCursor reads the transactions of a block in order and adds them to a Body, which checks them
// against the header. It parses several transactions ahead, so that their ids are hashed together.
type TxCursor struct {
	wireform.Cursor
	Txs    int // number of transactions that the block states
	left   int // number of transactions not parsed yet
	Body   Body
	parsed []ParsedTx // transactions parsed ahead

	// Memory of parse: the transactions, texts to be hashed, and texts without their witnesses.
	ahead    []ParsedTx
	texts    [][]byte
	stripped []byte

	// IDsOnly omits the hashes of witnesses, on which no id depends: each WID is then the id.
	IDsOnly bool
}

// ReadBlock returns a cursor at the first transaction of block, which is a serialized block and has
// at least its header.
func ReadBlock(block []byte) TxCursor {
	c := TxCursor{Cursor: wireform.Cursor{Data: block, At: wireform.HeaderSize}}
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

// Next returns the next transaction. ok is false after the last one, and if the rest of the block
// cannot be read, in which case Err is set. The cursor keeps no reference to the transaction,
// because a transaction may take megabytes of memory, for which the caller must account.
func (c *TxCursor) Next() (t ParsedTx, ok bool) {
	if len(c.parsed) == 0 {
		c.parse()
	}
	if len(c.parsed) == 0 {
		if c.At < len(c.Data) {
			c.Fail("%d bytes after the block's last transaction", len(c.Data)-c.At)
		}
		return t, false
	}
	t, c.parsed[0] = c.parsed[0], ParsedTx{}
	c.parsed = c.parsed[1:]
	return t, true
}

// All yields the transactions that are left, with their indices in the block. If the rest of the
// block cannot be read, Err is set afterwards.
func (c *TxCursor) All() iter.Seq2[int, ParsedTx] {
	return func(yield func(int, ParsedTx) bool) {
		for i := c.Txs - c.left - len(c.parsed); ; i++ {
			if t, ok := c.Next(); !ok || !yield(i, t) {
				return
			}
		}
	}
}

// parse parses the next few transactions and adds them to the Body.
func (c *TxCursor) parse() {
	if c.Body == nil {
		c.Body = slices.Grow(c.Body, min(c.Txs, len(c.Data)/60)) // a transaction has at least 60 bytes
	}
	c.parsed, c.texts, c.stripped = c.ahead[:0], c.texts[:0], c.stripped[:0]
	begin := c.At
	for n := min(c.left, maxParsed); len(c.parsed) < n && c.At-begin < maxParsedBytes; c.left-- {
		tx, at := c.Transaction()
		if c.Err != nil {
			break
		}
		c.parsed = append(c.parsed, ParsedTx{Tx: tx, At: at})
		if !at.Segwit() || !c.IDsOnly {
			c.texts = append(c.texts, c.Data[at.Begin:at.End])
		}
		if at.Segwit() {
			from := len(c.stripped)
			for _, part := range at.Stripped(c.Data) {
				c.stripped = append(c.stripped, part...)
			}
			c.texts = append(c.texts, c.stripped[from:])
		}
	}
	c.ahead = c.parsed
	ids := batch.AppendDoubleSHA256(nil, c.texts)
	for i := range c.parsed {
		t := &c.parsed[i]
		t.ID, t.WID = ids[0], ids[0]
		if ids = ids[1:]; t.At.Segwit() && !c.IDsOnly {
			t.ID, ids = ids[0], ids[1:]
		}
		c.Body = append(c.Body, NewBodyTx(t.Tx, t.ID, t.WID, len(c.Body) == 0))
	}
}
