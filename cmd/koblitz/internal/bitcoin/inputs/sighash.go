package inputs

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// txSums are what the signature hashes of the segwit and taproot inputs of a transaction share:
// SHA-256 over a field of every input, or over all outputs, as BIP 341 names them. BIP 143 has the
// SHA-256 of the first three of them.
type txSums struct {
	prevouts, sequences, outputs [32]byte
	amounts, scripts             [32]byte // of spent outputs, as far as they are known

	prevoutsTwice, sequencesTwice, outputsTwice [32]byte
}

// twice has hash set the sums of BIP 143, once those that they are the hashes of are there.
func (s *txSums) twice(hash func(to *[32]byte, message []byte)) {
	hash(&s.prevoutsTwice, s.prevouts[:])
	hash(&s.sequencesTwice, s.sequences[:])
	hash(&s.outputsTwice, s.outputs[:])
}

// sum sets *to to the SHA-256 of a message.
func sum(to *[32]byte, message []byte) { *to = sha256.Sum256(message) }

// sums returns the transaction's txSums; amounts and scripts are there with taproot alone. scratch
// is room for fields. It may be called on several goroutines.
func (t *Transaction) sums(taproot bool, scratch *[]byte) *txSums {
	t.summed.Do(func() {
		t.ownSums(scratch, sum)
		t.shared.twice(sum)
	})
	if taproot {
		t.spentSummed.Do(func() { t.spentSums(scratch, sum) })
	}
	return &t.shared
}

// ownSums has hash set the sums of the transaction's own fields. Long ones it sets itself.
func (t *Transaction) ownSums(scratch *[]byte, hash func(to *[32]byte, message []byte)) {
	le := binary.LittleEndian
	h := fieldHash{b: (*scratch)[:0]}
	for _, in := range t.Tx.TxIn {
		h.b = append(h.b, in.PreviousOutPoint.Hash[:]...)
		h.b = le.AppendUint32(h.b, in.PreviousOutPoint.Index)
		h.next()
	}
	h.sum(&t.shared.prevouts, hash)
	for _, in := range t.Tx.TxIn {
		h.b = le.AppendUint32(h.b, in.Sequence)
		h.next()
	}
	h.sum(&t.shared.sequences, hash)
	for _, out := range t.Tx.TxOut {
		h.b = wireform.AppendOutput(h.b, out.Value, out.PkScript)
		h.next()
	}
	h.sum(&t.shared.outputs, hash)
	*scratch = h.b
}

// spentSums is ownSums for the fields of the outputs that the transaction spends.
func (t *Transaction) spentSums(scratch *[]byte, hash func(to *[32]byte, message []byte)) {
	h := fieldHash{b: (*scratch)[:0]}
	for i := range t.Spent {
		h.b = binary.LittleEndian.AppendUint64(h.b, uint64(t.Spent[i].Amount))
		h.next()
	}
	h.sum(&t.shared.amounts, hash)
	for i := range t.Spent {
		h.b = wireform.AppendCompactSize(h.b, uint64(len(t.Spent[i].Script)))
		h.b = append(h.b, t.Spent[i].Script...)
		h.next()
	}
	h.sum(&t.shared.scripts, hash)
	*scratch = h.b
}

// A fieldHash hashes fields that are appended to b one after the other.
type fieldHash struct {
	h hash.Hash // nil as long as b has all of them
	b []byte
}

// next comes behind every field.
func (f *fieldHash) next() {
	if len(f.b) < 4<<10 {
		return
	}
	if f.h == nil {
		f.h = sha256.New()
	}
	f.h.Write(f.b)
	f.b = f.b[:0]
}

// sum sets *to to the hash, or has hash do it if b has all fields, and begins anew.
func (f *fieldHash) sum(to *[32]byte, hash func(to *[32]byte, message []byte)) {
	if f.h == nil {
		hash(to, f.b)
	} else {
		f.h.Write(f.b)
		f.h.Sum(to[:0])
		f.h = nil
	}
	f.b = f.b[:0]
}

