package peer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Koblitz is the name of the peer that calls this library. All other peers are compared with it.
const Koblitz = "koblitz"

func element(b []byte) (e field.Element) {
	e.SetBytes((*[32]byte)(b))
	return e
}

func scalarOf(b []byte) (s scalar.Scalar) {
	s.SetBytes((*[32]byte)(b))
	return s
}

func affineOf(b []byte) (a point.Affine) {
	a.X, a.Y = element(b[:32]), element(b[32:])
	return a
}

func encode(e *field.Element) []byte {
	var b [32]byte
	e.PutBytes(&b)
	return b[:]
}

func encodeScalar(s *scalar.Scalar) []byte {
	var b [32]byte
	s.PutBytes(&b)
	return b[:]
}

// compress returns the 33-byte encoding of p, or nil if p is infinity.
func compress(p *point.Jacobian) []byte {
	var a point.Affine
	if !a.SetJacobianVartime(p) {
		return nil
	}
	b := []byte{2}
	if a.Y.IsOdd().Bool() {
		b[0] = 3
	}
	return append(b, encode(&a.X)...)
}

// lift returns the point with the compressed encoding b of 33 bytes.
func lift(b []byte) (a point.Affine) {
	x := element(b[1:])
	a.LiftX(&x, 0)
	if b[0] == 3 {
		a.Neg(&a)
	}
	return a
}

// Levels returns one peer for each implementation that this library can use on this CPU, the
// fastest first. After these come peers that process the rows of batches one by one.
func Levels(in *Inputs) []*Peer {
	seen := []string{""}
	var peers []*Peer
	// Begin with all CPU features. Each step removes some of them.
	for _, keep := range []cpu.Feature{
		^cpu.Feature(0),
		cpu.BMI2 | cpu.ADX | cpu.AVX2 | cpu.AVXIFMA | cpu.SHANI,
		cpu.BMI2 | cpu.ADX | cpu.AVX2,
		cpu.BMI2 | cpu.ADX,
		0,
	} {
		enter := func() func() { return cpu.Restrict(keep) }
		leave := enter()
		names := koblitz.Implementations()
		p := &Peer{Name: Koblitz, Version: "this tree", Note: strings.Join(names, ", ")}
		if !slices.Contains(seen, p.Note) {
			seen = append(seen, p.Note)
			if len(peers) > 0 {
				p.Name, p.Note, p.Enter = Koblitz+"/"+names[0], p.Note+", forced", enter
			}
			koblitzDrivers(in, p)
			if p.Enter != nil {
				p.Functions = p.Functions.within(p.Enter)
			}
			peers = append(peers, p)
		}
		leave()
	}
	// Add two more peers that process batches row by row: one with the best implementation, and one
	// without assembly.
	if len(in.Many.Hash) > 0 {
		for i, p := range []*Peer{peers[0], peers[len(peers)-1]} {
			if i == 0 || p != peers[0] {
				peers = append(peers, &Peer{
					Name: p.Name + OneByOne, Version: p.Version, Note: p.Note,
					Enter: p.Enter, Drivers: koblitzRows(in),
				})
			}
		}
	}
	return peers
}

// OneByOne is the suffix of the names of peers that process batches row by row, although koblitz
// has batch functions.
const OneByOne = "/one-by-one"

// unchecked makes koblitz sign by ECDSA without verifying the new signature, as the other peers do.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

// uncheckedWith returns options for BIP-340 signatures with auxiliary randomness aux, without
// verifying the new signature.
func uncheckedWith(aux []byte) *schnorr.SignOptions {
	return &schnorr.SignOptions{Aux: aux, Unchecked: true}
}

