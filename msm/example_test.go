package msm_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
)

// An opening holds the published value v and blinding b of a Pedersen commitment C = v·G + b·H.
type opening struct {
	commitment group.Point
	value      group.Scalar
	blinding   group.Scalar
}

// Published openings (vᵢ, bᵢ) of many commitments Cᵢ are all right if
//
//	Σ zᵢ·Cᵢ − (Σ zᵢ·vᵢ)·G − (Σ zᵢ·bᵢ)·H
//
// is the identity for random zᵢ, except with a probability of 2⁻¹²⁸. The zᵢ are derived from all
// checked values, so that no one can choose openings for given zᵢ. All values here are public:
// values and blindings that are still secret must not go into such a sum.
func Example() {
	h := secondGenerator()
	openings := make([]opening, 100)
	for i := range openings {
		o := &openings[i]
		o.value.SetUint64(uint64(i))
		o.blinding.Set(group.RandomScalar())
		o.commitment.ScalarBaseMult(&o.value)
		o.commitment.Add(&o.commitment, new(group.Point).ScalarMult(&o.blinding, h))
	}

	fmt.Println(openAll(openings, h))
	openings[50].value.SetUint64(7)
	fmt.Println(openAll(openings, h))
	// Output:
	// true
	// false
}

func openAll(openings []opening, h *group.Point) bool {
	transcript := sha256.New()
	for i := range openings {
		o := &openings[i]
		transcript.Write(o.commitment.Bytes())
		transcript.Write(o.value.Bytes())
		transcript.Write(o.blinding.Bytes())
	}
	seed := transcript.Sum(nil)

	var g, b group.Scalar
	scalars := make([]group.Scalar, len(openings)+2)
	points := make([]group.Point, len(openings)+2)
	for i := range openings {
		o := &openings[i]
		z := sha256.Sum256(binary.BigEndian.AppendUint64(seed, uint64(i)))
		clear(z[:16]) // a random z of 128 bits is enough
		scalars[i].SetBytes(z[:])
		points[i].Set(&o.commitment)
		g.Sub(&g, new(group.Scalar).Mul(&scalars[i], &o.value))
		b.Sub(&b, new(group.Scalar).Mul(&scalars[i], &o.blinding))
	}
	n := len(openings)
	scalars[n].Set(&g)
	points[n].SetGenerator()
	scalars[n+1].Set(&b)
	points[n+1].Set(h)

	sum, err := msm.SumVartime(context.Background(), scalars, points, nil)
	return err == nil && sum.IsIdentity()
}

// secondGenerator returns a point with an unknown logarithm to the base G: the first point whose x
// coordinate is a hash.
func secondGenerator() *group.Point {
	for i := byte(0); ; i++ {
		x := sha256.Sum256([]byte{'H', i})
		if h, err := new(group.Point).SetBytes(append([]byte{2}, x[:]...)); err == nil {
			return h
		}
	}
}
