//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	"github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// dropInOperands holds the operands and results of operations of the drop-in packages. D and E are
// the secrets of a request.
type dropInOperands struct {
	key     secp256k1.PrivateKey    // the key D
	x, y, z secp256k1.ModNScalar    // D, E, and memory for a result
	p, q, r secp256k1.JacobianPoint // D·G, E·G, and memory for a result
	peer    *secp256k1.PublicKey    // 2·G
}

func (o *dropInOperands) prepare(d, e []byte) {
	o.x.SetByteSlice(d)
	o.y.SetByteSlice(e)
	o.key.Key = o.x
	secp256k1.ScalarBaseMultNonConst(&o.x, &o.p)
	secp256k1.ScalarBaseMultNonConst(&o.y, &o.q)
}

func (o *dropInOperands) clean() { *o = dropInOperands{peer: o.peer} }

// takeScalar stores k, the result of an operation, as the answer of the subject (the process that
// runs the operation), and wipes k.
func (s *subject) takeScalar(k *secp256k1.ModNScalar) {
	k.PutBytesUnchecked(s.Out[:])
	k.Zero()
}

// takeKey stores key, the result of an operation, as the answer of the subject, and wipes key.
func (s *subject) takeKey(key *secp256k1.PrivateKey) { s.takeScalar(&key.Key) }

// onScalars returns an operation that calls f with the operands.
func onScalars(f func(o *dropInOperands)) func(s *subject) error {
	return func(s *subject) error {
		f(&s.dropIns)
		return nil
	}
}

var errEqual = errors.New("two numbers are equal")

// compareScalars returns an operation that fails if f returns true. f compares two scalars that are
// not equal.
func compareScalars(f func(o *dropInOperands) bool) func(s *subject) error {
	return func(s *subject) error {
		if f(&s.dropIns) {
			return errEqual
		}
		return nil
	}
}

