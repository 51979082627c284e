package subject

import (
	"bytes"
	"errors"
	"io"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/ellswift"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"
)

// btcKeys encodes and decodes keys and points with package btcec.
func btcKeys(t *tape, r *record) {
	private, public := btcec.PrivKeyFromBytes(t.slice())
	r.results(&private.Key, public, &btcec.PrivKeyFromScalar(t.scalar()).Key)
	r.results(btcec.GenerateSharedSecret(private, t.key()), btcec.Generator())
	var g btcec.JacobianPoint
	btcec.GeneratorJacobian(&g)
	r.coordinates(&g)

	r.bytes(btcec.JacobianToByteSlice(*t.point()))
	s := btcec.ToSerialized(t.key())
	r.results(s.SchnorrSerialized(), s.CopyBytes())
	s[t.below(33)] ^= 1 << t.below(8)
	r.results(s.ToPubKey())
	btcKeyBytes((*tape)(ptr(t.encodedKey())), r)
}

func ptr(b []byte) *[]byte { return &b }

// btcKeyBytes parses all bytes of the tape as keys and points.
func btcKeyBytes(t *tape, r *record) {
	r.bool(btcec.IsCompressedPubKey(*t))
	p, err := btcec.ParseJacobian(*t)
	r.err(err)
	r.point(&p)
	r.canonical(&p.Z)
	k, err := schnorr.ParsePubKey(*t)
	r.results(k, err)
	if k != nil {
		r.bytes(schnorr.SerializePubKey(k))
	}
}

// btcSignature parses encodings of signatures in DER or BER, often with faults.
func btcSignature(t *tape, r *record) {
	b := t.signatureDER()
	if t.byte() < 50 {
		b = append(b, t.bytes(t.below(256))...)
	}
	btcSignatureBytes((*tape)(&b), r)
}

// btcSignatureBytes parses all bytes of the tape as a signature.
func btcSignatureBytes(t *tape, r *record) {
	r.results(ecdsa.ParseSignature(*t))
	r.results(ecdsa.ParseDERSignature(*t))
	r.results(ecdsa.VerifyLowS(*t))
	r.results(schnorr.ParseSignature(*t))
}

// lengths encodes everything that btcec and its packages parse. It parses each encoding, all its
// prefixes, and the encoding with bytes appended. Many of the encoded numbers are near the limits
// of what is accepted.
func lengths(t *tape, r *record) {
	numbers := append(t.number()[:], t.number()[:]...)
	r32 := append(append([]byte{2, 32}, t.number()[:]...), append([]byte{2, 32}, t.number()[:]...)...)
	der := append([]byte{0x30, byte(len(r32))}, r32...)
	behind := t.bytes(3)
	each := func(b []byte, parse func([]byte)) {
		all := append(append([]byte{}, b...), behind...)
		for n := range len(all) + 1 {
			r.try(func() { parse(all[:n:n]) })
		}
	}
	each(numbers, func(b []byte) { r.results(schnorr.ParseSignature(b)) })
	each(numbers[:32], func(b []byte) { r.results(schnorr.ParsePubKey(b)) })
	for _, in := range []func([]byte) io.Reader{
		func(b []byte) io.Reader { return bytes.NewReader(b) },
		func(b []byte) io.Reader { return &reader{tape: t, left: b, err: errors.New("broken")} },
	} {
		each(numbers[32:], func(b []byte) {
			var p musig2.PartialSignature
			from := in(b)
			r.err(p.Decode(from))
			r.results(p.S, p.R)
			left, _ := io.ReadAll(from)
			r.int(len(left))
		})
	}
	each(der, func(b []byte) { btcSignatureBytes((*tape)(&b), r) })
	each(append([]byte{27 + byte(t.below(8))}, numbers...), func(b []byte) {
		r.results(ecdsa.RecoverCompact(b, numbers[:32]))
	})
	for _, b := range [][]byte{t.key().SerializeCompressed(), t.key().SerializeUncompressed()} {
		each(b, func(b []byte) {
			btcKeyBytes((*tape)(&b), r)
			r.results(btcec.ParsePubKey(b))
		})
	}
	each(numbers[:32], func(b []byte) {
		k, p := btcec.PrivKeyFromBytes(b)
		r.results(&k.Key, p)
	})
}

