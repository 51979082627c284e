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
		is := got.flag == 0
		if is != flagged[list[i].String()] || !is && !affineXYZZ(got.out).Equal(multiple(list[i])) {
			t.Fatalf("%x is %x, with the flag %d", list[i], got.out, got.flag)
		}
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
