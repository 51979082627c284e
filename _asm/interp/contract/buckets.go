package contract

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
)

// spare is the number of extra elements at the end of the lists that bucket kernels read and write.
const spare = 16

// list returns a buffer for the argument param. It holds the 32-bit numbers x, followed by spare
// elements with arbitrary values.
func list(param string, x []uint32) Buffer {
	x = slices.Clone(x)
	for range spare + len(x)&1 {
		x = append(x, 0xfeedfeed)
	}
	return Buffer{Param: param, Words: len(x) / 2, In: halfWords(x), Out: true, Public: true}
}

// equal returns an error if the list in param does not begin with the numbers in want.
func (v Values) equal(param string, want []uint32) error {
	for i, x := range want {
		if got := uint32(v[param][i/2] >> (32 * (i % 2))); got != x {
			return fmt.Errorf("%s[%d] is %#x, want %#x", param, i, got, x)
		}
	}
	return nil
}

// Digits returns calls of the kernel that computes the digits of half scalars, and the bucket
// number for each digit.
func Digits(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		groups := 1 + r.IntN(4)
		width := 1 + r.IntN(32)
		pos := r.IntN(128)
		if r.IntN(4) == 0 {
			pos = []int{0, 1, 63, 64, 65, 127}[r.IntN(6)]
		}
		if r.IntN(2) == 0 {
			width = 1 + r.IntN(3)
		}
		var middle uint64
		if r.IntN(4) != 0 {
			middle = 1 << (width - 1)
		}
		row, base := uint32(r.IntN(1<<25))<<6, uint32(r.IntN(1<<16))
		var halves []uint64
		var b, bucket []uint32
		for i := range 8 * groups {
			h := []uint64{r.Uint64(), r.Uint64(), uint64(r.IntN(2))}
			if r.IntN(8) == 0 {
				h[0], h[1] = 0, 0
			}
			halves = append(halves, h...)
			d := new(big.Int).Rsh(Int(h), uint(pos)).Uint64()
			digit := int64(d&(1<<width-1)) - int64(middle)
			negative := h[2]
			if digit < 0 {
				digit, negative = -digit, negative^1
			}
			reference := row + uint32(i)<<6 + uint32(negative)
			if digit == 0 {
				reference = 0
			}
			b, bucket = append(b, reference), append(bucket, base+uint32(digit))
		}
		empty := make([]uint64, len(b)/2)
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d, %d bits from %d on", k, width, pos),
			Buffers: []Buffer{
				{Param: "b", Words: len(empty), Out: true},
				{Param: "bucket", Words: len(empty), Out: true},
				{Param: "halves", Words: len(halves), In: halves, Public: true},
			},
			Numbers: []Number{
				{Param: "groups", Value: uint64(groups)}, {Param: "pos", Value: uint64(pos)},
				{Param: "width", Value: uint64(width)},
				{Param: "middle", Value: middle}, {Param: "row", Value: uint64(row), Bytes: 4},
				{Param: "base", Value: uint64(base), Bytes: 4},
			},
			Check: func(v Values) error { return cmp.Or(v.equal("b", b), v.equal("bucket", bucket)) },
		})
	}
	return calls
}

// references returns n random references. The parameter share is the average fraction of references
// that are 0.
func references(r *rand.Rand, n int, share float64) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		if r.Float64() >= share {
			x[i] = 1 + uint32(r.Uint64()>>(32+r.UintN(31)))
		}
	}
	return x
}

// Accumulations returns calls of the bucket accumulation kernel. Its input is a list of references
// to points, each with the number of a bucket.
func Accumulations(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		count := 1 + r.IntN(70)
		buckets := references(r, 2*(1+r.IntN(20)), r.Float64())
		b := references(r, count, 0)
		bucket := make([]uint32, count)
		for i := range bucket {
			bucket[i] = uint32(r.IntN(len(buckets)))
			if buckets[bucket[i]] == 0 && !slices.Contains(bucket[:i], bucket[i]) && r.IntN(8) == 0 {
				b[i] = 0 // the summand goes to an empty bucket
			}
		}
		after := slices.Clone(buckets)
		var pairs [3][]uint32
		for i, at := range bucket {
			was := after[at]
			if was == 0 {
				after[at] = b[i]
				continue
			}
			after[at] = 0
			for j, x := range []uint32{was, b[i], at} {
				pairs[j] = append(pairs[j], x)
			}
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d of %d", k, count),
			Buffers: []Buffer{
				list("a", references(r, count, 0)), list("b", b), list("bucket", bucket),
				{Param: "buckets", Words: len(buckets) / 2, In: halfWords(buckets), Out: true, Public: true},
			},
			Numbers: []Number{{Param: "n", Value: uint64(count)}},
			Results: []string{"pairs"},
			Check: func(v Values) error {
				if got := v["pairs"][0]; got != uint64(len(pairs[0])) {
					return fmt.Errorf("%d pairs, want %d", got, len(pairs[0]))
				}
				return cmp.Or(v.equal("a", pairs[0]), v.equal("b", pairs[1]), v.equal("bucket", pairs[2]),
					v.equal("buckets", after))
			},
		})
	}
	return calls
}

