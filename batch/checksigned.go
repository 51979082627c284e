//ct:public verifies signatures, which are public

package batch

import "context"

// checkSchnorr verifies the signatures of a block of rows under w.keys. A Valid row whose signature
// does not verify becomes Invalid, and its signature zeros.
func (w *signWorker) checkSchnorr(sigs []byte, verdicts []Verdict, messages Column) {
	keys := make([]byte, 32*len(w.keys))
	for i := range w.keys {
		w.keys[i].X.PutBytes((*[32]byte)(keys[32*i:]))
	}
	column := Packed(keys, 32)
	if len(w.keys) == 1 {
		column = Same(keys)
	}
	checks := make([]Verdict, len(verdicts))
	SchnorrRows{
		Messages:   messages,
		Keys:       EncodedKeys(column),
		Signatures: Packed(sigs, 64),
	}.Verify(context.Background(), checks, &Options{Workers: 1})
	for i, v := range checks {
		refuse(v == Valid, sigs[64*i:][:64], &verdicts[i])
	}
}

// checkECDSA works like checkSchnorr. A signature must also have a low s and the right recovery id:
// the key that it recovers must be the row's.
func (w *signWorker) checkECDSA(sigs []byte, verdicts []Verdict, hashes Column) {
	recovered := make([]byte, 65*len(verdicts))
	checks := make([]Verdict, len(verdicts))
	RecoverRows{Hashes: hashes, Signatures: Packed(sigs, 65), S: LowS}.Recover(
		context.Background(), recovered, checks, &Options{Workers: 1})
	for i, v := range checks {
		key, got := w.key(i), recovered[65*i:]
		var x, y [32]byte
		key.X.PutBytes(&x)
		key.Y.PutBytes(&y)
		good := v == Valid && x == [32]byte(got[1:]) && y == [32]byte(got[33:])
		refuse(good, sigs[65*i:][:65], &verdicts[i])
	}
}

// refuse makes a Valid row Invalid and its signature zeros, unless the signature is good.
func refuse(good bool, sig []byte, v *Verdict) {
	if *v == Valid && !good {
		*v = Invalid
		clear(sig)
	}
}