func koblitzDrivers(in *Inputs, p *Peer) {
	type K = koblitz.PrivateKey
	var (
		keys   [Rows]*K
		public [Rows]*koblitz.PublicKey
		xonly  [Rows]*koblitz.XOnlyPublicKey
		sigs   [Rows]*ecdsa.Signature
		buf    = make([]byte, 0, 65)
		last   *koblitz.PublicKey
	)
	for i := range Rows {
		keys[i] = must(koblitz.ParsePrivateKey(in.Secret[i]))
		public[i], xonly[i] = keys[i].PublicKey(), keys[i].XOnlyPublicKey()
		sigs[i] = must(ecdsa.ParseSignature(in.ECDSA[i]))
	}
	key := func(t Timing, do func(i int)) Driver {
		return stores(t, do, func() []byte { return last.Bytes() })
	}
	p.Drivers = map[string]Driver{
		"keygen": key(Constant, func(i int) {
			last = must(koblitz.ParsePrivateKey(in.Secret[i])).PublicKey()
		}),
		"ecdsa-sign": returns(Constant, func(i int) []byte {
			return must(ecdsa.AppendSign(buf, keys[i], in.Hash[i], nil))
		}),
		"ecdsa-sign-unchecked": returns(Constant, func(i int) []byte {
			return must(ecdsa.AppendSign(buf, keys[i], in.Hash[i], unchecked))
		}),
		"ecdsa-verify": verifies(func(i int) bool {
			return ecdsa.Verify(public[i], in.Hash[i], sigs[i])
		}),
		"ecdsa-verify-parse": verifies(func(i int) bool {
			k := must(koblitz.ParsePublicKey(in.Key[i]))
			return ecdsa.Verify(k, in.Hash[i], must(ecdsa.ParseDER(in.DER[i])))
		}),
		"schnorr-sign": returns(Constant, func(i int) []byte {
			return must(schnorr.AppendSign(buf, keys[i], in.Hash[i], &schnorr.SignOptions{Aux: in.Aux[i]}))
		}),
		"schnorr-sign-unchecked": returns(Constant, func(i int) []byte {
			return must(schnorr.AppendSign(buf, keys[i], in.Hash[i], uncheckedWith(in.Aux[i])))
		}),
		"schnorr-verify": verifies(func(i int) bool {
			return schnorr.Verify(xonly[i], in.Hash[i], in.Schnorr[i])
		}),
		"schnorr-verify-parse": verifies(func(i int) bool {
			return schnorr.Verify(must(koblitz.ParseXOnlyPublicKey(in.XOnly[i])), in.Hash[i], in.Schnorr[i])
		}),
		"ecdh-sha256": returns(Constant, func(i int) []byte {
			return must(ecdh.AppendSharedSHA256(buf, keys[i], public[(i+1)%Rows]))
		}),
		"ecdh-x": returns(Constant, func(i int) []byte {
			return must(ecdh.AppendSharedX(buf, keys[i], public[(i+1)%Rows]))
		}),
		"recover": key(Public, func(i int) {
			last = must(ecdsa.Recover(in.Hash[i], in.Recoverable[i]))
		}),
		"parse": key(Public, func(i int) { last = must(koblitz.ParsePublicKey(in.Key[i])) }),
		"tweak-add": key(Constant, func(i int) {
			last = must(public[i].TweakAdd(in.Hash[i]))
		}),
	}
	koblitzArithmetic(in, p.Drivers)
	koblitzHashes(in, p.Drivers)
	preparedRows(in, p.Drivers)
	ellswiftDrivers(in, p.Drivers)
	addTogether(in, p.Drivers)
	in.ceremony.koblitz(p.Drivers)
	p.Functions = koblitzFunctions()
	koblitzEllswift(&p.Functions)
}

