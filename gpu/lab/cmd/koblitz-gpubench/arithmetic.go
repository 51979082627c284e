package main

import (
	"encoding/binary"
	"math/big"

	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// modulus is the field prime p.
var modulus = sums.P()

// number returns the number that bytes encode, big-endian.
func number(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

// coordinate returns coordinate c of a result: eight words, the least significant one first.
func coordinate(got []uint32, c int) *big.Int {
	var b [32]byte
	for w := range 8 {
		binary.BigEndian.PutUint32(b[28-4*w:], got[8*c+w])
	}
	return number(b[:])
}

// put sets coordinate c of dst to the number that 32 bytes encode, big-endian.
func put(dst []uint32, c int, b []byte) {
	for w := range 8 {
		dst[8*c+w] = binary.BigEndian.Uint32(b[28-4*w:])
	}
}

// reduce sets coordinate c of dst to x modulo p.
func reduce(dst []uint32, c int, x *big.Int) {
	put(dst, c, new(big.Int).Mod(x, modulus).FillBytes(make([]byte, 32)))
}

// These are the operands of kernels. A z coordinate is element a of the same row.
var (
	columnA     = column{8, func(in *inputs, i int, dst []uint32) { put(dst, 0, in.a[i][:]) }}
	columnB     = column{8, func(in *inputs, i int, dst []uint32) { put(dst, 0, in.b[i][:]) }}
	columnK     = column{8, func(in *inputs, i int, dst []uint32) { put(dst, 0, in.k[i].Bytes()) }}
	columnP     = column{16, func(in *inputs, i int, dst []uint32) { in.p.put(i, dst) }}
	columnQ     = column{16, func(in *inputs, i int, dst []uint32) { in.q.put(i, dst) }}
	columnTable = column{} // not a column: the table of multiples of G

	columnInverse = column{8, func(in *inputs, i int, dst []uint32) { // 1/(xq − xp)
		d := number(in.q.points[i][:32])
		reduce(dst, 0, d.ModInverse(d.Sub(d, number(in.p.points[i][:32])), modulus))
	}}
	columnJacobian = column{24, func(in *inputs, i int, dst []uint32) {
		in.p.scaled(i, number(in.a[i][:]), dst)
		put(dst, 2, in.a[i][:])
	}}
	columnXYZZ = column{32, func(in *inputs, i int, dst []uint32) {
		zz, zzz := in.p.scaled(i, number(in.a[i][:]), dst)
		reduce(dst, 2, zz)
		reduce(dst, 3, zzz)
	}}
)

// put writes the affine coordinates of point i to dst.
func (l *line) put(i int, dst []uint32) {
	put(dst, 0, l.points[i][:32])
	put(dst, 1, l.points[i][32:])
}

// scaled writes x·z² and y·z³ to dst, where (x, y) is point i, and returns z² and z³.
func (l *line) scaled(i int, z *big.Int, dst []uint32) (zz, zzz *big.Int) {
	zz, zzz = power(z, 2), power(z, 3)
	reduce(dst, 0, new(big.Int).Mul(number(l.points[i][:32]), zz))
	reduce(dst, 1, new(big.Int).Mul(number(l.points[i][32:]), zzz))
	return zz, zzz
}

// power returns x^e modulo p.
func power(x *big.Int, e int64) *big.Int { return new(big.Int).Exp(x, big.NewInt(e), modulus) }

// congruent reports whether x and y are equal modulo p.
func congruent(x, y *big.Int) bool {
	d := new(big.Int).Sub(x, y)
	return d.Mod(d, modulus).Sign() == 0
}

// isTimesG reports whether a point with two (affine), three (Jacobian) or four (XYZZ) coordinates
// is k·G.
func isTimesG(got []uint32, k *group.Scalar) bool {
	p := kernels.Coordinates(new(group.Point).ScalarBaseMultVartime(k))
	zz, zzz := big.NewInt(1), big.NewInt(1)
	switch len(got) {
	case 24:
		z := coordinate(got, 2)
		zz, zzz = power(z, 2), power(z, 3)
	case 32:
		zz, zzz = coordinate(got, 2), coordinate(got, 3)
	}
	return power(zz, 3).Sign() != 0 && congruent(power(zz, 3), power(zzz, 2)) &&
		congruent(coordinate(got, 0), zz.Mul(zz, number(p[:32]))) &&
		congruent(coordinate(got, 1), zzz.Mul(zzz, number(p[32:])))
}

// opsTurn is the number of operations in an iteration of a loop, BENCH_UNROLL of the kernels.
const opsTurn = 4

// onElements returns a kernel whose result is an element of the field. want computes it from the
// row's elements a and b.
func onElements(
	name, entry string, want func(a, b *big.Int, turns int) *big.Int, columns ...column,
) kernel {
	return kernel{name: name, entry: entry, columns: columns, words: 8,
		right: func(in *inputs, i, _, turns int, got []uint32) bool {
			return congruent(coordinate(got, 0), want(number(in.a[i][:]), number(in.b[i][:]), turns))
		}}
}

// onPoints returns a kernel whose result is a point with the given number of coordinates. log
// computes its discrete logarithm.
func onPoints(
	name, entry string, coordinates int, log func(in *inputs, i, n, turns int) *group.Scalar,
	columns ...column,
) kernel {
	return kernel{name: name, entry: entry, columns: columns, words: 8 * coordinates,
		right: func(in *inputs, i, n, turns int, got []uint32) bool {
			return isTimesG(got, log(in, i, n, turns))
		}}
}

// looped returns k as a kernel that repeats its operation.
func looped(k kernel) kernel {
	k.loop = true
	return k
}

// benchKernels returns the kernels of the program of benchmarks.
func benchKernels() []kernel {
	return []kernel{
		onElements("field multiply", "k_bench_mul",
			func(a, b *big.Int, _ int) *big.Int { return a.Mul(a, b) }, columnA, columnB),
		onElements("field square", "k_bench_sqr",
			func(a, _ *big.Int, _ int) *big.Int { return a.Mul(a, a) }, columnA),
		onElements("field add", "k_bench_add",
			func(a, b *big.Int, _ int) *big.Int { return a.Add(a, b) }, columnA, columnB),
		onElements("field subtract", "k_bench_sub",
			func(a, b *big.Int, _ int) *big.Int { return a.Sub(a, b) }, columnA, columnB),
		onElements("field inverse", "k_bench_inv", inverse, columnA),
		onElements("batch inverse of 128", "k_bench_inv_batch", inverse, columnA),
		onPoints("point add, XYZZ", "k_bench_xyzz_add", 4, added(1), columnXYZZ, columnQ),
		onPoints("point add, Jacobian", "k_bench_gej_add", 3, added(1), columnJacobian, columnQ),
		onPoints("point add, affine", "k_bench_ge_add", 2, added(1), columnP, columnQ, columnInverse),
		onPoints("point double", "k_bench_gej_double", 3, doubled(1), columnJacobian),
		onPoints("point to affine", "k_bench_gej_affine", 2, doubled(0), columnJacobian),
		onPoints("k·P", "k_bench_mul_point", 3, func(in *inputs, i, _, _ int) *group.Scalar {
			return new(group.Scalar).Mul(in.k[i], in.p.log(i))
		}, columnK, columnP),
		onPoints("k·G, windows of 8 bits", "k_bench_mul_base", 4,
			func(in *inputs, i, _, _ int) *group.Scalar { return in.k[i] }, columnK, columnTable),
		looped(onElements("loop of field multiply", "k_bench_mul_chain",
			func(a, b *big.Int, turns int) *big.Int {
				return a.Mul(a, b.Exp(b, big.NewInt(int64(opsTurn*turns)), modulus))
			}, columnA, columnB)),
		looped(onElements("loop of field square", "k_bench_sqr_chain",
			func(a, _ *big.Int, turns int) *big.Int {
				two, order := big.NewInt(2), new(big.Int).Sub(modulus, big.NewInt(1))
				return a.Exp(a, two.Exp(two, big.NewInt(int64(opsTurn*turns)), order), modulus)
			}, columnA)),
		looped(onElements("loop of field add", "k_bench_add_chain",
			func(a, b *big.Int, turns int) *big.Int {
				for range opsTurn / 2 * turns {
					a.Mod(a.Add(a, b), modulus)
					b.Mod(b.Add(b, a), modulus)
				}
				return a
			}, columnA, columnB)),
		looped(onPoints("loop of point add", "k_bench_xyzz_chain", 4, added(opsTurn),
			columnXYZZ, columnQ)),
		looped(onPoints("loop of point double", "k_bench_gej_chain", 3, doubled(opsTurn),
			columnJacobian)),
	}
}

func inverse(a, _ *big.Int, _ int) *big.Int { return a.ModInverse(a, modulus) }

// added returns a function that computes the logarithm of point i of p after additions of the
// points q from i on, the given number in an iteration.
func added(each int) func(in *inputs, i, n, turns int) *group.Scalar {
	return func(in *inputs, i, n, turns int) *group.Scalar {
		k := in.p.log(i)
		for j := range each * turns {
			k.Add(k, in.q.log((i+j)%n))
		}
		return k
	}
}

// doubled returns a function that computes the logarithm of point i of p after the given number of
// doublings in an iteration.
func doubled(each int) func(in *inputs, i, n, turns int) *group.Scalar {
	return func(in *inputs, i, _, turns int) *group.Scalar {
		k := in.p.log(i)
		for range each * turns {
			k.Add(k, k)
		}
		return k
	}
}