// signsAll reports whether a hash type signs all inputs and all outputs, as most do.
func signsAll(hashType byte) bool {
	outputs := txscript.SigHashType(hashType & 0x1f)
	return hashType&byte(txscript.SigHashAnyOneCanPay) == 0 && outputs != txscript.SigHashNone &&
		outputs != txscript.SigHashSingle
}

// legacyDigest is the signature hash of before BIP 143 for input i and a hash type that signsAll:
// the transaction is hashed with the script code, which has no OP_CODESEPARATOR, in place of that
// input's script, and without the other scripts. b is scratch, which is returned for the next call.
func legacyDigest(tx *wire.MsgTx, i int, code []byte, hashType byte, b []byte) (d [32]byte,
	scratch []byte) {
	le := binary.LittleEndian
	h := fieldHash{b: le.AppendUint32(b[:0], uint32(tx.Version))}
	h.b = wireform.AppendCompactSize(h.b, uint64(len(tx.TxIn)))
	for k, in := range tx.TxIn {
		h.b = append(h.b, in.PreviousOutPoint.Hash[:]...)
		h.b = le.AppendUint32(h.b, in.PreviousOutPoint.Index)
		if k == i {
			h.b = wireform.AppendCompactSize(h.b, uint64(len(code)))
			h.b = append(h.b, code...)
		} else {
			h.b = append(h.b, 0)
		}
		h.b = le.AppendUint32(h.b, in.Sequence)
		h.next()
	}
	h.b = wireform.AppendCompactSize(h.b, uint64(len(tx.TxOut)))
	for _, out := range tx.TxOut {
		h.b = wireform.AppendOutput(h.b, out.Value, out.PkScript)
		h.next()
	}
	h.b = le.AppendUint32(h.b, tx.LockTime)
	h.b = le.AppendUint32(h.b, uint32(hashType))
	h.sum(&d, sum)
	return sha256.Sum256(d[:]), h.b
}

// segwitDigest is the signature hash of BIP 143 for input i, which spends that amount. Every hash
// type has one: the bits that say nothing are signed like the others. b is scratch, which is
// returned for the next call.
func segwitDigest(s *txSums, tx *wire.MsgTx, i int, code []byte, amount int64, hashType byte,
	b []byte) (d [32]byte, scratch []byte) {
	anyone := hashType&byte(txscript.SigHashAnyOneCanPay) != 0
	outputs := txscript.SigHashType(hashType & 0x1f)
	in := tx.TxIn[i]
	var none [32]byte
	le := binary.LittleEndian
	b = le.AppendUint32(b[:0], uint32(tx.Version))
	if anyone {
		b = append(b, none[:]...)
	} else {
		b = append(b, s.prevoutsTwice[:]...)
	}
	if anyone || outputs == txscript.SigHashSingle || outputs == txscript.SigHashNone {
		b = append(b, none[:]...)
	} else {
		b = append(b, s.sequencesTwice[:]...)
	}
	b = append(b, in.PreviousOutPoint.Hash[:]...)
	b = le.AppendUint32(b, in.PreviousOutPoint.Index)
	b = wireform.AppendCompactSize(b, uint64(len(code)))
	b = append(b, code...)
	b = le.AppendUint64(b, uint64(amount))
	b = le.AppendUint32(b, in.Sequence)
	switch {
	case outputs != txscript.SigHashSingle && outputs != txscript.SigHashNone:
		b = append(b, s.outputsTwice[:]...)
	case outputs == txscript.SigHashSingle && i < len(tx.TxOut):
		o := tx.TxOut[i]
		b = append(b, chainhash.DoubleHashB(wireform.AppendOutput(nil, o.Value, o.PkScript))...)
	default:
		b = append(b, none[:]...)
	}
	b = le.AppendUint32(b, tx.LockTime)
	b = le.AppendUint32(b, uint32(hashType))
	return chainhash.DoubleHashH(b), b
}

// tapSighash is the tag of BIP 341's signature hash, as it stands before what is hashed (BIP 340).
var tapSighash = func() []byte {
	tag := sha256.Sum256([]byte("TapSighash"))
	return append(tag[:], tag[:]...)
}()
