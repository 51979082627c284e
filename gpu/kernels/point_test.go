package kernels

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestComb: the table's numbers are those of point.h, and its points are what its comment says.
func TestComb(t *testing.T) {
	header, err := os.ReadFile("point.h")
	if err != nil {
		t.Fatal(err)
	}
	bits := regexp.MustCompile(`#define COMB_BITS (\d+)`).FindSubmatch(header)
	if bits == nil || string(bits[1]) != strconv.Itoa(CombBits) {
		t.Fatalf("point.h has %q, not %d", bits, CombBits)
	}
	table := Comb()
	if len(table) != CombPoint*CombEntries*CombWindows {
		t.Fatalf("the table has %d bytes", len(table))
	}
	c := reference.Secp256k1()
	for i := range CombWindows {
		base := c.ScalarMult(power2(uint(CombBits*i)), c.G)
		want := c.AppendPacked(nil, base, CombEntries)
		if !bytes.Equal(table[CombPoint*CombEntries*i:][:len(want)], want) {
			t.Errorf("window %d differs", i)
		}
	}
}

// affine returns (x/z², y/z³) modulo p.
func affine(x, y, z *big.Int) reference.Point {
	p := reference.P()
	inverse := new(big.Int).ModInverse(residue(z, p), p)
	square := new(big.Int).Mul(inverse, inverse)
	x = new(big.Int).Mul(x, square)
	y = new(big.Int).Mul(y, square.Mul(square, inverse))
	return reference.Point{X: residue(x, p), Y: residue(y, p)}
}

// affineXYZZ returns (x/zz, y/zzz) modulo p.
func affineXYZZ(v [4]*big.Int) reference.Point {
	p := reference.P()
	x := new(big.Int).ModInverse(residue(v[2], p), p)
	y := new(big.Int).ModInverse(residue(v[3], p), p)
	return reference.Point{X: residue(x.Mul(x, v[0]), p), Y: residue(y.Mul(y, v[1]), p)}
}

// jacobian returns loose coordinates of a over a random denominator.
func jacobian(r *rand.Rand, a reference.Point) []*big.Int {
	p := reference.P()
	z := residue(reference.RandInt(r), p)
	if z.Sign() == 0 {
		z.SetInt64(1)
	}
	square := new(big.Int).Mul(z, z)
	x := new(big.Int).Mul(a.X, square)
	y := new(big.Int).Mul(a.Y, square.Mul(square, z))
	return []*big.Int{residue(x, p), residue(y, p), z}
}

// TestAdditions: on groups of 7, 13 and 199 points the formulas, which do not depend on the curve's
// coefficient, are right for all pairs, and the denominator is zero for exactly those pairs for
// which they are exceptional.
func TestAdditions(t *testing.T) {
	p := reference.P()
	onHost(t, func(t *testing.T, prog *program) {
		r := random(t)
		for _, c := range reference.SmallCurves() {
			order := int(c.Order.Int64())
			points := make([]reference.Point, order)
			for k := 1; k < order; k++ {
				points[k] = c.Add(points[k-1], c.G)
			}
			var rows [][]*big.Int
			var pairs [][2]int
			for i := 1; i < order; i++ {
				for j := 1; j < order; j++ {
					if order > 100 && i%11 != 0 && i != j && i+j != order {
						continue
					}
					row := append(jacobian(r, points[i]), points[j].X, points[j].Y)
					rows, pairs = append(rows, row), append(pairs, [2]int{i, j})
				}
			}
			check := func(name string, k int, sum reference.Point, zero bool) {
				t.Helper()
				i, j := pairs[k][0], pairs[k][1]
				if exceptional := i == j || i+j == order; zero != exceptional {
					t.Fatalf("%s: order %d: %d + %d: zero is %v", name, order, i, j, zero)
				}
				if !zero && !sum.Equal(points[(i+j)%order]) {
					t.Fatalf("%s: order %d: %d + %d is wrong", name, order, i, j)
				}
			}
			for k, got := range prog.call(t, '+', rows) {
				zero := residue(got.out[2], p).Sign() == 0
				var sum reference.Point
				if !zero {
					sum = affine(got.out[0], got.out[1], got.out[2])
				}
				check("gej_add_ge", k, sum, zero)
			}
			for k, got := range prog.call(t, '*', rows) {
				zero := residue(got.out[2], p).Sign() == 0
				if zero != (residue(got.out[3], p).Sign() == 0) {
					t.Fatal("one of zz and zzz is zero")
				}
				var sum reference.Point
				if !zero {
					sum = affineXYZZ(got.out)
				}
				check("xyzz_add_ge", k, sum, zero)
			}
			for k, got := range prog.call(t, 'd', rows) {
				i := pairs[k][0]
				if !affine(got.out[0], got.out[1], got.out[2]).Equal(points[2*i%order]) {
					t.Fatalf("gej_double: order %d: 2·%d is wrong", order, i)
				}
			}
		}
	})
}

// TestZeroStays: once the denominator is zero modulo p, 0 or p, it stays so.
func TestZeroStays(t *testing.T) {
	p := reference.P()
	c := reference.Secp256k1()
	onHost(t, func(t *testing.T, prog *program) {
		rows := numbers(random(t), 500, 3)
		for i, row := range rows {
			row[2] = []*big.Int{new(big.Int), p}[i%2]
			rows[i] = append(row, c.G.X, c.G.Y)
		}
		for _, function := range []byte{'d', '+', '*'} {
			for i, got := range prog.call(t, function, rows) {
				if residue(got.out[2], p).Sign() != 0 {
					t.Fatalf("%c: %x: the denominator became %x", function, rows[i], got.out[2])
				}
			}
		}
	})
}

