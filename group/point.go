package group

import (
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// PointSize is the size of an encoded point in bytes.
const PointSize = 33

// A Point is a point of the curve or the identity. The zero value is the identity. Compare points
// with Equal; == does not compile.
//
// A point is stored as coordinates with a common denominator. Encoding or multiplying it takes an
// inversion, unless the denominator is known to be 1: after SetBytes, SetPublicKey,
// SetXOnlyPublicKey or BatchNormalize. The denominator depends on the steps of the computation, and
// so on secret scalars in it. It is never encoded, and package fmt prints it only in the cases
// below.
//
// A Point prints and marshals as its encoding, and so becomes public. Do not print a point that is
// a secret, such as the result of a key agreement. A struct that embeds a Point inherits these
// methods, and prints and marshals as the Point; give the field a name to avoid that.
//
// In some cases fmt calls no method of a [Scalar], as its documentation says. In the same cases fmt
// calls no method of a Point, and prints its coordinates and denominator. The remedies for a Scalar
// help a Point too. BatchNormalize also helps: after it, coordinates and denominator show no more
// than the encoding.
type Point keys.GroupPoint

func (p *Point) group() *keys.GroupPoint { return (*keys.GroupPoint)(p) }

func (p *Point) value() *point.Jacobian { return p.group().Value() }

// affine sets a to the canonical coordinates of p and returns 1. If p is the identity, it sets a to
// (0, 0) and returns 0.
func (p *Point) affine(a *point.Affine) ct.Choice {
	v := p.value()
	if !p.group().IsAffine() {
		return a.SetJacobian(v)
	}
	finite := v.IsInfinity().Not()
	a.Select(finite, &point.Affine{X: v.X, Y: v.Y}, &point.Affine{})
	a.Normalize()
	return finite
}

// setAffine sets p to the point a if finite is 1, and to the identity if finite is 0.
func (p *Point) setAffine(a *point.Affine, finite ct.Choice) *Point {
	var infinity point.Jacobian
	infinity.SetInfinity()
	v := p.value()
	v.SetAffine(a)
	v.Select(finite, v, &infinity)
	p.group().Normalized()
	return p
}

// Set sets p to the point a, and returns p.
func (p *Point) Set(a *Point) *Point {
	secret.Do(func() { p.value().Set(a.value()) }) // the copy uses vector registers
	p.inherit(a)
	return p
}

// inherit copies from a to p the flag that the denominator is known to be 1. The caller has given p
// the denominator of a.
func (p *Point) inherit(a *Point) {
	if a.group().IsAffine() {
		p.group().Normalized()
	} else {
		p.group().Changed()
	}
}

// SetIdentity sets p to the identity, and returns p.
func (p *Point) SetIdentity() *Point {
	p.value().SetInfinity()
	p.group().Normalized()
	return p
}

// SetGenerator sets p to the generator G (SEC 2 version 2, section 2.4.1), and returns p.
func (p *Point) SetGenerator() *Point {
	var g point.Affine
	return p.setAffine(g.SetGenerator(), 1)
}

// SetBytes sets p to the point that b encodes: 33 bytes, as the package documentation describes. It
// returns p. If b is not an encoding, the error says which bytes are wrong, and p keeps its value.
// The time depends on b.
//
//ct:public parses public data
func (p *Point) SetBytes(b []byte) (*Point, error) {
	if len(b) != PointSize {
		return nil, fmt.Errorf("group: point: %d bytes, want 33", len(b))
	}
	head, x := b[0], (*[32]byte)(b[1:])
	switch head {
	case 0:
		if *x != ([32]byte{}) {
			return nil, errors.New(
				"group: point: byte 0 is 0x00, for the identity, and bytes 1 to 32 are not all zero")
		}
		return p.SetIdentity(), nil
	case 2, 3:
		var a point.Affine
		if err := lift(&a, x, ct.Choice(head&1)); err != nil {
			return nil, err
		}
		return p.setAffine(&a, 1), nil
	}
	return nil, fmt.Errorf("group: point: byte 0 is %#02x, want 0x02 or 0x03, or 33 zero bytes", head)
}

// Bytes returns the 33 bytes that encode p.
func (p *Point) Bytes() []byte { return p.AppendBytes(make([]byte, 0, PointSize)) }

// AppendBytes appends the 33 bytes of Bytes to dst and returns the extended slice.
func (p *Point) AppendBytes(dst []byte) []byte {
	dst = slices.Grow(dst, PointSize)
	secret.Do(func() {
		var a point.Affine
		finite := p.affine(&a)
		n := len(dst)
		dst = dst[:n+PointSize]
		// The encoding of the identity is all zeros.
		dst[n] = byte((2 | a.Y.IsOdd()) & ct.Choice(finite.Mask()))
		a.X.PutBytes((*[32]byte)(dst[n+1:]))
		a.Wipe()
	})
	return dst
}

// Add sets p = a + b, and returns p. The points may be equal, opposite or the identity.
func (p *Point) Add(a, b *Point) *Point {
	secret.Do(func() { p.value().Add(a.value(), b.value()) })
	p.group().Changed()
	return p
}

// Sub sets p = a − b, and returns p.
func (p *Point) Sub(a, b *Point) *Point {
	//ct:secret b.value().Y.IsOdd().Bool()
	secret.Do(func() {
		var negative point.Jacobian
		negative.Neg(b.value())
		p.value().Add(a.value(), &negative)
	})
	p.group().Changed()
	return p
}

// Negate sets p = −a, and returns p.
func (p *Point) Negate(a *Point) *Point {
	secret.Do(func() { p.value().Neg(a.value()) })
	p.inherit(a)
	return p
}

// Double sets p = 2·a, and returns p.
func (p *Point) Double(a *Point) *Point {
	secret.Do(func() { p.value().Double(a.value()) })
	p.group().Changed()
	return p
}

// ScalarBaseMult sets p = k·G, and returns p.
func (p *Point) ScalarBaseMult(k *Scalar) *Point {
	secret.DoDeep(func() { ecmult.ScalarBaseMult(p.value(), k.value()) })
	p.group().Changed()
	return p
}

// ScalarMult sets p = k·a, and returns p.
func (p *Point) ScalarMult(k *Scalar, a *Point) *Point {
	secret.DoDeep(func() {
		var base, g point.Affine
		finite := a.affine(&base)
		// If the point is the identity, multiply G in its place.
		base.Select(finite, &base, g.SetGenerator())
		var infinity point.Jacobian
		infinity.SetInfinity()
		v := p.value()
		ecmult.ScalarMult(v, k.value(), &base)
		v.Select(finite, v, &infinity)
		base.Wipe()
	})
	p.group().Changed()
	return p
}

// Equal reports whether p and a are the same point. It returns false if a is nil.
func (p *Point) Equal(a *Point) bool {
	if a == nil {
		return false
	}
	equal := false
	secret.Do(func() { equal = p.value().Equal(a.value()).Reveal() })
	return equal
}

// IsIdentity reports whether p is the identity.
func (p *Point) IsIdentity() bool {
	identity := false
	secret.Do(func() { identity = p.value().IsInfinity().Reveal() })
	return identity
}

// SetPublicKey sets p to the point of the key k, and returns p. It returns an error if k holds no
// key.
func (p *Point) SetPublicKey(k *koblitz.PublicKey) (*Point, error) {
	a := (*keys.Public)(k).Affine()
	if a == nil {
		return nil, koblitz.ErrZeroKey
	}
	return p.setAffine(a, 1), nil
}

// SetXOnlyPublicKey sets p to the point of the key k, which has an even y coordinate (BIP-340), and
// returns p. It returns an error if k holds no key.
func (p *Point) SetXOnlyPublicKey(k *koblitz.XOnlyPublicKey) (*Point, error) {
	a := (*keys.XOnly)(k).Affine()
	if a == nil {
		return nil, koblitz.ErrZeroKey
	}
	return p.setAffine(a, 1), nil
}

// PublicKey returns p as a public key, or an error if p is the identity. The point becomes public.
func (p *Point) PublicKey() (*koblitz.PublicKey, error) {
	//ct:secret p.value().X.IsOdd().Bool()
	k := new(koblitz.PublicKey)
	finite := false
	secret.Do(func() {
		var a point.Affine
		if finite = p.affine(&a).Reveal(); finite {
			a.Declassify()
			(*keys.Public)(k).SetAffine(&a)
		}
	})
	if !finite {
		return nil, errors.New("group: the identity is no public key")
	}
	return k, nil
}

// Zeroize overwrites p with the identity. It does not overwrite copies of p.
func (p *Point) Zeroize() {
	//ct:secret p.value().Z.IsOdd().Bool()
	p.value().Wipe()
	p.group().Changed()
}

// BatchNormalize makes the denominators of all points 1, with a single inversion, so that encoding
// and multiplying the points takes no inversion. The points keep their values.
func BatchNormalize(points []Point) {
	before := make([]field.Element, len(points))
	secret.Do(func() { batchNormalize(points, before) })
}

// batchNormalize does the work of BatchNormalize. It leaves secrets on the stack. products is
// scratch memory with the length of points.
func batchNormalize(points []Point, products []field.Element) {
	// Montgomery's trick. The identity has the denominator 0, which is replaced by 1.
	var product, z, one field.Element
	one.One()
	product.One()
	for i := range points {
		v := points[i].value()
		products[i] = product
		z.Select(v.IsInfinity(), &one, &v.Z)
		product.Mul(&product, &z)
	}
	product.Invert(&product)
	for i := len(points) - 1; i >= 0; i-- {
		v := points[i].value()
		infinite := v.IsInfinity()
		var inverse, square field.Element
		inverse.Mul(&product, &products[i])
		z.Select(infinite, &one, &v.Z)
		product.Mul(&product, &z)
		square.Square(&inverse)
		v.X.Mul(&v.X, &square)
		square.Mul(&square, &inverse)
		v.Y.Mul(&v.Y, &square)
		var zero field.Element
		v.Z.Select(infinite, &zero, &one)
		points[i].group().Normalized()
		inverse.Wipe()
	}
	product.Wipe()
	for i := range products {
		products[i].Wipe()
	}
}
