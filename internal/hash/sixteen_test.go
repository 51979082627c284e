package hash

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

func TestChallenges(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for i := range 100 {
			strides := [3]int{32, 64, 33}
			if i%5 == 0 {
				strides[i/5%3] = 0
			}
			var rows [3]Rows
			for k := range rows {
				// The data ends with the last row.
				rows[k] = Rows{make([]byte, (Sixteen-1)*strides[k]+32), strides[k]}
				r.Read(rows[k].Data)
			}
			var got [Sixteen][32]byte
			Challenges(&got, rows[0], rows[1], rows[2])
			for j := range got {
				var want [32]byte
				Challenge(&want, rows[0].row(j), rows[1].row(j), rows[2].row(j)[:])
				if got[j] != want {
					t.Fatalf("strides %v, row %d: %x, want %x", strides, j, got[j], want)
				}
			}
		}
	}, cputest.Portable, cputest.AVX512F)
}

func TestChallengesShort(t *testing.T) {
	good := Rows{make([]byte, 16*32), 32}
	overflow := uint64(1<<64/15 + 1) // 15·overflow is 14 modulo 2^64
	for _, bad := range []Rows{
		{make([]byte, 64), int(overflow)},
		{nil, 0},
		{make([]byte, 31), 0},
		{make([]byte, 16*32-1), 32},
		{make([]byte, 16*32), 33},
		{make([]byte, 16*32), -1},
	} {
		for k := range 3 {
			t.Run(fmt.Sprint(len(bad.Data), bad.Stride, k), func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("a row outside its data was read")
					}
				}()
				rows := [3]Rows{good, good, good}
				rows[k] = bad
				var out [Sixteen][32]byte
				Challenges(&out, rows[0], rows[1], rows[2])
			})
		}
	}
}

func BenchmarkChallenges(b *testing.B) {
	rows := Rows{make([]byte, 16*32), 32}
	var out [Sixteen][32]byte
	b.ReportAllocs()
	for b.Loop() {
		Challenges(&out, rows, rows, rows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*Sixteen), "ns/row")
}
