package lanes

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// randomScalar returns a scalar with edge cases and random values in its lanes, and these values as
// big integers.
func randomScalar(r *rand.Rand) (v Scalar, xs [Width]*big.Int) {
	for j := range xs {
		xs[j] = new(big.Int).Mod(reference.RandInt(r), order)
		e := toLimbs(xs[j])
		v.put(j, &e)
	}
	return v, xs
}

func (v *Scalar) get(j int) limbs { return (*Element)(v).get(j) }

func checkScalar(t *testing.T, name string, got *Scalar, want func(j int) *big.Int) {
	t.Helper()
	for j := range Width {
		w := new(big.Int).Mod(want(j), order)
		if got.get(j) != toLimbs(w) {
			t.Fatalf("%s, lane %d: %x, want %x", name, j, got.get(j), w)
		}
	}
}

// checkMul checks the product of x and y in every lane, and their squares.
func checkMul(t *testing.T, xs, ys [Width]*big.Int) {
	t.Helper()
	var a, b, v Scalar
	for j := range xs {
		x, y := toLimbs(xs[j]), toLimbs(ys[j])
		a.put(j, &x)
		b.put(j, &y)
	}
	v.Mul(&a, &b)
	checkScalar(t, "Mul", &v, func(j int) *big.Int { return new(big.Int).Mul(xs[j], ys[j]) })
	x, y := a, b
	x.Mul(&x, &b)
	y.Mul(&a, &y)
	if x != v || y != v {
		t.Fatal("Mul in place differs")
	}
	a.Mul(&a, &a)
	checkScalar(t, "Mul", &a, func(j int) *big.Int { return new(big.Int).Mul(xs[j], xs[j]) })
}

// TestScalar checks the product of random scalars, and of every pair of edge cases. Some pairs
// cause rare carries in the reduction.
func TestScalar(t *testing.T) {
	r := reference.Rand(t)
	for range cputest.Cases(300, 3000) {
		a, xs := randomScalar(r)
		b, ys := randomScalar(r)
		checkMul(t, xs, ys)
		checkMask(t, "IsZero", a.IsZero(), func(j int) bool { return xs[j].Sign() == 0 })
		m := maskOf(r.Int())
		var v Scalar
		v.Select(m, &a, &b)
		checkScalar(t, "Select", &v, func(j int) *big.Int {
			if m.Has(j) {
				return xs[j]
			}
			return ys[j]
		})
	}
	edges := reference.EdgeInts()
	step := 1
	if !cputest.Deep() {
		step = 16
	}
	for s := 0; s < len(edges); s += step {
		for i := 0; i < len(edges); i += Width {
			var xs, ys [Width]*big.Int
			for j := range xs {
				xs[j] = new(big.Int).Mod(edges[(i+j)%len(edges)], order)
				ys[j] = new(big.Int).Mod(edges[(i+j+s)%len(edges)], order)
			}
			checkMul(t, xs, ys)
		}
	}
}

// TestScalarAbove checks products that are congruent to numbers slightly above 2^256. Before the
// kernels subtract n, they compute this number, with limb 4 equal to 2^48 + c, if more than c is
// carried into limb 4 (see FoldScalar of package vectors). About 6 is carried in random products.
func TestScalarAbove(t *testing.T) {
	r := reference.Rand(t)
	for c := range int64(16) {
		for range 25 {
			var xs, ys [Width]*big.Int
			for j := range xs {
				x := new(big.Int).SetBytes(reference.Bytes(r, 31))
				y := new(big.Int).SetBytes(reference.Bytes(r, 26))
				y.Add(y, new(big.Int).Lsh(big.NewInt(1<<48+c), 208))
				xs[j], ys[j] = x, y.Mul(y, new(big.Int).ModInverse(x, order)).Mod(y, order)
			}
			checkMul(t, xs, ys)
		}
	}
}

func TestScalarLane(t *testing.T) {
	r := reference.Rand(t)
	for range 300 {
		v, xs := randomScalar(r)
		for j := range Width {
			var s scalar.Scalar
			v.Lane(j, &s)
			if fromScalar(&s).Cmp(xs[j]) != 0 {
				t.Fatalf("lane %d", j)
			}
			w := v
			s = toScalar(xs[(j+1)%Width])
			w.SetLane(j, &s)
			checkScalar(t, "SetLane", &w, func(k int) *big.Int {
				if k == j {
					return xs[(j+1)%Width]
				}
				return xs[k]
			})
		}
	}
}

