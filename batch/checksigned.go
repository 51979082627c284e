//ct:public verifies signatures, which are public

package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A signedBlock holds the signatures that one worker has made for a block of rows, until they are
// verified. Its data are public, except signatures that are wrong because of a fault.
type signedBlock struct {
	keys     []point.Affine // public keys: one for each row of the block, or one for all
	messages []byte         // 32 bytes for each row
	sigs     []byte
	verdicts []Verdict      // Valid if a signature was made
	rows     engine.Records // memory for equations
}

// key returns the public key of row i of the block.
func (b *signedBlock) key(i int) *point.Affine { return &b.keys[min(i, len(b.keys)-1)] }

// checkSchnorr verifies the signatures of the rows that are Valid among the first n: by one
// equation, or if that does not hold or saves no time, row by row. A row whose signature does not
// verify becomes Invalid.
func (b *signedBlock) checkSchnorr(n int) {
	if b.hold(device.Schnorr, 0, n, func(row *engine.Record, i int) {
		row.SetSchnorr(b.messages[32*i:][:32], b.sigs[64*i:][:64], nil)
	}) {
		return
	}
	checks := make([]Verdict, b.rows.Len())
	b.rows.Verify(context.Background(), device.Schnorr, 0, checks,
		engine.Options{Workers: 1, Exact: true})
	for i, v := range b.verdicts[:n] {
		if v != Valid {
			continue
		}
		if checks[0] != Valid {
			b.verdicts[i] = Invalid
		}
		checks = checks[1:]
	}
}

// checkECDSA works like checkSchnorr. A signature must also have a low s and the right recovery id:
// the key that it recovers must be the row's. An equation with a wrong id does not hold.
func (b *signedBlock) checkECDSA(n int) {
	if b.hold(device.ECDSA, device.LowS, n, func(row *engine.Record, i int) {
		row.SetECDSARecoverable(b.messages[32*i:][:32], b.sigs[65*i:][:65])
	}) {
		return
	}
	recovered := make([]byte, 65*n)
	checks := make([]Verdict, n)
	RecoverRows{
		Hashes: Packed(b.messages[:32*n], 32), Signatures: Packed(b.sigs[:65*n], 65), S: LowS,
	}.Recover(context.Background(), recovered, checks, &Options{Workers: 1})
	for i, v := range checks {
		var x, y [32]byte
		b.key(i).X.PutBytes(&x)
		b.key(i).Y.PutBytes(&y)
		got := recovered[65*i:]
		good := v == Valid && x == [32]byte(got[1:]) && y == [32]byte(got[33:])
		if b.verdicts[i] == Valid && !good {
			b.verdicts[i] = Invalid
		}
	}
}

// hold reports whether one equation holds for all rows that are Valid among the first n, and sets
// b.rows to these rows. The function set sets the signature of row i. If an equation would save no
// time, hold returns false without computing one.
func (b *signedBlock) hold(
	kind engine.Kind, rules device.Rules, n int, set func(row *engine.Record, i int),
) bool {
	b.rows.Reset()
	b.rows.Reserve(len(b.verdicts)) // so that no memory is replaced before Wipe clears it
	for i, v := range b.verdicts[:n] {
		if v == Valid {
			row := b.rows.Add()
			row.SetKey(b.key(i))
			set(row, i)
		}
	}
	rows := b.rows.Len()
	return rows == 0 || engine.EquationPays(rows, 1) && b.rows.HoldTogether(kind, rules)
}
