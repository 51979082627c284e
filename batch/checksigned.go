//ct:public verifies signatures, which are public

package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A signedBlock verifies the signatures that one worker has made for a block of rows. It holds
// public data only.
type signedBlock struct {
	keys []point.Affine // public keys: one for each row of the block, or one for all
	rows engine.Batch   // memory for equations
}

// key returns the public key of row i of the block.
func (b *signedBlock) key(i int) *point.Affine { return &b.keys[min(i, len(b.keys)-1)] }

// checkSchnorr verifies the signatures of all rows that are Valid: by one equation, or if that does
// not hold or saves no time, row by row. A row whose signature does not verify becomes Invalid, and
// its signature zeros.
func (b *signedBlock) checkSchnorr(sigs []byte, verdicts []Verdict, messages Column) {
	if b.holds(device.Schnorr, verdicts, func(row engine.Row, i int) {
		row.SetSchnorr(messages.row(i), sigs[64*i:][:64])
	}) {
		return
	}
	keys := make([]byte, 32*len(verdicts))
	for i := range verdicts {
		b.key(i).X.PutBytes((*[32]byte)(keys[32*i:]))
	}
	checks := make([]Verdict, len(verdicts))
	SchnorrRows{
		Messages:   messages,
		Keys:       EncodedKeys(Packed(keys, 32)),
		Signatures: Packed(sigs, 64),
	}.Verify(context.Background(), checks, &Options{Workers: 1, Exact: true})
	for i, v := range checks {
		refuse(v == Valid, sigs[64*i:][:64], &verdicts[i])
	}
}

// checkECDSA works like checkSchnorr. A signature must also have a low s and the right recovery id:
// the key that it recovers must be the row's. An equation with a wrong id does not hold.
func (b *signedBlock) checkECDSA(sigs []byte, verdicts []Verdict, hashes Column) {
	if b.holds(device.ECDSA, verdicts, func(row engine.Row, i int) {
		row.SetECDSARecoverable(hashes.row(i), sigs[65*i:][:65], true)
	}) {
		return
	}
	recovered := make([]byte, 65*len(verdicts))
	checks := make([]Verdict, len(verdicts))
	RecoverRows{Hashes: hashes, Signatures: Packed(sigs, 65), S: LowS}.Recover(
		context.Background(), recovered, checks, &Options{Workers: 1})
	for i, v := range checks {
		var x, y [32]byte
		b.key(i).X.PutBytes(&x)
		b.key(i).Y.PutBytes(&y)
		got := recovered[65*i:]
		good := v == Valid && x == [32]byte(got[1:]) && y == [32]byte(got[33:])
		refuse(good, sigs[65*i:][:65], &verdicts[i])
	}
}

// holds reports whether one equation for all Valid rows holds. The function set sets the signature
// of row i. holds returns false without an equation if that would save no time.
func (b *signedBlock) holds(
	kind engine.Kind, verdicts []Verdict, set func(row engine.Row, i int),
) bool {
	if !engine.EquationPays(len(verdicts), 1) {
		return false
	}
	b.rows.Reset()
	for i, v := range verdicts {
		if v == Valid {
			b.rows.Add(func(row engine.Row) {
				row.SetKey(b.key(i), nil)
				set(row, i)
			})
		}
	}
	ok, err := b.rows.Together(context.Background(), kind)
	return ok && err == nil
}

// refuse makes a Valid row Invalid and its signature zeros, unless the signature is good.
func refuse(good bool, sig []byte, v *Verdict) {
	if *v == Valid && !good {
		*v = Invalid
		clear(sig)
	}
}
