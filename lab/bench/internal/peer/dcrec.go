package peer

import (
	"fmt"
	"maps"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func dcrScalar(b []byte) (s secp256k1.ModNScalar) { s.SetByteSlice(b); return s }
func dcrField(b []byte) (f secp256k1.FieldVal)    { f.SetByteSlice(b); return f }

// dcrPoint returns the point with the coordinates x ‖ y.
func dcrPoint(b []byte) secp256k1.JacobianPoint {
	fx, fy := dcrField(b[:32]), dcrField(b[32:])
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

func dcrRS(sig *ecdsa.Signature) []byte {
	r, s := sig.R(), sig.S()
	rb, sb := r.Bytes(), s.Bytes()
	return append(rb[:], sb[:]...)
}

func dcrPublic(b []byte) *secp256k1.PublicKey { return must(secp256k1.ParsePubKey(b)) }

func dcrSignature(b []byte) *ecdsa.Signature {
	r, s := dcrScalar(b[:32]), dcrScalar(b[32:])
	return ecdsa.NewSignature(&r, &s)
}

// NewDcrec returns a peer that calls decred's pure-Go implementation.
func NewDcrec(in *Inputs) *Peer {
	rows := dcrRows()
	d := in.single(rows)
	maps.Copy(d, in.rowByRow(rows))
	dcrArithmetic(in, d)
	version := moduleVersion("github.com/decred/dcrd/dcrec/secp256k1/v4")
	return &Peer{Name: "dcrec", Version: version, Drivers: d}
}

// dcrRows returns dcrec's operations on single rows.
func dcrRows() map[string]func(s *Set) Driver {
	key := func(t Timing, run func(i int) *secp256k1.PublicKey) Driver {
		return gives(t, run, (*secp256k1.PublicKey).SerializeCompressed)
	}
	return map[string]func(s *Set) Driver{
		"keygen": func(s *Set) Driver {
			return key(Variable, func(i int) *secp256k1.PublicKey {
				return secp256k1.PrivKeyFromBytes(s.Secret[i]).PubKey()
			})
		},
		"ecdsa-sign-unchecked": func(s *Set) Driver {
			keys := parsed(s.Secret, secp256k1.PrivKeyFromBytes)
			return gives(Variable, func(i int) *ecdsa.Signature {
				return ecdsa.Sign(keys[i], s.Hash[i])
			}, dcrRS)
		},
		"ecdsa-verify": func(s *Set) Driver {
			keys, sigs := parsed(s.Key, dcrPublic), parsed(s.ECDSA, dcrSignature)
			return verifies(func(i int) bool { return sigs[i].Verify(s.Hash[i], keys[i]) })
		},
		"ecdsa-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool {
				sig := must(ecdsa.ParseDERSignature(s.DER[i]))
				return sig.Verify(s.Hash[i], dcrPublic(s.Key[i]))
			})
		},
		"ecdsa-batch": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return dcrSignature(s.ECDSA[i]).Verify(s.Hash[i], dcrPublic(s.Key[i]))
			})
		},
		"ecdh-x": func(s *Set) Driver {
			secrets, keys := parsed(s.Secret, secp256k1.PrivKeyFromBytes), parsed(s.Key, dcrPublic)
			return returns(Variable, func(i int) []byte {
				return secp256k1.GenerateSharedSecret(secrets[i], keys[s.next(i)])
			})
		},
		"recover": func(s *Set) Driver {
			compact := parsed(s.Recoverable, func(b []byte) []byte {
				return append([]byte{31 + b[64]}, b[:64]...)
			})
			return key(Public, func(i int) *secp256k1.PublicKey {
				k, _, err := ecdsa.RecoverCompact(compact[i], s.Hash[i])
				return must(k, err)
			})
		},
		"parse": func(s *Set) Driver {
			return key(Public, func(i int) *secp256k1.PublicKey { return dcrPublic(s.Key[i]) })
		},
		"base-mul-batch": func(s *Set) Driver {
			scalars := parsed(s.Secret, dcrScalar)
			var r secp256k1.JacobianPoint
			return stores(Public, func(i int) {
				secp256k1.ScalarBaseMultNonConst(&scalars[i], &r)
				r.ToAffine()
			}, func() []byte { return dcrCompress(r) })
		},
	}
}

