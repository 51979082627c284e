package engine

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A plannedRow is a row of a simulated batch. It is bad (not valid), cheap (decided by parsing,
// which costs nothing), or without an equation.
type plannedRow struct{ bad, cheap, without bool }

// planCost simulates a verification of rows by the given number of workers, as a chunk verifies
// them, with the budget b. It returns the cost, in hundredths of the cost of one row without an
// equation, and the number of equations. It counts the cost independently of the budget, and checks
// that it is at most 1.2 times the cost of verifying each undecided row, and the budget at first.
func planCost(
	t *testing.T, b *Budget, rows []plannedRow, workers int,
) (spent int64, equations int) {
	t.Helper()
	left := 0
	for _, row := range rows {
		if !row.cheap {
			left++
		}
	}
	each, before := costOfEach(left), b.left
	for b.add(left); len(rows) > 0; {
		n, end := b.next(left, workers), len(rows)
		left -= n
		for i, found := 0, 0; found < n; i++ { // up to the n-th undecided row
			if !rows[i].cheap {
				found++
			}
			end = i + 1
		}
		part := rows[:end]
		rows = rows[end:]
		tried, holds := 0, n > 0
		for _, row := range part {
			if !row.cheap && !row.without {
				tried++
				holds = holds && !row.bad
			}
		}
		if holds = holds && EquationPays(tried, workers); n > 0 && EquationPays(tried, workers) {
			equations++
			spent += costOfEquation(tried)
			b.spend(tried, holds)
		}
		for _, row := range part {
			if !row.cheap && (row.without || !holds) {
				spent += costOfEach(1)
			}
		}
	}
	if said := before + each*allowance/100 - b.left; said != spent || spent > before+each*12/10 {
		t.Fatalf("%d is spent, the budget says %d, and the cost of each row is %d", spent, said, each)
	}
	return spent, equations
}

// TestChunks checks that calls in several chunks have the expected verdicts, and keep to the
// simulated budget, whether equations hold or not, with and without rows that have no equation or
// are malformed.
func TestChunks(t *testing.T) {
	const n, size = 500, 200
	ctx := context.Background()
	r := rand.New(rand.NewSource(42))
	schnorr := schnorrRecords(r, n, someKeys(r, n), xOnly, oddY, evenY)
	ecdsa := ecdsaRecords(r, n, someKeys(r, n))
	onLevels(t, func(t *testing.T) {
		for pattern := range 7 {
			kind, b := Schnorr, &Records{slices.Clone(schnorr.bytes)}
			if pattern%2 == 1 {
				kind, b = ECDSA, &Records{slices.Clone(ecdsa.bytes)}
			}
			rows, want := make([]plannedRow, n), slices.Repeat([]Verdict{Valid}, n)
			for i := range rows {
				row, record := &rows[i], (*Record)(b.bytes[i*recordSize:])
				row.bad = pattern/2 == 1 && r.Intn(3) == 0 || pattern/2 == 2 && i%size == size-1
				row.cheap = pattern == 1 && i%10 == 3 || pattern == 3 && r.Intn(4) == 0 || pattern == 6
				row.without = kind == ECDSA && (i%9 == 2 || pattern == 5 && i < size)
				if row.bad {
					record[recordHash] ^= 1
					want[i] = Invalid
				}
				if row.cheap {
					record.SetKey(nil)
					want[i] = Malformed
				}
				if row.without {
					record[recordState] &^= hasID
				}
			}
			for _, workers := range []int{1, 2} {
				c := b.columns(kind, 0, Options{Workers: workers})
				c.Verdicts = make([]Verdict, n)
				var chunk chunk
				var budget, planned Budget
				for p := range c.parts(size) {
					if err := chunk.verify(ctx, p, &budget); err != nil {
						t.Fatal(err)
					}
					planCost(t, &planned, rows[:p.Rows], workers)
					rows = append(rows[p.Rows:], rows[:p.Rows]...)
				}
				if !slices.Equal(c.Verdicts, want) || budget != planned || budget.left < 0 {
					t.Errorf("pattern %d, %d workers: budget %d, want %d, verdicts %v, want %v", pattern,
						workers, budget.left, planned.left, c.Verdicts, want)
				}
				ok, err := b.VerifyAll(ctx, kind, 0, Options{Workers: workers})
				if ok != (slices.Max(want) == Valid) || err != nil {
					t.Errorf("pattern %d, %d workers: %v, %v", pattern, workers, ok, err)
				}
			}
		}
	})
}

// TestPlannedCost checks that no pattern of invalid rows, rows without an equation and rows that
// cost nothing makes the cost of a verification more than 1.2 times the cost of verifying each
// undecided row, and that a batch of valid rows costs hardly more than one equation.
func TestPlannedCost(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for range 150 { // runs of rows that are nearly all of one sort
			rows := make([]plannedRow, 1+r.Intn(6000))
			for at := 0; at < len(rows); {
				end := min(len(rows), at+1+r.Intn(len(rows)))
				row := plannedRow{bad: r.Intn(2) == 0, cheap: r.Intn(2) == 0, without: r.Intn(3) == 0}
				for ; at < end; at++ {
					rows[at] = row
					rows[at].cheap = row.cheap != (r.Intn(50) == 0)
				}
			}
			planCost(t, new(Budget), rows, 1)
		}
		for _, n := range []int{1, 15, 16, 17, 64, 100, 1000, 4096, 1 << 20} {
			spent, equations := planCost(t, new(Budget), make([]plannedRow, n), 1)
			if n >= 1000 && (equations > 4 || spent > costOfEquation(n)*5/4) {
				t.Errorf("%d good rows: %d equations, %d of 100 a row", n, equations, spent/int64(n))
			}
			for pattern := range 200 {
				if n > 10000 && (pattern > 20 || pattern > 6 && !cputest.Deep()) {
					break
				}
				rows := make([]plannedRow, n)
				from, most := r.Intn(n), 1+r.Intn(1+r.Intn(n))
				switch pattern {
				case 0:
					from, most = 0, 1 // all rows
				case 1:
					from = n - 1 // the last row alone
				case 2:
					rows[0].bad = true
				}
				for i := from; i < n && pattern != 2; i += 1 + r.Intn(most) {
					rows[i].bad = true
				}
				planCost(t, new(Budget), rows, 1)
			}
		}
	})
}

