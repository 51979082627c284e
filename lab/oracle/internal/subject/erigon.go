package subject

import (
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"math/big"

	erigon "github.com/erigontech/secp256k1"
)

// erigonErrors lists the errors of Erigon's module, which programs compare.
var erigonErrors = []error{
	erigon.ErrInvalidMsgLen, erigon.ErrInvalidSignatureLen, erigon.ErrInvalidRecoveryID,
	erigon.ErrInvalidKey, erigon.ErrInvalidPubkey, erigon.ErrSignFailed, erigon.ErrRecoverFailed,
}

// output writes bytes and an error that a function of Erigon's module has returned.
func (r *record) output(b []byte, err error) {
	r.bytes(b)
	r.int(cap(b))
	r.err(err)
	for i, e := range erigonErrors {
		if err == e {
			r.int(i)
		}
	}
}

// erigonSign signs a hash, and verifies the signature and recovers its key in several ways.
func erigonSign(t *tape, r *record) {
	hash, key := t.slice(), t.slice()
	before := string(hash) + string(key)
	sig, err := erigon.Sign(hash, key)
	r.output(sig, err)
	if err != nil {
		return
	}
	public, err := erigon.RecoverPubkey(hash, sig)
	r.output(public, err)
	x, y := erigon.S256().ScalarBaseMult(key)
	r.results(x, y)
	compressed := erigon.CompressPubkey(x, y)
	r.bytes(compressed)
	r.bool(erigon.VerifySignature(public, hash, sig[:64]))
	r.bool(erigon.VerifySignature(compressed, hash, sig[:64]))
	r.bool(before == string(hash)+string(key))
	if t.bool() { // n − s has the other recovery id, and does not verify
		s := new(big.Int).SetBytes(sig[32:64])
		s.Sub(erigon.S256().N, s).FillBytes(sig[32:64])
		sig[64] ^= 1
	}
	sig[t.below(65)] ^= t.byte()
	r.output(erigon.RecoverPubkey(hash, sig))
	r.bool(erigon.VerifySignature(public, hash, sig[:64]))
	r.bool(erigon.VerifySignature(public, hash, sig))
	for i := range byte(8) { // hybrid and unknown encodings
		public[0] = i
		r.bool(erigon.VerifySignature(public, hash, sig[:64]))
	}
}

// erigonRecover recovers keys from numbers r and s that are often edge cases, into buffers with and
// without room. The buffer may hold the signature and the hash.
func erigonRecover(t *tape, r *record) {
	hash, sig := t.slice(), append(t.number()[:], t.number()[:]...)
	if t.byte() < 100 { // the x coordinate of a point, or one that is not below n
		x := t.key().X()
		if t.bool() {
			x.SetInt64(int64(t.below(200))).Add(x, erigon.S256().N)
		}
		x.FillBytes(sig[:32])
	}
	id := t.byte()
	if id < 250 {
		id %= 5
	}
	sig = append(sig, id)
	if t.byte() < 10 {
		sig = sig[:t.below(66)]
	}
	r.output(erigon.RecoverPubkey(hash, sig))
	all := make([]byte, 0, 300)
	all = append(append(all, hash...), sig...)
	hash, sig = all[:len(hash):len(hash)], all[len(hash):]
	buffers := [][]byte{nil, {}, all[:0], all[:t.below(len(all)+1)], all,
		make([]byte, t.below(40), 40+t.below(80))}
	for _, buffer := range buffers {
		context := erigon.DefaultContext
		if t.bool() {
			context = erigon.NewContext()
		}
		out, err := erigon.RecoverPubkeyWithContext(context, hash, sig, buffer)
		r.output(out, err)
		r.bool(len(out) > 0 && cap(buffer) > 0 && &out[0] == &buffer[:1][0])
		r.bytes(buffer[:cap(buffer)])
	}
}

// erigonVerify verifies pairs of numbers that are often edge cases under keys with faults, and
// parses the keys.
func erigonVerify(t *tape, r *record) {
	hash, key := t.slice(), t.encodedKey()
	if t.byte() < 20 {
		key = t.slice()
	}
	r.results(erigon.DecompressPubkey(key))
	r.bool(erigon.VerifySignature(key, hash, append(t.slice(), t.slice()...)))
	k, hash := t.key(), make([]byte, 32)
	forged := t.forged(hash, k)
	rr, s := forged.R(), forged.S()
	if t.bool() && s.IsOverHalfOrder() {
		s.Negate()
	}
	sig := make([]byte, 64)
	rr.PutBytesUnchecked(sig)
	s.PutBytesUnchecked(sig[32:])
	for _, key := range [][]byte{k.SerializeCompressed(), k.SerializeUncompressed()} {
		r.bool(erigon.VerifySignature(key, hash, sig))
		key[0] = 6 | key[64%len(key)]&1
		r.bool(erigon.VerifySignature(key, hash, sig))
	}
}

// erigonKeyBytes takes all bytes of the tape for a public key, and for coordinates.
func erigonKeyBytes(t *tape, r *record) {
	r.results(erigon.DecompressPubkey(*t))
	x, y := erigon.S256().Unmarshal(*t)
	r.results(x, y)
	r.try(func() { r.bytes(erigon.CompressPubkey(x, y)) })
}

