package batch_test

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// TestCorpus checks that the rows of each kind have all verdicts, and that the rows of all kinds
// have all reasons.
func TestCorpus(t *testing.T) {
	reasons := map[batch.Reason]int{}
	for _, k := range kinds() {
		var n [4]int
		for _, row := range k.all() {
			n[row.verdict]++
			reasons[row.why]++
		}
		t.Logf("%s: %d valid, %d invalid, %d malformed", k.name, n[batch.Valid], n[batch.Invalid],
			n[batch.Malformed])
		verifies := k.verifier != nil
		if n[batch.Valid] < 50 || k.name != "EllswiftRows" && n[batch.Malformed] < 20 ||
			verifies && n[batch.Invalid] < 50 {
			t.Errorf("%s: too few rows of a verdict", k.name)
		}
	}
	for why := range batch.WrongOutput + 1 {
		if reasons[why] < 5 {
			t.Errorf("%d rows with the reason: %v", reasons[why], why)
		}
	}
}

// TestRows checks that every row of every kind gets the answer that the function for one row gives,
// in calls with many numbers of rows, bad and good ones, layouts of columns and numbers of workers.
func TestRows(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		for _, k := range kinds() {
			for i, n := range append(sizes(r, 700), 0) {
				for _, how := range [][]int{{0, 2, 4}, {1, 3}}[i%2] {
					g := k.give(r, r.IntN(4), k.pick(r, how, n))
					k.check(t, g, batch.Options{Workers: i%5 - 1, Exact: k.signs && r.IntN(3) == 0})
				}
			}
		}
	})
}