func koblitzArithmetic(in *Inputs, drivers map[string]Driver) {
	var a, b, squares [Rows]field.Element
	var sa, sb [Rows]scalar.Scalar
	var pts [Rows]point.Affine
	for i := range Rows {
		a[i], b[i], squares[i] = element(in.A[i]), element(in.B[i]), element(in.Squares[i])
		sa[i], sb[i] = scalarOf(in.A[i]), scalarOf(in.B[i])
		pts[i] = lift(in.Key[i])
	}
	// chain adds the driver for an operation that applies f repeatedly, each time to the previous
	// result.
	chain := func(
		id string, f func(v, a, b *field.Element) *field.Element, loop func(x *field.Element, n int),
	) {
		drivers[id] = Driver{
			Run: repeat(func(n int) { x := a[0]; loop(&x, n) }),
			Out: func(i int) []byte { var v field.Element; return encode(f(&v, &a[i], &b[i])) },
		}
	}
	chain("field-mul", (*field.Element).Mul, func(x *field.Element, n int) {
		for i := range n {
			x.Mul(x, &b[i%Rows])
		}
	})
	chain("field-mul-independent", (*field.Element).Mul, func(x *field.Element, n int) {
		y, z, w := a[1], a[2], a[3]
		for i := 0; i < n; i += 4 {
			c := &b[i%Rows]
			x.Mul(x, c)
			y.Mul(&y, c)
			z.Mul(&z, c)
			w.Mul(&w, c)
		}
	})
	square := func(v, a, _ *field.Element) *field.Element { return v.Square(a) }
	chain("field-square", square, func(x *field.Element, n int) {
		for range n {
			x.Square(x)
		}
	})
	chain("field-add", (*field.Element).Add, func(x *field.Element, n int) {
		for i := range n {
			x.Add(x, &b[i%Rows])
		}
	})
	chain("field-sub", (*field.Element).Sub, func(x *field.Element, n int) {
		for i := range n {
			x.Sub(x, &b[i%Rows])
		}
	})
	var fe field.Element
	each := func(id string, t Timing, do func(i int)) {
		drivers[id] = stores(t, do, func() []byte { return encode(&fe) })
	}
	each("field-inv", Constant, func(i int) { fe.Invert(&a[i]) })
	each("field-inv-var", Public, func(i int) { fe.InvertVartime(&a[i]) })
	drivers["field-sqrt"] = stores(Public, func(i int) { fe.Sqrt(&squares[i]) },
		func() []byte { return squareOf(encode(&fe)) })

	schain := func(
		id string, f func(v, a, b *scalar.Scalar) *scalar.Scalar, loop func(x *scalar.Scalar, n int),
	) {
		drivers[id] = Driver{
			Run: repeat(func(n int) { x := sa[0]; loop(&x, n) }),
			Out: func(i int) []byte { var v scalar.Scalar; return encodeScalar(f(&v, &sa[i], &sb[i])) },
		}
	}
	schain("scalar-mul", (*scalar.Scalar).Mul, func(x *scalar.Scalar, n int) {
		for i := range n {
			x.Mul(x, &sb[i%Rows])
		}
	})
	ssquare := func(v, a, _ *scalar.Scalar) *scalar.Scalar { return v.Square(a) }
	schain("scalar-square", ssquare, func(x *scalar.Scalar, n int) {
		for range n {
			x.Square(x)
		}
	})
	schain("scalar-add", (*scalar.Scalar).Add, func(x *scalar.Scalar, n int) {
		for i := range n {
			x.Add(x, &sb[i%Rows])
		}
	})
	var sc scalar.Scalar
	seach := func(id string, t Timing, do func(i int)) {
		drivers[id] = stores(t, do, func() []byte { return encodeScalar(&sc) })
	}
	seach("scalar-inv", Constant, func(i int) { sc.Invert(&sa[i]) })
	seach("scalar-inv-var", Public, func(i int) { sc.InvertVartime(&sa[i]) })
	for _, n := range InverseSizes {
		fv, fs := make([]field.Element, n), make([]field.Element, n)
		fill := func(i int) {
			for j := range fv {
				fv[j] = a[(i+j)%Rows]
			}
		}
		fill(0)
		drivers[fmt.Sprintf("field-inv-batch-%d", n)] = Driver{
			Do:  func(int) { field.BatchInvertVartime(fv, fs) },
			Out: func(i int) []byte { fill(i); field.BatchInvertVartime(fv, fs); return encode(&fv[n-1]) }}
		sv, ss := make([]scalar.Scalar, n), make([]scalar.Scalar, n)
		sfill := func(i int) {
			for j := range sv {
				sv[j] = sa[(i+j)%Rows]
			}
		}
		sfill(0)
		drivers[fmt.Sprintf("scalar-inv-batch-%d", n)] = Driver{
			Do: func(int) { scalar.BatchInvertVartime(sv, ss) },
			Out: func(i int) []byte {
				sfill(i)
				scalar.BatchInvertVartime(sv, ss)
				return encodeScalar(&sv[n-1])
			}}
	}

	var r point.Jacobian
	mul := func(id string, t Timing, do func(i int)) {
		drivers[id] = stores(t, do, func() []byte { return compress(&r) })
	}
	mul("point-mul", Public, func(i int) { vartime.ScalarMult(&r, &sa[i], &pts[i]) })
	mul("point-mul-ct", Constant, func(i int) { ecmult.ScalarMult(&r, &sa[i], &pts[i]) })
	mul("base-mul", Public, func(i int) { vartime.ScalarBaseMult(&r, &sa[i]) })
	mul("base-mul-ct", Constant, func(i int) { ecmult.ScalarBaseMult(&r, &sa[i]) })
	mul("double-mul", Public, func(i int) { vartime.DoubleScalarMult(&r, &sa[i], &sb[i], &pts[i]) })
	drivers["point-double"] = Driver{
		Run: repeat(func(n int) {
			var p point.Jacobian
			p.SetAffine(&pts[0])
			for range n {
				p.Double(&p)
			}
		}),
		Out: func(i int) []byte { r.SetAffine(&pts[i]); return compress(r.Double(&r)) }}
	drivers["point-add"] = Driver{
		Run: repeat(func(n int) {
			var p point.Jacobian
			p.SetAffine(&pts[0])
			p.Double(&p)
			for i := range n {
				p.AddMixedVartime(&p, &pts[i%Rows])
			}
		}),
		Out: func(i int) []byte {
			r.SetAffine(&pts[i])
			return compress(r.AddMixedVartime(&r, &pts[(i+1)%Rows]))
		}}

	jac := make([]point.Jacobian, Rows)
	for i := range jac {
		vartime.ScalarMult(&jac[i], &sa[i], &pts[i])
	}
	for _, n := range NormalizeSizes {
		dst := make([]point.Affine, n)
		drivers[fmt.Sprintf("normalize-%d", n)] = Driver{
			Do: func(i int) { point.BatchToAffineVartime(dst, jac[min(i, Rows-n):][:n]) },
			Out: func(i int) []byte {
				i = min(i, Rows-n)
				point.BatchToAffineVartime(dst, jac[i:][:n])
				return encode(&dst[n-1].X)
			}}
	}
	// This driver uses no multi-scalar algorithm: it multiplies one point after another, and adds
	// the products.
	all := make([]point.Affine, min(len(in.Points), NaiveLimit))
	ks := make([]scalar.Scalar, len(all))
	for i := range all {
		all[i], ks[i] = affineOf(in.Points[i]), scalarOf(in.Scalars[i])
	}
	for _, n := range MSMSizes {
		if n > len(all) {
			break
		}
		sum := func() *point.Jacobian {
			total := new(point.Jacobian).SetInfinity()
			for i := range n {
				vartime.ScalarMult(&r, &ks[i], &all[i])
				total.AddVartime(total, &r)
			}
			return total
		}
		drivers[fmt.Sprintf("msm-naive-%d", n)] = Driver{
			Do: func(int) { sum() }, Out: func(int) []byte { return compress(sum()) },
		}
	}
}

