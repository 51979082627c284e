package subject

import (
	"errors"
	"io"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ellswift"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// key returns a public key that is on the curve.
func (t *tape) key() *secp256k1.PublicKey {
	p := t.point()
	if isInfinity(p) {
		return secp256k1.PrivKeyFromBytes([]byte{1}).PubKey()
	}
	p.ToAffine()
	return secp256k1.NewPublicKey(&p.X, &p.Y)
}

// private returns a private key, which may be 0.
func (t *tape) private() *secp256k1.PrivateKey { return secp256k1.NewPrivateKey(t.scalar()) }

// publicKeys makes public keys from coordinates that may be off the curve, compares them, and
// encodes keys and points with package btcec.
func publicKeys(t *tape, r *record) {
	x, y := t.field(), t.field()
	k, other := secp256k1.NewPublicKey(x, y), t.key()
	if t.bool() {
		other = secp256k1.NewPublicKey(x, y)
	}
	s := btcec.ToSerialized(other)
	r.write(k, k.IsEqual(other), *k == *other, s.SchnorrSerialized(), s.CopyBytes(),
		btcec.JacobianToByteSlice(*t.point()))
	s[t.below(33)] ^= 1 << t.below(8)
	r.write(s.ToPubKey())
}

// privateKeys makes a private key from bytes of any length, and calls its methods.
func privateKeys(t *tape, r *record) {
	b, other := t.slice(), t.key()
	k, p := btcec.PrivKeyFromBytes(b)
	r.write(&k.Key, k.Serialize(), p, *p == *k.PubKey(), *k == *secp256k1.PrivKeyFromBytes(b),
		*k == *secp256k1.NewPrivateKey(&k.Key), *k == *btcec.PrivKeyFromScalar(&k.Key),
		secp256k1.GenerateSharedSecret(k, other), btcec.GenerateSharedSecret(k, other))
	k.Zero()
	r.write(&k.Key, *k == secp256k1.PrivateKey{})
}

// roughKey writes whether a key made from coordinates that are not normalized equals the key made
// from the normalized ones.
func roughKey(t *tape, r *record) {
	var x, y secp256k1.FieldVal
	if x.SetBytes(t.number())|y.SetBytes(t.number()) == 0 {
		return
	}
	rough := secp256k1.NewPublicKey(&x, &y)
	r.write(*rough == *secp256k1.NewPublicKey(x.Normalize(), y.Normalize()))
}

// nonces derives RFC 6979 nonces from arguments of any length.
func nonces(t *tape, r *record) {
	extra, version := t.bytes(t.below(80)), t.bytes(t.below(40))
	if t.bool() {
		extra = t.number()[:]
	}
	if t.bool() {
		version = t.bytes(16)
	}
	if t.byte() < 20 {
		extra = nil
	}
	r.write(secp256k1.NonceRFC6979(t.slice(), t.slice(), extra, version, uint32(t.below(4))))
}

// A reader returns the bytes of left, a random number of them in each call, and then the error err.
type reader struct {
	*tape
	left []byte
	err  error
}

func (r *reader) Read(b []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, r.err
	}
	n := copy(b, r.left[:min(len(r.left), 1+r.below(40))])
	r.left = r.left[n:]
	return n, nil
}

// generate generates keys from given random bytes, and writes how many of these bytes were not
// read.
func generate(t *tape, r *record) {
	in := &reader{tape: t, err: []error{io.EOF, io.ErrNoProgress, errors.New("broken")}[t.below(3)]}
	for range t.below(6) {
		in.left = append(in.left, t.number()[:]...)
	}
	in.left = in.left[t.below(len(in.left)+1):]
	for {
		k, err := secp256k1.GeneratePrivateKeyFromRand(in)
		r.write(err, len(in.left))
		if err != nil {
			r.write(k == nil, err == in.err)
			return
		}
		r.write(&k.Key)
	}
}

// elligator decodes and encodes x coordinates with package ellswift, and computes shared secrets.
func elligator(t *tape, r *record) {
	u, v := t.field(), t.field()
	if t.byte() < 60 { // v² = −u³ − 7, a special case of the decoding
		var square btcec.FieldVal
		square.SquareVal(u).Mul(u).AddInt(7).Negate(8).Normalize()
		v.SquareRootVal(&square)
		v.Normalize()
	}
	other := *u
	x, err := ellswift.XSwiftEC(u, v)
	r.write(err, x, *u, *v)
	for choice := range 8 {
		for _, of := range []*btcec.FieldVal{u, &other, x} {
			r.write(ellswift.XSwiftECInv(of, x, choice))
		}
	}
	theirs, ours := [64]byte(append(t.number()[:], t.number()[:]...)), [64]byte(t.bytes(64))
	k := t.private()
	r.write(ellswift.EllswiftECDHXOnly(theirs, k))
	r.write(ellswift.V2Ecdh(k, theirs, ours, t.bool()))
}
