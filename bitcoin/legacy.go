package bitcoin

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash"
	"io"
	"sync"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// A coverage says which outputs of a transaction a legacy signature covers, and whether it covers
// other inputs than its own.
type coverage int

const (
	outputsAll    coverage       = iota + 1 // every hash type but those of the next two
	outputsNone                             // SIGHASH_NONE
	outputsSingle                           // SIGHASH_SINGLE
	oneInput                                // added to one of the others: SIGHASH_ANYONECANPAY
	coverages     = 2 * oneInput            // above every coverage
)

// coverageOf returns the coverage of a signature with the given hash type.
func coverageOf(hashType byte) coverage {
	c := outputsAll
	switch txscript.SigHashType(hashType & 0x1f) {
	case txscript.SigHashNone:
		c = outputsNone
	case txscript.SigHashSingle:
		c = outputsSingle
	}
	if hashType&byte(txscript.SigHashAnyOneCanPay) != 0 {
		c += oneInput
	}
	return c
}

// legacyDigest returns the signature hash of the input by the rules before BIP 143. code must have
// no OP_CODESEPARATOR, and must be the same for all signatures of the input.
//
// Up to the hash type, the message depends only on the coverage. Signatures of the input that have
// the same coverage share the state of SHA-256 there.
func (x *Judge) legacyDigest(code []byte, hashType byte) [32]byte {
	c := coverageOf(hashType)
	if c%oneInput == outputsSingle && x.i >= len(x.t.Tx.TxOut) {
		return [32]byte{1} // by a mistake in Bitcoin, the hash is the number 1
	}
	if x.legacy[c] == nil {
		x.legacy[c] = sha256.New()
		x.t.writeLegacy(x.legacy[c], x.i, code, c)
	}
	state := clone(x.legacy[c])
	state.Write([]byte{hashType, 0, 0, 0})
	return sha256.Sum256(state.Sum(nil))
}

// clone returns a copy of h, a SHA-256. It encodes h, because SHA-256 is no hash.Cloner in programs
// that were built with GOFIPS140=v1.0.0.
func clone(h hash.Hash) hash.Hash {
	c := sha256.New()
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err == nil {
		err = c.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	}
	if err != nil {
		panic(err) // unreachable: every SHA-256 can be encoded
	}
	return c
}

// legacyParts are encoded parts of a transaction that its legacy signatures cover.
type legacyParts struct {
	once, onceZeroed, onceOutputs sync.Once

	inputs, zeroed []byte // without scripts; in zeroed, the sequence numbers are 0
	outputs        []byte // with their number
}

// legacyInput is the size in bytes of an encoded input without a script: its outpoint, the length
// of the script, and the sequence number.
const legacyInput = legacyOutpoint + 1 + 4

const legacyOutpoint = 32 + 4

// legacyInputs returns the encoded inputs without scripts, and with the sequence numbers 0 if
// zeroed is set.
func (t *Transaction) legacyInputs(zeroed bool) []byte {
	once, b, mask := &t.legacy.once, &t.legacy.inputs, uint32(1<<32-1)
	if zeroed {
		once, b, mask = &t.legacy.onceZeroed, &t.legacy.zeroed, 0
	}
	once.Do(func() {
		*b = make([]byte, 0, legacyInput*len(t.Tx.TxIn))
		for _, in := range t.Tx.TxIn {
			*b = append(*b, in.PreviousOutPoint.Hash[:]...)
			*b = binary.LittleEndian.AppendUint32(*b, in.PreviousOutPoint.Index)
			*b = binary.LittleEndian.AppendUint32(append(*b, 0), in.Sequence&mask)
		}
	})
	return *b
}

// legacyOutputs returns the number of outputs and the outputs, encoded.
func (t *Transaction) legacyOutputs() []byte {
	t.legacy.onceOutputs.Do(func() {
		var b bytes.Buffer // writing to it cannot fail
		wire.WriteVarInt(&b, 0, uint64(len(t.Tx.TxOut)))
		for _, out := range t.Tx.TxOut {
			wire.WriteTxOut(&b, 0, 0, out)
		}
		t.legacy.outputs = b.Bytes()
	})
	return t.legacy.outputs
}

// blankOutputs are encoded outputs in the place of those before the one that SIGHASH_SINGLE covers.
var blankOutputs = bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}, 64)

// writeLegacy writes the message that a signature of input i covers, without the hash type at its
// end. btcd computes the same, but copies the whole transaction for each signature. If c covers a
// single output, there must be one with the index i. Writing to w must not fail.
func (t *Transaction) writeLegacy(w io.Writer, i int, code []byte, c coverage) {
	in, le := t.Tx.TxIn[i], binary.LittleEndian
	outputs := c % oneInput
	inputs, n := t.legacyInputs(outputs != outputsAll), len(t.Tx.TxIn)
	own := inputs[i*legacyInput:][:legacyInput]
	before, after := inputs[:i*legacyInput], inputs[(i+1)*legacyInput:]
	if c >= oneInput {
		before, after, n = nil, nil, 1
	}
	w.Write(le.AppendUint32(nil, uint32(t.Tx.Version)))
	wire.WriteVarInt(w, 0, uint64(n))
	w.Write(before)
	w.Write(own[:legacyOutpoint])
	wire.WriteVarBytes(w, 0, code)
	w.Write(le.AppendUint32(nil, in.Sequence))
	w.Write(after)
	switch outputs {
	case outputsNone:
		w.Write([]byte{0})
	case outputsSingle:
		wire.WriteVarInt(w, 0, uint64(i+1))
		for left := len(blankOutputs) / 64 * i; left > 0; left -= len(blankOutputs) {
			w.Write(blankOutputs[:min(left, len(blankOutputs))])
		}
		wire.WriteTxOut(w, 0, 0, t.Tx.TxOut[i])
	default:
		w.Write(t.legacyOutputs())
	}
	w.Write(le.AppendUint32(nil, t.Tx.LockTime))
}