// points returns count points of the curve, with their discrete logarithms.
func points(r *rand.Rand, count int) (logs []*big.Int, list []reference.Point) {
	c := reference.Secp256k1()
	for len(list) < count {
		k := residue(reference.RandInt(r), c.Order)
		if k.Sign() != 0 {
			logs, list = append(logs, k), append(list, c.ScalarMult(k, c.G))
		}
	}
	return logs, list
}

// TestCoordinates: points are lifted, compared, brought to affine coordinates and stored.
func TestCoordinates(t *testing.T) {
	p := reference.P()
	c := reference.Secp256k1()
	onHost(t, func(t *testing.T, prog *program) {
		r := random(t)
		rows := numbers(r, 200, 1)
		for i := range rows {
			rows[i] = []*big.Int{residue(rows[i][0], p), bigint(int64(i % 2))}
		}
		for i, got := range prog.call(t, 'x', rows) {
			want, ok := c.LiftX(rows[i][0], i%2 == 1)
			if got.flag != flag(ok) || ok && !want.Equal(reference.Point{X: got.out[0], Y: got.out[1]}) {
				t.Fatalf("ge_lift_x(%x, %d) is %x, %d", rows[i][0], i%2, got.out[:2], got.flag)
			}
		}

		_, list := points(r, 40)
		rows = nil
		for i, a := range list {
			x := a.X
			switch i % 3 {
			case 1:
				x = residue(reference.RandInt(r), p)
			case 2:
				x = residue(new(big.Int).Neg(x), p)
			}
			rows = append(rows, append(jacobian(r, a), x))
		}
		for i, got := range prog.call(t, '=', rows) {
			if got.flag != flag(list[i].X.Cmp(rows[i][3]) == 0) {
				t.Errorf("xyzz_has_x(%x, %x) is %d", rows[i][:3], rows[i][3], got.flag)
			}
			if !list[i].Equal(reference.Point{X: got.out[0], Y: got.out[1]}) {
				t.Errorf("xyzz_to_ge(%x) is %x", rows[i][:3], got.out[:2])
			}
		}
		rows = nil
		for _, a := range list {
			rows = append(rows, []*big.Int{a.X, a.Y})
		}
		for i, got := range prog.call(t, 'u', rows) {
			if got.flag != 4 || !list[i].Equal(reference.Point{X: got.out[0], Y: got.out[1]}) {
				t.Errorf("%x is stored as %x after %d", rows[i], got.out[:2], got.flag)
			}
		}
	})
}

// TestOddMultiples: the entries are the odd multiples, all over the denominator returned.
func TestOddMultiples(t *testing.T) {
	c := reference.Secp256k1()
	onHost(t, func(t *testing.T, prog *program) {
		_, list := points(random(t), 5)
		for _, a := range append(list, c.G) {
			var rows [][]*big.Int
			for i := range int64(8) {
				rows = append(rows, []*big.Int{a.X, a.Y, bigint(i)})
			}
			for i, got := range prog.call(t, '3', rows) {
				want := c.ScalarMult(bigint(int64(2*i+1)), a)
				if !affine(got.out[0], got.out[1], got.out[2]).Equal(want) {
					t.Fatalf("%d·%x is wrong", 2*i+1, a)
				}
			}
		}
	})
}

// edgeScalars are scalars whose windows are all alike, or at an end, or whose halves are small.
func edgeScalars() []*big.Int {
	n, lambda := reference.N(), reference.Lambda()
	list := []*big.Int{lambda, new(big.Int).Rsh(n, 1), residue(new(big.Int).Mul(lambda, lambda), n)}
	for i := range int64(20) {
		list = append(list, bigint(i))
	}
	for _, bits := range []uint{7, 8, 9, 127, 128, 129, 247, 248, 255} {
		list = append(list, power2(bits), new(big.Int).Sub(power2(bits), bigint(1)))
	}
	for _, k := range slices.Clone(list) {
		list = append(list, residue(new(big.Int).Neg(k), n), residue(new(big.Int).Mul(k, lambda), n))
	}
	return list
}

// TestMulBase: k·G is right, and is flagged for k = 0.
func TestMulBase(t *testing.T) {
	c := reference.Secp256k1()
	onHost(t, func(t *testing.T, prog *program) {
		list := append(edgeScalars(), random200(random(t))...)
		var rows [][]*big.Int
		for _, k := range list {
			rows = append(rows, []*big.Int{k})
		}
		for i, got := range prog.call(t, '.', rows) {
			checkProduct(t, got, c.ScalarMult(list[i], c.G), list[i].Sign() == 0, rows[i])
		}
	})
}

// checkProduct fails the test if what mul_base or mul_double gave is neither right nor flagged, or
// if it is flagged though it must not be.
func checkProduct(t *testing.T, got answer, want reference.Point, flagged bool, row []*big.Int) {
	t.Helper()
	switch {
	case got.flag == 0 && !flagged:
		t.Fatalf("%x is flagged", row)
	case got.flag != 0 && (want.IsInfinity() || !affineXYZZ(got.out).Equal(want)):
		t.Fatalf("%x is %x", row, got.out)
	case got.flag != 0 && flagged:
		t.Fatalf("%x is not flagged", row)
	}
}

func random200(r *rand.Rand) []*big.Int {
	var list []*big.Int
	for range 200 {
		k := residue(reference.RandInt(r), reference.N())
		list = append(list, k)
	}
	return list
}
