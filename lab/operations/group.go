package operations

import (
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/group"
)

// Tag is the domain separation tag of the operations that hash to a scalar or a point.
const Tag = "koblitz-operations-V01-CS01"

var groups = []Operation{
	{"group.RandomScalar", 0, do(func(o *Operands) {
		o.Z = group.RandomScalar()
		o.give(o.Z.Bytes())
	})},
	{"group.Scalar.Set", Scalars, do(func(o *Operands) { o.Z.Set(o.X) })},
	{"group.Scalar.SetBytes", Numbers, func(o *Operands) error {
		_, err := o.Z.SetBytes(o.D)
		return err
	}},
	{"group.Scalar.SetBytesReduced", Numbers, func(o *Operands) error {
		_, err := o.Z.SetBytesReduced(o.D)
		return err
	}},
	{"group.Scalar.SetUniformBytes", Numbers, func(o *Operands) error {
		_, err := o.Z.SetUniformBytes(o.DE[:])
		return err
	}},
	{"group.Scalar.SetUint64", Numbers, do(func(o *Operands) { o.Z.SetUint64(uint64(o.DE[0])) })},
	{"group.Scalar.Bytes", Scalars, do(func(o *Operands) { o.give(o.X.Bytes()) })},
	{"group.Scalar.AppendBytes", Scalars, do(func(o *Operands) { o.give(o.X.AppendBytes(nil)) })},
	{"group.Scalar.Add", Scalars, do(func(o *Operands) { o.Z.Add(o.X, o.Y) })},
	{"group.Scalar.Sub", Scalars, do(func(o *Operands) { o.Z.Sub(o.X, o.Y) })},
	{"group.Scalar.Negate", Scalars, do(func(o *Operands) { o.Z.Negate(o.X) })},
	{"group.Scalar.Mul", Scalars, do(func(o *Operands) { o.Z.Mul(o.X, o.Y) })},
	{"group.Scalar.Invert", Scalars, do(func(o *Operands) { o.Z.Invert(o.X) })},
	{"group.Scalar.Equal", Scalars, asks(func(o *Operands) bool { return o.X.Equal(o.Y) })},
	{"group.Scalar.IsZero", Scalars, asks(func(o *Operands) bool { return o.X.IsZero() })},
	{"group.Scalar.SetPrivateKey", Keys, func(o *Operands) error {
		_, err := o.Z.SetPrivateKey(o.Key)
		return err
	}},
	{"group.Scalar.PrivateKey", Scalars, makes(func(o *Operands) (*koblitz.PrivateKey, error) {
		return o.X.PrivateKey()
	})},
	{"group.Scalar.Zeroize", Scalars, do(func(o *Operands) { o.X.Zeroize() })},
	{"group.Scalar.HashToScalar", Message, func(o *Operands) error {
		_, err := o.Z.HashToScalar(o.D, []byte(Tag))
		return err
	}},

	{"group.Point.ScalarBaseMult", Scalars, do(func(o *Operands) { o.R.ScalarBaseMult(o.X) })},
	{"group.Point.ScalarMult", Scalars, do(func(o *Operands) {
		o.R.SetPublicKey(o.Peer)
		o.R.ScalarMult(o.X, o.R)
	})},
	{"group.Point.ScalarMult of a secret point", Points, do(func(o *Operands) {
		o.R.ScalarMult(o.Y, o.P)
	})},
	{"group.Point.Add", Points, do(func(o *Operands) { o.R.Add(o.P, o.Q) })},
	{"group.Point.Sub", Points, do(func(o *Operands) { o.R.Sub(o.P, o.Q) })},
	{"group.Point.Negate", Points, do(func(o *Operands) { o.R.Negate(o.P) })},
	{"group.Point.Double", Points, do(func(o *Operands) { o.R.Double(o.P) })},
	{"group.Point.Set", Points, do(func(o *Operands) { o.R.Set(o.P) })},
	{"group.Point.Equal", Points, asks(func(o *Operands) bool { return o.P.Equal(o.Q) })},
	{"group.Point.IsIdentity", Points, asks(func(o *Operands) bool { return o.P.IsIdentity() })},
	{"group.Point.Bytes", Points, do(func(o *Operands) { o.give(o.P.Bytes()) })},
	{"group.Point.AppendBytes", Points, do(func(o *Operands) { o.give(o.P.AppendBytes(nil)) })},
	{"group.Point.PublicKey", Points, func(o *Operands) error {
		_, err := o.P.PublicKey()
		return err
	}},
	{"group.Point.Zeroize", Points, do(func(o *Operands) { o.P.Zeroize() })},
	{"group.BatchNormalize", Points, do(func(o *Operands) { group.BatchNormalize(o.points) })},
	{"group.Point.HashToCurve", Message, func(o *Operands) error {
		_, err := o.R.HashToCurve(o.D, []byte(Tag))
		o.give(o.R.Bytes())
		return err
	}},
	{"group.Point.EncodeToCurve", Message, func(o *Operands) error {
		_, err := o.R.EncodeToCurve(o.D, []byte(Tag))
		o.give(o.R.Bytes())
		return err
	}},
	{"group.BatchHashToCurve", ManyRows | Message, func(o *Operands) error {
		return o.hashMany(o.Rows)
	}},
	{"group.BatchHashToCurve of one message", Message, func(o *Operands) error {
		return o.hashMany(1)
	}},
	{"group.Point.MultiScalarMult", Points, func(o *Operands) error {
		_, err := o.R.MultiScalarMult([]*group.Scalar{o.X, o.Y}, []*group.Point{o.Q, o.P})
		return err
	}},
	{"group.Point.MultiScalarMult with a nil scalar", Points | Panics, do(func(o *Operands) {
		defer func() {
			if recover() == nil {
				panic("no panic for a nil scalar")
			}
		}()
		o.R.MultiScalarMult([]*group.Scalar{o.X, o.Y, nil}, []*group.Point{o.P, o.Q, o.P})
	})},
	{"group.Lagrange", Scalars, func(o *Operands) error {
		l, err := group.Lagrange([]*group.Scalar{o.X, o.Y})
		for i := range l {
			l[i].Zeroize()
		}
		return err
	}},
	{"group.Lagrange of equal identifiers", Scalars, func(o *Operands) error {
		if _, err := group.Lagrange([]*group.Scalar{o.X, o.X}); err == nil {
			return errors.New("equal identifiers are accepted")
		}
		return nil
	}},
}

// hashMany hashes D the given number of times.
func (o *Operands) hashMany(rows int) error {
	points := make([]group.Point, rows)
	err := group.BatchHashToCurve(points, slices.Repeat([][]byte{o.D}, rows), []byte(Tag))
	o.give(points[0].Bytes())
	for i := range points {
		points[i].Zeroize()
	}
	return err
}

var proofs = []Operation{
	{"dleq.Prove", Keys | Verifies | Random, func(o *Operands) error { return o.equality(nil) }},
	{"dleq.Prove with another generator", Keys | Verifies | Random, func(o *Operands) error {
		return o.equality(o.Peer)
	}},
}

// equality proves that D·g and D·2·G have the same logarithm.
func (o *Operands) equality(g *koblitz.PublicKey) error {
	_, proof, err := dleq.Prove(o.Key, o.Peer, &dleq.Options{G: g, Aux: o.Random})
	o.give(proof)
	return err
}
