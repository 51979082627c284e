package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// TableReads returns calls of a kernel that copies one entry of a table. The index is secret. The
// kernel's argument for the table's length is the length of the table as a Go slice or string: the
// number of entries times parts, the number of slice elements or bytes in an entry.
func TableReads(parts int, full bool, r *rand.Rand) []*Call {
	const words = 8 // of an entry
	lengths := []int{1, 2, 3, 4, 5, 7, 8, 9}
	if full {
		lengths = append(lengths, 15, 16, 17, 31, 32, 33, 43, 63, 64)
	}
	var calls []*Call
	for _, n := range lengths {
		t := make([]uint64, n*words)
		for k := range t {
			t[k] = r.Uint64()
		}
		for i := range n {
			entry := t[i*words : (i+1)*words]
			calls = append(calls, &Call{
				Name: fmt.Sprintf("entry %d of %d", i, n),
				Buffers: []Buffer{
					{Param: "table", Words: len(t), In: t},
					{Param: "e", Words: words, Out: true},
				},
				Numbers: []Number{
					{Param: "table.len", Value: uint64(n * parts)},
					{Param: "index", Value: uint64(i), Secret: true},
				},
				Check: func(v Values) error {
					if !slices.Equal(v["e"], entry) {
						return fmt.Errorf("%#x, want %#x", v["e"], entry)
					}
					return nil
				},
			})
		}
	}
	return calls
}

// RoundReads returns n calls of a kernel that reads one point for each lane from the table of a
// round and negates some of them. The windows of bits in the buffer parts are secret.
func RoundReads(r *rand.Rand, n int) []*Call {
	const perEntry = Lanes / 2 // points in an entry
	var calls []*Call
	for k := range n {
		width := 1 + k%6
		at := r.IntN(65 - width)
		entries := 1 << (width - 1)
		points := table(r, perEntry*entries)
		// Row w of entry i has word w of its four points.
		words := make([]uint64, 0, 8*len(points))
		x := rows(points)
		for i := range entries {
			for w := range 8 {
				for j := range perEntry {
					words = append(words, x[8*(perEntry*i+j)+w])
				}
			}
		}
		var negative uint64
		var index []int
		bits := make([]uint64, Lanes)
		for j := range bits {
			bits[j] = r.Uint64()
			digit := 2*int(bits[j]>>at&(1<<width-1)) - (1<<width - 1)
			if digit < 0 {
				negative |= 1 << j
			}
			index = append(index, perEntry*(max(digit, -digit)/2)+j%perEntry)
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d: %d bits from %d", k, width, at),
			Buffers: []Buffer{
				{Param: "table", Words: len(words), In: words},
				{Param: "parts", Words: Lanes, In: bits},
				{Param: "a", Words: 2 * ElementWords, Out: true},
			},
			Numbers: []Number{
				{Param: "table.len", Value: uint64(8 * len(words))},
				{Param: "pos", Value: uint64(at)},
			},
			Check: func(v Values) error { return checkPoints(v["a"], points, index, negative) },
		})
	}
	return calls
}
