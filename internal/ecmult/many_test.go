package ecmult

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// manyScalars returns n nonzero scalars: first the edge cases, beginning with a random one of them,
// and then random scalars.
func manyScalars(r *rand.Rand, n int) []scalar.Scalar {
	edges := edgeScalars()
	start := r.IntN(len(edges))
	ks := make([]scalar.Scalar, 0, n)
	for i := range n {
		k := edges[(start+i)%len(edges)]
		if k.Sign() == 0 || i >= len(edges) {
			k = new(big.Int).SetBit(reference.RandInt(r), 1, 1)
		}
		ks = append(ks, toScalar(k))
	}
	return ks
}

// TestMany compares the methods ScalarMult and ScalarBaseMult of Many with the functions of these
// names, row by row. With a threshold of 5 rows, some multiplications are in lanes and the rest
// are not.
func TestMany(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	for _, n := range []int{1, 2, 5, 6, 7, 8, 9, 12, 13, 16, 20, 21, 26, 31, 33, 200, MaxRows + 100} {
		m, rest := newMany(n, 1, 1), newMany(n, 1, 5)
		k, p, base := manyScalars(r, n), make([]point.Affine, n), make([]point.Affine, n)
		m.ScalarBaseMult(p, manyScalars(r, n))
		m.ScalarBaseMult(base, k)
		var got [4][]point.Affine
		for i := range got {
			got[i] = make([]point.Affine, n)
		}
		m.ScalarMult(got[0], k, p)
		rest.ScalarMult(got[1], k, p)
		m.ScalarMult(got[2], k[:1], p)
		rest.ScalarMult(got[3], k[:1], p)
		for i := range k {
			var want point.Jacobian
			ScalarBaseMult(&want, &k[i])
			if !isPoint(&base[i], &want) {
				t.Fatalf("%d rows: row %d: %x·G is wrong", n, i, k[i].Limbs())
			}
			ScalarMult(&want, &k[i], &p[i])
			if !isPoint(&got[0][i], &want) || !isPoint(&got[1][i], &want) {
				t.Fatalf("%d rows: row %d: %x·P is wrong", n, i, k[i].Limbs())
			}
			ScalarMult(&want, &k[0], &p[i])
			if !isPoint(&got[2][i], &want) || !isPoint(&got[3][i], &want) {
				t.Fatalf("%d rows: row %d: the same %x·P is wrong", n, i, k[0].Limbs())
			}
		}
	}
}

// TestManyAdd compares the sums of Many.Add with those of Jacobian.AddMixed, with lanes and
// without. Some points are equal or opposite.
func TestManyAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 33))
	for _, n := range []int{1, 9, 100} {
		testManyAdd(t, r, newMany(n, 1, 1), n)
		testManyAdd(t, r, new(Many), n)
	}
}

func testManyAdd(t *testing.T, r *rand.Rand, m *Many, n int) {
	t.Helper()
	p, q, got := make([]point.Affine, n), make([]point.Affine, n), make([]point.Affine, n)
	m.ScalarBaseMult(p, manyScalars(r, n))
	for i := range q {
		q[i] = p[r.IntN(n)]
		if r.IntN(2) == 0 {
			q[i].Neg(&p[i])
		}
	}
	for _, q := range [][]point.Affine{q, p, q[:1]} {
		m.Add(got, p, q)
		for i := range got {
			var want point.Jacobian
			want.SetAffine(&p[i])
			want.AddMixed(&want, &q[i%len(q)])
			if !isPoint(&got[i], &want) {
				t.Fatalf("%d rows, %d addends: row %d is wrong", n, len(q), i)
			}
		}
	}
}

// isPoint reports whether a has the coordinates of p, and they are canonical.
func isPoint(a *point.Affine, p *point.Jacobian) bool {
	var b point.Affine
	b.SetJacobian(p)
	return a.X.Limbs() == b.X.Limbs() && a.Y.Limbs() == b.Y.Limbs()
}

// TestManyLastWindow multiplies by all scalars 2·(a + b·λ) with digits a and b. For some of them
// the sum before the last window equals the term of the last window.
func TestManyLastWindow(t *testing.T) {
	var k []scalar.Scalar
	const most = 1<<multWindow - 1
	for a := -most; a <= most; a += 2 {
		for b := -most; b <= most; b += 2 {
			v := big.NewInt(int64(2 * b))
			v.Mul(v, reference.Lambda()).Add(v, big.NewInt(int64(2*a))).Mod(v, reference.N())
			k = append(k, toScalar(v))
		}
	}
	m := newMany(len(k), 1, 1)
	p, got := make([]point.Affine, len(k)), make([]point.Affine, len(k))
	for i := range p {
		p[i].SetGenerator()
	}
	m.ScalarMult(got, k, p)
	for i := range k {
		var want point.Jacobian
		ScalarMult(&want, &k[i], &p[i])
		if !isPoint(&got[i], &want) {
			t.Errorf("%x·P is wrong", k[i].Limbs())
		}
	}
}

// TestManyWipe checks that Wipe leaves nothing of a call, in lanes or without.
func TestManyWipe(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 34))
	const n = 2*8 + 3
	for _, m := range []*Many{newMany(n, 1, 1), new(Many)} {
		p, k := make([]point.Affine, n), manyScalars(r, n)
		m.ScalarBaseMult(p, k)
		m.ScalarMult(p, k, p)
		m.Wipe()
		for _, memory := range []any{m.groups, m.values, m.scratch, m.tables, m.single} {
			if !empty(reflect.ValueOf(memory)) {
				t.Errorf("%T is not wiped", memory)
			}
		}
	}
}

// empty reports whether v is a nil pointer, or only zeros are in the memory to which v refers.
func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		return v.IsNil() || v.Elem().IsZero()
	}
	for i := range v.Len() {
		if !v.Index(i).IsZero() {
			return false
		}
	}
	return true
}
