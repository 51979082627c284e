package subject

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// hash returns a hash to sign: a 256-bit number, nil, or up to 70 bytes.
func (t *tape) hash() []byte {
	switch kind := t.byte(); {
	case kind < 200:
		return t.number()[:]
	case kind < 210:
		return nil
	default:
		return t.bytes(t.below(71))
	}
}

// signatures signs a hash, encodes the signature in several ways, and decodes it again.
func signatures(t *tape, r *record) {
	k, hash := t.private(), t.hash()
	var e secp256k1.ModNScalar
	if e.SetByteSlice(hash); k.Key.IsZero() && e.IsZero() {
		return // the real module does not terminate for this input
	}
	sig := ecdsa.Sign(k, hash)
	r.ecdsa(sig)
	compressed := t.bool()
	compact := ecdsa.SignCompact(k, hash, compressed)
	r.bytes(compact)
	if k.Key.IsZero() {
		return
	}
	p := k.PubKey()
	r.bool(sig.Verify(hash, p))
	r.results(ecdsa.RecoverCompact(compact, hash))
	r.results(ecdsa.ParseDERSignature(sig.Serialize()))
	r.try(func() { r.bool(sig.IsEqual(nil)) })
}

// verifications verifies a signature, and then the same signature after one of several changes.
// Sometimes it verifies only a pair of random numbers.
func verifications(t *tape, r *record) {
	k, hash := t.private(), t.hash()
	if k.Key.IsZero() {
		k.Key.SetInt(1)
	}
	p := k.PubKey()
	if t.byte() < 40 {
		r.bool(ecdsa.NewSignature(t.scalar(), t.scalar()).Verify(hash, t.key()))
		return
	}
	sig := t.forged(hash, p)
	if t.bool() {
		sig = ecdsa.Sign(k, hash)
	}
	r.ecdsa(sig)
	r.bool(sig.Verify(hash, p))
	rr, s := sig.R(), sig.S()
	switch t.below(8) {
	case 0:
		s.Negate()
	case 1:
		s.Zero()
	case 2:
		rr.Zero()
	case 3:
		rr.Negate()
	case 4:
		rr, s = s, rr
	case 5:
		hash = append([]byte{}, hash...)
		for i := range hash {
			hash[i] ^= 1 << t.below(8)
			break
		}
	case 6:
		p = t.key()
	case 7:
		// Add 1 to r. If r was n − 1, it becomes 0, and the signature would be valid only if the x
		// coordinate of the nonce point were n.
		rr.Add(new(secp256k1.ModNScalar).SetInt(1))
	}
	changed := ecdsa.NewSignature(&rr, &s)
	r.ecdsa(changed)
	r.bool(changed.IsEqual(sig))
	r.bool(changed.Verify(hash, p))
}

// forged returns a signature (r, s) that is valid under the key p, made without p's private key: R
// = a·G + b·p with random a and b, r is the x coordinate of R, and s = r/b. It is valid for the
// hash z = r·a/b. If hash has 32 bytes, forged overwrites it with z.
func (t *tape) forged(hash []byte, p *secp256k1.PublicKey) *ecdsa.Signature {
	a, b := t.scalar(), t.scalar()
	var R, q secp256k1.JacobianPoint
	p.AsJacobian(&q)
	secp256k1.ScalarBaseMultNonConst(a, &R)
	secp256k1.ScalarMultNonConst(b, &q, &q)
	secp256k1.AddNonConst(&R, &q, &R)
	R.ToAffine()
	var rr, w, s, z secp256k1.ModNScalar
	rr.SetByteSlice(R.X.Bytes()[:])
	w.InverseValNonConst(b)
	s.Mul2(&rr, &w)
	z.Mul2(a, &s)
	if len(hash) == 32 {
		z.PutBytesUnchecked(hash)
	}
	return ecdsa.NewSignature(&rr, &s)
}

// overflowing recovers a key from a signature, and verifies the signature under this key. Since r
// is chosen before the key is known, the x coordinate of the nonce point may be n or more, which
// hardly occurs otherwise.
func overflowing(t *tape, r *record) {
	var compact [65]byte
	compact[0] = 27 + byte(t.below(8))
	x := t.scalar()
	if t.bool() {
		x.SetInt(t.uint32()) // a small r, so that r + n is less than p
	}
	x.PutBytesUnchecked(compact[1:])
	t.scalar().PutBytesUnchecked(compact[33:])
	hash := t.hash()
	p, compressed, err := ecdsa.RecoverCompact(compact[:], hash)
	r.results(p, compressed, err)
	if p == nil {
		return
	}
	var rr, s secp256k1.ModNScalar
	rr.SetByteSlice(compact[1:33])
	s.SetByteSlice(compact[33:])
	r.bool(ecdsa.NewSignature(&rr, &s).Verify(hash, p))
	r.bool(ecdsa.NewSignature(&rr, s.Negate()).Verify(hash, p))
	r.bool(ecdsa.NewSignature(&rr, &s).Verify(hash, t.key()))
}

// recoveries recovers keys from 65 bytes that may not be a valid signature.
func recoveries(t *tape, r *record) {
	compact := append([]byte{byte(24 + t.below(16))}, t.number()[:]...)
	compact = append(compact, t.number()[:]...)
	if t.byte() < 50 {
		compact = t.mutate(compact)
	}
	hash := t.hash()
	if t.byte() < 30 && len(compact) == 65 {
		// If the nonce point R is G and s·R = z·G, where z is the hash, the recovered key would be
		// infinity, so recovery must fail.
		compact[0] = 27
		copy(compact[1:], secp256k1.Params().Gx.Bytes())
		copy(compact[33:], hash)
	}
	r.results(ecdsa.RecoverCompact(compact, hash))
}

// recoverTape recovers a key from the tape's bytes: a signature of 65 bytes, and then the hash.
func recoverTape(t *tape, r *record) {
	compact := *t
	hash := []byte(nil)
	if len(compact) > 65 {
		compact, hash = compact[:65], compact[65:]
	}
	r.results(ecdsa.RecoverCompact(compact, hash))
}

// integerDER returns the DER encoding of an integer, often with faults.
func (t *tape) integerDER() []byte {
	var b []byte
	if t.byte() < 200 {
		b = t.number()[:]
	} else {
		b = t.slice()
	}
	if t.byte() < 230 {
		for len(b) > 1 && b[0] == 0 {
			b = b[1:]
		}
	}
	if len(b) > 0 && b[0] >= 0x80 && t.byte() < 230 {
		b = append([]byte{0}, b...)
	}
	b = append([]byte{2, byte(len(b))}, b...)
	if t.byte() < 15 {
		b[0] = t.byte()
	}
	if t.byte() < 15 {
		b[1] += byte(t.below(5)) - 2
	}
	return b
}

// signatureDER returns the DER encoding of two integers, often with faults.
func (t *tape) signatureDER() []byte {
	b := append(t.integerDER(), t.integerDER()...)
	b = append([]byte{0x30, byte(len(b))}, b...)
	if t.byte() < 15 {
		b[t.below(2)] += byte(t.below(5)) - 2
	}
	if t.byte() < 80 {
		b = t.mutate(b)
	}
	return b
}

// parseDER parses signatures in DER, often with faults.
func parseDER(t *tape, r *record) { r.results(ecdsa.ParseDERSignature(t.signatureDER())) }

// parseDERBytes parses all bytes of the tape as a signature in DER.
func parseDERBytes(t *tape, r *record) {
	r.results(ecdsa.ParseDERSignature(*t))
}
