package group

import (
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestMultiScalarMult compares sums with the oracle, for points and scalars that include the
// identity, 0, and equal and opposite points, with denominators and without.
func TestMultiScalarMult(t *testing.T) {
	r := rand.New(rand.NewSource(51))
	curve := reference.Secp256k1()
	ps, want := points()
	for i := range 200 {
		n := i % 5
		var k []*Scalar
		var a []*Point
		sum := reference.Point{}
		for range n {
			at := r.Intn(len(ps))
			p, q := new(Point).Set(ps[at]), want[at]
			switch r.Intn(5) {
			case 0:
				p.SetIdentity()
				q = reference.Point{}
			case 1:
				p, q = new(Point).Negate(p), curve.Neg(q)
			case 2: // a denominator other than 1
				p.Add(p, p)
				q = curve.Double(q)
			}
			x := reference.RandInt(r)
			if r.Intn(4) == 0 {
				x = big.NewInt(int64(r.Intn(3)))
			}
			k, a = append(k, toScalar(x)), append(a, p)
			sum = curve.Add(sum, curve.ScalarMult(new(big.Int).Mod(x, reference.N()), q))
		}
		wantPoint(t, "sum", reference.Must(new(Point).MultiScalarMult(k, a)), sum)
		if n > 0 { // the receiver is one of the points
			wantPoint(t, "sum in place", reference.Must(a[0].MultiScalarMult(k, a)), sum)
		}
	}
	g := new(Point).SetGenerator()
	if _, err := g.MultiScalarMult(make([]*Scalar, 1), nil); err == nil ||
		!strings.Contains(err.Error(), "1 scalars for 0 points") ||
		!g.Equal(new(Point).SetGenerator()) {
		t.Errorf("sum of unequal lengths: %v", err)
	}
}

// TestLagrange evaluates polynomials at identifiers and interpolates their value at 0.
func TestLagrange(t *testing.T) {
	r := rand.New(rand.NewSource(52))
	for _, n := range []int{1, 2, 3, 10, 40} {
		coefficients := make([]*Scalar, n)
		for i := range coefficients {
			coefficients[i] = toScalar(reference.RandInt(r))
		}
		x, values := make([]*Scalar, n), make([]*Scalar, n)
		for i := range x {
			x[i] = toScalar(new(big.Int).Add(reference.RandInt(r), big.NewInt(int64(i))))
			switch {
			case i == 0:
				x[i].Negate(new(Scalar).SetUint64(1))
			case i%3 == 1:
				x[i].SetUint64(uint64(i))
			}
			values[i] = new(Scalar)
			for j := n - 1; j >= 0; j-- {
				values[i].Mul(values[i], x[i]).Add(values[i], coefficients[j])
			}
		}
		l, err := Lagrange(x)
		if err != nil && strings.Contains(err.Error(), "equal") {
			continue // two edge values
		}
		var sum, term Scalar
		for i := range l {
			sum.Add(&sum, term.Mul(l[i], values[i]))
		}
		if !sum.Equal(coefficients[0]) {
			t.Errorf("%d identifiers: the value at 0 is wrong", n)
		}
	}
}

func TestLagrangeRefused(t *testing.T) {
	number := func(x uint64) *Scalar { return new(Scalar).SetUint64(x) }
	for _, test := range []struct {
		x    []*Scalar
		want string
	}{
		{nil, "no identifiers"},
		{[]*Scalar{number(0)}, "identifier 0 is 0"},
		{[]*Scalar{number(1), number(2), new(Scalar)}, "identifier 2 is 0"},
		{[]*Scalar{number(3), number(3)}, "identifiers 0 and 1 are equal"},
		{[]*Scalar{number(1), number(5), number(2), number(5)}, "identifiers 1 and 3 are equal"},
	} {
		if l, err := Lagrange(test.x); err == nil || l != nil ||
			!strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestNamedGenerator pins the points of some names, which must never change, and checks that they
// differ from each other and from G.
func TestNamedGenerator(t *testing.T) {
	seen := map[string]string{string(new(Point).SetGenerator().Bytes()): "G"}
	for _, name := range []string{"", "a", "b", "Pedersen", strings.Repeat("x", 300)} {
		p := new(Point).SetNamedGenerator(name)
		want, err := new(Point).HashToCurve([]byte(name), []byte(generatorTag))
		if err != nil || !p.Equal(want) || p.IsIdentity() {
			t.Errorf("%q: the generator is not its hash", name)
		}
		if other, ok := seen[string(p.Bytes())]; ok {
			t.Errorf("%q has the generator of %q", name, other)
		}
		seen[string(p.Bytes())] = name
	}
	const pinned = "03b7eb9b3867a4a39016f0474a4500ec8b52c13bac28af2f661b5edbd7de242189"
	if got := new(Point).SetNamedGenerator("Pedersen").String(); got != pinned {
		t.Errorf("the generator Pedersen is %s, want %s", got, pinned)
	}
}
