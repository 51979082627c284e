package sums

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// TestHorner checks that horner returns the sum of 2^i·P_i, also if some points P_i are missing, or
// equal or opposite to the sum so far.
func TestHorner(t *testing.T) { onLevels(t, testHorner) }

func testHorner(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for round := range 60 {
		points, logs := walk(t, 8, big.NewInt(1), big.NewInt(1))
		sums := make([]positionSums, 1+r.Intn(3))
		log := new(big.Int)
		density := r.Intn(4)
		for k := range sums {
			for i := range sumPositions {
				if r.Intn(4) < density {
					continue
				}
				at := r.Intn(len(points))
				q, l := points[at], new(big.Int).Set(logs[at])
				if r.Intn(2) == 0 {
					q.Neg(&q)
					l.Neg(l)
				}
				sums[k].set(i, &q)
				log.Add(log, l.Lsh(l, uint(i)))
			}
		}
		var got point.Jacobian
		horner(&got, sums)
		wantPoint(t, fmt.Sprint("round ", round), &got, multipleOfG(log))
	}
}

// TestPositionSums checks that set stores a point at its position and at no other, and that a point
// counts as present if any word of its coordinates is not zero.
func TestPositionSums(t *testing.T) {
	for i := range sumPositions {
		for word := range lanes.RowWords {
			var l [lanes.RowWords]uint64
			l[word] = 1 << (i % 64)
			var p point.Affine
			p.X.SetLimbs(l[0], l[1], l[2], l[3])
			p.Y.SetLimbs(l[4], l[5], l[6], l[7])
			var s positionSums
			s.set(i, &p)
			for k := range sumPositions {
				if got, ok := s.point(k); ok != (k == i) || ok && got != p {
					t.Fatalf("set at %d, word %d: at %d there is %v, %v", i, word, k, ok, got)
				}
			}
		}
	}
}
