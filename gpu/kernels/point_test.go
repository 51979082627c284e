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
