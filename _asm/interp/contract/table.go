package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// TableReads returns calls of a kernel that copies one entry of a table to the buffer dst. The
// entry has the given number of words, and its index is secret. The kernel's argument for the
// table's length is the length of the table as a Go slice or string: the number of entries times
// parts, the number of slice elements or bytes in an entry.
func TableReads(dst, table string, parts int, index string, words int, full bool,
	r *rand.Rand) []*Call {
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
					{Param: table, Words: len(t), In: t},
					{Param: dst, Words: words, Out: true},
				},
				Numbers: []Number{
					{Param: table + ".len", Value: uint64(n * parts)},
					{Param: index, Value: uint64(i), Secret: true},
				},
				Check: func(v Values) error {
					if !slices.Equal(v[dst], entry) {
						return fmt.Errorf("%#x, want %#x", v[dst], entry)
					}
					return nil
				},
			})
		}
	}
	return calls
}
