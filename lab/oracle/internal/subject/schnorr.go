package subject

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

// dcr signs and verifies by the scheme EC-Schnorr-DCRv0.
func dcr(t *tape, r *record) {
	k, hash := t.private(), t.bytes(32)
	if t.byte() < 20 {
		hash = t.hash()
	}
	sig, err := schnorr.Sign(k, hash)
	r.results(sig, err)
	if sig == nil {
		r.bool(new(schnorr.Signature).Verify(hash, k.PubKey()))
		return
	}
	p := k.PubKey()
	r.bool(sig.Verify(hash, p))
	rr, s := sig.R(), sig.S()
	switch t.below(7) {
	case 0:
		s.Negate()
	case 1:
		s.Zero()
	case 2:
		rr.Zero()
	case 3:
		rr.AddInt(1)
	case 4:
		hash[t.below(32)] ^= 1 << t.below(8)
	case 5:
		p = t.key()
	case 6:
		hash = hash[:t.below(33)]
	}
	changed := schnorr.NewSignature(&rr, &s)
	r.schnorr(changed)
	r.bool(sig.IsEqual(changed))
	r.bool(*sig == *changed)
	r.bool(changed.Verify(hash, p))
	var rest secp256k1.FieldVal
	rest.SetBytes(t.number()) // may be p or more, and is then not normalized
	other := schnorr.NewSignature(&rest, t.scalar())
	r.schnorr(other)
	r.bool(other.Verify(hash, p))
	r.try(func() { r.bool(sig.IsEqual(nil)) })
}

// parseDCR parses encoded signatures and keys of EC-Schnorr-DCRv0, often with faults.
func parseDCR(t *tape, r *record) {
	b := append(t.number()[:], t.number()[:]...)
	if t.byte() < 40 {
		b = t.mutate(b)
	}
	parseDCRBytes((*tape)(&b), r)
	r.results(schnorr.ParsePubKey(t.encodedKey()))
}

// parseDCRBytes parses all bytes of the tape as a signature, and then as a key.
func parseDCRBytes(t *tape, r *record) {
	r.results(schnorr.ParseSignature(*t))
	r.results(schnorr.ParsePubKey(*t))
}
