package sums

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// roomyLists returns lists of n elements, with the further elements that kernels need.
func roomyLists(r *rand.Rand, n int) (a, b []ref, bucket []uint32) {
	for range n + fillRoom {
		a, b, bucket = append(a, r.Uint32()), append(b, r.Uint32()), append(bucket, r.Uint32())
	}
	return a, b, bucket
}

// TestDigits checks that readBuckets, with kernels and in portable code, returns the bucket numbers
// of the digits that the test computes with big integers.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewSource(31))
	const row, base = 77 << rowShift, 1000
	for _, n := range []int{0, 1, 7, 8, 9, 64, 513} {
		for _, count := range []int{minWindows, 11, 13, maxWindows} {
			w := cut(count)
			halves := make([]half, n)
			for i := range halves {
				halves[i] = half{r.Uint64(), r.Uint64(), uint64(r.Intn(2))}
				if r.Intn(8) == 0 {
					halves[i][r.Intn(2)] = 0
				}
			}
			type reader func([]ref, []uint32, []half, int, int, uint64, ref, uint32)
			for i := range count {
				pos, width, middle := int(w.pos[i]), int(w.width[i]), uint64(1)<<(w.width[i]-1)
				if i == count-1 {
					middle = 0
				}
				for name, read := range map[string]reader{
					"readBuckets": readBuckets, "readDigits": readDigits,
				} {
					_, b, bucket := roomyLists(r, n)
					read(b[:n], bucket[:n], halves, pos, width, middle, row, base)
					for k, h := range halves {
						x := new(big.Int).SetUint64(h[1])
						x.Lsh(x, 64).Add(x, new(big.Int).SetUint64(h[0]))
						x.Rsh(x, uint(pos))
						digit := int64(x.Uint64()&(1<<width-1)) - int64(middle)
						want := row + ref(k)<<rowShift + ref(h[2])
						if digit < 0 {
							digit, want = -digit, want^1
						}
						if digit == 0 {
							want = 0
						}
						if b[k] != want || bucket[k] != uint32(base+digit) {
							t.Fatalf("%s of %d, %d bits from %d on: %#x into %d, want %#x into %d",
								name, n, width, pos, b[k], bucket[k], want, int64(base)+digit)
						}
					}
				}
			}
		}
	}
}

// TestAccumulate checks that accumulateAll leaves the buckets and pairs that its comment defines.
func TestAccumulate(t *testing.T) {
	type accumulator func(a, b []ref, bucket []uint32, buckets []ref, n int) int
	r := rand.New(rand.NewSource(32))
	for n := range 100 {
		for _, count := range []int{1, 2, 10, 1000} {
			for name, accumulate := range map[string]accumulator{
				"accumulateAll": accumulateAll, "accumulateGeneric": accumulateGeneric,
			} {
				a, b, bucket := roomyLists(r, n)
				buckets := make([]ref, count)
				for i := range buckets {
					buckets[i] = r.Uint32() * uint32(r.Intn(2))
				}
				after := slices.Clone(buckets)
				var wantA, wantB []ref
				var want []uint32
				for i := range n {
					at := uint32(r.Intn(count))
					if bucket[i] = at; after[at] != 0 {
						wantA, wantB, want = append(wantA, after[at]), append(wantB, b[i]), append(want, at)
						after[at] = 0
						continue
					}
					if r.Intn(8) == 0 {
						b[i] = 0
					}
					after[at] = b[i]
				}
				pairs := accumulate(a, b, bucket, buckets, n)
				if pairs != len(want) || !slices.Equal(a[:pairs], wantA) ||
					!slices.Equal(b[:pairs], wantB) || !slices.Equal(bucket[:pairs], want) {
					t.Fatalf("%s of %d into %d buckets: other pairs", name, n, count)
				}
				if !slices.Equal(buckets, after) {
					t.Fatalf("%s of %d into %d buckets: something else is left", name, n, count)
				}
			}
		}
	}
}

// TestPairSums checks that replacePairs replaces pairs by the right refs, and frees the right rows.
func TestPairSums(t *testing.T) {
	r := rand.New(rand.NewSource(33))
	const first = 50 << rowShift
	single := func(a, b, out, free []ref, first ref, n int) []ref {
		top := len(free)
		return free[:top+sumRefsGeneric(a, b, out, free[top:cap(free)], first, n)]
	}
	for n := range 100 {
		for name, replace := range map[string]func(a, b, out, free []ref, first ref, n int) []ref{
			"replacePairs": replacePairs, "sumRefsGeneric": single,
		} {
			a, b, out := roomyLists(r, n)
			free := make([]ref, 3, 3+2*n+fillRoom)
			copy(free, []ref{first, first + 64, first + 128})
			want := slices.Clone(free)
			var sum []ref
			for i := range n {
				a[i], b[i], out[i] = ref(r.Intn(100<<rowShift)), ref(r.Intn(100<<rowShift)), out[i]&^1
				for _, p := range []ref{a[i], b[i]} {
					if p >= first {
						want = append(want, p&^1)
					}
				}
				sum = append(sum, out[i]+a[i]%2)
			}
			free = replace(a, b, out, free, first, n)
			slices.Sort(free)
			slices.Sort(want)
			if !slices.Equal(b[:n], sum) || !slices.Equal(free, want) {
				t.Fatalf("%s of %d: other sums or free rows", name, n)
			}
		}
	}
}

