package secp256k1

import (
	"bytes"
	"crypto/ecdsa"
	//layers:allow the interface of the replaced module has its types
	"crypto/elliptic"
	//layers:allow the interface of the replaced module has its types
	"math/big"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// CurveParams holds the parameters of the curve (SEC 2 version 2, section 2.4.1).
type CurveParams struct {
	P       *big.Int // field prime
	N       *big.Int // order of the group
	Gx, Gy  *big.Int // base point
	BitSize int      // bits of P: 256
	H       int      // cofactor: 1
	// ByteSize is the size of P in bytes: 32.
	ByteSize int
}

// parameters returns the parameters of the curve. The first call makes them. All calls return the
// same pointer, because programs compare the pointers.
//
//layers:allow made once; programs compare its address
var parameters = sync.OnceValue(func() *CurveParams {
	var p FieldVal
	var n ModNScalar
	p.SetInt(1).Negate(1)
	n.SetInt(1).Negate()
	last := n.Bytes()
	one := big.NewInt(1)
	var g point.Affine
	g.SetGenerator()
	return &CurveParams{
		P:        new(big.Int).Add(p.big(), one),
		N:        new(big.Int).Add(new(big.Int).SetBytes(last[:]), one),
		Gx:       (*FieldVal)(&g.X).big(),
		Gy:       (*FieldVal)(&g.Y).big(),
		BitSize:  256,
		H:        1,
		ByteSize: 32,
	}
})

//layers:allow made once; programs compare its address
var curve = sync.OnceValue(func() *KoblitzCurve {
	p := parameters()
	return &KoblitzCurve{&elliptic.CurveParams{
		P: p.P, N: p.N, B: big.NewInt(7), Gx: p.Gx, Gy: p.Gy,
		BitSize: p.BitSize, Name: "secp256k1",
	}}
})

// Params returns the parameters of the curve, the same pointer at each call. They must not be
// changed.
//
//ct:public returns the parameters of the curve
func Params() *CurveParams { return parameters() }

// A KoblitzCurve is the curve as an elliptic.Curve. The running time of multiplications depends on
// the length of the scalar and not on its value. Conversions from and to big.Int depend on the
// values.
type KoblitzCurve struct {
	*elliptic.CurveParams
}

// S256 returns the curve, the same pointer at each call.
func S256() *KoblitzCurve { return curve() }

// Params returns the parameters of the curve.
//
//ct:public returns the parameters of the curve
func (curve *KoblitzCurve) Params() *elliptic.CurveParams { return curve.CurveParams }

// IsOnCurve reports whether (x, y), reduced modulo p, is a point of the curve. It returns false for
// infinity, which is (0, 0) here.
//
//ct:public takes coordinates as big.Int, whose own arithmetic may leak
func (curve *KoblitzCurve) IsOnCurve(x, y *big.Int) bool {
	var p JacobianPoint
	p.setBig(x, y)
	return p.onCurve()
}

// Add returns (x1, y1) + (x2, y2), where (0, 0) is infinity.
//
//ct:public takes coordinates as big.Int, whose own arithmetic may leak
func (curve *KoblitzCurve) Add(x1, y1, x2, y2 *big.Int) (*big.Int, *big.Int) {
	if x1.Sign() == 0 && y1.Sign() == 0 {
		return x2, y2
	}
	if x2.Sign() == 0 && y2.Sign() == 0 {
		return x1, y1
	}
	var p, q JacobianPoint
	p.setBig(x1, y1)
	q.setBig(x2, y2)
	AddNonConst(&p, &q, &p)
	return p.big()
}

// Double returns 2·(x1, y1), where (0, 0) is infinity.
//
//ct:public takes coordinates as big.Int, whose own arithmetic may leak
func (curve *KoblitzCurve) Double(x1, y1 *big.Int) (*big.Int, *big.Int) {
	if y1.Sign() == 0 {
		// Programs that use reflect.DeepEqual expect zeros made by new(big.Int), not by SetBytes.
		return new(big.Int), new(big.Int)
	}
	var p JacobianPoint
	p.setBig(x1, y1)
	DoubleNonConst(&p, &p)
	return p.big()
}

// ScalarMult returns k·(bx, by) for a big-endian number k of any length, where (0, 0) is infinity.
// If (bx, by) is not on the curve, the result is that of [ScalarMultNonConst].
func (curve *KoblitzCurve) ScalarMult(bx, by *big.Int, k []byte) (x, y *big.Int) {
	var p JacobianPoint
	p.setBig(bx, by)
	secret.DoDeep(func() {
		var s ModNScalar
		s.setLong(k)
		mult(&s, &p, &p)
		s.Zero()
		x, y = p.big()
	})
	return x, y
}

// ScalarBaseMult returns k·G for a big-endian number k of any length, where (0, 0) is infinity.
func (curve *KoblitzCurve) ScalarBaseMult(k []byte) (x, y *big.Int) {
	secret.DoDeep(func() {
		var s ModNScalar
		s.setLong(k)
		var p JacobianPoint
		baseMult(&s, &p)
		s.Zero()
		x, y = p.big()
	})
	return x, y
}

// X returns the x coordinate of the key.
//
//ct:public converts coordinates of a public key to big.Int
func (p *PublicKey) X() *big.Int { return p.x.big() }

// Y returns the y coordinate of the key.
//
//ct:public converts coordinates of a public key to big.Int
func (p *PublicKey) Y() *big.Int { return p.y.big() }

// ToECDSA returns the key as a key of crypto/ecdsa.
//
//ct:public converts coordinates of a public key to big.Int
func (p *PublicKey) ToECDSA() *ecdsa.PublicKey {
	return &ecdsa.PublicKey{Curve: S256(), X: p.X(), Y: p.Y()}
}

// ToECDSA returns the key as a key of crypto/ecdsa.
//
//ct:public converts the key to big.Int, whose length reveals leading words of zeros
func (p *PrivateKey) ToECDSA() *ecdsa.PrivateKey {
	d := new(big.Int)
	secret.Do(func() {
		var b [32]byte
		p.Key.scalar().PutBytes(&b)
		d.SetBytes(b[:])
		ct.Wipe(b[:])
	})
	return &ecdsa.PrivateKey{PublicKey: *p.PubKey().ToECDSA(), D: d}
}

// setBig sets p to the point with the affine coordinates x and y, reduced modulo the field prime.
func (p *JacobianPoint) setBig(x, y *big.Int) {
	var b [32]byte
	p.X.SetBytes((*[32]byte)(new(big.Int).Mod(x, Params().P).FillBytes(b[:])))
	p.Y.SetBytes((*[32]byte)(new(big.Int).Mod(y, Params().P).FillBytes(b[:])))
	p.Z.SetInt(1)
}

// big returns the affine coordinates of p, and overwrites p. The coordinates are public afterwards,
// because the length of a big.Int depends on its value.
func (p *JacobianPoint) big() (x, y *big.Int) {
	p.divide()
	p.X.element().Declassify()
	p.Y.element().Declassify()
	x, y = p.X.big(), p.Y.big()
	*p = JacobianPoint{}
	return x, y
}

func (f *FieldVal) big() *big.Int {
	var b [32]byte
	f.PutBytes(&b)
	return new(big.Int).SetBytes(b[:])
}

// setLong sets s to the number k modulo n. k is big-endian and may have any length. setLong leaves
// secrets on the stack.
func (s *ModNScalar) setLong(k []byte) {
	//ct:secret len(k) == 64 && k[40] == 0
	if len(k) <= 32 {
		s.setByteSlice(k)
		return
	}
	head := len(k) % 32
	s.setByteSlice(k[:head])
	// shift is 2²⁵⁶ mod n, the factor that shifts a number by one chunk of 32 bytes.
	var shift, next scalar.Scalar
	shift.SetBytes((*[32]byte)(bytes.Repeat([]byte{0xff}, 32)))
	shift.Add(&shift, next.One())
	v := s.scalar()
	for chunk := range slices.Chunk(k[head:], 32) {
		next.SetBytes((*[32]byte)(chunk))
		v.Mul(v, &shift)
		v.Add(v, &next)
	}
	next.Wipe()
}
