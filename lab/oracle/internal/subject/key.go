package subject

import (
	"errors"
	"io"

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

// encodedKey returns an encoded public key, compressed, uncompressed or hybrid, often with faults.
func (t *tape) encodedKey() []byte {
	var b []byte
	switch kind := t.byte(); {
	case kind < 60:
		b = t.key().SerializeCompressed()
	case kind < 120:
		b = t.key().SerializeUncompressed()
	case kind < 160:
		k := t.key()
		b = k.SerializeUncompressed()
		b[0] = 6 | k.SerializeCompressed()[0]&1
	case kind < 200:
		b = append([]byte{byte(t.below(9))}, t.number()[:]...)
	case kind < 240:
		b = append([]byte{byte(t.below(9))}, t.number()[:]...)
		b = append(b, t.number()[:]...)
	default:
		return t.bytes(t.below(80))
	}
	return t.mutate(b)
}

// mutate returns b, often with one or more changes.
func (t *tape) mutate(b []byte) []byte {
	for t.byte() >= 140 && len(b) > 0 {
		i := t.below(len(b))
		switch t.below(8) {
		case 0:
			b[i] ^= 1 << t.below(8)
		case 1:
			b[i] = t.byte()
		case 2:
			b[i] += byte(t.below(5)) - 2
		case 3:
			b = append(b[:i], b[i+1:]...)
		case 4:
			b = append(b[:i], append([]byte{0}, b[i:]...)...)
		case 5:
			b = b[:i]
		case 6:
			b = append(b, t.bytes(t.below(4))...)
		case 7:
			b[i&3%len(b)] ^= 1 << t.below(8)
		}
	}
	return b
}

// parseKey parses encoded public keys, often with faults.
func parseKey(t *tape, r *record) {
	r.results(secp256k1.ParsePubKey(t.encodedKey()))
}

// parseKeyBytes parses all bytes of the tape as a public key.
func parseKeyBytes(t *tape, r *record) {
	r.results(secp256k1.ParsePubKey(*t))
}

// publicKeys makes public keys from coordinates that may be off the curve, and compares them.
func publicKeys(t *tape, r *record) {
	x, y := t.field(), t.field()
	k := secp256k1.NewPublicKey(x, y)
	r.key(k)
	other := t.key()
	if t.bool() {
		other = secp256k1.NewPublicKey(x, y)
	}
	r.bool(k.IsEqual(other))
	r.bool(*k == *other)
	r.try(func() { r.bool(k.IsEqual(nil)) })
}

// privateKeys makes a private key from bytes of any length, and calls its methods.
func privateKeys(t *tape, r *record) {
	k := secp256k1.PrivKeyFromBytes(t.slice())
	r.scalar(&k.Key)
	r.bytes(k.Serialize())
	p := k.PubKey()
	r.key(p)
	r.bool(*p == *k.PubKey())
	r.bool(*k == *secp256k1.NewPrivateKey(&k.Key))
	r.bytes(secp256k1.GenerateSharedSecret(k, t.key()))
	k.Zero()
	r.scalar(&k.Key)
	r.bool(*k == secp256k1.PrivateKey{})
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
	r.scalar(secp256k1.NonceRFC6979(t.slice(), t.slice(), extra, version, uint32(t.below(4))))
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
		r.err(err)
		r.int(len(in.left))
		if err != nil {
			r.bool(k == nil)
			r.bool(err == in.err)
			return
		}
		r.scalar(&k.Key)
	}
}