// squareOf returns the square of root, which is the same for both square roots of a number.
func squareOf(root []byte) []byte {
	e := element(root)
	return encode(e.Square(&e))
}

func koblitzFunctions() Functions {
	public := func(b []byte) *koblitz.PublicKey { k, _ := koblitz.ParsePublicKey(b); return k }
	private := func(b []byte) *koblitz.PrivateKey { k, _ := koblitz.ParsePrivateKey(b); return k }
	return Functions{
		PublicKey: func(s []byte) []byte { return private(s).PublicKey().Bytes() },
		Parse: func(b []byte) []byte {
			if k := public(b); k != nil {
				return k.UncompressedBytes()
			}
			return nil
		},
		ECDSASign: func(s, h []byte) []byte {
			sig, _ := ecdsa.AppendSign(nil, private(s), h, unchecked)
			return sig
		},
		ECDSAVerify: func(k, h, s []byte) bool {
			sig, err := ecdsa.ParseSignature(s)
			return err == nil && ecdsa.Verify(public(k), h, sig)
		},
		ECDSAVerifyDER: func(k, h, s []byte) bool {
			sig, err := ecdsa.ParseDER(s)
			return err == nil && ecdsa.Verify(public(k), h, sig)
		},
		SchnorrSign: func(s, m, aux []byte) []byte {
			sig, _ := schnorr.Sign(private(s), m, uncheckedWith(aux))
			return sig
		},
		SchnorrVerify: func(k, m, s []byte) bool {
			key, err := koblitz.ParseXOnlyPublicKey(k)
			return err == nil && schnorr.Verify(key, m, s)
		},
		ECDHX: func(s, k []byte) []byte {
			b, _ := ecdh.SharedX(private(s), public(k))
			return b
		},
		ECDHSHA256: func(s, k []byte) []byte {
			b, _ := ecdh.SharedSHA256(private(s), public(k))
			return b
		},
		Recover: func(h, s []byte) []byte {
			if k, err := ecdsa.Recover(h, s); err == nil {
				return k.Bytes()
			}
			return nil
		},
		Multiply: func(k, b []byte) []byte {
			s, p := scalarOf(k), lift(b)
			var r, c point.Jacobian
			vartime.ScalarMult(&r, &s, &p)
			ecmult.ScalarMult(&c, &s, &p)
			if !r.Equal(&c).Bool() {
				panic("vartime and ecmult differ")
			}
			return compress(&r)
		},
		Add: func(b, c []byte) []byte {
			p, q := lift(b), lift(c)
			var r point.Jacobian
			return compress(r.AddMixedVartime(r.SetAffine(&p), &q))
		},
		FieldMul: func(a, b []byte) []byte {
			x, y := element(a), element(b)
			return encode(x.Mul(&x, &y))
		},
		FieldInv: func(a []byte) []byte { x := element(a); return encode(x.Invert(&x)) },
		FieldSqrt: func(a []byte) []byte {
			x := element(a)
			if !x.Sqrt(&x).Bool() {
				return nil
			}
			return squareOf(encode(&x))
		},
		ScalarMul: func(a, b []byte) []byte {
			x, y := scalarOf(a), scalarOf(b)
			return encodeScalar(x.Mul(&x, &y))
		},
		ScalarInv: func(a []byte) []byte { x := scalarOf(a); return encodeScalar(x.Invert(&x)) },
	}
}
