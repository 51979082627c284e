package bitcoin

import (
	"crypto/sha256"
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

// skipTx passes over one transaction and returns the number of its inputs.
func (c *cursor) skipTx() (inputs int) {
	c.bytes(4, "a transaction's version")
	n := c.count(41, "the number of inputs")
	segwit := n == 0
	if segwit {
		c.bytes(1, "a transaction's flag")
		n = c.count(41, "the number of inputs")
	}
	for i := 0; i < n && c.err == nil; i++ {
		c.bytes(36, "an input's previous output")
		c.script("an input's script")
		c.bytes(4, "an input's sequence")
	}
	outs := c.count(9, "the number of outputs")
	for i := 0; i < outs && c.err == nil; i++ {
		c.bytes(8, "an output's amount")
		c.script("an output's script")
	}
	for i := 0; segwit && i < n && c.err == nil; i++ {
		for items := c.count(1, "the number of witness items"); items > 0 && c.err == nil; items-- {
			c.script("a witness item")
		}
	}
	c.bytes(4, "a transaction's lock time")
	return n
}

// txBytes says where the parts of a transaction begin: the version, the inputs with the outputs,
// the witness, and the lock time. Without a witness that is where the lock time begins.
type txBytes struct{ begin, inputs, witness, lock, end int }

func (t *txBytes) segwit() bool { return t.witness < t.lock }

// stripped returns the parts of the transaction that its id covers: everything but the witness and
// its marker.
func (t *txBytes) stripped(b []byte) [3][]byte {
	return [3][]byte{b[t.begin:][:4], b[t.inputs:t.witness], b[t.lock:t.end]}
}

// id is the transaction's id.
func (t *txBytes) id(b []byte) chainhash.Hash {
	if !t.segwit() {
		return chainhash.DoubleHashH(b[t.begin:t.end])
	}
	h := sha256.New()
	for _, part := range t.stripped(b) {
		h.Write(part)
	}
	var sum [32]byte
	return sha256.Sum256(h.Sum(sum[:0]))
}

// An outpoint names an output.
type outpoint struct {
	tx    chainhash.Hash
	index uint32
}

func outpointOf(in *wire.TxIn) outpoint {
	return outpoint{in.PreviousOutPoint.Hash, in.PreviousOutPoint.Index}
}
