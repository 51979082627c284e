package bitcoin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/btcsuite/btcd/wire/v2"
)

var (
	errHashType = errors.New("a hash type that BIP 341 does not know")
	errNoOutput = errors.New("SIGHASH_SINGLE without an output of the input's index")
)

// TaprootDigest returns the signature hash of BIP 341 for a key path spend by the input with the
// given index. annex begins with 0x50; it is nil if the input has no annex.
func (t *Transaction) TaprootDigest(hashType byte, index int, annex []byte) (
	d [32]byte, err error) {
	return t.taprootDigest(hashType, index, annex, nil)
}

// taprootDigest returns the signature hash of BIP 341. If leaf is not nil, it is the hash of the
// tapscript that the input runs, which has executed no OP_CODESEPARATOR (BIP 342).
func (t *Transaction) taprootDigest(hashType byte, index int, annex []byte, leaf *[32]byte) (
	d [32]byte, err error) {
	s, tx, spent := t.sigHashes(), t.Tx, &t.Spent[index]
	anyone, outputs := hashType&0x80 != 0, hashType&3
	if hashType&^0x83 != 0 || hashType == 0x80 {
		return d, errHashType
	}
	le := binary.LittleEndian
	m := append(make([]byte, 0, 320), tapSighash...)
	m = append(m, 0, hashType) // the epoch and the hash type
	m = le.AppendUint32(m, uint32(tx.Version))
	m = le.AppendUint32(m, tx.LockTime)
	if !anyone {
		m = append(m, s.HashPrevOutsV1[:]...)
		m = append(m, s.HashInputAmountsV1[:]...)
		m = append(m, s.HashInputScriptsV1[:]...)
		m = append(m, s.HashSequenceV1[:]...)
	}
	if outputs != 2 && outputs != 3 {
		m = append(m, s.HashOutputsV1[:]...)
	}
	spendType := byte(0)
	if annex != nil {
		spendType = 1
	}
	if leaf != nil {
		spendType |= 2
	}
	m = append(m, spendType)
	if anyone {
		in := tx.TxIn[index]
		m = append(m, in.PreviousOutPoint.Hash[:]...)
		m = le.AppendUint32(m, in.PreviousOutPoint.Index)
		m = appendOutput(m, spent.Amount, spent.Script)
		m = le.AppendUint32(m, in.Sequence)
	} else {
		m = le.AppendUint32(m, uint32(index))
	}
	if annex != nil {
		h := sha256.New()
		wire.WriteVarBytes(h, 0, annex)
		m = h.Sum(m)
	}
	if outputs == 3 {
		if index >= len(tx.TxOut) {
			return d, errNoOutput
		}
		out := tx.TxOut[index]
		o := sha256.Sum256(appendOutput(nil, out.Value, out.PkScript))
		m = append(m, o[:]...)
	}
	if leaf != nil {
		m = append(m, leaf[:]...)
		m = append(m, 0, 0xff, 0xff, 0xff, 0xff) // the key version, and no OP_CODESEPARATOR
	}
	return sha256.Sum256(m), nil
}

// These begin the tagged hashes of signatures, of the leaves and of the branches of a script tree
// (BIP 341).
var tapSighash, tapLeaf, tapBranch = tag("TapSighash"), tag("TapLeaf"), tag("TapBranch")

// tag returns the first block of a tagged hash (BIP 340, "Design").
func tag(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return append(sum[:], sum[:]...)
}

// tapBranchHash returns the parent of two nodes of a script tree.
func tapBranchHash(a, b *[32]byte) [32]byte {
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	m := append(make([]byte, 0, 128), tapBranch...)
	return sha256.Sum256(append(append(m, a[:]...), b[:]...))
}

// appendOutput appends an output to b in the encoding that transactions use.
func appendOutput(b []byte, amount int64, script []byte) []byte {
	w := bytes.NewBuffer(b)
	wire.WriteTxOut(w, 0, 0, &wire.TxOut{Value: amount, PkScript: script}) // a Buffer cannot fail
	return w.Bytes()
}