// erigonCurve calls the methods of Erigon's curve, and of another one with some of its parameters.
func erigonCurve(t *tape, r *record) {
	c := erigon.S256()
	if t.byte() < 60 {
		c = &erigon.BitCurve{P: c.P, N: c.N, B: t.integer(), Gx: c.Gx, Gy: c.Gy, BitSize: t.below(300)}
		if t.bool() {
			k := t.key()
			c.Gx, c.Gy = k.X(), k.Y()
		}
	}
	x, y := t.pair()
	switch method := t.below(7); method {
	case 2:
		if t.byte() < 50 { // the sign and the bits above 2²⁵⁶ do not count
			u, v := t.pair()
			x, y = x.Lsh(big.NewInt(7), 256).Add(x, u), y.Neg(v)
		}
		if offCurve256(x, y) {
			return // TestDifferences has such points
		}
		curveStep(t, r, c, x, y, method)
	case 6:
		if t.bool() {
			x, y = t.integer(), t.integer()
		}
		b := c.Marshal(x, y)
		r.bytes(b)
		r.bytes(elliptic.Marshal(erigon.S256(), erigon.S256().Gx, erigon.S256().Gy))
		b[t.below(len(b))] ^= t.byte() & 7
		r.results(c.Unmarshal(b[:len(b)-t.below(len(b))/60]))
		r.try(func() { r.bytes(erigon.CompressPubkey(x, y)) })
	default:
		curveStep(t, r, c, x, y, method)
	}
}

// offCurve256 reports whether x and y, without their signs and modulo 2²⁵⁶, are the coordinates
// neither of a point of the curve nor of infinity.
func offCurve256(x, y *big.Int) bool {
	var low [2]*big.Int
	for i, v := range []*big.Int{x, y} {
		low[i] = new(big.Int).Mod(new(big.Int).Abs(v), new(big.Int).Lsh(big.NewInt(1), 256))
		low[i].Mod(low[i], erigon.S256().P)
	}
	return !erigon.S256().IsOnCurve(low[0], low[1]) && low[0].Sign()|low[1].Sign() != 0
}

// erigonStandard uses Erigon's curve in crypto/ecdsa and crypto/elliptic.
func erigonStandard(t *tape, r *record) {
	c := erigon.S256()
	k := t.private()
	p := stdecdsa.PublicKey{Curve: c, X: k.PubKey().X(), Y: k.PubKey().Y()}
	hash := t.number()[:]
	sig, err := erigon.Sign(hash, k.Serialize())
	r.output(sig, err)
	if err != nil {
		return
	}
	sig[t.below(64)] ^= t.byte() & 1
	r.try(func() {
		r.bool(stdecdsa.Verify(&p, hash, new(big.Int).SetBytes(sig[:32]),
			new(big.Int).SetBytes(sig[32:64])))
	})
	x, y := c.ScalarMult(p.X, p.Y, k.Serialize())
	r.bool(c.IsOnCurve(x, y))
	r.results(c.ScalarBaseMult(k.Serialize()))
}

// erigonFixed writes parameters and the effects of nil arguments.
func erigonFixed(_ *tape, r *record) {
	c := erigon.S256()
	r.bool(c == erigon.S256())
	r.results(c.P, c.N, c.B, c.Gx, c.Gy, c.BitSize)
	p := c.Params()
	r.bool(p == c.Params())
	r.bool(p.P == c.P && p.N == c.N && p.B == c.B && p.Gx == c.Gx && p.Gy == c.Gy)
	r.text(p.Name + ".")
	for _, e := range erigonErrors {
		r.output(nil, e)
		r.bool(errors.Unwrap(e) == nil)
	}
	r.int(erigon.NumOfContexts())
	first, second := erigon.ContextForThread(0), erigon.ContextForThread(0)
	third, fourth := erigon.NewContext(), erigon.NewContext()
	r.bool(first == second || third == fourth)
	r.bool(erigon.DefaultContext == nil)
	none := new(erigon.BitCurve)
	one := big.NewInt(1)
	for _, f := range []func(){
		func() { r.output(erigon.Sign(nil, nil)) },
		func() { r.output(erigon.Sign(make([]byte, 32), nil)) },
		func() { r.output(erigon.RecoverPubkey(nil, nil)) },
		func() { r.output(erigon.RecoverPubkey(make([]byte, 32), nil)) },
		func() { r.output(erigon.RecoverPubkeyWithContext(nil, nil, nil, nil)) },
		func() { r.bool(erigon.VerifySignature(nil, nil, nil)) },
		func() { r.bool(erigon.VerifySignature(nil, make([]byte, 32), make([]byte, 64))) },
		func() { r.bytes(erigon.CompressPubkey(nil, nil)) },
		func() { r.bytes(erigon.CompressPubkey(one, nil)) },
		func() { r.bytes(erigon.CompressPubkey(new(big.Int), new(big.Int))) },
		func() { r.bytes(c.Marshal(nil, one)) },
		func() { r.bool(c.IsOnCurve(nil, one)) },
		func() { c.Add(nil, one, one, one) },
		func() { c.Double(one, nil) },
		func() { c.ScalarMult(nil, nil, []byte{1}) },
		func() { c.ScalarMult(nil, nil, nil) },
		func() { c.ScalarMult(nil, one, make([]byte, 33)) },
		func() { c.ScalarMult(one, one, make([]byte, 33)) },
		func() { c.ScalarBaseMult(make([]byte, 33)) },
		func() { none.ScalarBaseMult([]byte{1}) },
		func() { none.Add(one, one, one, one) },
		func() { none.IsOnCurve(one, one) },
		func() { r.bytes(none.Marshal(one, one)) },
	} {
		r.try(f)
	}
}

// erigonOffCurve multiplies a point off the curve. It writes whether the product is a point of the
// curve, and whether it is the same in a second call.
func erigonOffCurve(t *tape, r *record) {
	c := erigon.S256()
	x, y, k := t.integer(), t.integer(), t.number()[:]
	if !offCurve256(x, y) {
		return
	}
	u, v := c.ScalarMult(x, y, k)
	if u == nil {
		return
	}
	w, _ := c.ScalarMult(x, y, k)
	r.bool(c.IsOnCurve(u, v))
	r.bool(u.Cmp(w) == 0)
}
