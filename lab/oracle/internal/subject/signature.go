package subject

import (
	"math/big"

	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	dcr "github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
	erigon "github.com/erigontech/secp256k1"
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

// A scheme is a signature scheme. Its function sign returns the 64 bytes of a signature, or nil if
// it refuses. The function verify verifies any 64 bytes.
type scheme struct {
	sign   func(t *tape, r *record, k *secp256k1.PrivateKey, hash []byte) []byte
	verify func(r *record, sig, hash []byte, p *secp256k1.PublicKey)
}

var schemes = []scheme{
	{signECDSA, verifyECDSA}, {signDCR, verifyDCR}, {signBIP340, verifyBIP340},
	{signErigon, verifyErigon},
}

func signECDSA(t *tape, r *record, k *secp256k1.PrivateKey, hash []byte) []byte {
	var e secp256k1.ModNScalar
	if e.SetByteSlice(hash); k.Key.IsZero() && e.IsZero() {
		return nil // the real module does not terminate for this input
	}
	sig, compact := ecdsa.Sign(k, hash), ecdsa.SignCompact(k, hash, t.bool())
	r.write(sig, compact)
	if k.Key.IsZero() {
		return nil // the public key of zero is off the curve: see offCurve
	}
	r.write(ecdsa.RecoverCompact(compact, hash))
	return compact[1:]
}

// numbers returns the two numbers in the bytes of a signature. They are not normalized.
func numbers(sig []byte) (f *secp256k1.FieldVal, r, s *secp256k1.ModNScalar) {
	f, r, s = new(secp256k1.FieldVal), new(secp256k1.ModNScalar), new(secp256k1.ModNScalar)
	f.SetByteSlice(sig[:32])
	r.SetByteSlice(sig[:32])
	s.SetByteSlice(sig[32:])
	return f, r, s
}

func verifyECDSA(r *record, b, hash []byte, p *secp256k1.PublicKey) {
	_, rr, s := numbers(b)
	sig := ecdsa.NewSignature(rr, s)
	r.write(sig, sig.Verify(hash, p), sig.IsEqual(ecdsa.NewSignature(rr, rr)))
}

// signDCR signs by the scheme EC-Schnorr-DCRv0.
func signDCR(_ *tape, r *record, k *secp256k1.PrivateKey, hash []byte) []byte {
	sig, err := dcr.Sign(k, hash)
	r.write(sig, err)
	if sig == nil {
		return nil
	}
	return sig.Serialize()
}

func verifyDCR(r *record, b, hash []byte, p *secp256k1.PublicKey) {
	f, _, s := numbers(b)
	sig, other := dcr.NewSignature(f, s), dcr.NewSignature(f, new(secp256k1.ModNScalar))
	r.write(sig, sig.Verify(hash, p), sig.IsEqual(other), *sig == *other)
}

// signBIP340 signs with random options.
func signBIP340(t *tape, r *record, k *secp256k1.PrivateKey, hash []byte) []byte {
	var options []schnorr.SignOption
	for range t.below(3) {
		if t.bool() {
			options = append(options, schnorr.FastSign())
		} else {
			options = append(options, schnorr.CustomNonce(*t.number()))
		}
	}
	sig, err := schnorr.Sign(k, hash, options...)
	r.write(sig, err)
	if sig == nil {
		return nil
	}
	return sig.Serialize()
}

func verifyBIP340(r *record, b, hash []byte, p *secp256k1.PublicKey) {
	f, _, s := numbers(b)
	other := schnorr.NewSignature(f.Normalize(), s)
	r.write(other.Verify(hash, p))
	sig, err := schnorr.ParseSignature(b)
	r.write(sig, err)
	if sig != nil {
		r.write(sig.Verify(hash, p), sig.IsEqual(schnorr.NewSignature(f, s.Negate())))
	}
}

func signErigon(t *tape, r *record, k *secp256k1.PrivateKey, hash []byte) []byte {
	key := k.Serialize()
	if t.byte() < 20 {
		key = t.slice()
	}
	sig, err := erigon.Sign(hash, key)
	r.output(sig, err)
	if sig == nil {
		return nil
	}
	r.output(erigon.RecoverPubkey(hash, sig))
	return sig[:64]
}

// output writes bytes, with their capacity, and an error that a function of Erigon's module has
// returned.
func (r *record) output(b []byte, err error) { r.write(b, cap(b), err) }

// verifyErigon verifies under every form of the key, hybrid and unknown ones included, and with a
// byte after the key or the signature.
func verifyErigon(r *record, sig, hash []byte, p *secp256k1.PublicKey) {
	for _, key := range [][]byte{p.SerializeCompressed(), p.SerializeUncompressed()} {
		r.write(erigon.VerifySignature(key, hash, sig),
			erigon.VerifySignature(append(key, 0), hash, sig),
			erigon.VerifySignature(key, hash, append(sig[:64:64], 0)))
		for i := range byte(9) {
			key[0] = i
			r.write(erigon.VerifySignature(key, hash, sig))
		}
	}
}

// signatures signs a hash by one of the schemes. It verifies the signature, or a forged one, as it
// is and after one of several changes.
func signatures(t *tape, r *record) {
	s, k, hash := schemes[t.below(len(schemes))], t.private(), t.hash()
	before, p := string(hash), k.PubKey()
	sig := s.sign(t, r, k, hash)
	r.write(string(hash) == before)
	switch kind := t.byte(); {
	case sig == nil || kind < 20:
		p, sig = t.key(), append(t.number()[:], t.number()[:]...)
	case kind < 120:
		sig = t.forged(hash, p)
	}
	s.verify(r, sig, hash, p)
	hash = append([]byte{}, hash...)
	half, other := sig[32*t.below(2):][:32], t.field()
	var point secp256k1.JacobianPoint
	p.AsJacobian(&point)
	negate := func(half []byte) {
		_, _, negated := numbers(append(make([]byte, 32), half...))
		negated.Negate().PutBytesUnchecked(half)
	}
	switch t.below(11) {
	case 0:
		clear(half)
	case 1:
		negate(half)
	case 2:
		half[t.below(32)] ^= 1 << t.below(8)
	case 3:
		half[31]++ // a change of r, from n − 1 too
	case 4:
		for i := range hash {
			hash[i] ^= 1 << t.below(8)
			break
		}
	case 5:
		hash = hash[:t.below(len(hash)+1)]
	case 6:
		p = t.key()
	case 7: // the key −P
		p = secp256k1.NewPublicKey(&point.X, point.Y.Negate(1).Normalize())
	case 10: // −s and −P: EC-Schnorr-DCRv0 finds the nonce point −R, whose y is odd
		negate(sig[32:])
		p = secp256k1.NewPublicKey(&point.X, point.Y.Negate(1).Normalize())
	case 8: // a key with the same x coordinate, mostly off the curve
		p = secp256k1.NewPublicKey(&point.X, other)
	case 9:
		p = secp256k1.NewPublicKey(other, &point.Y)
	}
	s.verify(r, sig, hash, p)
}

// forged returns an ECDSA signature (r, s) that is valid under the key p, made without p's private
// key: R = a·G + b·p with random a and b, r is the x coordinate of R, and s = r/b. It is valid for
// the hash z = r·a/b. If hash has 32 bytes, forged overwrites it with z.
func (t *tape) forged(hash []byte, p *secp256k1.PublicKey) []byte {
	a, b := t.scalar(), t.scalar()
	var R, q secp256k1.JacobianPoint
	p.AsJacobian(&q)
	secp256k1.ScalarBaseMultNonConst(a, &R)
	secp256k1.ScalarMultNonConst(b, &q, &q)
	secp256k1.AddNonConst(&R, &q, &R)
	R.ToAffine()
	sig := append(R.X.Bytes()[:], make([]byte, 32)...)
	_, r, s := numbers(sig)
	s.InverseValNonConst(b).Mul(r).PutBytesUnchecked(sig[32:])
	if len(hash) == 32 {
		s.Mul(a).PutBytesUnchecked(hash)
	}
	return sig
}

// recoveries recovers keys from numbers r and s that are often edge cases, and verifies the
// signature under the key. Since r is chosen before the key is known, the x coordinate of the nonce
// point may be n or more, which hardly occurs otherwise.
func recoveries(t *tape, r *record) {
	hash, b, code := t.hash(), append(t.number()[:], t.number()[:]...), t.byte()
	switch kind := t.byte(); {
	case kind < 60: // a small r, so that r + n is less than p
		clear(b[:28])
	case kind < 80: // R = G and s·R = z·G, where z is the hash, so that the key would be infinity
		secp256k1.Params().Gx.FillBytes(b[:32])
		copy(b[32:], hash)
		code = 3
	case kind < 140: // the x coordinate of a point, or one that is not below n
		x := t.key().X()
		if t.bool() {
			x.SetInt64(int64(t.below(200))).Add(x, secp256k1.Params().N)
		}
		x.FillBytes(b[:32])
	}
	p, compressed, err := ecdsa.RecoverCompact(append([]byte{24 + code%16}, b...), hash)
	r.write(p, compressed, err)
	if p != nil {
		verifyECDSA(r, b, hash, p)
		s := new(big.Int).SetBytes(b[32:])
		s.Sub(secp256k1.Params().N, s)
		verifyECDSA(r, append(b[:32:32], s.FillBytes(make([]byte, 32))...), hash, p)
	}
	if code < 250 {
		code %= 5
	}
	erigonRecover(t, r, hash, append(b, code))
}

// erigonRecover recovers a key into buffers with and without room. The buffer may hold the
// signature and the hash.
func erigonRecover(t *tape, r *record, hash, sig []byte) {
	r.output(erigon.RecoverPubkey(hash, sig))
	all := make([]byte, 0, 300)
	all = append(append(all, hash...), sig...)
	hash, sig = all[:len(hash):len(hash)], all[len(hash):]
	for _, buffer := range [][]byte{nil, {}, all[:0], all[:t.below(len(all)+1)], all,
		make([]byte, t.below(40), 40+t.below(80))} {
		context := erigon.DefaultContext
		if t.bool() {
			context = erigon.NewContext()
		}
		out, err := erigon.RecoverPubkeyWithContext(context, hash, sig, buffer)
		r.output(out, err)
		r.write(len(out) > 0 && cap(buffer) > 0 && &out[0] == &buffer[:1][0], buffer[:cap(buffer)])
	}
}

// offCurve verifies signatures and multiplies with a public key that is not on the curve. The
// documentation of compat/impl/secp256k1 describes the results of the replacement.
func offCurve(t *tape, r *record) {
	x, y := t.field(), t.field()
	if t.byte() < 30 {
		x.Zero()
		y.Zero()
	}
	key := secp256k1.NewPublicKey(x, y)
	if key.IsOnCurve() {
		return
	}
	r.write(forgedMultiple(key, 1+t.below(5)).Verify(make([]byte, 32), key))
	// Write whether multiplication by 2 has the same result as doubling.
	var p, twice, sum secp256k1.JacobianPoint
	key.AsJacobian(&p)
	rescale(&p, t.field())
	secp256k1.ScalarMultNonConst(new(secp256k1.ModNScalar).SetInt(2), &p, &twice)
	secp256k1.DoubleNonConst(&p, &sum)
	r.write(!isInfinity(&p) && twice.EquivalentNonConst(&sum))
}

// forgedMultiple returns a signature (r, s) of the hash 0 under a key P that may be off the curve:
// R = n·P, r is the x coordinate of R, and s = r/n. It computes R by additions only, because their
// formulas are correct on every curve.
func forgedMultiple(key *secp256k1.PublicKey, n int) *ecdsa.Signature {
	var p, R secp256k1.JacobianPoint
	key.AsJacobian(&p)
	for range n {
		secp256k1.AddNonConst(&R, &p, &R)
	}
	R.ToAffine()
	var rr, s secp256k1.ModNScalar
	rr.SetByteSlice(R.X.Bytes()[:])
	s.SetInt(uint32(n)).InverseNonConst().Mul(&rr)
	return ecdsa.NewSignature(&rr, &s)
}
