package wireform

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
)

const (
	HeaderSize = 80
	BitsAt     = 72 // offset of the difficulty bits in a header
)

// Transactions reads the number of transactions of a block. It does not compare the number with the
// input's length, and allocates nothing, so the block may be truncated.
func (c *Cursor) Transactions() int {
	at := c.At
	n := c.CompactSize("the number of transactions")
	if n > MaxBlockSize/60 {
		c.Err = &FormatError{at, fmt.Sprintf("%d transactions are more than a block can have", n)}
		return 0
	}
	return int(n)
}

// A Header is a block's header.
type Header struct {
	Hash    chainhash.Hash
	Prev    chainhash.Hash
	Root    chainhash.Hash // Merkle root of the transactions
	Version int32
	Time    uint32
	Bits    uint32 // the target, encoded as difficulty bits
}

// ParseHeader parses the first 80 bytes of b. b must have at least 80 bytes.
func ParseHeader(b []byte) (h Header) {
	h.Hash = chainhash.DoubleHashH(b[:HeaderSize])
	h.Version = int32(binary.LittleEndian.Uint32(b))
	h.Prev = chainhash.Hash(b[4:36])
	h.Root = chainhash.Hash(b[36:68])
	h.Time = binary.LittleEndian.Uint32(b[68:])
	h.Bits = binary.LittleEndian.Uint32(b[BitsAt:])
	return h
}

// An Output is a spent output.
type Output = bitcoin.Output

// IsCoinbase reports whether tx is a coinbase: its only input has a null outpoint.
func IsCoinbase(tx *wire.MsgTx) bool {
	return len(tx.TxIn) == 1 && tx.TxIn[0].PreviousOutPoint.Index == math.MaxUint32 &&
		tx.TxIn[0].PreviousOutPoint.Hash == chainhash.Hash{}
}

// Transaction reads one transaction, with its witness if there is one. It also returns the
// positions of the transaction's parts. Scripts and witness items alias the input.
func (c *Cursor) Transaction() (tx *wire.MsgTx, parts TxBytes) {
	parts.Begin = c.At
	tx = &wire.MsgTx{Version: int32(c.uint32("a transaction's version"))}
	parts.inputs = c.At
	n := c.Count(41, "the number of inputs")
	segwit := false
	if n == 0 && c.Err == nil {
		// BIP 144: zero inputs and then a flag mark a transaction with a witness.
		flag := c.At
		if f := c.Bytes(1, "a transaction's flag"); f != nil && f[0] != 1 {
			c.At = flag
			c.Fail("a transaction without inputs")
		}
		segwit = true
		parts.inputs = c.At
		if n = c.Count(41, "the number of inputs"); n == 0 {
			c.Fail("a transaction without inputs")
		}
	}
	n = c.atMost(n, MaxInputs, "inputs")
	ins := make([]wire.TxIn, n)
	tx.TxIn = make([]*wire.TxIn, n)
	for i := range ins {
		in := &ins[i]
		tx.TxIn[i] = in
		copy(in.PreviousOutPoint.Hash[:], c.Bytes(32, "an input's previous transaction"))
		in.PreviousOutPoint.Index = c.uint32("an input's previous output")
		in.SignatureScript = c.Script("an input's script")
		in.Sequence = c.uint32("an input's sequence")
	}
	n = c.atMost(c.Count(9, "the number of outputs"), MaxOutputs, "outputs")
	outs := make([]wire.TxOut, n)
	tx.TxOut = make([]*wire.TxOut, n)
	for i := range outs {
		out := &outs[i]
		tx.TxOut[i] = out
		out.Value = int64(c.Uint64("an output's amount"))
		out.PkScript = c.Script("an output's script")
	}
	parts.witness = c.At
	if segwit {
		some, items := false, 0
		for i := range ins {
			n := c.Count(1, "the number of witness items")
			if items += n; n == 0 || c.atMost(items, MaxWitnessItems, "witness items") == 0 {
				continue
			}
			some = true
			ins[i].Witness = make(wire.TxWitness, n)
			for j := range ins[i].Witness {
				ins[i].Witness[j] = c.Script("a witness item")
			}
		}
		if !some {
			c.Fail("a witness that is empty for every input")
		}
	}
	parts.lock = c.At
	tx.LockTime = c.uint32("a transaction's lock time")
	if c.Err == nil {
		c.weigh(parts.Begin, c.At-parts.lock+parts.witness-parts.inputs+4)
	}
	if c.Err != nil {
		return nil, parts
	}
	parts.End = c.At
	return tx, parts
}

// CoinbaseHeight returns the height at the start of a coinbase's script (BIP 34), or -1 if the
// script does not begin with a height above 0 in its one encoding, the shortest.
func CoinbaseHeight(script []byte) int32 {
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
	// A last byte of 0 is only there because the byte before it has the bit of the sign.
	if h <= 16 || script[n] == 0 && script[n-1]&0x80 == 0 {
		return -1
	}
	return h
}

// CoinbaseScript returns the bytes of a serialized block from the script of its coinbase on. The
// block may be cut off. ok is false if no coinbase follows the header.
func CoinbaseScript(block []byte) (script []byte, ok bool) {
	c := Cursor{Data: block, At: HeaderSize}
	c.Transactions()
	c.Bytes(4, "")
	if c.Err == nil && bytes.HasPrefix(block[c.At:], []byte{0, 1}) { // marker and flag of a witness
		c.At += 2
	}
	in := c.Bytes(1+36, "")
	if in == nil || in[0] != 1 || [32]byte(in[1:]) != [32]byte{} ||
		binary.LittleEndian.Uint32(in[33:]) != math.MaxUint32 {
		return nil, false
	}
	c.CompactSize("")
	return block[c.At:], true
}

// SkipTx skips one transaction and returns the number of its inputs. Unlike Transaction, it checks
// neither the flag nor any limit, and it allocates nothing.
func (c *Cursor) SkipTx() (inputs int) {
	c.Bytes(4, "a transaction's version")
	n := c.Count(41, "the number of inputs")
	segwit := n == 0
	if segwit {
		c.Bytes(1, "a transaction's flag")
		n = c.Count(41, "the number of inputs")
	}
	for i := 0; i < n && c.Err == nil; i++ {
		c.Bytes(36, "an input's previous output")
		c.Script("an input's script")
		c.Bytes(4, "an input's sequence")
	}
	outs := c.Count(9, "the number of outputs")
	for i := 0; i < outs && c.Err == nil; i++ {
		c.Bytes(8, "an output's amount")
		c.Script("an output's script")
	}
	for i := 0; segwit && i < n && c.Err == nil; i++ {
		for items := c.Count(1, "the number of witness items"); items > 0 && c.Err == nil; items-- {
			c.Script("a witness item")
		}
	}
	c.Bytes(4, "a transaction's lock time")
	return n
}

// TxBytes holds the offsets at which parts of a transaction begin: the version, the inputs and
// outputs, the witness, and the lock time. End is the offset after the transaction. Without a
// witness, the offset of the witness is that of the lock time.
type TxBytes struct{ Begin, inputs, witness, lock, End int }

// Segwit reports whether the transaction has a witness.
func (t *TxBytes) Segwit() bool { return t.witness < t.lock }

// Stripped returns the parts of the transaction that its id covers: all parts except the witness,
// and except the marker and the flag that announce a witness. b holds the transaction.
func (t *TxBytes) Stripped(b []byte) [3][]byte {
	return [3][]byte{b[t.Begin:][:4], b[t.inputs:t.witness], b[t.lock:t.End]}
}
