package peer

import (
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	btcecdsa "github.com/btcsuite/btcd/btcec/v2/ecdsa"
	btcschnorr "github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func dcrScalar(b []byte) (s secp256k1.ModNScalar) { s.SetByteSlice(b); return s }
func dcrField(b []byte) (f secp256k1.FieldVal)    { f.SetByteSlice(b); return f }

func dcrPoint(x, y []byte) secp256k1.JacobianPoint {
	fx, fy := dcrField(x), dcrField(y)
	one := new(secp256k1.FieldVal).SetInt(1)
	return secp256k1.MakeJacobianPoint(&fx, &fy, one)
}

func dcrCompress(p secp256k1.JacobianPoint) []byte {
	if (p.X.IsZero() && p.Y.IsZero()) || p.Z.IsZero() {
		return nil
	}
	p.ToAffine()
	return secp256k1.NewPublicKey(&p.X, &p.Y).SerializeCompressed()
}

func dcrSignature(sig []byte) (*ecdsa.Signature, bool) {
	var r, s secp256k1.ModNScalar
	if r.SetByteSlice(sig[:32]) || s.SetByteSlice(sig[32:]) || r.IsZero() || s.IsZero() {
		return nil, false
	}
	return ecdsa.NewSignature(&r, &s), true
}

func dcrRS(sig *ecdsa.Signature) []byte {
	r, s := sig.R(), sig.S()
	rb, sb := r.Bytes(), s.Bytes()
	return append(rb[:], sb[:]...)
}

// NewDcrec returns a peer that calls decred's pure-Go implementation.
func NewDcrec(in *Inputs) *Peer {
	var (
		keys   [Rows]*secp256k1.PrivateKey
		public [Rows]*secp256k1.PublicKey
		sigs   [Rows]*ecdsa.Signature
		comp   [Rows][]byte
		jac    [Rows]secp256k1.JacobianPoint
		a, b   [Rows]secp256k1.FieldVal
		sq     [Rows]secp256k1.FieldVal
		sa, sb [Rows]secp256k1.ModNScalar
		last   *secp256k1.PublicKey
		sig    *ecdsa.Signature
		r      secp256k1.JacobianPoint
	)
	for i := range Rows {
		keys[i] = secp256k1.PrivKeyFromBytes(in.Secret[i])
		public[i] = keys[i].PubKey()
		sigs[i] = must(ecdsa.ParseDERSignature(in.DER[i]))
		comp[i] = append([]byte{31 + in.Recoverable[i][64]}, in.ECDSA[i]...)
		public[i].AsJacobian(&jac[i])
		a[i], b[i], sq[i] = dcrField(in.A[i]), dcrField(in.B[i]), dcrField(in.Squares[i])
		sa[i], sb[i] = dcrScalar(in.A[i]), dcrScalar(in.B[i])
	}
	key := func(t Timing, do func(i int)) Driver {
		return stores(t, do, func() []byte { return last.SerializeCompressed() })
	}
	d := map[string]Driver{
		"keygen": key(Variable, func(i int) {
			last = secp256k1.PrivKeyFromBytes(in.Secret[i]).PubKey()
		}),
		"ecdsa-sign-unchecked": stores(Variable, func(i int) {
			sig = ecdsa.Sign(keys[i], in.Hash[i])
		}, func() []byte { return dcrRS(sig) }),
		"ecdsa-verify": verifies(func(i int) bool { return sigs[i].Verify(in.Hash[i], public[i]) }),
		"ecdsa-verify-parse": verifies(func(i int) bool {
			s := must(ecdsa.ParseDERSignature(in.DER[i]))
			return s.Verify(in.Hash[i], must(secp256k1.ParsePubKey(in.Key[i])))
		}),
		"ecdh-x": returns(Variable, func(i int) []byte {
			return secp256k1.GenerateSharedSecret(keys[i], public[(i+1)%Rows])
		}),
		"recover": key(Public, func(i int) {
			k, _, err := ecdsa.RecoverCompact(comp[i], in.Hash[i])
			last = must(k, err)
		}),
		"parse": key(Public, func(i int) { last = must(secp256k1.ParsePubKey(in.Key[i])) }),
	}
	mul := func(id string, do func(i int)) {
		d[id] = stores(Public, do, func() []byte { return dcrCompress(r) })
	}
	mul("point-mul", func(i int) { secp256k1.ScalarMultNonConst(&sa[i], &jac[i], &r) })
	mul("base-mul", func(i int) { secp256k1.ScalarBaseMultNonConst(&sa[i], &r) })
	mul("double-mul", func(i int) {
		var p, q secp256k1.JacobianPoint
		secp256k1.ScalarBaseMultNonConst(&sa[i], &p)
		secp256k1.ScalarMultNonConst(&sb[i], &jac[i], &q)
		secp256k1.AddNonConst(&p, &q, &r)
	})
	d["point-double"] = Driver{
		Run: repeat(func(n int) {
			p := jac[0]
			for range n {
				secp256k1.DoubleNonConst(&p, &p)
			}
		}),
		Out: func(i int) []byte { secp256k1.DoubleNonConst(&jac[i], &r); return dcrCompress(r) }}
	d["point-add"] = Driver{
		Run: repeat(func(n int) {
			p := jac[0]
			secp256k1.DoubleNonConst(&p, &p)
			for i := range n {
				secp256k1.AddNonConst(&p, &jac[i%Rows], &p)
			}
		}),
		Out: func(i int) []byte {
			secp256k1.AddNonConst(&jac[i], &jac[(i+1)%Rows], &r)
			return dcrCompress(r)
		}}
	out := func(f func(v *secp256k1.FieldVal, i int)) func(i int) []byte {
		return func(i int) []byte {
			v := a[i]
			f(&v, i)
			v.Normalize()
			return v.Bytes()[:]
		}
	}
	d["field-mul"] = Driver{Run: repeat(func(n int) {
		x := a[0]
		for i := range n {
			x.Mul(&b[i%Rows])
		}
	}), Out: out(func(v *secp256k1.FieldVal, i int) { v.Mul(&b[i]) })}
	d["field-mul-independent"] = Driver{Run: repeat(func(n int) {
		x, y, z, w := a[0], a[1], a[2], a[3]
		for i := 0; i < n; i += 4 {
			c := &b[i%Rows]
			x.Mul(c)
			y.Mul(c)
			z.Mul(c)
			w.Mul(c)
		}
	}), Out: out(func(v *secp256k1.FieldVal, i int) { v.Mul(&b[i]) })}
	d["field-square"] = Driver{Run: repeat(func(n int) {
		x := a[0]
		for range n {
			x.Square()
		}
	}), Out: out(func(v *secp256k1.FieldVal, i int) { v.Square() })}
	d["field-add"] = Driver{Note: "normalized each time, as a chain needs", Run: repeat(func(n int) {
		x := a[0]
		for i := range n {
			x.Add(&b[i%Rows]).Normalize()
		}
	}), Out: out(func(v *secp256k1.FieldVal, i int) { v.Add(&b[i]) })}
	var fe secp256k1.FieldVal
	d["field-inv"] = Driver{
		Do:  func(i int) { fe = a[i]; fe.Inverse() },
		Out: out(func(v *secp256k1.FieldVal, i int) { v.Inverse() }),
	}
	d["field-sqrt"] = stores(Public, func(i int) { fe.SquareRootVal(&sq[i]) },
		func() []byte { return squareOf(fe.Normalize().Bytes()[:]) })
	sout := func(f func(v *secp256k1.ModNScalar, i int)) func(i int) []byte {
		return func(i int) []byte {
			v := sa[i]
			f(&v, i)
			return bytes32(v.Bytes())
		}
	}
	d["scalar-mul"] = Driver{Run: repeat(func(n int) {
		x := sa[0]
		for i := range n {
			x.Mul(&sb[i%Rows])
		}
	}), Out: sout(func(v *secp256k1.ModNScalar, i int) { v.Mul(&sb[i]) })}
	d["scalar-square"] = Driver{Run: repeat(func(n int) {
		x := sa[0]
		for range n {
			x.Square()
		}
	}), Out: sout(func(v *secp256k1.ModNScalar, i int) { v.Square() })}
	d["scalar-add"] = Driver{Run: repeat(func(n int) {
		x := sa[0]
		for i := range n {
			x.Add(&sb[i%Rows])
		}
	}), Out: sout(func(v *secp256k1.ModNScalar, i int) { v.Add(&sb[i]) })}
	var sc secp256k1.ModNScalar
	d["scalar-inv-var"] = Driver{Do: func(i int) { sc.InverseValNonConst(&sa[i]) },
		Out: sout(func(v *secp256k1.ModNScalar, i int) { v.InverseNonConst() })}
	// dcrec has no batch normalization, so its users normalize one point after another.
	var proj [Rows]secp256k1.JacobianPoint
	for i := range proj {
		secp256k1.ScalarMultNonConst(&sa[i], &jac[i], &proj[i])
	}
	for _, n := range NormalizeSizes {
		do := func(i int) {
			for _, p := range proj[min(i, Rows-n):][:n] {
				r = p
				r.ToAffine()
			}
		}
		d[fmt.Sprintf("normalize-%d", n)] = Driver{Note: "one by one", Do: do,
			Out: func(i int) []byte { do(i); return r.X.Bytes()[:] }}
	}
	dcrecRows(in, d)
	naive(in, d)

	parse := func(b []byte) *secp256k1.PublicKey { k, _ := secp256k1.ParsePubKey(b); return k }
	version := moduleVersion("github.com/decred/dcrd/dcrec/secp256k1/v4")
	return &Peer{Name: "dcrec", Version: version, Drivers: d, Functions: Functions{
		RawHash: true,
		PublicKey: func(s []byte) []byte {
			return secp256k1.PrivKeyFromBytes(s).PubKey().SerializeCompressed()
		},
		Parse: func(b []byte) []byte {
			if k := parse(b); k != nil {
				return k.SerializeUncompressed()
			}
			return nil
		},
		ECDSASign: func(s, h []byte) []byte {
			return dcrRS(ecdsa.Sign(secp256k1.PrivKeyFromBytes(s), h))
		},
		ECDSAVerify: func(k, h, s []byte) bool {
			sig, ok := dcrSignature(s)
			return ok && sig.Verify(h, parse(k))
		},
		ECDSAVerifyDER: func(k, h, s []byte) bool {
			sig, err := ecdsa.ParseDERSignature(s)
			return err == nil && sig.Verify(h, parse(k))
		},
		ECDHX: func(s, k []byte) []byte {
			return secp256k1.GenerateSharedSecret(secp256k1.PrivKeyFromBytes(s), parse(k))
		},
		Recover: func(h, s []byte) []byte {
			k, _, err := ecdsa.RecoverCompact(append([]byte{31 + s[64]}, s[:64]...), h)
			if err != nil {
				return nil
			}
			return k.SerializeCompressed()
		},
		Multiply: func(k, b []byte) []byte {
			var p, r secp256k1.JacobianPoint
			parse(b).AsJacobian(&p)
			s := dcrScalar(k)
			secp256k1.ScalarMultNonConst(&s, &p, &r)
			return dcrCompress(r)
		},
		Add: func(b, c []byte) []byte {
			var p, q, r secp256k1.JacobianPoint
			parse(b).AsJacobian(&p)
			parse(c).AsJacobian(&q)
			secp256k1.AddNonConst(&p, &q, &r)
			return dcrCompress(r)
		},
		FieldMul: func(a, b []byte) []byte {
			x, y := dcrField(a), dcrField(b)
			return x.Mul(&y).Normalize().Bytes()[:]
		},
		FieldInv: func(a []byte) []byte {
			x := dcrField(a)
			return x.Inverse().Normalize().Bytes()[:]
		},
		ScalarMul: func(a, b []byte) []byte {
			x, y := dcrScalar(a), dcrScalar(b)
			return bytes32(x.Mul(&y).Bytes())
		},
		ScalarInv: func(a []byte) []byte {
			x := dcrScalar(a)
			return bytes32(x.InverseNonConst().Bytes())
		},
		FieldSqrt: func(a []byte) []byte {
			x := dcrField(a)
			var y secp256k1.FieldVal
			if !y.SquareRootVal(&x) {
				return nil
			}
			return squareOf(y.Normalize().Bytes()[:])
		},
	}}
}

func naive(in *Inputs, d map[string]Driver) {
	limit := min(len(in.Points), NaiveLimit)
	pts, ks := make([]secp256k1.JacobianPoint, limit), make([]secp256k1.ModNScalar, limit)
	for i := range pts {
		pts[i], ks[i] = dcrPoint(in.Points[i][:32], in.Points[i][32:]), dcrScalar(in.Scalars[i])
	}
	for _, n := range MSMSizes {
		if n > limit {
			break
		}
		sum := func() (total secp256k1.JacobianPoint) {
			var r secp256k1.JacobianPoint
			for i := range n {
				secp256k1.ScalarMultNonConst(&ks[i], &pts[i], &r)
				secp256k1.AddNonConst(&total, &r, &total)
			}
			return total
		}
		d[fmt.Sprintf("msm-naive-%d", n)] = Driver{
			Do: func(int) { sum() }, Out: func(int) []byte { return dcrCompress(sum()) },
		}
	}
}

// dcrecRows adds to d the drivers for operations on many rows, which process one row after another.
func dcrecRows(in *Inputs, d map[string]Driver) {
	var (
		m, n = in.Many, len(in.Many.Hash)
		keys = make([]*secp256k1.PublicKey, n)
		sigs = make([]*ecdsa.Signature, n)
		comp = make([][]byte, n)
		last *secp256k1.PublicKey
		key  = func() []byte { return last.SerializeCompressed() }
	)
	signature := func(i int) *ecdsa.Signature {
		sig, ok := dcrSignature(m.ECDSA[i])
		accept(ok)
		return sig
	}
	for i := range n {
		keys[i], sigs[i] = must(secp256k1.ParsePubKey(m.Key[i])), signature(i)
		comp[i] = append([]byte{31 + m.Recoverable[i][64]}, m.ECDSA[i]...)
	}
	oneByOne(in, d, "ecdsa-batch-parsed", "one by one", func(i int) bool {
		return sigs[i].Verify(m.Hash[i], keys[i])
	})
	oneByOne(in, d, "ecdsa-batch", "one by one", func(i int) bool {
		return signature(i).Verify(m.Hash[i], must(secp256k1.ParsePubKey(m.Key[i])))
	})
	rowByRow(in, d, "recover-batch", "one by one", func(i int) {
		k, _, err := ecdsa.RecoverCompact(comp[i], m.Hash[i])
		last = must(k, err)
	}, key)
	rowByRow(in, d, "parse-batch", "one by one", func(i int) {
		last = must(secp256k1.ParsePubKey(m.Key[i]))
	}, key)
	dcrecBaseMul(in, d)
}

// NewBtcec returns a peer that calls btcd's implementation, which adds BIP-340 to dcrec's
// arithmetic.
func NewBtcec(in *Inputs) *Peer {
	var (
		keys   [Rows]*btcec.PrivateKey
		public [Rows]*btcec.PublicKey
		sigs   [Rows]*btcschnorr.Signature
		esigs  [Rows]*btcecdsa.Signature
		aux    [Rows][32]byte
		sig    *btcecdsa.Signature
		last   *btcec.PublicKey
	)
	for i := range Rows {
		keys[i], public[i] = btcec.PrivKeyFromBytes(in.Secret[i])
		sigs[i] = must(btcschnorr.ParseSignature(in.Schnorr[i]))
		esigs[i] = must(btcecdsa.ParseDERSignature(in.DER[i]))
		copy(aux[i][:], in.Aux[i])
	}
	sign := func(opts ...btcschnorr.SignOption) Driver {
		do := func(i int) []byte {
			all := append(opts, btcschnorr.CustomNonce(aux[i]))
			return must(btcschnorr.Sign(keys[i], in.Hash[i], all...)).Serialize()
		}
		return returns(Variable, do)
	}
	d := map[string]Driver{
		"schnorr-sign":           sign(),
		"schnorr-sign-unchecked": sign(btcschnorr.FastSign()),
		"schnorr-verify": verifies(func(i int) bool {
			return sigs[i].Verify(in.Hash[i], public[i])
		}).noted("lifts the key every time"),
		"schnorr-verify-parse": verifies(func(i int) bool {
			s := must(btcschnorr.ParseSignature(in.Schnorr[i]))
			return s.Verify(in.Hash[i], must(btcschnorr.ParsePubKey(in.XOnly[i])))
		}),
		"ecdsa-verify": verifies(func(i int) bool { return esigs[i].Verify(in.Hash[i], public[i]) }),
		"ecdsa-sign-unchecked": stores(Variable, func(i int) {
			sig = btcecdsa.Sign(keys[i], in.Hash[i])
		}, func() []byte { return dcrRS(sig) }),
		"ecdh-x": returns(Variable, func(i int) []byte {
			return btcec.GenerateSharedSecret(keys[i], public[(i+1)%Rows])
		}),
		"keygen": stores(Variable, func(i int) {
			_, last = btcec.PrivKeyFromBytes(in.Secret[i])
		}, func() []byte { return last.SerializeCompressed() }),
	}
	m := in.Many
	oneByOne(in, d, "schnorr-batch", "one by one", func(i int) bool {
		s := must(btcschnorr.ParseSignature(m.Schnorr[i]))
		return s.Verify(m.Hash[i], must(btcschnorr.ParsePubKey(m.XOnly[i])))
	})
	many, parsed := make([]*btcschnorr.Signature, len(m.Hash)), make([]*btcec.PublicKey, len(m.Hash))
	for i := range many {
		many[i] = must(btcschnorr.ParseSignature(m.Schnorr[i]))
		parsed[i] = must(btcschnorr.ParsePubKey(m.XOnly[i]))
	}
	lifting := "one by one; lifts the key every time"
	oneByOne(in, d, "schnorr-batch-parsed", lifting, func(i int) bool {
		return many[i].Verify(m.Hash[i], parsed[i])
	})
	btcutilRows(in, d)
	in.ceremony.btcec(d)
	version, note := moduleVersion("github.com/btcsuite/btcd/btcec/v2"), "arithmetic of dcrec"
	return &Peer{Name: "btcec", Version: version, Note: note, Drivers: d, Functions: Functions{
		SchnorrSign: func(s, m, aux []byte) []byte {
			k, _ := btcec.PrivKeyFromBytes(s)
			opts := []btcschnorr.SignOption{
				btcschnorr.FastSign(), btcschnorr.CustomNonce([32]byte(aux)),
			}
			return must(btcschnorr.Sign(k, m, opts...)).Serialize()
		},
		SchnorrVerify: func(k, m, s []byte) bool {
			key, err := btcschnorr.ParsePubKey(k)
			if err != nil {
				return false
			}
			sig, err := btcschnorr.ParseSignature(s)
			return err == nil && sig.Verify(m, key)
		},
		PublicKey: func(s []byte) []byte {
			_, k := btcec.PrivKeyFromBytes(s)
			return k.SerializeCompressed()
		},
	}}
}
