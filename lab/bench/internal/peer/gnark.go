package peer

import (
	"bytes"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/ecdsa"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fr"
)

func gnarkField(b []byte) (x fp.Element)  { x.SetBytes(b); return x }
func gnarkScalar(b []byte) (x fr.Element) { x.SetBytes(b); return x }

func gnarkPoint(xy []byte) (p secp256k1.G1Affine) {
	p.X.SetBytes(xy[:32])
	p.Y.SetBytes(xy[32:])
	return p
}

func gnarkCompress(p *secp256k1.G1Affine) []byte {
	if p.IsInfinity() {
		return nil
	}
	x, y := p.X.Bytes(), p.Y.Bytes()
	return append([]byte{2 + y[31]&1}, x[:]...)
}

// gnarkKey returns the public key whose coordinates x and y are the 64 bytes x ‖ y.
func gnarkKey(xy []byte) *ecdsa.PublicKey { return &ecdsa.PublicKey{A: gnarkPoint(xy)} }

// NewGnark returns a peer that calls gnark-crypto.
func NewGnark(in *Inputs) *Peer {
	var (
		keys  [Rows]ecdsa.PrivateKey
		pts   [Rows]secp256k1.G1Affine
		sk    [Rows]*big.Int
		a, b  [Rows]fp.Element
		sq    [Rows]fp.Element
		sa    [Rows]fr.Element
		sb    [Rows]fr.Element
		ka    [Rows]*big.Int
		kb    [Rows]*big.Int
		rs    [Rows][2]*big.Int
		aff   secp256k1.G1Affine
		jac   secp256k1.G1Jac
		key   ecdsa.PublicKey
		lastX [32]byte
	)
	for i := range Rows {
		p := lift(in.Key[i])
		xy := append(encode(&p.X), encode(&p.Y)...)
		pts[i] = gnarkPoint(xy)
		must(keys[i].SetBytes(append(xy, in.Secret[i]...)))
		sk[i] = new(big.Int).SetBytes(in.Secret[i])
		a[i], b[i], sq[i] = gnarkField(in.A[i]), gnarkField(in.B[i]), gnarkField(in.Squares[i])
		sa[i], sb[i] = gnarkScalar(in.A[i]), gnarkScalar(in.B[i])
		ka[i], kb[i] = new(big.Int).SetBytes(in.A[i]), new(big.Int).SetBytes(in.B[i])
		rs[i][0] = new(big.Int).SetBytes(in.ECDSA[i][:32])
		rs[i][1] = new(big.Int).SetBytes(in.ECDSA[i][32:])
	}
	product := func(do func(i int)) Driver {
		return stores(Public, do, func() []byte { aff.FromJacobian(&jac); return gnarkCompress(&aff) })
	}
	sign := func(i int) []byte { return must(keys[i].Sign(in.Hash[i], nil)) }
	d := map[string]Driver{
		"keygen": stores(Variable, func(i int) {
			aff.ScalarMultiplicationBase(new(big.Int).SetBytes(in.Secret[i]))
		}, func() []byte { return gnarkCompress(&aff) }),
		"ecdsa-sign-unchecked": {
			Do: func(i int) { sign(i) }, Out: sign, OwnNonce: true, Timing: Variable,
			Note: "random nonces",
		},
		"ecdsa-verify": verifies(func(i int) bool {
			return must(keys[i].PublicKey.Verify(in.ECDSA[i], in.Hash[i], nil))
		}).noted("reads 64 bytes r ‖ s"),
		"ecdh-x": stores(Variable, func(i int) {
			aff.ScalarMultiplication(&pts[(i+1)%Rows], sk[i])
			lastX = aff.X.Bytes()
		}, func() []byte { return bytes32(lastX) }),
		"recover": stores(Public, func(i int) {
			err := key.RecoverFrom(in.Hash[i], uint(in.Recoverable[i][64]), rs[i][0], rs[i][1])
			if err != nil {
				panic(err)
			}
		}, func() []byte { return gnarkCompress(&key.A) }),
		"point-mul": product(func(i int) {
			jac.FromAffine(&pts[i])
			jac.ScalarMultiplication(&jac, ka[i])
		}),
		"base-mul":   product(func(i int) { jac.ScalarMultiplicationBase(ka[i]) }),
		"double-mul": product(func(i int) { jac.JointScalarMultiplicationBase(&pts[i], ka[i], kb[i]) }),
		"point-double": {Run: repeat(func(n int) {
			jac.FromAffine(&pts[0])
			gnarkDouble(&jac, n)
		}), Out: func(i int) []byte {
			jac.FromAffine(&pts[i])
			aff.FromJacobian(jac.DoubleAssign())
			return gnarkCompress(&aff)
		}},
	}
	d["point-add"] = Driver{
		Run: repeat(func(n int) {
			jac.FromAffine(&pts[0])
			jac.DoubleAssign()
			for i := range n {
				jac.AddMixed(&pts[i%Rows])
			}
		}),
		Out: func(i int) []byte {
			jac.FromAffine(&pts[i])
			aff.FromJacobian(jac.AddMixed(&pts[(i+1)%Rows]))
			return gnarkCompress(&aff)
		}}
	out := func(f func(v *fp.Element, i int)) func(i int) []byte {
		return func(i int) []byte {
			v := a[i]
			f(&v, i)
			return bytes32(v.Bytes())
		}
	}
	sout := func(f func(v *fr.Element, i int)) func(i int) []byte {
		return func(i int) []byte {
			v := sa[i]
			f(&v, i)
			return bytes32(v.Bytes())
		}
	}
	d["field-mul"] = Driver{Run: repeat(func(n int) {
		x := a[0]
		for i := range n {
			x.Mul(&x, &b[i%Rows])
		}
	}), Out: out(func(v *fp.Element, i int) { v.Mul(v, &b[i]) })}
	d["field-mul-independent"] = Driver{Run: repeat(func(n int) {
		x, y, z, w := a[0], a[1], a[2], a[3]
		for i := 0; i < n; i += 4 {
			c := &b[i%Rows]
			x.Mul(&x, c)
			y.Mul(&y, c)
			z.Mul(&z, c)
			w.Mul(&w, c)
		}
	}), Out: out(func(v *fp.Element, i int) { v.Mul(v, &b[i]) })}
	d["field-square"] = Driver{Run: repeat(func(n int) {
		x := a[0]
		for range n {
			x.Square(&x)
		}
	}), Out: out(func(v *fp.Element, i int) { v.Square(v) })}
	d["field-add"] = Driver{Run: repeat(func(n int) {
		x := a[0]
		for i := range n {
			x.Add(&x, &b[i%Rows])
		}
	}), Out: out(func(v *fp.Element, i int) { v.Add(v, &b[i]) })}
	d["field-sub"] = Driver{Run: repeat(func(n int) {
		x := a[0]
		for i := range n {
			x.Sub(&x, &b[i%Rows])
		}
	}), Out: out(func(v *fp.Element, i int) { v.Sub(v, &b[i]) })}
	var fe fp.Element
	d["field-inv-var"] = Driver{
		Do:  func(i int) { fe.Inverse(&a[i]) },
		Out: out(func(v *fp.Element, i int) { v.Inverse(v) }),
	}
	d["field-sqrt"] = stores(Public, func(i int) { fe.Sqrt(&sq[i]) },
		func() []byte { return squareOf(bytes32(fe.Bytes())) })
	d["scalar-mul"] = Driver{Run: repeat(func(n int) {
		x := sa[0]
		for i := range n {
			x.Mul(&x, &sb[i%Rows])
		}
	}), Out: sout(func(v *fr.Element, i int) { v.Mul(v, &sb[i]) })}
	d["scalar-square"] = Driver{Run: repeat(func(n int) {
		x := sa[0]
		for range n {
			x.Square(&x)
		}
	}), Out: sout(func(v *fr.Element, i int) { v.Square(v) })}
	d["scalar-add"] = Driver{Run: repeat(func(n int) {
		x := sa[0]
		for i := range n {
			x.Add(&x, &sb[i%Rows])
		}
	}), Out: sout(func(v *fr.Element, i int) { v.Add(v, &sb[i]) })}
	var se fr.Element
	d["scalar-inv-var"] = Driver{
		Do:  func(i int) { se.Inverse(&sa[i]) },
		Out: sout(func(v *fr.Element, i int) { v.Inverse(v) }),
	}
	for _, n := range InverseSizes {
		fv, sv := make([]fp.Element, n), make([]fr.Element, n)
		fill := func(i int) {
			for j := range n {
				fv[j], sv[j] = a[(i+j)%Rows], sa[(i+j)%Rows]
			}
		}
		fill(0)
		d[fmt.Sprintf("field-inv-batch-%d", n)] = Driver{Do: func(int) { fp.BatchInvert(fv) },
			Out: func(i int) []byte { fill(i); return bytes32(fp.BatchInvert(fv)[n-1].Bytes()) }}
		d[fmt.Sprintf("scalar-inv-batch-%d", n)] = Driver{Do: func(int) { fr.BatchInvert(sv) },
			Out: func(i int) []byte { fill(i); return bytes32(fr.BatchInvert(sv)[n-1].Bytes()) }}
	}
	proj := make([]secp256k1.G1Jac, Rows)
	for i := range proj {
		proj[i].FromAffine(&pts[i])
		proj[i].ScalarMultiplication(&proj[i], ka[i])
	}
	for _, n := range NormalizeSizes {
		do := func(i int) []secp256k1.G1Affine {
			return secp256k1.BatchJacobianToAffineG1(proj[min(i, Rows-n):][:n])
		}
		d[fmt.Sprintf("normalize-%d", n)] = Driver{Do: func(i int) { do(i) },
			Out: func(i int) []byte { return bytes32(do(i)[n-1].X.Bytes()) }}
	}
	all, ks := make([]secp256k1.G1Affine, len(in.Points)), make([]fr.Element, len(in.Points))
	for i := range all {
		all[i] = gnarkPoint(in.Points[i])
		ks[i].SetBytes(in.Scalars[i])
	}
	for _, n := range MSMSizes {
		if n > len(all) {
			break
		}
		do := func() *secp256k1.G1Affine {
			var p secp256k1.G1Jac
			must(p.MultiExp(all[:n], ks[:n], ecc.MultiExpConfig{NbTasks: 1}))
			return new(secp256k1.G1Affine).FromJacobian(&p)
		}
		d[fmt.Sprintf("msm-%d", n)] = Driver{
			Do: func(int) { do() }, Out: func(int) []byte { return gnarkCompress(do()) },
		}
		if n > NaiveLimit {
			continue
		}
		loop := func() *secp256k1.G1Affine {
			var total, p secp256k1.G1Jac
			var k big.Int
			for i := range n {
				p.FromAffine(&all[i])
				p.ScalarMultiplication(&p, ks[i].BigInt(&k))
				total.AddAssign(&p)
			}
			return new(secp256k1.G1Affine).FromJacobian(&total)
		}
		d[fmt.Sprintf("msm-naive-%d", n)] = Driver{
			Do: func(int) { loop() }, Out: func(int) []byte { return gnarkCompress(loop()) },
		}
	}
	m := in.Many
	many, mkeys := make([][2]*big.Int, len(m.Hash)), make([]ecdsa.PublicKey, len(m.Hash))
	for i := range many {
		p := lift(m.Key[i])
		mkeys[i] = *gnarkKey(append(encode(&p.X), encode(&p.Y)...))
		many[i][0] = new(big.Int).SetBytes(m.ECDSA[i][:32])
		many[i][1] = new(big.Int).SetBytes(m.ECDSA[i][32:])
	}
	oneByOne(in, d, "ecdsa-batch-parsed", "one by one", func(i int) bool {
		return must(mkeys[i].Verify(m.ECDSA[i], m.Hash[i], nil))
	})
	rowByRow(in, d, "recover-batch", "one by one", func(i int) {
		err := key.RecoverFrom(m.Hash[i], uint(m.Recoverable[i][64]), many[i][0], many[i][1])
		if err != nil {
			panic(err)
		}
	}, func() []byte { return gnarkCompress(&key.A) })
	gnarkBaseMul(in, d)
	gnarkHashes(in, d)

	raw := func(k []byte) []byte { // converts 33 bytes to x ‖ y, the only format that gnark reads
		p := lift(k)
		return append(encode(&p.X), encode(&p.Y)...)
	}
	version := moduleVersion("github.com/consensys/gnark-crypto")
	return &Peer{Name: "gnark", Version: version, Drivers: d, Functions: Functions{
		LowS: true,
		PublicKey: func(s []byte) []byte {
			var p secp256k1.G1Affine
			return gnarkCompress(p.ScalarMultiplicationBase(new(big.Int).SetBytes(s)))
		},
		ECDSAVerify: func(k, h, s []byte) bool {
			ok, err := gnarkKey(raw(k)).Verify(s, h, nil)
			return err == nil && ok
		},
		ECDHX: func(s, k []byte) []byte {
			p := gnarkPoint(raw(k))
			p.ScalarMultiplication(&p, new(big.Int).SetBytes(s))
			return bytes32(p.X.Bytes())
		},
		Multiply: func(k, b []byte) []byte {
			p := gnarkPoint(raw(b))
			return gnarkCompress(p.ScalarMultiplication(&p, new(big.Int).SetBytes(k)))
		},
		Add: func(b, c []byte) []byte {
			p, q := gnarkPoint(raw(b)), gnarkPoint(raw(c))
			return gnarkCompress(p.Add(&p, &q))
		},
		FieldMul: func(a, b []byte) []byte {
			x, y := gnarkField(a), gnarkField(b)
			return bytes32(x.Mul(&x, &y).Bytes())
		},
		FieldInv: func(a []byte) []byte { x := gnarkField(a); return bytes32(x.Inverse(&x).Bytes()) },
		FieldSqrt: func(a []byte) []byte {
			x := gnarkField(a)
			if x.Sqrt(&x) == nil {
				return nil
			}
			return squareOf(bytes32(x.Bytes()))
		},
		ScalarMul: func(a, b []byte) []byte {
			x, y := gnarkScalar(a), gnarkScalar(b)
			return bytes32(x.Mul(&x, &y).Bytes())
		},
		ScalarInv: func(a []byte) []byte { x := gnarkScalar(a); return bytes32(x.Inverse(&x).Bytes()) },
		Recover: func(h, s []byte) []byte {
			var k ecdsa.PublicKey
			none := make([]byte, 32)
			if bytes.Equal(s[:32], none) || bytes.Equal(s[32:64], none) || s[64] > 3 {
				return nil // gnark panics on some of these and accepts others
			}
			number := func(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
			x := number(s[:32])
			if s[64] > 1 && x.Add(x, fr.Modulus()).Cmp(fp.Modulus()) >= 0 {
				return nil // gnark reduces r + n modulo p instead of refusing it
			}
			if k.RecoverFrom(h, uint(s[64]), number(s[:32]), number(s[32:64])) != nil {
				return nil
			}
			return gnarkCompress(&k.A)
		},
	}}
}

func gnarkDouble(p *secp256k1.G1Jac, n int) {
	for range n {
		p.DoubleAssign()
	}
}
