package hash

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestChallenges checks that Challenges computes the same hashes as Challenge, for every number of
// rows.
func TestChallenges(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for i := range 100 {
			var rows [Sixteen * RowSize]byte
			r.Read(rows[:])
			var got [Sixteen][32]byte
			n := i % (Sixteen + 1)
			Challenges(&got, &rows, n)
			for j := range n {
				row := rows[j*RowSize:]
				var want [32]byte
				Challenge(&want, (*[32]byte)(row), (*[32]byte)(row[32:]), row[64:96])
				if got[j] != want {
					t.Fatalf("%d rows, row %d: %x, want %x", n, j, got[j], want)
				}
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestSharedSecrets checks that SharedSecrets computes the same hashes as SharedSecret, for every
// number of points.
func TestSharedSecrets(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(2))
		for i := range 100 {
			var points [Sixteen][33]byte
			for j := range points {
				r.Read(points[j][:])
			}
			var got [Sixteen][32]byte
			n, k := i%(Sixteen+1), r.Uint32()
			SharedSecrets(&got, &points, k, n)
			for j := range n {
				var want [32]byte
				SharedSecret(&want, &points[j], k)
				if got[j] != want {
					t.Fatalf("%d points, point %d: %x, want %x", n, j, got[j], want)
				}
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestChallengesCount checks that Challenges panics before it reads rows that do not exist.
func TestChallengesCount(t *testing.T) {
	for _, n := range []int{-1, Sixteen + 1, 1 << 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a row outside its data was read")
				}
			}()
			Challenges(new([Sixteen][32]byte), new([Sixteen * RowSize]byte), n)
		})
	}
}

func BenchmarkChallenges(b *testing.B) {
	var rows [Sixteen * RowSize]byte
	var out [Sixteen][32]byte
	for _, n := range []int{1, 2, 4, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Challenges(&out, &rows, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
	}
}