// TestWorkersAndEquations checks that EquationPays agrees with a simulation. With one worker, an
// equation pays if it costs less than the verification of each row. With more workers, it pays if
// its wall-clock time is less; the simulation runs the serial part on one worker and counts one
// unit of work after another.
func TestWorkersAndEquations(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		p := profile.Current()
		yes, no := 0, 0
		for _, rows := range []int{1, 8, 16, 31, 32, 48, 64, 100, 256, 1000, 4096, 60000} {
			price := p.Price(rows)
			if got := EquationPays(rows, 1); got != (price > 0) {
				t.Errorf("%d rows, one worker: %v, at %d percent", rows, got, price)
			}
			if costOfEquation(rows) > 0 && spanOfEquation(rows, 1) != costOfEquation(rows) {
				t.Errorf("%d rows: an equation by one worker takes %d, and costs %d", rows,
					spanOfEquation(rows, 1), costOfEquation(rows))
			}
			before := true // whether an equation paid with fewer workers
			for workers := 1; workers <= 256; workers *= 2 {
				// Worker 0 does the serial part first; then all workers take units
				// until none is left.
				together := min(max(1, min(workers, rows/p.EquationPerWorker)), 64)
				clocks := make([]int64, together)
				clocks[0] = p.SerialPerRow*int64(rows) + p.SerialPerWorker*int64(together)
				for k := range clocks {
					clocks[k] = clocks[0]
				}
				left := price*int64(rows) - p.SerialPerRow*int64(rows) - p.SerialPerWorker
				for unit := max(1, left/1000); left > 0; left -= unit {
					slices.Sort(clocks)
					clocks[0] += min(unit, left)
				}
				each := 100 * int64(rows) / int64(together)
				last := slices.Max(clocks)
				if difference := last - each; price == 0 || max(difference, -difference) > each/50 {
					want := price > 0 && difference < 0
					if got := EquationPays(rows, workers); got != want {
						t.Errorf("%d rows, %d workers: %v; %d together, %d each", rows, workers, got, last, each)
					}
				}
				switch pays := EquationPays(rows, workers); {
				case pays && rows > 4096 && !before:
					t.Errorf("%d rows: it pays for %d workers, and not for fewer", rows, workers)
				case pays:
					yes++
				default:
					no++
					before = false
				}
			}
		}
		if yes == 0 || no == 0 {
			t.Errorf("%d times yes, %d times no", yes, no)
		}
		for _, workers := range []int{1, 2, 1024} { // no equation pays for 1024
			_, n := planCost(t, new(Budget), make([]plannedRow, 1000), workers)
			if (workers < 1024) != (n > 0) {
				t.Errorf("%d workers: %d equations", workers, n)
			}
		}
	})
}
