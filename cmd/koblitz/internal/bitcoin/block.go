package bitcoin

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

const (
	headerSize = 80
	bitsAt     = 72 // where in a header the difficulty bits are
)

// A formatError says at which byte of a block or transaction parsing stopped.
type formatError struct {
	at  int
	msg string
}

func (e *formatError) Error() string { return e.msg }

// A cursor reads the wire encoding from a byte slice. After the first failure
// every read gives zero, and err says what was wrong and where.
type cursor struct {
	b      []byte
	i      int
	weight int // of the transactions read so far
	err    *formatError
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = &formatError{c.i, fmt.Sprintf(format, args...)}
	}
}

// bytes returns the next n bytes, which alias the input.
func (c *cursor) bytes(n int, what string) []byte {
	if c.err != nil {
		return nil
	}
	if n > len(c.b)-c.i {
		c.fail("ends in the middle of %s: %d bytes wanted, %d left", what, n, len(c.b)-c.i)
		return nil
	}
	s := c.b[c.i : c.i+n : c.i+n]
	c.i += n
	return s
}

func (c *cursor) uint32(what string) uint32 {
	if s := c.bytes(4, what); s != nil {
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

func (c *cursor) uint64(what string) uint64 {
	if s := c.bytes(8, what); s != nil {
		return binary.LittleEndian.Uint64(s)
	}
	return 0
}

// compactSize reads a CompactSize in its shortest form, as Bitcoin Core
// demands it.
func (c *cursor) compactSize(what string) uint64 {
	s := c.bytes(1, what)
	if s == nil {
		return 0
	}
	var v, least uint64
	switch s[0] {
	case 0xfd:
		if s = c.bytes(2, what); s == nil {
			return 0
		}
		v, least = uint64(binary.LittleEndian.Uint16(s)), 0xfd
	case 0xfe:
		v, least = uint64(c.uint32(what)), 1<<16
	case 0xff:
		v, least = c.uint64(what), 1<<32
	default:
		return uint64(s[0])
	}
	if v < least {
		c.fail("%s is not in its shortest form", what)
		return 0
	}
	return v
}

// count reads a number of things of at least size bytes each, and refuses one
// that what is left of the input cannot hold, before anything is allocated.
func (c *cursor) count(size int, what string) int {
	at := c.i
	n := c.compactSize(what)
	if n > uint64((len(c.b)-c.i)/size) {
		if c.err == nil {
			c.err = &formatError{at, fmt.Sprintf("%s is %d, more than the %d bytes left can hold", what, n,
				len(c.b)-c.i)}
		}
		return 0
	}
	return int(n)
}

// transactions reads the number of transactions of a block. Nothing is
// allocated for it, so that a block that was cut off may still have it.
func (c *cursor) transactions() int {
	at := c.i
	n := c.compactSize("the number of transactions")
	if n > maxBlockSize/60 {
		c.err = &formatError{at, fmt.Sprintf("%d transactions are more than a block can have", n)}
		return 0
	}
	return int(n)
}

// script reads a CompactSize and as many bytes.
func (c *cursor) script(what string) []byte {
	if rest := c.b[min(c.i, len(c.b)):]; c.err == nil && len(rest) > 0 && rest[0] < 0xfd &&
		int(rest[0]) < len(rest) {
		// Most of them, without a name for what could be wrong.
		n := 1 + int(rest[0])
		c.i += n
		return rest[1:n:n]
	}
	return c.bytes(c.count(1, "the length of "+what), what)
}

// A header is a block's header.
type header struct {
	hash    chainhash.Hash
	prev    chainhash.Hash
	root    chainhash.Hash // of the Merkle tree of the transactions
	version int32
	time    uint32
	bits    uint32 // of the target
}

// parseHeader reads the first 80 bytes of b, which must have them.
func parseHeader(b []byte) (h header) {
	h.hash = chainhash.DoubleHashH(b[:headerSize])
	h.version = int32(binary.LittleEndian.Uint32(b))
	h.prev = chainhash.Hash(b[4:36])
	h.root = chainhash.Hash(b[36:68])
	h.time = binary.LittleEndian.Uint32(b[68:])
	h.bits = binary.LittleEndian.Uint32(b[bitsAt:])
	return h
}

// An output is an output that an input spends; known is false if it was not
// found.
type output struct {
	known  bool
	amount int64
	script []byte
}

// isCoinbase reports whether tx creates coins rather than spends some.
func isCoinbase(tx *wire.MsgTx) bool {
	return len(tx.TxIn) == 1 && tx.TxIn[0].PreviousOutPoint.Index == math.MaxUint32 &&
		tx.TxIn[0].PreviousOutPoint.Hash == chainhash.Hash{}
}

// parseTx reads one transaction, and computes its id.
func parseTx(c *cursor) (tx *wire.MsgTx, id chainhash.Hash) {
	tx, at := c.transaction()
	if tx == nil {
		return nil, id
	}
	return tx, at.id(c.b)
}

// transaction reads one transaction, with its witness if it has one. Scripts and
// witness items alias the input.
func (c *cursor) transaction() (tx *wire.MsgTx, at txBytes) {
	at.begin = c.i
	tx = &wire.MsgTx{Version: int32(c.uint32("a transaction's version"))}
	at.inputs = c.i
	n := c.count(41, "the number of inputs")
	segwit := false
	if n == 0 && c.err == nil {
		// The marker of BIP 144: no inputs, then a flag.
		flag := c.i
		if f := c.bytes(1, "a transaction's flag"); f != nil && f[0] != 1 {
			c.i = flag
			c.fail("a transaction without inputs")
		}
		segwit = true
		at.inputs = c.i
		if n = c.count(41, "the number of inputs"); n == 0 {
			c.fail("a transaction without inputs")
		}
	}
	n = c.atMost(n, maxInputs, "inputs")
	ins := make([]wire.TxIn, n)
	tx.TxIn = make([]*wire.TxIn, n)
	for i := range ins {
		in := &ins[i]
		tx.TxIn[i] = in
		copy(in.PreviousOutPoint.Hash[:], c.bytes(32, "an input's previous transaction"))
		in.PreviousOutPoint.Index = c.uint32("an input's previous output")
		in.SignatureScript = c.script("an input's script")
		in.Sequence = c.uint32("an input's sequence")
	}
	n = c.atMost(c.count(9, "the number of outputs"), maxOutputs, "outputs")
	outs := make([]wire.TxOut, n)
	tx.TxOut = make([]*wire.TxOut, n)
	for i := range outs {
		out := &outs[i]
		tx.TxOut[i] = out
		out.Value = int64(c.uint64("an output's amount"))
		out.PkScript = c.script("an output's script")
	}
	at.witness = c.i
	if segwit {
		some, items := false, 0
		for i := range ins {
			n := c.count(1, "the number of witness items")
			if items += n; n == 0 || c.atMost(items, maxWitnessItems, "witness items") == 0 {
				continue
			}
			some = true
			ins[i].Witness = make(wire.TxWitness, n)
			for j := range ins[i].Witness {
				ins[i].Witness[j] = c.script("a witness item")
			}
		}
		if !some {
			c.fail("a witness that is empty for every input")
		}
	}
	at.lock = c.i
	tx.LockTime = c.uint32("a transaction's lock time")
	if c.err == nil {
		c.weigh(at.begin, c.i-at.lock+at.witness-at.inputs+4)
	}
	if c.err != nil {
		return nil, at
	}
	at.end = c.i
	return tx, at
}

// coinbaseHeight returns the height that BIP 34 puts at the head of a coinbase
// script, or -1 if there is none.
func coinbaseHeight(script []byte) int32 {
	if len(script) == 0 {
		return -1
	}
	if op := script[0]; op >= 0x51 && op <= 0x60 { // OP_1 … OP_16
		return int32(op - 0x50)
	}
	n := int(script[0])
	if n < 1 || n > 4 || len(script) < 1+n || script[n]&0x80 != 0 {
		return -1
	}
	h := int32(0)
	for i := n; i >= 1; i-- {
		h = h<<8 | int32(script[i])
	}
	return h
}
