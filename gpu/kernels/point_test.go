package kernels

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// affineXYZZ returns the affine point (x/zz, y/zzz), modulo p, for the XYZZ coordinates in v: x, y,
// zz and zzz.
func affineXYZZ(v [4]*big.Int) reference.Point {
	p := reference.P()
	x := new(big.Int).ModInverse(residue(v[2], p), p)
	y := new(big.Int).ModInverse(residue(v[3], p), p)
	return reference.Point{X: residue(x.Mul(x, v[0]), p), Y: residue(y.Mul(y, v[1]), p)}
}

// multiples caches the results of the function multiple. All builds get the same rows, so they ask
// for the same points.
var multiples sync.Map

// multiple returns k·G.
func multiple(k *big.Int) reference.Point {
	c := reference.Secp256k1()
	k = residue(k, c.Order)
	known, ok := multiples.Load(k.String())
	if !ok {
		known, _ = multiples.LoadOrStore(k.String(), c.ScalarMult(k, c.G))
	}
	return known.(reference.Point)
}

// TestCoordinates checks that the device functions that lift and store points give the reference's
// results. Package proof of gpu/lab checks the formulas.
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

		rows = nil
		for _, k := range uniform(r, 40) {
			rows = append(rows, []*big.Int{multiple(k).X, multiple(k).Y})
		}
		for i, got := range prog.call(t, 'u', rows) {
			if got.flag != 4 || got.out[0].Cmp(rows[i][0]) != 0 || got.out[1].Cmp(rows[i][1]) != 0 {
				t.Errorf("%x is stored as %x after %d", rows[i], got.out[:2], got.flag)
			}
		}
	})
}

// edgeScalars returns scalars with equal digits in all windows, scalars at the ends of the range,
// and scalars with small halves.
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

// uniform returns count uniform nonzero scalars.
func uniform(r *rand.Rand, count int) []*big.Int {
	list := make([]*big.Int, count)
	for i := range list {
		list[i] = new(big.Int)
		for range 5 {
			list[i].Lsh(list[i], 64).Or(list[i], new(big.Int).SetUint64(r.Uint64()))
		}
		list[i].Mod(list[i], new(big.Int).Sub(reference.N(), bigint(1))).Add(list[i], bigint(1))
	}
	return list
}

// checkProduct checks an answer of mul_base or mul_double. If flagged is set, it fails the test
// unless the answer reports an exception. Otherwise it fails the test unless the answer equals
// want.
func checkProduct(t *testing.T, got answer, want reference.Point, flagged bool, row []*big.Int) {
	t.Helper()
	if (got.flag == 0) != flagged {
		t.Fatalf("%x: the flag is %d", row, got.flag)
	}
	if !flagged && !affineXYZZ(got.out).Equal(want) {
		t.Fatalf("%x is %x", row, got.out)
	}
}

// exceptions returns the scalars k for which k·G, computed with windows of w bits, reports an
// exception. They are 0, and the one scalar, with its negative, for which the last addition is a
// doubling. There, the last window adds t·G, and the windows before it add up to a negative number
// that is equal to t modulo n.
func exceptions(w int) []*big.Int {
	n := reference.N()
	last := power2(uint(w * ((256+w-1)/w - 1)))
	twice := new(big.Int).Lsh(new(big.Int).Sub(power2(256), last), 1)
	twice.Sub(twice, n)
	return []*big.Int{new(big.Int), twice, new(big.Int).Sub(n, twice)}
}

// checkMulBase checks k·G for each k in list. mul_base must report an exception exactly for the
// scalars that the function exceptions returns.
func checkMulBase(t *testing.T, prog *program, w int, list []*big.Int) {
	t.Helper()
	flagged := map[string]bool{}
	for _, k := range exceptions(w) {
		flagged[k.String()] = true
	}
	var rows [][]*big.Int
	for _, k := range list {
		rows = append(rows, []*big.Int{k})
	}
	for i, got := range prog.call(t, '.', rows) {
		checkProduct(t, got, multiple(list[i]), flagged[list[i].String()], rows[i])
	}
}

