package lanes

import (
	"math/big"
	"math/rand"
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

func TestScalar(t *testing.T) {
	r := random(t)
	rounds := 3000
	if !cputest.Deep() {
		rounds = 300
	}
	for range rounds {
		a, xs := randomScalar(r)
		b, ys := randomScalar(r)
		for _, o := range []struct {
			name string
			op   func(v, a, b *Scalar)
			want func(x, y *big.Int) *big.Int
		}{
			{"Mul", (*Scalar).Mul, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }},
		} {
			var v Scalar
			o.op(&v, &a, &b)
			checkScalar(t, o.name, &v, func(j int) *big.Int { return o.want(xs[j], ys[j]) })
			x, y := a, b
			o.op(&x, &x, &b)
			o.op(&y, &a, &y)
			if x != v || y != v {
				t.Fatalf("%s in place differs", o.name)
			}
			x = a
			o.op(&x, &x, &x)
			checkScalar(t, o.name, &x, func(j int) *big.Int { return o.want(xs[j], xs[j]) })
		}
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
}

// TestScalarProducts checks that the product of every pair of edge cases is right modulo n. Some
// pairs cause rare carries in the reduction.
func TestScalarProducts(t *testing.T) {
	edges := reference.EdgeInts()
	step := 1
	if !cputest.Deep() {
		step = 16
	}
	for s := 0; s < len(edges); s += step {
		for i := 0; i < len(edges); i += Width {
			var a, b, v Scalar
			var xs, ys [Width]*big.Int
			for j := range xs {
				xs[j] = new(big.Int).Mod(edges[(i+j)%len(edges)], order)
				ys[j] = new(big.Int).Mod(edges[(i+j+s)%len(edges)], order)
				x, y := toLimbs(xs[j]), toLimbs(ys[j])
				a.put(j, &x)
				b.put(j, &y)
			}
			v.Mul(&a, &b)
			checkScalar(t, "Mul", &v, func(j int) *big.Int { return new(big.Int).Mul(xs[j], ys[j]) })
		}
	}
}

// TestScalarAbove checks products that are congruent to numbers slightly above 2^256. Before the
// kernels subtract n, they compute this number, with limb 4 equal to 2^48 + c, if more than c is
// carried into limb 4 (see FoldScalar of package vectors). About 6 is carried in random products.
func TestScalarAbove(t *testing.T) {
	r := random(t)
	for c := range int64(16) {
		for range 25 {
			var a, b, v Scalar
			var xs, ys [Width]*big.Int
			for j := range xs {
				xs[j] = new(big.Int).Rand(r, order)
				x, bits := xs[j], new(big.Int).Lsh(big.NewInt(1), 208)
				y := new(big.Int).Rand(r, bits)
				y.Add(y, bits.Mul(bits, big.NewInt(1<<48+c)))
				ys[j] = y.Mul(y, new(big.Int).ModInverse(x, order)).Mod(y, order)
				l, m := toLimbs(x), toLimbs(y)
				a.put(j, &l)
				b.put(j, &m)
			}
			v.Mul(&a, &b)
			checkScalar(t, "Mul", &v, func(j int) *big.Int { return new(big.Int).Mul(xs[j], ys[j]) })
		}
	}
}

func TestScalarLane(t *testing.T) {
	r := random(t)
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
	r := random(t)
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

// TestSplitOdd checks that the digits that SplitOdd encodes add up to the scalar.
func TestSplitOdd(t *testing.T) {
	r := random(t)
	for range 500 {
		var k [Width]*big.Int
		for j := range k {
			k[j] = new(big.Int).Mod(reference.RandInt(r), order)
		}
		checkSplitOdd(t, &k)
	}
}

// TestSplitOddExtremes checks that splitting a scalar into two odd halves is right for extreme
// scalars. These are scalars whose pair of halves is near a corner of the region of all such pairs,
// and scalars for which a quotient is near an integer.
func TestSplitOddExtremes(t *testing.T) {
	r := random(t)
	number := func(s string) *big.Int {
		x, _ := new(big.Int).SetString(s, 16)
		return x
	}
	a1, b1 := number("3086d221a7d46bcde86c90e49284eb15"), number("e4437ed6010e88286f547fa90abfe4c3")
	a2 := new(big.Int).Add(a1, b1)
	times := func(k int64, x *big.Int) *big.Int { return new(big.Int).Mul(big.NewInt(k), x) }
	for range 300 {
		var k [Width]*big.Int
		for j := range k {
			if r.Intn(2) == 0 { // at a vertex, or somewhat inside the region
				s1, s2 := 1-2*r.Int63n(2), 1-2*r.Int63n(2)
				u := new(big.Int).Add(times(s1, a1), times(s2, a2))
				v := new(big.Int).Add(times(-s1, b1), times(s2, a1))
				inside := uint(30 + r.Intn(100))
				u.Sub(u, new(big.Int).Rsh(u, inside)).Add(u, big.NewInt(r.Int63n(9)-4))
				v.Sub(v, new(big.Int).Rsh(v, inside)).Add(v, big.NewInt(r.Int63n(9)-4))
				k[j] = v.Mul(v, reference.Lambda()).Add(v, u)
			} else { // k·a1/n or k·b1/n is near an integer
				a := [2]*big.Int{a1, b1}[r.Intn(2)]
				x := new(big.Int).Rand(r, a)
				k[j] = x.Mul(x, order).Div(x, a).Add(x, big.NewInt(r.Int63n(5)-2))
			}
			k[j].Mod(k[j], order)
		}
		checkSplitOdd(t, &k)
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
	for _, length := range []struct{ l, w uint }{
		{129, 3}, {130, 5}, {130, 13}, {132, 12}, {135, 15}, {192, 16},
	} {
		var b [2][3]Vector
		SplitOdd(&b[0], &b[1], &k, length.l)
		for j := range k {
			var d [2]*big.Int
			for i := range d {
				number := new(big.Int)
				for word := 2; word >= 0; word-- {
					number.Lsh(number, 64).Or(number, new(big.Int).SetUint64(b[i][word].At(j)))
				}
				if number.BitLen() > int(length.l) {
					t.Fatalf("lane %d: %x has more than %d bits", j, number, length.l)
				}
				d[i] = new(big.Int)
				for at := int(length.l - length.w); at >= 0; at -= int(length.w) {
					digit := 2*int64(bitsOf(number, at, int(length.w))) - (1<<length.w - 1)
					d[i].Lsh(d[i], length.w).Add(d[i], big.NewInt(digit))
				}
				if d[i].CmpAbs(bounds[i]) >= 0 {
					t.Fatalf("lane %d: half %d of %x is %x", j, i+1, ks[j], d[i])
				}
			}
			sum := new(big.Int).Mul(d[1], reference.Lambda())
			if sum.Add(sum, d[0]).Mod(sum, order).Cmp(ks[j]) != 0 {
				t.Fatalf("lane %d, %d bits: %x + %x·λ is not %x", j, length.l, d[0], d[1], ks[j])
			}
		}
	}
}

func TestDivideScalars(t *testing.T) {
	r := random(t)
	for n := range 40 {
		a, b, s := make([]scalar.Scalar, n), make([]scalar.Scalar, n), make([]scalar.Scalar, n)
		want := make([][2]*big.Int, n)
		for i := range s {
			x, y, z := reference.RandInt(r), reference.RandInt(r), reference.RandInt(r)
			if i%7 == 3 || n == 9 {
				z.SetInt64(0)
			}
			a[i], b[i], s[i] = toScalar(x), toScalar(y), toScalar(z)
			if z.ModInverse(z.Mod(z, order), order) == nil {
				z.SetInt64(0)
			}
			want[i] = [2]*big.Int{x.Mul(x, z), y.Mul(y, z)}
		}
		DivideScalars(a, b, s, make([]Scalar, DivideScratch(n)))
		for i := range want {
			for k, got := range []*scalar.Scalar{&a[i], &b[i]} {
				if fromScalar(got).Cmp(want[i][k].Mod(want[i][k], order)) != 0 {
					t.Fatalf("row %d of %d: %x, want %x", i, n, got.Limbs(), want[i][k])
				}
			}
		}
	}
}

func TestMulScalars(t *testing.T) {
	r := random(t)
	for n := range 40 {
		v, k := make([]scalar.Scalar, n), make([]scalar.Scalar, n)
		want := make([]*big.Int, n)
		for i := range v {
			x, y := reference.RandInt(r), reference.RandInt(r)
			v[i], k[i] = toScalar(x), toScalar(y)
			want[i] = x.Mul(x, y).Mod(x, order)
		}
		MulScalars(v, k)
		for i := range want {
			if fromScalar(&v[i]).Cmp(want[i]) != 0 {
				t.Fatalf("number %d of %d: %x, want %x", i, n, v[i].Limbs(), want[i])
			}
		}
	}
}

// TestScalarRows checks that two consecutive scalars have the layout of a row of [Affine.Unpack],
// which the kernels require.
func TestScalarRows(t *testing.T) {
	got, want := unsafe.Sizeof([twice]scalar.Scalar{}), unsafe.Sizeof([Width][RowWords]uint64{})
	if got != want {
		t.Errorf("%d scalars have %d bytes, and a row for each lane %d", twice, got, want)
	}
}
