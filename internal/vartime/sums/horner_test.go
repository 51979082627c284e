package sums

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
)

// TestHorner checks that horner returns the sum of 2^i·P_i, also if some points P_i are missing, or
// equal or opposite to the sum so far.
func TestHorner(t *testing.T) { onLevels(t, testHorner) }

func testHorner(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for round := range 60 {
		points, logs := walk(t, 8, big.NewInt(1), big.NewInt(1))
		var s Sum
		s.startWorkers(firstBase, sumPositions, 1+r.Intn(3))
		log := new(big.Int)
		density := r.Intn(4)
		for _, first := range s.first {
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
				s.rows[first+i] = q
				log.Add(log, l.Lsh(l, uint(i)))
			}
		}
		var got point.Jacobian
		s.horner(&got)
		wantPoint(t, fmt.Sprint("round ", round), &got, multipleOfG(log))
	}
}