var dropIns = []operation{
	{dropIn + "NewPrivateKey", func(s *subject) error {
		s.takeKey(secp256k1.NewPrivateKey(&s.dropIns.x))
		return nil
	}, needDropIns, aKey},
	{dropIn + "PrivKeyFromBytes", func(s *subject) error {
		s.takeKey(secp256k1.PrivKeyFromBytes(s.d()))
		return nil
	}, 0, aKey},
	{dropIn + "GeneratePrivateKey", func(s *subject) error {
		key, err := secp256k1.GeneratePrivateKey()
		s.takeKey(key)
		return err
	}, 0, aNewNumber},
	{dropIn + "GeneratePrivateKeyFromRand", func(s *subject) error {
		key, err := secp256k1.GeneratePrivateKeyFromRand(bytes.NewReader(s.d()))
		s.takeKey(key)
		return err
	}, 0, aKey},
	{dropIn + "PrivateKey.PubKey", func(s *subject) error {
		s.dropIns.key.PubKey()
		return nil
	}, needDropIns, aBaseMult},
	{dropIn + "PrivateKey.ToECDSA", func(s *subject) error {
		clear(s.dropIns.key.ToECDSA().D.Bits())
		return nil
	}, needDropIns, aBaseMult},
	{dropIn + "PrivateKey.Zero", func(s *subject) error {
		s.dropIns.key.Zero()
		return nil
	}, needDropIns, aKey},

	{dropIn + "ModNScalar.Zero", onScalars(func(o *dropInOperands) { o.x.Zero() }), needDropIns, aKey},
	{dropIn + "ModNScalar.SetBytes", func(s *subject) error {
		s.dropIns.z.SetBytes((*[32]byte)(s.d()))
		return nil
	}, 0, aKey},
	{dropIn + "ModNScalar.SetByteSlice", func(s *subject) error {
		s.dropIns.z.SetByteSlice(s.d())
		return nil
	}, 0, aKey},
	{dropIn + "ModNScalar.PutBytes", func(s *subject) error {
		s.dropIns.x.PutBytes((*[32]byte)(s.Out[:]))
		return nil
	}, needDropIns, aKey},
	{dropIn + "ModNScalar.PutBytesUnchecked", func(s *subject) error {
		s.dropIns.x.PutBytesUnchecked(s.Out[:])
		return nil
	}, needDropIns, aKey},
	{dropIn + "ModNScalar.Add",
		onScalars(func(o *dropInOperands) { o.x.Add(&o.y) }), needDropIns, aSum},
	{dropIn + "ModNScalar.Add2",
		onScalars(func(o *dropInOperands) { o.z.Add2(&o.x, &o.y) }), needDropIns, aSum},
	{dropIn + "ModNScalar.Mul",
		onScalars(func(o *dropInOperands) { o.x.Mul(&o.y) }), needDropIns, aProduct},
	{dropIn + "ModNScalar.Mul2",
		onScalars(func(o *dropInOperands) { o.z.Mul2(&o.x, &o.y) }), needDropIns, aProduct},
	{dropIn + "ModNScalar.Square",
		onScalars(func(o *dropInOperands) { o.x.Square() }), needDropIns, aSquare},
	{dropIn + "ModNScalar.SquareVal",
		onScalars(func(o *dropInOperands) { o.z.SquareVal(&o.x) }), needDropIns, aSquare},
	{dropIn + "ModNScalar.Negate",
		onScalars(func(o *dropInOperands) { o.x.Negate() }), needDropIns, aKey},
	{dropIn + "ModNScalar.NegateVal",
		onScalars(func(o *dropInOperands) { o.z.NegateVal(&o.x) }), needDropIns, aKey},
	{dropIn + "ModNScalar.InverseNonConst",
		onScalars(func(o *dropInOperands) { o.x.InverseNonConst() }), needDropIns, anInverse},
	{dropIn + "ModNScalar.InverseValNonConst",
		onScalars(func(o *dropInOperands) { o.z.InverseValNonConst(&o.x) }), needDropIns, anInverse},
	{dropIn + "ModNScalar.Equals",
		compareScalars(func(o *dropInOperands) bool { return o.x.Equals(&o.y) }),
		needDropIns, twoNumbers},
	{dropIn + "ModNScalar.IsZero",
		compareScalars(func(o *dropInOperands) bool { return o.x.IsZero() }), needDropIns, aKey},
	{dropIn + "ModNScalar.IsZeroBit",
		compareScalars(func(o *dropInOperands) bool { return o.x.IsZeroBit() == 1 }),
		needDropIns, aKey},
	{dropIn + "ModNScalar.IsOverHalfOrder", onScalars(func(o *dropInOperands) {
		o.x.IsOverHalfOrder()
	}), needDropIns, aKey},

	{dropIn + "NonceRFC6979", func(s *subject) error {
		s.takeScalar(secp256k1.NonceRFC6979(s.d(), s.Hash[:], s.Random[:], nil, 0))
		return nil
	}, 0, aNonce},
	{dropIn + "ScalarBaseMultNonConst", onScalars(func(o *dropInOperands) {
		secp256k1.ScalarBaseMultNonConst(&o.x, &o.r)
	}), needDropIns, aBaseMult},
	{dropIn + "ScalarMultNonConst", onScalars(func(o *dropInOperands) {
		o.peer.AsJacobian(&o.r)
		secp256k1.ScalarMultNonConst(&o.x, &o.r, &o.r)
	}), needDropIns, aScalarMult},
	{dropIn + "ScalarMultNonConst of a secret point", onScalars(func(o *dropInOperands) {
		secp256k1.ScalarMultNonConst(&o.y, &o.p, &o.r)
	}), needDropIns, aSecretMult},
	{dropIn + "JacobianPoint.ToAffine", onScalars(func(o *dropInOperands) {
		o.p.ToAffine()
	}), needDropIns, aPoint},
	{dropIn + "DoubleNonConst", onScalars(func(o *dropInOperands) {
		secp256k1.DoubleNonConst(&o.p, &o.r)
	}), needDropIns, aPoint},
	{dropIn + "GenerateSharedSecret", func(s *subject) error {
		s.take(secp256k1.GenerateSharedSecret(&s.dropIns.key, s.dropIns.peer))
		return nil
	}, needDropIns, aScalarMult},
	{dropIn + "KoblitzCurve.ScalarBaseMult", func(s *subject) error {
		secp256k1.S256().ScalarBaseMult(s.d())
		return nil
	}, 0, aBaseMult},
	{dropIn + "KoblitzCurve.ScalarBaseMult of 64 bytes", func(s *subject) error {
		secp256k1.S256().ScalarBaseMult(s.DE[:])
		return nil
	}, 0, aWideNumber},
	{dropIn + "KoblitzCurve.ScalarMult", func(s *subject) error {
		x, y := s.dropIns.peer.X(), s.dropIns.peer.Y()
		x, y = secp256k1.S256().ScalarMult(x, y, s.d())
		clear(x.Bits())
		clear(y.Bits())
		return nil
	}, 0, aScalarMult},
	{dropIn + "SignSchnorr", func(s *subject) error {
		challenge := func(e *secp256k1.ModNScalar, r *secp256k1.FieldVal) bool {
			e.SetBytes(r.Bytes())
			return true
		}
		var r secp256k1.FieldVal
		var t secp256k1.ModNScalar
		secp256k1.SignSchnorr(&s.dropIns.key.Key, &s.Hash, &s.Hash, challenge, &r, &t)
		r.PutBytesUnchecked(s.Out[:])
		t.PutBytesUnchecked(s.Out[32:])
		return nil
	}, needDropIns, aDecredSchnorr},

	{"compat/impl/ecdsa.Sign", func(s *subject) error {
		sig := ecdsa.Sign(&s.dropIns.key, s.Hash[:])
		r, t := sig.R(), sig.S()
		r.PutBytesUnchecked(s.Out[:])
		t.PutBytesUnchecked(s.Out[32:])
		return nil
	}, needDropIns, anECDSA},
	{"compat/impl/ecdsa.SignCompact", func(s *subject) error {
		copy(s.Out[:], ecdsa.SignCompact(&s.dropIns.key, s.Hash[:], true)[1:])
		return nil
	}, needDropIns, anECDSA},

	{"compat/impl/btcec/schnorr.Sign unchecked", func(s *subject) error {
		sig, err := schnorr.Sign(&s.dropIns.key, s.Hash[:], schnorr.FastSign(),
			schnorr.CustomNonce(s.Random))
		copy(s.Out[:], sig.Serialize())
		return err
	}, needDropIns, twoNumbers},
	{"compat/impl/btcec/ellswift.EllswiftECDHXOnly", func(s *subject) error {
		_, err := ellswift.EllswiftECDHXOnly([64]byte{1}, &s.dropIns.key)
		return err
	}, needDropIns, twoNumbers},
	{"compat/impl/btcec/ellswift.V2Ecdh", func(s *subject) error {
		_, err := ellswift.V2Ecdh(&s.dropIns.key, [64]byte{1}, [64]byte{}, true)
		return err
	}, needDropIns, twoNumbers},

	// The operation wipes the resulting nonces, as a careful caller does. So all copies that remain
	// are from the function under test.
	{musig2In + "WithNonceSecretKeyAux", func(s *subject) error {
		n, err := musig2.GenNonces(musig2.WithCustomRand(bytes.NewReader(s.e())),
			musig2.WithPublicKey(s.dropIns.peer), musig2.WithNonceSecretKeyAux(&s.dropIns.key))
		copy(s.Out[:], n.SecNonce[:64])
		clear(n.SecNonce[:])
		return err
	}, needDropIns, aMuSig2Nonce},
	// The secret nonce is passed by value. Copies of the caller's frames, which remain for example
	// after the stack has grown, are the caller's responsibility.
	{musig2In + "Sign checked", func(s *subject) error {
		growStack()
		signer := s.dropIns.key.PubKey()
		var secret [musig2.SecNonceSize]byte
		copy(secret[:], s.e())
		copy(secret[32:], s.e())
		copy(secret[64:], signer.SerializeCompressed())
		var all [musig2.PubNonceSize]byte
		copy(all[:], s.dropIns.peer.SerializeCompressed())
		part, err := musig2.Sign(secret, &s.dropIns.key, all,
			[]*secp256k1.PublicKey{signer, s.dropIns.peer}, s.Hash)
		clear(secret[:])
		if err == nil {
			part.S.PutBytesUnchecked(s.Out[:])
		}
		return err
	}, needDropIns, twoNumbers},
	{musig2In + "Session.Sign checked, with nonces that it was given", func(s *subject) error {
		signer := s.dropIns.key.PubKey()
		n, err := musig2.GenNonces(musig2.WithCustomRand(bytes.NewReader(s.e())),
			musig2.WithPublicKey(signer), musig2.WithNonceSecretKeyAux(&s.dropIns.key))
		if err != nil {
			return err
		}
		c, err := musig2.NewContext(&s.dropIns.key, false, s.signers(signer))
		if err != nil {
			return err
		}
		session, err := c.NewSession(musig2.WithPreGeneratedNonce(n))
		return s.signSession(session, n, err)
	}, needDropIns, aMuSig2Nonce},
	{musig2In + "Session.Sign checked, with early nonces", func(s *subject) error {
		c, err := musig2.NewContext(&s.dropIns.key, false, s.signers(s.dropIns.key.PubKey()),
			musig2.WithEarlyNonceGen())
		if err != nil {
			return err
		}
		n, err := c.EarlySessionNonce()
		if err != nil {
			return err
		}
		session, err := c.NewSession()
		return s.signSession(session, n, err)
	}, needDropIns, aMuSig2Nonce},
}

