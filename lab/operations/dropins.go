package operations

import (
	"bytes"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	"github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// DropIn and MuSig2In are the paths, as prefixes of names, of the packages that replace dcrec's
// secp256k1 and btcec's MuSig2.
const (
	DropIn   = "compat/impl/secp256k1."
	MuSig2In = "compat/impl/btcec/musig2."
)

// dropInOperands holds the operands and results of operations of the drop-in packages.
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

// giveScalar stores k, which a function returned, and wipes k.
func (o *Operands) giveScalar(k *secp256k1.ModNScalar) {
	k.PutBytesUnchecked(o.Out[:])
	k.Zero()
}

// giveKey stores key, which a function returned, and wipes key.
func (o *Operands) giveKey(key *secp256k1.PrivateKey) { o.giveScalar(&key.Key) }

// dropIn returns the operation of a function of the package that replaces dcrec's secp256k1.
func dropIn(name string, f func(o *Operands, d *dropInOperands)) Operation {
	return Operation{DropIn + name, DropIns, func(o *Operands) error {
		f(o, o.dropIns)
		return nil
	}}
}

// dropInAsks returns the operation of a function that compares two values, or a value with zero.
func dropInAsks(name string, f func(d *dropInOperands) bool) Operation {
	return Operation{DropIn + name, DropIns, asks(func(o *Operands) bool { return f(o.dropIns) })}
}

var dropIns = []Operation{
	dropIn("NewPrivateKey", func(o *Operands, d *dropInOperands) {
		o.giveKey(secp256k1.NewPrivateKey(&d.x))
	}),
	{DropIn + "PrivKeyFromBytes", Numbers, do(func(o *Operands) {
		o.giveKey(secp256k1.PrivKeyFromBytes(o.D))
	})},
	{DropIn + "GeneratePrivateKey", 0, func(o *Operands) error {
		key, err := secp256k1.GeneratePrivateKey()
		o.giveKey(key)
		return err
	}},
	{DropIn + "GeneratePrivateKeyFromRand", Numbers, func(o *Operands) error {
		key, err := secp256k1.GeneratePrivateKeyFromRand(bytes.NewReader(o.D))
		if err == nil {
			o.giveKey(key)
		}
		return err
	}},
	dropIn("PrivateKey.PubKey", func(_ *Operands, d *dropInOperands) { d.key.PubKey() }),
	{DropIn + "PrivateKey.ToECDSA", DropIns | Vartime, do(func(o *Operands) {
		clear(o.dropIns.key.ToECDSA().D.Bits())
	})},
	dropIn("PrivateKey.Zero", func(_ *Operands, d *dropInOperands) { d.key.Zero() }),

	dropIn("ModNScalar.Zero", func(_ *Operands, d *dropInOperands) { d.x.Zero() }),
	{DropIn + "ModNScalar.SetBytes", DropIns | Numbers, do(func(o *Operands) {
		o.dropIns.z.SetBytes(array(o.D))
	})},
	{DropIn + "ModNScalar.SetByteSlice", DropIns | Numbers, do(func(o *Operands) {
		o.dropIns.z.SetByteSlice(o.D)
	})},
	dropIn("ModNScalar.PutBytes", func(o *Operands, d *dropInOperands) {
		d.x.PutBytes((*[32]byte)(o.Out[:]))
	}),
	dropIn("ModNScalar.PutBytesUnchecked", func(o *Operands, d *dropInOperands) {
		d.x.PutBytesUnchecked(o.Out[:])
	}),
	dropIn("ModNScalar.Add", func(_ *Operands, d *dropInOperands) { d.x.Add(&d.y) }),
	dropIn("ModNScalar.Add2", func(_ *Operands, d *dropInOperands) { d.z.Add2(&d.x, &d.y) }),
	dropIn("ModNScalar.Mul", func(_ *Operands, d *dropInOperands) { d.x.Mul(&d.y) }),
	dropIn("ModNScalar.Mul2", func(_ *Operands, d *dropInOperands) { d.z.Mul2(&d.x, &d.y) }),
	dropIn("ModNScalar.Square", func(_ *Operands, d *dropInOperands) { d.x.Square() }),
	dropIn("ModNScalar.SquareVal", func(_ *Operands, d *dropInOperands) { d.z.SquareVal(&d.x) }),
	dropIn("ModNScalar.Negate", func(_ *Operands, d *dropInOperands) { d.x.Negate() }),
	dropIn("ModNScalar.NegateVal", func(_ *Operands, d *dropInOperands) { d.z.NegateVal(&d.x) }),
	dropIn("ModNScalar.InverseNonConst", func(_ *Operands, d *dropInOperands) {
		d.x.InverseNonConst()
	}),
	dropIn("ModNScalar.InverseValNonConst", func(_ *Operands, d *dropInOperands) {
		d.z.InverseValNonConst(&d.x)
	}),
	dropInAsks("ModNScalar.Equals", func(d *dropInOperands) bool { return d.x.Equals(&d.y) }),
	dropInAsks("ModNScalar.IsZero", func(d *dropInOperands) bool { return d.x.IsZero() }),
	dropInAsks("ModNScalar.IsZeroBit", func(d *dropInOperands) bool { return d.x.IsZeroBit() == 1 }),
	dropIn("ModNScalar.IsOverHalfOrder", func(_ *Operands, d *dropInOperands) {
		d.x.IsOverHalfOrder()
	}),

	{DropIn + "NonceRFC6979", Numbers | Hash | Random, do(func(o *Operands) {
		o.giveScalar(secp256k1.NonceRFC6979(o.D, o.Hash, o.Random, nil, 0))
	})},
	dropIn("ScalarBaseMultNonConst", func(_ *Operands, d *dropInOperands) {
		secp256k1.ScalarBaseMultNonConst(&d.x, &d.r)
	}),
	dropIn("ScalarMultNonConst", func(_ *Operands, d *dropInOperands) {
		d.peer.AsJacobian(&d.r)
		secp256k1.ScalarMultNonConst(&d.x, &d.r, &d.r)
	}),
	dropIn("ScalarMultNonConst of a secret point", func(_ *Operands, d *dropInOperands) {
		secp256k1.ScalarMultNonConst(&d.y, &d.p, &d.r)
	}),
	dropIn("JacobianPoint.ToAffine", func(_ *Operands, d *dropInOperands) { d.p.ToAffine() }),
	dropIn("DoubleNonConst", func(_ *Operands, d *dropInOperands) {
		secp256k1.DoubleNonConst(&d.p, &d.r)
	}),
	dropIn("GenerateSharedSecret", func(o *Operands, d *dropInOperands) {
		o.give(secp256k1.GenerateSharedSecret(&d.key, d.peer))
	}),
	{DropIn + "KoblitzCurve.ScalarBaseMult", Numbers, do(func(o *Operands) {
		secp256k1.S256().ScalarBaseMult(o.D)
	})},
	{DropIn + "KoblitzCurve.ScalarBaseMult of 64 bytes", Numbers, do(func(o *Operands) {
		secp256k1.S256().ScalarBaseMult(o.DE[:])
	})},
	{DropIn + "KoblitzCurve.ScalarMult", DropIns | Numbers, do(func(o *Operands) {
		x, y := o.dropIns.peer.X(), o.dropIns.peer.Y()
		x, y = secp256k1.S256().ScalarMult(x, y, o.D)
		clear(x.Bits())
		clear(y.Bits())
	})},
	{DropIn + "SignSchnorr", DropIns | Hash, do(func(o *Operands) {
		challenge := func(e *secp256k1.ModNScalar, r *secp256k1.FieldVal) bool {
			e.SetBytes(r.Bytes())
			return true
		}
		var r secp256k1.FieldVal
		var t secp256k1.ModNScalar
		hash := array(o.Hash)
		secp256k1.SignSchnorr(&o.dropIns.key.Key, hash, hash, challenge, &r, &t)
		r.PutBytesUnchecked(o.Out[:])
		t.PutBytesUnchecked(o.Out[32:])
	})},

	{"compat/impl/ecdsa.Sign", DropIns | Hash, do(func(o *Operands) {
		sig := ecdsa.Sign(&o.dropIns.key, o.Hash)
		r, t := sig.R(), sig.S()
		r.PutBytesUnchecked(o.Out[:])
		t.PutBytesUnchecked(o.Out[32:])
	})},
	{"compat/impl/ecdsa.SignCompact", DropIns | Hash, do(func(o *Operands) {
		copy(o.Out[:], ecdsa.SignCompact(&o.dropIns.key, o.Hash, true)[1:])
	})},
	{"compat/impl/btcec/schnorr.Sign", DropIns | Hash | Random, func(o *Operands) error {
		sig, err := schnorr.Sign(&o.dropIns.key, o.Hash, schnorr.FastSign(),
			schnorr.CustomNonce(*array(o.Random)))
		if err == nil {
			copy(o.Out[:], sig.Serialize())
		}
		return err
	}},
	{"compat/impl/btcec/ellswift.EllswiftECDHXOnly", DropIns, func(o *Operands) error {
		_, err := ellswift.EllswiftECDHXOnly([64]byte{1}, &o.dropIns.key)
		return err
	}},
	{"compat/impl/btcec/ellswift.V2Ecdh", DropIns, func(o *Operands) error {
		_, err := ellswift.V2Ecdh(&o.dropIns.key, [64]byte{1}, [64]byte{}, true)
		return err
	}},

	// The operation wipes the nonces, as a careful caller does. So all copies that remain are from
	// the function under test.
	{MuSig2In + "WithNonceSecretKeyAux", DropIns | Numbers, func(o *Operands) error {
		n, err := musig2.GenNonces(musig2.WithCustomRand(bytes.NewReader(o.E)),
			musig2.WithPublicKey(o.dropIns.peer), musig2.WithNonceSecretKeyAux(&o.dropIns.key))
		if err == nil {
			copy(o.Out[:], n.SecNonce[:64])
			clear(n.SecNonce[:])
		}
		return err
	}},
	// The secret nonce is passed by value. Copies of the caller's frames, which remain for example
	// after the stack has grown, are the caller's responsibility.
	{MuSig2In + "Sign", DropIns | Verifies | Numbers | Hash | Deep, func(o *Operands) error {
		signer := o.dropIns.key.PubKey()
		var secret [musig2.SecNonceSize]byte
		copy(secret[:], o.E)
		copy(secret[32:], o.E)
		copy(secret[64:], signer.SerializeCompressed())
		var all [musig2.PubNonceSize]byte
		copy(all[:], o.dropIns.peer.SerializeCompressed())
		part, err := musig2.Sign(secret, &o.dropIns.key, all,
			[]*secp256k1.PublicKey{signer, o.dropIns.peer}, *array(o.Hash))
		clear(secret[:])
		if err == nil {
			part.S.PutBytesUnchecked(o.Out[:])
		}
		return err
	}},
	{MuSig2In + "Session.Sign with nonces that it was given", DropIns | Verifies | Numbers | Hash,
		func(o *Operands) error {
			signer := o.dropIns.key.PubKey()
			n, err := musig2.GenNonces(musig2.WithCustomRand(bytes.NewReader(o.E)),
				musig2.WithPublicKey(signer), musig2.WithNonceSecretKeyAux(&o.dropIns.key))
			if err != nil {
				return err
			}
			c, err := musig2.NewContext(&o.dropIns.key, false, o.signers(signer))
			if err != nil {
				return err
			}
			session, err := c.NewSession(musig2.WithPreGeneratedNonce(n))
			return o.signSession(session, n, err)
		}},
	{MuSig2In + "Session.Sign with early nonces", DropIns | Verifies | Hash, func(o *Operands) error {
		c, err := musig2.NewContext(&o.dropIns.key, false, o.signers(o.dropIns.key.PubKey()),
			musig2.WithEarlyNonceGen())
		if err != nil {
			return err
		}
		n, err := c.EarlySessionNonce()
		if err != nil {
			return err
		}
		session, err := c.NewSession()
		return o.signSession(session, n, err)
	}},
}

// signers returns an option with two signers: the given one and the peer.
func (o *Operands) signers(signer *secp256k1.PublicKey) musig2.ContextOption {
	return musig2.WithKnownSigners([]*secp256k1.PublicKey{signer, o.dropIns.peer})
}

// signSession stores the secret nonces of a session, and signs with the session. It wipes nothing.
func (o *Operands) signSession(session *musig2.Session, n *musig2.Nonces, err error) error {
	if err != nil {
		return err
	}
	copy(o.Out[:], n.SecNonce[:64])
	if _, err := session.RegisterPubNonce([musig2.PubNonceSize]byte{}); err != nil {
		return err
	}
	_, err = session.Sign(*array(o.Hash))
	return err
}
