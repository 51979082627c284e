package group

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// generatorTag is the domain separation tag of SetNamedGenerator.
const generatorTag = "koblitz-V01-generator-with-secp256k1_XMD:SHA-256_SSWU_RO_"

// SetNamedGenerator sets p to a generator of the group that the name determines, and returns p. No
// one knows its discrete logarithm, to the base G or to the base of a generator with another name:
// p is the hash of the name by HashToCurve, with the domain separation tag
//
//	koblitz-V01-generator-with-secp256k1_XMD:SHA-256_SSWU_RO_
//
// The name should contain the name of the protocol. The point for a name will never change.
func (p *Point) SetNamedGenerator(name string) *Point {
	p.HashToCurve([]byte(name), []byte(generatorTag)) // the tag is not empty, so there is no error
	return p
}

// MultiScalarMult sets p = Σ k[i]·a[i], and returns p. Scalars may be zero, and points may be
// equal, opposite or the identity. The empty sum is the identity. If the lengths of k and a differ,
// there is an error, and p keeps its value.
//
// It is meant for few terms with secret scalars, such as commitments. The products share their
// doublings. The time depends only on the number of terms.
func (p *Point) MultiScalarMult(k []*Scalar, a []*Point) (*Point, error) {
	if len(k) != len(a) {
		return nil, fmt.Errorf("group: sum of products: %d scalars for %d points", len(k), len(a))
	}
	m := &products{
		scalars: make([]scalar.Scalar, len(k)),
		points:  make([]Point, len(k)),
		affine:  make([]point.Affine, len(k)),
		scratch: make([]field.Element, len(k)),
	}
	secret.DoDeep(func() {
		defer m.wipe() // also if an argument is nil, and the caller recovers
		m.set(k, a)
		m.sum.Mult(p.value(), m.scalars, m.affine)
	})
	p.group().Changed()
	return p, nil
}

// products is the memory of MultiScalarMult.
type products struct {
	scalars []scalar.Scalar
	points  []Point
	affine  []point.Affine
	scratch []field.Element
	sum     ecmult.Sum
}

// set copies the terms. It replaces the product of the identity by 0·G.
func (m *products) set(k []*Scalar, a []*Point) {
	for i := range a {
		m.points[i].value().Set(a[i].value())
	}
	batchNormalize(m.points, m.scratch)
	var g point.Affine
	var zero scalar.Scalar
	g.SetGenerator()
	for i := range k {
		v := m.points[i].value()
		identity := v.IsInfinity()
		m.affine[i].Select(identity, &g, &point.Affine{X: v.X, Y: v.Y})
		m.scalars[i].Select(identity, &zero, k[i].value())
	}
}

func (m *products) wipe() {
	m.sum.Wipe()
	for i := range m.points {
		m.scalars[i].Wipe()
		m.points[i].value().Wipe()
		m.affine[i].Wipe()
	}
}

// Lagrange returns the Lagrange coefficients at 0 for the identifiers x: numbers l[i] such that
// f(0) = Σ l[i]·f(x[i]) for every polynomial f of a degree below the number of identifiers,
//
//	l[i] = Π x[j]/(x[j] − x[i]) for j ≠ i
//
// With them, holders of shares f(x[i]) recover the secret f(0) of Shamir's sharing ("How to share a
// secret", Communications of the ACM 22, 1979), or sign for it (RFC 9591, section 4.2).
//
// If there is no identifier, or an identifier is 0 or equal to another, there is an error with its
// index. Otherwise the time depends only on the number of identifiers: it takes one inversion, and
// multiplications in proportion to the square of the number.
func Lagrange(x []*Scalar) ([]*Scalar, error) {
	if len(x) == 0 {
		return nil, errors.New("group: Lagrange: no identifiers")
	}
	for i := range x {
		if x[i].IsZero() {
			return nil, fmt.Errorf("group: Lagrange: identifier %d is 0", i)
		}
	}
	l := make([]*Scalar, len(x))
	denominators := make([]scalar.Scalar, len(x))
	scratch := make([]scalar.Scalar, len(x))
	equal := [2]int{-1, -1}
	secret.Do(func() {
		defer func() {
			for i := range x {
				denominators[i].Wipe()
				scratch[i].Wipe()
			}
		}()
		if equal[0], equal[1] = setDenominators(denominators, x); equal[0] >= 0 {
			return
		}
		scalar.BatchInvert(denominators, scratch)
		var product scalar.Scalar
		product.One()
		for i := range x {
			product.Mul(&product, x[i].value())
		}
		for i := range l {
			l[i] = new(Scalar)
			l[i].value().Mul(&product, &denominators[i])
		}
		product.Wipe()
	})
	if equal[0] >= 0 {
		return nil, fmt.Errorf("group: Lagrange: identifiers %d and %d are equal", equal[0], equal[1])
	}
	return l, nil
}

// setDenominators sets d[i] to x[i]·Π(x[j] − x[i]) for j ≠ i. If two identifiers are equal, it
// returns their indices, the smaller one first, and otherwise −1.
func setDenominators(d []scalar.Scalar, x []*Scalar) (int, int) {
	for i := range x {
		var difference scalar.Scalar
		d[i].Set(x[i].value())
		for j := range x {
			if j == i {
				continue
			}
			difference.Sub(x[j].value(), x[i].value())
			if difference.IsZero().Reveal() {
				return i, j
			}
			d[i].Mul(&d[i], &difference)
		}
	}
	return -1, -1
}
