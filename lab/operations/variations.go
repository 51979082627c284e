package operations

import (
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// A Variation is a way to change valid operands. The result may be valid, at an edge, or invalid.
type Variation struct {
	Name   string
	Needs  Needs             // it concerns the operations with one of these flags
	Bytes  func(o *Operands) // changes D, E, Hash, Random and Context, before Prepare, or is nil
	Values func(o *Operands) // changes what Prepare has made, or is nil
}

// Concerns reports whether the variation may change what an operation does.
func (v *Variation) Concerns(o *Operation) bool {
	return v.Needs&o.Needs != 0 || v.Bytes == nil && v.Values == nil
}

// Lengths holds the lengths in bytes that Variations gives to messages and other inputs: zero, the
// length of a hash and its neighbors, and a whole block of SHA-256.
var Lengths = [...]int{0, 31, 32, 33, 64}

// fromBoth are the flags of operations that depend on D and E.
const fromBoth = Scalars | Points | Numbers

// Variations returns all variations. The first changes nothing.
func Variations() []Variation {
	list := []Variation{
		{Name: "valid"},
		{Name: "E is D", Needs: fromBoth, Bytes: func(o *Operands) { copy(o.E, o.D) }},
		{Name: "E is n - D", Needs: fromBoth, Bytes: func(o *Operands) {
			var d group.Scalar
			d.SetBytes(o.D)
			copy(o.E, d.Negate(&d).Bytes())
		}},
		{Name: "D is 0", Needs: Numbers, Bytes: func(o *Operands) { fill(o.D, 0) }},
		{Name: "E is 0", Needs: Numbers | Scalars, Bytes: func(o *Operands) { fill(o.E, 0) }},
		{Name: "D is 2^256 - 1", Needs: Numbers, Bytes: func(o *Operands) { fill(o.D, 0xff) }},
		{Name: "E is 2^256 - 1", Needs: Numbers, Bytes: func(o *Operands) { fill(o.E, 0xff) }},
		{Name: "no private key", Needs: Keys, Values: func(o *Operands) { o.Key, o.Other = nil, nil }},
		{Name: "a private key that was wiped", Needs: Keys, Values: func(o *Operands) {
			o.Key.Zeroize()
			o.Other.Zeroize()
		}},
		{Name: "no public key", Needs: Keys | Numbers, Values: func(o *Operands) { o.Peer = nil }},
		{Name: "a public key that is the zero value", Needs: Keys | Numbers, Values: func(o *Operands) {
			o.Peer = new(koblitz.PublicKey)
		}},
		{Name: "points in affine coordinates", Needs: Points, Values: func(o *Operands) {
			p := []group.Point{*o.P, *o.Q}
			group.BatchNormalize(p)
			o.P.Set(&p[0])
			o.Q.Set(&p[1])
		}},
		{Name: "the identity", Needs: Points, Values: func(o *Operands) {
			o.P.Sub(o.P, o.P)
			o.points[0].Sub(&o.points[0], &o.points[0])
		}},
		{Name: "a context that has ended", Needs: Context, Bytes: func(o *Operands) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			o.Context = ctx
		}},
	}
	for _, n := range Lengths {
		for _, l := range []struct {
			name  string
			needs Needs
			bytes func(o *Operands) *[]byte
		}{
			{"D", Numbers | Message, func(o *Operands) *[]byte { return &o.D }},
			{"E", Numbers, func(o *Operands) *[]byte { return &o.E }},
			{"Hash", Hash, func(o *Operands) *[]byte { return &o.Hash }},
			{"Random", Random, func(o *Operands) *[]byte { return &o.Random }},
		} {
			list = append(list, Variation{
				Name: fmt.Sprintf("%s of %d bytes", l.name, n), Needs: l.needs,
				Bytes: func(o *Operands) {
					b := l.bytes(o)
					*b = append(*b, *b...)[:n:n]
				},
			})
		}
	}
	return list
}

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}