// dcrArithmetic adds to d dcrec's operations on numbers and points.
func dcrArithmetic(in *Inputs, d map[string]Driver) {
	a, b, squares := parsed(in.A, dcrField), parsed(in.B, dcrField), parsed(in.Squares, dcrField)
	sa, sb := parsed(in.A, dcrScalar), parsed(in.B, dcrScalar)
	jac := parsed(in.Key, func(b []byte) (p secp256k1.JacobianPoint) {
		dcrPublic(b).AsJacobian(&p)
		return p
	})
	encode := func(x *secp256k1.FieldVal) []byte { return x.Normalize().Bytes()[:] }
	encodeScalar := func(x *secp256k1.ModNScalar) []byte { return bytes32(x.Bytes()) }
	numbers, scalars := chains(d, a, encode), chains(d, sa, encodeScalar)
	numbers("field-mul", func(x *secp256k1.FieldVal, row, n int) {
		for i := range n {
			x.Mul(&b[(row+i)%Rows])
		}
	})
	numbers("field-mul-independent", func(x *secp256k1.FieldVal, row, n int) {
		y, z, w := a[1], a[2], a[3]
		for i := 0; i < n; i += 4 {
			c := &b[(row+i)%Rows]
			x.Mul(c)
			y.Mul(c)
			z.Mul(c)
			w.Mul(c)
		}
	})
	numbers("field-square", func(x *secp256k1.FieldVal, _, n int) {
		for range n {
			x.Square()
		}
	})
	numbers("field-add", func(x *secp256k1.FieldVal, row, n int) {
		for i := range n {
			x.Add(&b[(row+i)%Rows]).Normalize()
		}
	})
	d["field-add"] = d["field-add"].noted("normalized each time, as a chain needs")
	var fe secp256k1.FieldVal
	d["field-inv"] = stores(Public, func(i int) { fe = a[i]; fe.Inverse() },
		func() []byte { return encode(&fe) })
	d["field-sqrt"] = stores(Public, func(i int) { fe.SquareRootVal(&squares[i]) },
		func() []byte { return squareOf(encode(&fe)) })
	scalars("scalar-mul", func(x *secp256k1.ModNScalar, row, n int) {
		for i := range n {
			x.Mul(&sb[(row+i)%Rows])
		}
	})
	scalars("scalar-square", func(x *secp256k1.ModNScalar, _, n int) {
		for range n {
			x.Square()
		}
	})
	scalars("scalar-add", func(x *secp256k1.ModNScalar, row, n int) {
		for i := range n {
			x.Add(&sb[(row+i)%Rows])
		}
	})
	var sc secp256k1.ModNScalar
	d["scalar-inv-var"] = stores(Public, func(i int) { sc.InverseValNonConst(&sa[i]) },
		func() []byte { return encodeScalar(&sc) })

	var r secp256k1.JacobianPoint
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
	chain(d, "point-double", func(row, n int) []byte {
		p := jac[row]
		for range n {
			secp256k1.DoubleNonConst(&p, &p)
		}
		return dcrCompress(p)
	})
	chain(d, "point-add", func(row, n int) []byte {
		p := jac[row]
		for i := range n {
			secp256k1.AddNonConst(&p, &jac[(row+1+i)%Rows], &p)
		}
		return dcrCompress(p)
	})
	// dcrec has no batch normalization, so its users normalize one point after another.
	var proj [Rows]secp256k1.JacobianPoint
	for i := range proj {
		secp256k1.ScalarMultNonConst(&sa[i], &jac[i], &proj[i])
	}
	for _, n := range NormalizeSizes {
		d[fmt.Sprintf("normalize-%d", n)] = stores(Public, func(i int) {
			for _, p := range proj[min(i, Rows-n):][:n] {
				r = p
				r.ToAffine()
			}
		}, func() []byte { return r.X.Bytes()[:] }).noted("one by one")
	}
	pts, ks := parsed(in.Points, dcrPoint), parsed(in.Scalars, dcrScalar)
	sumsOf(in, d, "msm-naive", func(n int) (total secp256k1.JacobianPoint) {
		for i := range n {
			secp256k1.ScalarMultNonConst(&ks[i], &pts[i], &r)
			secp256k1.AddNonConst(&total, &r, &total)
		}
		return total
	}, dcrCompress)
}
