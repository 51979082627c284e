package bitcoin

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// txSums are what the signature hashes of the segwit and taproot inputs of a transaction share:
// SHA-256 over a field of every input, or over all outputs, as BIP 341 names them. BIP 143 has the
// SHA-256 of the first three of them.
type txSums struct {
	prevouts, sequences, outputs [32]byte
	amounts, scripts             [32]byte // of spent outputs, as far as they are known
}

// sums returns the transaction's txSums; amounts and scripts are there with taproot alone. scratch
// is room for fields. It may be called on several goroutines.
func (t *transaction) sums(taproot bool, scratch *[]byte) *txSums {
	le := binary.LittleEndian
	t.summed.Do(func() {
		h := fieldHash{b: (*scratch)[:0]}
		for _, in := range t.tx.TxIn {
			h.b = append(h.b, in.PreviousOutPoint.Hash[:]...)
			h.b = le.AppendUint32(h.b, in.PreviousOutPoint.Index)
			h.next()
		}
		t.shared.prevouts = h.sum()
		for _, in := range t.tx.TxIn {
			h.b = le.AppendUint32(h.b, in.Sequence)
			h.next()
		}
		t.shared.sequences = h.sum()
		for _, out := range t.tx.TxOut {
			h.b = appendOutput(h.b, out.Value, out.PkScript)
			h.next()
		}
		t.shared.outputs = h.sum()
		*scratch = h.b
	})
	if !taproot {
		return &t.shared
	}
	t.spentSummed.Do(func() {
		h := fieldHash{b: (*scratch)[:0]}
		for i := range t.spent {
			h.b = le.AppendUint64(h.b, uint64(t.spent[i].amount))
			h.next()
		}
		t.shared.amounts = h.sum()
		for i := range t.spent {
			h.b = appendCompactSize(h.b, uint64(len(t.spent[i].script)))
			h.b = append(h.b, t.spent[i].script...)
			h.next()
		}
		t.shared.scripts = h.sum()
		*scratch = h.b
	})
	return &t.shared
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

// sum returns the hash, and begins anew.
func (f *fieldHash) sum() (d [32]byte) {
	if f.h == nil {
		d = sha256.Sum256(f.b)
	} else {
		f.h.Write(f.b)
		f.h.Sum(d[:0])
		f.h = nil
	}
	f.b = f.b[:0]
	return d
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
	double := func(sum *[32]byte) []byte {
		second := sha256.Sum256(sum[:])
		return second[:]
	}
	le := binary.LittleEndian
	b = le.AppendUint32(b[:0], uint32(tx.Version))
	if anyone {
		b = append(b, none[:]...)
	} else {
		b = append(b, double(&s.prevouts)...)
	}
	if anyone || outputs == txscript.SigHashSingle || outputs == txscript.SigHashNone {
		b = append(b, none[:]...)
	} else {
		b = append(b, double(&s.sequences)...)
	}
	b = append(b, in.PreviousOutPoint.Hash[:]...)
	b = le.AppendUint32(b, in.PreviousOutPoint.Index)
	b = appendCompactSize(b, uint64(len(code)))
	b = append(b, code...)
	b = le.AppendUint64(b, uint64(amount))
	b = le.AppendUint32(b, in.Sequence)
	switch {
	case outputs != txscript.SigHashSingle && outputs != txscript.SigHashNone:
		b = append(b, double(&s.outputs)...)
	case outputs == txscript.SigHashSingle && i < len(tx.TxOut):
		o := tx.TxOut[i]
		sum := sha256.Sum256(appendOutput(nil, o.Value, o.PkScript))
		b = append(b, double(&sum)...)
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