// signers returns an option with two signers: the given one and the peer.
func (s *subject) signers(signer *secp256k1.PublicKey) musig2.ContextOption {
	return musig2.WithKnownSigners([]*secp256k1.PublicKey{signer, s.dropIns.peer})
}

// signSession stores the secret nonces of a session as the answer of the subject, and signs with
// the session. It wipes nothing.
func (s *subject) signSession(session *musig2.Session, n *musig2.Nonces, err error) error {
	if err != nil {
		return err
	}
	copy(s.Out[:], n.SecNonce[:64])
	if _, err := session.RegisterPubNonce([musig2.PubNonceSize]byte{}); err != nil {
		return err
	}
	_, err = session.Sign(s.Hash)
	return err
}

func aSquare(v *values, n *needles) {
	aKey(v, n)
	square := new(big.Int).Mul(v.d, v.d)
	n.number("d²", square)
	n.AddBytes("the words of d²", square.FillBytes(make([]byte, 64)))
}

// aDecredSchnorr adds to n, the numbers to search for, the secrets of a signature (r, s) with s = k
// − r·d, where r is the challenge, k the nonce and d the key.
func aDecredSchnorr(v *values, n *needles) {
	aKey(v, n)
	order := reference.N()
	product := new(big.Int).Mul(v.d, bigInt(v.out[:32]))
	k := new(big.Int).Add(product, bigInt(v.out[32:]))
	n.nonce(k.Mod(k, order))
	n.number("r·d", product.Mod(product, order))
}

// aNonce adds to n, the numbers to search for, the secrets of deriving an RFC 6979 nonce from the
// key, the hash and extra data.
func aNonce(v *values, n *needles) {
	aKey(v, n)
	n.number("k", bigInt(v.out[:32]))
	n.hmacKeys(v.d, bigInt(v.hash), v.random)
}

// aMuSig2Nonce adds to n, the numbers to search for, the secrets of deriving two nonces from the
// key and the random bytes e.
func aMuSig2Nonce(v *values, n *needles) {
	twoNumbers(v, n)
	for i, name := range []string{"k1", "k2"} {
		k := bigInt(v.out[32*i:][:32])
		n.number(name, k)
		n.baseMult(name, k)
	}
}
