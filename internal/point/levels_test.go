//go:build (amd64 || arm64 || riscv64) && !purego

package point

import (
	"math/rand"
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestEveryLevel runs the tests of formulas again in portable code. All other runs of these tests
// use the CPU's best instructions.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, cputest.Tests(TestAdditions, TestUnary, TestOddMultiples), cputest.Portable)
}

// TestLevelsAgree checks that the assembly kernels and the portable formulas give the same results
// on random coordinates, which mostly are not a point of any curve: both compute the same
// polynomials of the coordinates modulo p. The arguments are next to pages that cannot be accessed.
func TestLevelsAgree(t *testing.T) {
	cputest.Use(t, cputest.Registers())
	memory := cputest.Fields[struct {
		Got, Q, B           *Jacobian
		A, D, Sum           *Affine
		S, ZZ, Scale, Ratio *field.Element
	}](t)
	r := rand.New(rand.NewSource(9))
	edges := reference.EdgeInts()
	number := func() (e field.Element) {
		if r.Intn(2) == 0 {
			return element(edges[r.Intn(len(edges))])
		}
		return element(reference.RandInt(r))
	}
	same := func(name string, got, want *Jacobian) {
		t.Helper()
		if got.X.Limbs() != want.X.Limbs() ||
			got.Y.Limbs() != want.Y.Limbs() ||
			got.Z.Limbs() != want.Z.Limbs() {
			t.Fatalf("%s: %x, want %x", name, *got, *want)
		}
	}
	rounds := 20000
	if !cputest.Deep() {
		rounds = 2000
	}
	exceptions, far, undone := 0, 0, 0
	// agree compares a variable-time kernel with the portable formula. A kernel that gives up must
	// leave got unchanged. random is set if the inputs are random, so that the kernel must not give
	// up.
	agree := func(name string, did, ok, random bool, got, before, want *Jacobian) {
		t.Helper()
		switch {
		case did && !ok:
			t.Fatalf("%s: there is no sum by the chord", name)
		case did:
			same(name, got, want)
			return
		case ok && random:
			t.Fatalf("%s: the kernel does not add %x", name, *before)
		case ok:
			far++
		default:
			exceptions++
		}
		same(name+", left alone", got, before)
	}
	for i := range rounds {
		random := i%4 == 0
		number := func() field.Element {
			if random {
				return *new(field.Element).SetLimbs(r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64())
			}
			return number()
		}
		m := &memory[i/4%2]
		got, q, a, s := m.Got, m.Q, m.A, m.S
		*q = Jacobian{number(), number(), number()}
		*a, *s = Affine{number(), number()}, number()
		if r.Intn(8) == 0 { // q and a have the same x
			var zz field.Element
			q.X.Mul(&a.X, zz.Square(&q.Z))
		}
		n := 1 + r.Intn(5)
		var want Jacobian
		doubleN(got, q, n)
		doubleNGeneric(&want, q, n)
		same("doubling", got, &want)
		*got = *q
		doubleN(got, got, n)
		same("doubling in place", got, &want)

		addMixed(got, q, a)
		addMixedGeneric(&want, q, a)
		same("mixed", got, &want)
		*got = *q
		addMixed(got, got, a)
		same("mixed in place", got, &want)

		*got = *q
		left := doubleNVartime(got, n)
		if left != 0 && random {
			t.Fatalf("doubling %x: %d left", *q, left)
		}
		far, undone = far+left, undone+left
		want = *q
		if left < n {
			doubleNGeneric(&want, q, n-left)
		}
		same("doubling, vartime", got, &want)

		*got = *q
		ok := addMixedVartimeGeneric(&want, q, a)
		agree("mixed, vartime", addMixedVartime(got, got, a), ok, random, got, q, &want)
		*got = *q
		ok = addScaledVartimeGeneric(&want, q, a, s)
		agree("scaled", addScaledVartime(got, got, a, s), ok, random, got, q, &want)

		b := m.B
		*b = Jacobian{number(), number(), number()}
		if r.Intn(8) == 0 { // the two points are equal, with different denominators
			var zz field.Element
			zz.Square(s)
			b.X.Mul(&q.X, &zz)
			zz.Mul(&zz, s)
			b.Y.Mul(&q.Y, &zz)
			b.Z.Mul(&q.Z, s)
		}
		add(got, q, b)
		addGeneric(&want, q, b)
		same("full", got, &want)
		*got = *q
		add(got, got, b)
		same("full over its first argument", got, &want)
		*got = *b
		add(got, q, got)
		same("full over its second argument", got, &want)
		*got = *b
		ok = addVartimeGeneric(&want, q, b)
		agree("full, vartime", addVartime(got, q, got), ok, random, got, b, &want)

		var wantSum Affine
		var wantRatio field.Element
		*m.D = Affine{number(), number()}
		wantD := *m.D
		addCoZ(m.Sum, a, m.D, m.Ratio)
		addCoZGeneric(&wantSum, a, &wantD, &wantRatio)
		same("co-Z", &Jacobian{m.Sum.X, m.Sum.Y, *m.Ratio}, &Jacobian{wantSum.X, wantSum.Y, wantRatio})
		same("co-Z, the first addend", &Jacobian{X: m.D.X, Y: m.D.Y}, &Jacobian{X: wantD.X, Y: wantD.Y})
		*m.Scale, *m.ZZ = *s, q.Z
		wantScale := *s
		rescale(m.D, m.Scale, m.ZZ)
		rescaleGeneric(&wantD, &wantScale, m.ZZ)
		same("rescaling", &Jacobian{m.D.X, m.D.Y, *m.Scale}, &Jacobian{wantD.X, wantD.Y, wantScale})

		// The exported functions must give the right result even if a kernel leaves doublings or an
		// addition undone.
		*got = *q
		got.DoubleNVartime(n)
		doubleNGeneric(&want, q, n)
		same("doubling, in all", got, &want)
		*got = *q
		got.AddMixedVartime(got, a)
		if !q.IsInfinity().Bool() && addMixedVartimeGeneric(&want, q, a) {
			same("mixed, in all", got, &want)
		}
	}
	t.Logf("%d times the same x, %d times a carry that goes far", exceptions, far)
	// amd64's variable-time kernels must give up if a carry passes beyond the limbs that they
	// handle. Kernels of other architectures have a branch for such carries, and must not give up.
	// (They give up an addition only if the difference of the two x coordinates has the same lowest
	// limb as 0.)
	right := far >= rounds/100
	if runtime.GOARCH != "amd64" {
		right = undone == 0
	}
	if exceptions < rounds/20 || !right {
		t.Errorf("%d times the same x, the kernels gave up %d times", exceptions, far)
	}
}