// TestTakeRows checks that takeRows never returns a row that is in use, or one that the worker does
// not have.
func TestTakeRows(t *testing.T) {
	r := rand.New(rand.NewSource(34))
	var w worker
	const first, last = 1000, 1100
	w.start(&profile.Current().Sums, nil, first, last, sumPositions)
	used := map[ref]bool{}
	for range 1000 {
		n := r.Intn(last - first - len(used) + 1)
		rows := make([]ref, n)
		if w.takeRows(rows); n > 0 && r.Intn(2) == 0 {
			w.free = append(w.free, rows[0])
			w.takeRows(rows[:1])
		}
		for _, row := range rows {
			if used[row] || row < first<<rowShift || row >= last<<rowShift || row&(1<<rowShift-1) != 0 {
				t.Fatalf("row %#x is used, or there is none", row)
			}
			used[row] = true
		}
		for row := range used {
			if r.Intn(3) == 0 {
				delete(used, row)
				w.free = append(w.free, row)
			}
		}
	}
}

// TestTakeRowsEnd checks that takeRows panics if a worker has too few rows, whether or not some
// were freed: the rows after them belong to another worker.
func TestTakeRowsEnd(t *testing.T) {
	const first, last = 1000, 1010
	for freed := range 3 {
		for wanted := last - first - 1; wanted <= last-first+1; wanted++ {
			var w worker
			w.start(&profile.Current().Sums, nil, first, last, sumPositions)
			rows := make([]ref, freed)
			w.takeRows(rows)
			w.free = append(w.free, rows...)
			panics := func() (panics bool) {
				defer func() { panics = recover() != nil }()
				w.takeRows(make([]ref, wanted))
				return
			}()
			if panics != (wanted > last-first) {
				t.Errorf("%d rows of %d, %d of them freed: panics is %v", wanted, last-first, freed, panics)
			}
		}
	}
}

// TestHalve checks that halveAll leaves the same buckets and pairs as accumulating the same refs
// one by one.
func TestHalve(t *testing.T) {
	type halver func(src, dst []ref, first, position uint32, a, b []ref, bucket []uint32) (int, ref)
	r := rand.New(rand.NewSource(35))
	const position, first = 0, 1
	single := func(src, dst []ref, first, position uint32, a, b []ref, bucket []uint32) (int, ref) {
		return halveGeneric(src, dst, len(src)/halveStep, first, position, a, b, bucket)
	}
	for n := halveStep; n <= 10*halveStep; n += halveStep {
		for empty := range 5 {
			src := make([]ref, n)
			for i := range src {
				src[i] = r.Uint32() * uint32(min(1, r.Intn(1+empty)))
				if empty == 0 {
					src[i] = r.Uint32()
				}
			}
			buckets := make([]ref, first+n/2)
			a, b, bucket := roomyLists(r, 2*n)
			pairs := 0
			for odd := range 2 {
				for d, x := range src {
					if x == 0 || odd > d&1 {
						continue
					}
					at := uint32(first + d/2)
					if odd == 1 {
						at = position
					}
					a[pairs], b[pairs], bucket[pairs] = buckets[at], x, at
					if buckets[at] == 0 {
						buckets[at] = x
					} else {
						buckets[at] = 0
						pairs++
					}
				}
			}
			for name, halve := range map[string]halver{
				"halveAll": halveAll, "halveGeneric": single,
			} {
				dst := make([]ref, n/2)
				for i := range dst {
					dst[i] = r.Uint32()
				}
				a2, b2, bucket2 := roomyLists(r, n)
				got, left := halve(slices.Clone(src), dst, first, position, a2, b2, bucket2)
				if got != pairs || !slices.Equal(a[:pairs], a2[:pairs]) ||
					!slices.Equal(b[:pairs], b2[:pairs]) ||
					!slices.Equal(bucket[:pairs], bucket2[:pairs]) {
					t.Fatalf("%s of %d: other pairs", name, n)
				}
				if !slices.Equal(buckets[first:], dst) || left != buckets[position] {
					t.Fatalf("%s of %d: something else is left", name, n)
				}
			}
		}
	}
}
