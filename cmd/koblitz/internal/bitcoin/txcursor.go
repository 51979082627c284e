package bitcoin

import (
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/hashing"
	"github.com/koblitz-go/koblitz/hashes"
)

// A txCursor reads the transactions of a block one after the other, and adds them to a body. It
// parses some ahead, so that their ids are hashed at once.
type txCursor struct {
	cursor
	left   int // transactions that were not parsed
	body   *body
	parsed []parsedTx // and not given out
	given  *parsedTx  // the last one that was given out, in room, or nil
	room   []parsedTx // for parsed
}

// A parsedTx is a transaction in the bytes of a block.
type parsedTx struct {
	tx      *wire.MsgTx
	at      txBytes
	id, wid chainhash.Hash // wid is the hash of all bytes, BIP 141
}

const (
	// maxParsed is the most transactions that a txCursor parses ahead, and maxParsedBytes the bytes
	// with which it stops. The transactions take some fifty times that in memory at most.
	maxParsed      = 64
	maxParsedBytes = 32 << 10
)

// next returns the next transaction, or nil behind the last one and where the block cannot be read
// any farther: err of the cursor then says why. What it points to is good until the next call, and
// is let go of then: a transaction may take megabytes, which are counted where it goes.
func (c *txCursor) next() *parsedTx {
	if c.given != nil {
		*c.given, c.given = parsedTx{}, nil
	}
	if len(c.parsed) == 0 && c.err == nil && c.left > 0 {
		c.parse()
	}
	if len(c.parsed) == 0 {
		return nil
	}
	c.given, c.parsed = &c.parsed[0], c.parsed[1:]
	return c.given
}

// parse parses ahead.
func (c *txCursor) parse() {
	if c.room == nil {
		c.room = make([]parsedTx, min(c.left, maxParsed))
	}
	c.parsed = c.room[:0]
	hasher := hashing.New(hashes.AppendDoubleSHA256)
	defer hasher.Release()
	begin := c.i
	for ; len(c.parsed) < len(c.room) && c.left > 0 && c.i-begin < maxParsedBytes; c.left-- {
		tx, at := c.transaction()
		if c.err != nil {
			break
		}
		c.parsed = append(c.parsed, parsedTx{tx: tx, at: at})
		c.parsed[len(c.parsed)-1].hash(c.b, hasher)
	}
	hasher.Run()
	for i := range c.parsed {
		t := &c.parsed[i]
		if !t.at.segwit() {
			t.wid = t.id
		}
		c.body.add(t.tx, t.id, t.wid)
	}
}

// hash has a hasher set the ids of t, which is in b.
func (t *parsedTx) hash(b []byte, h *hashing.Hasher) {
	raw := b[t.at.begin:t.at.end]
	switch {
	case !t.at.segwit():
		h.Later((*[32]byte)(&t.id), raw)
		return
	case len(raw) > maxParsedBytes:
		t.id = t.at.id(b)
	default:
		parts := t.at.stripped(b)
		h.LaterOf((*[32]byte)(&t.id), parts[:]...)
	}
	h.Later((*[32]byte)(&t.wid), raw)
}