// TestMulBase checks that mul_base returns k·G or reports an exception.
func TestMulBase(t *testing.T) {
	random := uniform(random(t), 40)
	onHost(t, func(t *testing.T, prog *program) {
		w := prog.build.combBits
		checkMulBase(t, prog, w, slices.Concat(exceptions(w), edgeScalars(), random))
	})
}

// A sum is a row of operands for mul_double, which computes a·G + b·P. P is log·G.
type sum struct{ a, b, log *big.Int }

// sums calls mul_double for each row in list. It then calls check with the row's index, the answer
// and the expected point.
func sums(t *testing.T, prog *program, list []sum, check func(int, answer, reference.Point)) {
	t.Helper()
	n := reference.N()
	var rows [][]*big.Int
	for _, s := range list {
		p := multiple(s.log)
		rows = append(rows, []*big.Int{residue(s.a, n), residue(s.b, n), p.X, p.Y})
	}
	for i, got := range prog.call(t, ':', rows) {
		k := new(big.Int).Mul(list[i].b, list[i].log)
		check(i, got, multiple(k.Add(k, list[i].a)))
	}
}

// TestMulDouble checks that mul_double returns a·G + b·P, also for a = 0, and that it reports an
// exception if b is 0 or the sum is infinity.
func TestMulDouble(t *testing.T) {
	r := random(t)
	var list []sum
	for _, log := range uniform(r, 15) {
		ab := uniform(r, 3)
		// With this b, b·P equals a·G, so that the sum is 2a·G. With −b in place of b, the sum is
		// infinity.
		b := new(big.Int).Mul(ab[2], new(big.Int).ModInverse(log, reference.N()))
		list = append(list,
			sum{ab[0], ab[1], log},
			sum{new(big.Int), ab[1], log},
			sum{ab[0], new(big.Int), log},
			sum{ab[2], b, log},
			sum{ab[2], new(big.Int).Neg(b), log})
	}
	onHost(t, func(t *testing.T, prog *program) {
		sums(t, prog, list, func(i int, got answer, want reference.Point) {
			flagged := list[i].b.Sign() == 0 || want.IsInfinity()
			checkProduct(t, got, want, flagged, []*big.Int{list[i].a, list[i].b, list[i].log})
		})
	})
}

// TestMulDoubleExceptions checks rows in which partial sums of a·G + b·P can be equal, because all
// of them are small multiples of G or of λ·G, or because all windows of b are equal. The result
// must be right or reported as an exception.
func TestMulDoubleExceptions(t *testing.T) {
	c := reference.Secp256k1()
	var small []*big.Int
	for _, x := range []int64{1, 2, 3, 15, 127, 255, 256} {
		small = append(small, bigint(x), bigint(-x))
	}
	var list []sum
	for _, log := range []*big.Int{bigint(1), bigint(2), c.Lambda, new(big.Int).Neg(c.Lambda)} {
		for _, a := range small {
			for _, b := range small {
				list = append(list, sum{a, b, log})
			}
		}
	}
	for _, a := range uniform(random(t), 1) {
		for _, b := range edgeScalars() {
			list = append(list, sum{a, b, c.Lambda}, sum{b, a, c.Lambda})
		}
	}
	onHost(t, func(t *testing.T, prog *program) {
		flags := 0
		sums(t, prog, list, func(i int, got answer, want reference.Point) {
			if got.flag == 0 {
				flags++
				return
			}
			if want.IsInfinity() {
				t.Fatalf("%v is infinity, and not flagged", list[i])
			}
			checkProduct(t, got, want, false, []*big.Int{list[i].a, list[i].b, list[i].log})
		})
		if flags < 10 || flags > len(list)/2 {
			t.Errorf("%d of %d are flagged", flags, len(list))
		}
	})
}
