package sums

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
)

// paddedLists returns lists of n elements, with the further elements that kernels need.
func paddedLists(r *rand.Rand, n int) (a, b []ref, bucket []uint32) {
	for range n + padLength {
		a, b, bucket = append(a, r.Uint32()), append(b, r.Uint32()), append(bucket, r.Uint32())
	}
	return a, b, bucket
}

// TestAccumulate checks that accumulateAll leaves the buckets and pairs that its comment defines.
func TestAccumulate(t *testing.T) { onLevels(t, testAccumulate) }

func testAccumulate(t *testing.T) {
	r := rand.New(rand.NewSource(32))
	for n := range 100 {
		for _, count := range []int{1, 2, 10, 1000} {
			a, b, bucket := paddedLists(r, n)
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
			pairs := accumulateAll(a, b, bucket, buckets, n)
			if pairs != len(want) || !slices.Equal(a[:pairs], wantA) ||
				!slices.Equal(b[:pairs], wantB) || !slices.Equal(bucket[:pairs], want) {
				t.Fatalf("%d into %d buckets: other pairs", n, count)
			}
			if !slices.Equal(buckets, after) {
				t.Fatalf("%d into %d buckets: something else is left", n, count)
			}
		}
	}
}

// TestPairSums checks that replacePairs replaces pairs by the right refs, and frees the right rows.
func TestPairSums(t *testing.T) { onLevels(t, testPairSums) }

func testPairSums(t *testing.T) {
	r := rand.New(rand.NewSource(33))
	const first = 50 << rowShift
	for n := range 100 {
		a, b, out := paddedLists(r, n)
		free := make([]ref, 3, 3+2*n+padLength)
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
		free = replacePairs(a, b, out, free, first, n)
		slices.Sort(free)
		slices.Sort(want)
		if !slices.Equal(b[:n], sum) || !slices.Equal(free, want) {
			t.Fatalf("%d pairs: other sums or free rows", n)
		}
	}
}

// TestTakeRows checks that takeRows never returns a row that is in use, or one that the worker does
// not have: it panics if the worker has too few, also after some were freed, because the rows after
// them belong to another worker.
func TestTakeRows(t *testing.T) {
	r := rand.New(rand.NewSource(34))
	var w worker
	const first, last = 1000, 1100
	w.start(make([]point.Affine, last), first-sumPositions, sumPositions)
	used := map[ref]bool{}
	for range 1000 {
		rows := make([]ref, r.Intn(last-first-len(used)+1))
		if w.takeRows(rows); len(rows) > 0 && r.Intn(2) == 0 {
			w.free = append(w.free, rows[0])
			w.takeRows(rows[:1])
		}
		for _, row := range rows {
			if used[row] || row < first<<rowShift || row >= last<<rowShift || row&(1<<rowShift-1) != 0 {
				t.Fatalf("row %#x is used, or there is none", row)
			}
			used[row] = true
		}
		if r.Intn(4) == 0 {
			func() {
				defer func() {
					if recover() == nil {
						t.Fatal("a row of another worker")
					}
				}()
				probe := w
				probe.free = slices.Clone(w.free)
				probe.takeRows(make([]ref, last-first-len(used)+1))
			}()
		}
		for row := range used {
			if r.Intn(3) == 0 {
				delete(used, row)
				w.free = append(w.free, row)
			}
		}
	}
}

// TestHalve checks that halveAll leaves the same buckets and pairs as accumulating the same refs
// one by one.
func TestHalve(t *testing.T) { onLevels(t, testHalve) }

func testHalve(t *testing.T) {
	r := rand.New(rand.NewSource(35))
	const position, first = 0, 1
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
			a, b, bucket := paddedLists(r, 2*n)
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
			a2, b2, bucket2 := paddedLists(r, n)
			dst := a2[: n/2 : n/2] // holds other refs before
			a2 = slices.Clone(a2)
			got, left := halveAll(src, dst, first, position, a2, b2, bucket2)
			if got != pairs || !slices.Equal(a[:pairs], a2[:pairs]) ||
				!slices.Equal(b[:pairs], b2[:pairs]) ||
				!slices.Equal(bucket[:pairs], bucket2[:pairs]) {
				t.Fatalf("%d buckets: other pairs", n)
			}
			if !slices.Equal(buckets[first:], dst) || left != buckets[position] {
				t.Fatalf("%d buckets: something else is left", n)
			}
		}
	}
}
