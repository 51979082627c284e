package contract

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// affine returns the affine form of the Jacobian point a.
func affine(a Jacobian) reference.Point {
	if a.IsInfinity() {
		return reference.Point{}
	}
	zz := mulP(a.Z, a.Z)
	return reference.Point{X: divP(a.X, zz), Y: divP(a.Y, mulP(zz, a.Z))}
}

// TestOracle checks that Double and Chord agree with the affine group law. Neither function uses
// the constant b of the curve's equation, so the points may be on any curve y² = x³ + b.
func TestOracle(t *testing.T) {
	curve := reference.Secp256k1()
	r := rand.New(rand.NewPCG(7, 8))
	kinds := map[string]int{}
	for _, mixed := range []bool{false, true} {
		for _, s := range Sums(r, 300, mixed) {
			kinds[s.Kind]++
			got, want := affine(s.A.Chord(s.B)), curve.Add(affine(s.A), affine(s.B))
			if (s.Kind == "general" || s.Kind == "same y") && !got.Equal(want) {
				t.Errorf("%s: %v + %v = %v, want %v", s.Kind, s.A, s.B, got, want)
			}
			if s.A.Same(s.B) != affine(s.A).Equal(affine(s.B)) {
				t.Errorf("%v and %v: not the same, or the same", s.A, s.B)
			}
		}
	}
	t.Log(kinds)
	for range 200 {
		a := DoubleInput(r).Loose(r)
		if got, want := affine(a.Double()), curve.Double(affine(a)); !got.Equal(want) {
			t.Errorf("2·%v = %v, want %v", a, got, want)
		}
		if b := FromWords(a.Words()); !b.Same(a) {
			t.Errorf("%v became %v", a, b)
		}
	}
}