// PairSums returns calls of the kernel that replaces each pair of summands by a reference to its
// sum, and lists the references that are free afterwards.
func PairSums(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		count := 1 + r.IntN(70)
		first := uint32(r.Uint64()>>(32+r.UintN(26)))&^63 | 64
		summands := func() []uint32 {
			x := references(r, count, 0.1)
			for i := range x {
				if r.IntN(4) == 0 {
					x[i] = first + uint32(r.IntN(4)) - 2
				}
			}
			return x
		}
		a, b, out := summands(), summands(), references(r, count, 0)
		var sums, free []uint32
		for i := range out {
			out[i] &^= 1
			sums = append(sums, out[i]|a[i]&1)
		}
		// The kernel lists the free rows of 16 pairs at a time, first those of list a and then
		// those of b.
		for i := 0; i < count; i += spare {
			for _, x := range [][]uint32{a, b} {
				for _, p := range x[i:min(i+spare, count)] {
					if p >= first {
						free = append(free, p&^1)
					}
				}
			}
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d of %d", k, count),
			Buffers: []Buffer{
				list("a", a), list("b", b), list("out", out), list("free", make([]uint32, len(free))),
			},
			Numbers: []Number{{Param: "n", Value: uint64(count)}, {Param: "first", Value: uint64(first),
				Bytes: 4}},
			Results: []string{"freed"},
			Check: func(v Values) error {
				if got := v["freed"][0]; got != uint64(len(free)) {
					return fmt.Errorf("%d are free, want %d", got, len(free))
				}
				return cmp.Or(v.equal("b", sums), v.equal("free", free))
			},
		})
	}
	return calls
}

// Halvings returns calls of the kernel that adds pairs of buckets, so that half as many remain.
func Halvings(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		groups := 1 + r.IntN(5)
		src := references(r, 16*groups, []float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)])
		first, position := r.Uint32N(1<<20), r.Uint32N(136)
		var dst, odds []uint32
		var pairs [3][]uint32
		pair := func(x, y, at uint32) {
			for j, z := range []uint32{x, y, at} {
				pairs[j] = append(pairs[j], z)
			}
		}
		for j := 0; j < len(src); j += 2 {
			x, y, left := src[j], src[j+1], src[j]|src[j+1]
			if x != 0 && y != 0 {
				left = 0
				pair(x, y, first+uint32(j/2))
			}
			dst = append(dst, left)
			if y != 0 {
				odds = append(odds, y)
			}
		}
		for ; len(odds) > 1; odds = odds[2:] {
			pair(odds[0], odds[1], position)
		}
		left := append(odds, 0)[0]
		scratch := make([]uint32, len(pairs[0]))
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d of %d", k, len(src)),
			Buffers: []Buffer{
				{Param: "src", Words: len(src) / 2, In: halfWords(src), Out: true, Public: true},
				{Param: "dst", Words: len(dst) / 2, In: halfWords(references(r, len(dst), 0.5)), Out: true,
					Public: true},
				list("a", scratch), list("b", scratch), list("bucket", scratch),
			},
			Numbers: []Number{
				{Param: "groups", Value: uint64(groups)}, {Param: "first", Value: uint64(first), Bytes: 4},
				{Param: "position", Value: uint64(position), Bytes: 4},
			},
			Results: []string{"pairs", "left"},
			Check: func(v Values) error {
				if got := v["pairs"][0]; got != uint64(len(pairs[0])) {
					return fmt.Errorf("%d pairs, want %d", got, len(pairs[0]))
				}
				if got := v["left"][0]; got != uint64(left) {
					return fmt.Errorf("%#x is left, want %#x", got, left)
				}
				return cmp.Or(v.equal("dst", dst), v.equal("a", pairs[0]), v.equal("b", pairs[1]),
					v.equal("bucket", pairs[2]))
			},
		})
	}
	return calls
}