func TestBatchInvertScalars(t *testing.T) {
	r := reference.Rand(t)
	for _, n := range []int{0, 1, 2, 3, 8, 31} {
		v, want := make([]Scalar, n), make([][Width]*big.Int, n)
		for i := range v {
			var xs [Width]*big.Int
			v[i], xs = randomScalar(r)
			zero := maskOf(int(r.Uint32() & r.Uint32() & r.Uint32()))
			if i == 1 {
				zero = All()
			}
			v[i].Select(zero, &Scalar{}, &v[i])
			for j, x := range xs {
				want[i][j] = new(big.Int)
				if !zero.Has(j) && x.Sign() != 0 {
					want[i][j].ModInverse(x, order)
				}
			}
		}
		BatchInvertScalars(v, make([]Scalar, n+1))
		for i := range v {
			checkScalar(t, "inverse", &v[i], func(j int) *big.Int { return want[i][j] })
		}
	}
}

// TestSplitOdd checks that the odd halves that SplitOdd encodes are short and give the scalar. It
// splits random scalars, and those whose halves or quotients are extreme.
func TestSplitOdd(t *testing.T) {
	r := reference.Rand(t)
	ks := append(reference.SplitSides(r, 300), reference.SplitCorners(4)...)
	for range 3000 {
		ks = append(ks, new(big.Int).Mod(reference.RandInt(r), order))
	}
	for len(ks) >= Width {
		checkSplitOdd(t, (*[Width]*big.Int)(ks))
		ks = ks[Width:]
	}
}

func checkSplitOdd(t *testing.T, ks *[Width]*big.Int) {
	t.Helper()
	var k [Width]scalar.Scalar
	for j := range k {
		k[j] = toScalar(ks[j])
	}
	// The bounds of the two halves: 1.272·2^128 and 1.083·2^128.
	bounds := [2]*big.Int{
		new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1272), 128), big.NewInt(1000)),
		new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1083), 128), big.NewInt(1000)),
	}
	for _, l := range []uint{129, 130, 132, 135, 192} {
		var b [2][3]Vector
		SplitOdd(&b[0], &b[1], &k, l)
		for j := range k {
			var d [2]*big.Int
			for i := range d {
				d[i] = reference.FromWords(b[i][0].At(j), b[i][1].At(j), b[i][2].At(j))
				if d[i].BitLen() > int(l) {
					t.Fatalf("lane %d: %x has more than %d bits", j, d[i], l)
				}
				d[i].Lsh(d[i], 1).SetBit(d[i], 0, 1)
				d[i].Sub(d[i], new(big.Int).Lsh(big.NewInt(1), l))
				if d[i].CmpAbs(bounds[i]) >= 0 {
					t.Fatalf("lane %d: half %d of %x is %x", j, i+1, ks[j], d[i])
				}
			}
			sum := new(big.Int).Mul(d[1], reference.Lambda())
			if sum.Add(sum, d[0]).Mod(sum, order).Cmp(ks[j]) != 0 {
				t.Fatalf("lane %d, %d bits: %x + %x·λ is not %x", j, l, d[0], d[1], ks[j])
			}
		}
	}
}

// TestScalarSlices checks DivideScalars and MulScalars for slices of every length up to 39.
func TestScalarSlices(t *testing.T) {
	r := reference.Rand(t)
	for n := range 40 {
		a, b, s := make([]scalar.Scalar, n), make([]scalar.Scalar, n), make([]scalar.Scalar, n)
		products := make([]scalar.Scalar, n)
		want := make([][3]*big.Int, n)
		for i := range s {
			x, y, z := reference.RandInt(r), reference.RandInt(r), reference.RandInt(r)
			if i%7 == 3 || n == 9 {
				z.SetInt64(0)
			}
			a[i], b[i], s[i] = toScalar(x), toScalar(y), toScalar(z)
			products[i] = a[i]
			product := new(big.Int).Mul(x, y)
			if z.ModInverse(z.Mod(z, order), order) == nil {
				z.SetInt64(0)
			}
			want[i] = [3]*big.Int{x.Mul(x, z), y.Mul(y, z), product}
		}
		MulScalars(products, b)
		DivideScalars(a, b, s, make([]Scalar, DivideScratch(n)))
		for i := range want {
			for k, got := range []*scalar.Scalar{&a[i], &b[i], &products[i]} {
				if fromScalar(got).Cmp(want[i][k].Mod(want[i][k], order)) != 0 {
					t.Fatalf("row %d of %d, result %d: %x, want %x", i, n, k, got.Limbs(), want[i][k])
				}
			}
		}
	}
}

// TestTwoScalars checks that two consecutive scalars have the layout of a point of [Affine.Unpack],
// which the kernels require.
func TestTwoScalars(t *testing.T) {
	got, want := unsafe.Sizeof([twice]scalar.Scalar{}), unsafe.Sizeof([Width][PointWords]uint64{})
	if got != want {
		t.Errorf("%d scalars have %d bytes, and a point for each lane %d", twice, got, want)
	}
}