func (r *record) bip340(sig *schnorr.Signature) {
	b := sig.Serialize()
	same, err := schnorr.ParseSignature(b)
	r.results(b, err, sig.IsEqual(same), *sig == *same)
}

// bip340 signs with random options of package schnorr. It verifies the signature as it is and after
// a change.
func bip340(t *tape, r *record) {
	k, hash := t.private(), t.number()[:]
	if t.byte() < 20 {
		hash = t.hash()
	}
	var options []schnorr.SignOption
	for range t.below(3) {
		if t.bool() {
			options = append(options, schnorr.FastSign())
		} else {
			options = append(options, schnorr.CustomNonce(*t.number()))
		}
	}
	sig, err := schnorr.Sign(k, hash, options...)
	r.results(sig, err)
	if sig == nil {
		r.bool(new(schnorr.Signature).Verify(hash, k.PubKey()))
		return
	}
	p := k.PubKey()
	r.bool(sig.Verify(hash, p))
	b := sig.Serialize()
	var point btcec.JacobianPoint
	p.AsJacobian(&point)
	switch t.below(8) {
	case 0: // the key −P for the same x coordinate
		p = btcec.NewPublicKey(&point.X, point.Y.Negate(1).Normalize())
	case 1: // a key with the same x coordinate, mostly off the curve
		p = btcec.NewPublicKey(&point.X, t.field())
	case 2:
		p = btcec.NewPublicKey(t.field(), &point.Y)
	case 3:
		b[t.below(64)] ^= 1 << t.below(8)
	case 4:
		hash = append([]byte{}, hash...)
		hash[t.below(32)] ^= 1 << t.below(8)
	case 5:
		p = t.key()
	case 6:
		hash = hash[:t.below(33)]
	case 7:
		clear(b[32*t.below(2):][:32])
	}
	changed, err := schnorr.ParseSignature(b)
	r.results(changed, err)
	if changed == nil {
		return
	}
	r.bool(sig.IsEqual(changed))
	r.bool(changed.Verify(hash, p))
	r.bool(schnorr.NewSignature(t.field(), t.scalar()).Verify(hash, p))
	r.try(func() { r.bool(sig.IsEqual(nil)) })
	r.try(func() { r.bool(sig.Verify(hash, nil)) })
}

// forgedBIP340 verifies two wrong signatures: one with −s in place of s, and one under a key that
// is mostly not on the curve.
func forgedBIP340(t *tape, r *record) {
	k, hash := t.private(), t.number()[:]
	if k.Key.IsZero() {
		k.Key.SetInt(1)
	}
	sig, err := schnorr.Sign(k, hash, schnorr.CustomNonce(*t.number()))
	r.err(err)
	if sig == nil {
		return
	}
	// A signature satisfies s = k + e·d, with the nonce k, the challenge e and the private key d.
	// With −s, verification computes another point than R = k·G.
	b := sig.Serialize()
	var s btcec.ModNScalar
	s.SetByteSlice(b[32:])
	s.Negate().PutBytesUnchecked(b[32:])
	changed, err := schnorr.ParseSignature(b)
	r.results(changed, err)
	r.bool(changed.Verify(hash, k.PubKey()))
	r.bool(sig.Verify(hash, btcec.NewPublicKey(t.field(), t.field())))
}

// elligator decodes and encodes x coordinates with package ellswift, and computes shared secrets.
func elligator(t *tape, r *record) {
	u, v := t.field(), t.field()
	u.Normalize()
	v.Normalize()
	if t.byte() < 60 { // v² = −u³ − 7, a special case of the decoding
		var square btcec.FieldVal
		square.SquareVal(u).Mul(u).AddInt(7).Negate(8).Normalize()
		v.SquareRootVal(&square)
		v.Normalize()
	}
	other := *u
	x, err := ellswift.XSwiftEC(u, v)
	r.err(err)
	r.canonical(x)
	r.field(u)
	r.field(v)
	for choice := range 8 {
		for _, of := range []*btcec.FieldVal{u, &other, x} {
			r.results(ellswift.XSwiftECInv(of, x, choice))
		}
	}
	var theirs, ours [64]byte
	copy(theirs[:], t.number()[:])
	copy(theirs[32:], t.number()[:])
	copy(ours[:], t.bytes(64))
	k := t.private()
	r.results(ellswift.EllswiftECDHXOnly(theirs, k))
	r.results(ellswift.V2Ecdh(k, theirs, ours, t.bool()))
}
