package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// equationErrors change a valid row i so that it is invalid, or row i and another row j so that
// their errors would cancel if one coefficient were the other or λ times it. An error that returns
// false has changed nothing.
var equationErrors = []func(r *rand.Rand, rows []*row, i, j int) bool{
	func(r *rand.Rand, rows []*row, i, _ int) bool {
		rows[i].a.Add(&rows[i].a, new(scalar.Scalar).SetUint64(uint64(1+r.Intn(3))))
		return true
	},
	func(r *rand.Rand, rows []*row, i, j int) bool {
		error := new(scalar.Scalar).SetUint64(uint64(1 + r.Intn(3)))
		rows[i].a.Add(&rows[i].a, error)
		rows[j].a.Sub(&rows[j].a, error)
		return i != j
	},
	func(r *rand.Rand, rows []*row, i, j int) bool {
		error := vartimetest.Scalar(reference.Secret(r))
		rows[i].a.Add(&rows[i].a, error)
		error.Mul(error, vartimetest.Scalar(reference.Lambda()))
		rows[j].a.Sub(&rows[j].a, error)
		return i != j
	},
	func(_ *rand.Rand, rows []*row, i, _ int) bool {
		rows[i].b.Neg(&rows[i].b)
		return true
	},
	func(_ *rand.Rand, rows []*row, i, j int) bool {
		before := rows[i].x
		rows[i].x = rows[j].x
		return rows[i].x != before
	},
	func(_ *rand.Rand, rows []*row, i, j int) bool {
		before := rows[i].p
		rows[i].p, rows[i].lift, rows[i].odd = rows[j].p, rows[j].lift, rows[j].odd
		return rows[i].p.X != before.X
	},
	func(_ *rand.Rand, rows []*row, i, j int) bool {
		rows[i].a, rows[j].a = rows[j].a, rows[i].a
		return rows[i].a != rows[j].a
	},
}

// TestEquation checks that the equation holds for valid rows and fails with each error, even if
// many keys and nonces are equal, or small multiples of each other, or λ times each other. The same
// must be true if all coordinates have the same hash: then the limit on comparisons keeps most of
// the equal points from being merged.
func TestEquation(t *testing.T) {
	lambda, n := reference.Lambda(), big.NewInt
	type family func(r *rand.Rand, i int64) (x, k *big.Int)
	families := map[string]family{
		"random": func(r *rand.Rand, _ int64) (x, k *big.Int) {
			return n(int64(100 + r.Intn(20))), reference.Secret(r)
		},
		"repeated":  func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(1 + i%90), n(50 + i%70) },
		"one row":   func(*rand.Rand, int64) (x, k *big.Int) { return n(11), n(5) },
		"one key":   func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(11), n(i + 1) },
		"one nonce": func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(i + 1), n(5) },
		"R is P":    func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(i + 1), n(i + 1) },
		"R is −P":   func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(i + 1), n(-i - 1) },
		"R is λP": func(_ *rand.Rand, i int64) (x, k *big.Int) {
			return n(i + 1), new(big.Int).Mul(n(i+1), lambda)
		},
		"R is the next P": func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(i + 2), n(i + 3) },
		"R is ±G": func(r *rand.Rand, i int64) (x, k *big.Int) {
			return reference.Secret(r), n(1 - i%2*2)
		},
		"all are G": func(*rand.Rand, int64) (x, k *big.Int) { return n(1), n(-1) },
		"pairs":     func(_ *rand.Rand, i int64) (x, k *big.Int) { return n(7 + i/2), n(1000 + i/2) },
		"few of all": func(r *rand.Rand, _ int64) (x, k *big.Int) {
			some := func() *big.Int {
				k := n(int64(1+r.Intn(4)) * int64(1-2*r.Intn(2)))
				for range r.Intn(3) {
					k.Mul(k, lambda)
				}
				return k
			}
			return some(), some()
		},
	}
	onLevels(t, func(t *testing.T) {
		var e equation // every round uses the same memory
		for name, family := range families {
			r := rand.New(rand.NewSource(1))
			sizes, rounds := []int{2, 3, 17, 40, 200}, 1
			if name == "random" {
				sizes, rounds = []int{0, 1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 64, 65, 150}, 3
			}
			for _, n := range sizes { // numbers of rows
				var b Records
				for i := range n {
					x, k := family(r, int64(i))
					setSchnorr(b.Add(), r, x, k, r.Intn(3))
				}
				rows := parsed(&b, Schnorr)
				check := func(what string, rows []*row, workers int, want bool) {
					t.Helper()
					ok, err := holdsBy(context.Background(), &e, &bip340, rows, workers)
					if ok != want || err != nil {
						t.Errorf("%s, %d rows, %s: %v %v", name, n, what, ok, err)
					}
				}
				hashRows(rows)
				for workers := range 4 {
					check("valid", copies(rows, n), workers, true)
				}
				for k := range min(n, rounds) * len(equationErrors) {
					bad, i, j := copies(rows, n), r.Intn(n), r.Intn(n)
					if equationErrors[k%len(equationErrors)](r, bad, i, j) {
						check(fmt.Sprint("error ", k), bad, 1+k%2, false)
					}
				}
				check("valid again", copies(rows, n), 1, true)
				if n == 0 {
					continue
				}
				full, short := map[[4]uint64]bool{}, map[[4]uint64]bool{}
				for _, p := range e.points {
					full[p.X.Limbs()] = true
				}
				for i, k := range e.nonce {
					if k < 0 {
						short[e.nonces[i].X.Limbs()] = true
					}
				}
				if len(full) != len(e.points) || len(full) != len(e.full) || len(short) != int(e.shorts) {
					t.Errorf("%s: %d of %d full terms differ, and %d of %d short ones", name, len(full),
						len(e.full), len(short), e.shorts)
				}
				if e.rows != nil || e.team != nil {
					t.Errorf("%s: the rows of the call are kept, or its team", name)
				}
				var unmerged equation // with factors that are zero
				for _, want := range []bool{true, false} {
					unmerged.rows = copies(rows, n)
					set := unmerged.set(&bip340)
					found, err := unmerged.find(context.Background())
					if !set || !found || err != nil {
						t.Fatalf("%s, %d rows, unmerged: %v, %v, %v", name, n, set, found, err)
					}
					unmerged.terms()
					if ok, err := unmerged.sum.IsZero(context.Background(), nil); ok != want || err != nil {
						t.Errorf("%s, %d rows, unmerged: %v, want %v, %v", name, n, ok, want, err)
					}
					if name == "repeated" && n == 200 && len(unmerged.points) <= 90+70-40 {
						t.Errorf("%d points, so all are merged", len(unmerged.points))
					}
					rows[n-1].a.Add(&rows[n-1].a, new(scalar.Scalar).One())
				}
			}
		}
	})
}

// TestEquationNoPoint checks that a key or a nonce with an x coordinate that no point has never
// gets into the sum, at any position. On another curve it might be chosen so that it cancels a
// term.
func TestEquationNoPoint(t *testing.T) {
	var none field.Element
	for x := uint64(1); ; x++ {
		var p point.Affine
		if none.SetUint64(x); p.LiftX(&none, 0) == 0 {
			break
		}
	}
	onLevels(t, func(t *testing.T) {
		team := forkjoin.New(3)
		defer team.Stop()
		r := rand.New(rand.NewSource(5))
		for _, n := range []int{1, 7, 16, 33, 300} {
			var b Records
			for k := range n {
				setSchnorr(b.Add(), r, big.NewInt(int64(k+2)), big.NewInt(int64(k+1000)), r.Intn(3))
			}
			for i := 0; i < n; i += 1 + n/9 {
				for part := range 3 {
					rows := parsed(&b, Schnorr)
					switch part {
					case 0:
						rows[i].x = none
					case 1:
						rows[i].p, rows[i].lift = point.Affine{X: none}, true
					case 2: // a nonce that two rows share
						rows[i].x, rows[(i+1)%n].x = none, none
					}
					for _, c := range []*forkjoin.Team{nil, team} {
						e := equation{rows: rows, team: c}
						set := e.set(&bip340)
						if found, _ := e.find(context.Background()); !set || found {
							t.Fatalf("%d rows, %d workers: a point is found for row %d, part %d", n, c.Workers(), i,
								part)
						}
					}
				}
			}
		}
	})
}

// TestPointTable checks that with coordinates that share most of their bits, as an attacker may
// choose them, no list gets long, and that each coordinate is found.
func TestPointTable(t *testing.T) {
	const n = 1 << 14
	r := rand.New(rand.NewSource(3))
	families := map[string]func(i uint64) [4]uint64{
		"random":      func(uint64) [4]uint64 { return [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), 1} },
		"high halves": func(i uint64) [4]uint64 { return [4]uint64{i << 32, 1, i << 32, 1} },
	}
	for k := range 4 {
		for _, shift := range []int{0, 17, 32, 50} {
			families[fmt.Sprintf("limb %d from bit %d on", k, shift)] = func(i uint64) (l [4]uint64) {
				l = [4]uint64{5, 6, 7, 8}
				l[k] = i << shift
				return l
			}
		}
	}
	// In each of these families, all coordinates have the same sum of words.
	for k := range 8 {
		for j := range k {
			families[fmt.Sprintf("words %d and %d", j, k)] = func(i uint64) (l [4]uint64) {
				l[j/2] += i << (j % 2 * 32)
				l[k/2] += (n - i) << (k % 2 * 32)
				return l
			}
		}
	}
	total, tables := 0, 0
	for name, family := range families {
		var e equation
		for range 3 {
			for i := range e.known.factors {
				e.known.factors[i] = r.Uint64()
			}
			e.known.reset(n)
			e.known.left = math.MaxInt
			e.x = make([]field.Element, n)
			for i := range e.x {
				l := family(uint64(i))
				e.x[i].SetLimbs(l[0], l[1], l[2], l[3])
				if k := e.known.find(&e, &e.x[i]); *k != unknown {
					t.Fatalf("%s: coordinate %d is there before it is put in", name, i)
				} else {
					*k = ^int32(i)
				}
			}
			steps := 0
			for i := range e.x {
				if k := e.known.find(&e, &e.x[i]); *k != ^int32(i) {
					t.Fatalf("%s: coordinate %d is said to be %d", name, i, ^*k)
				}
			}
			for _, k := range e.known.lists {
				for length := 0; k != 0; k = e.known.next[k-1] {
					length++
					steps += length
				}
			}
			if steps > 50*n {
				t.Errorf("%s: %d steps for %d coordinates", name, steps, n)
			}
			total += steps
			tables++
		}
	}
	// For any n coordinates in len(lists) lists, finding one takes at most 1 + n/len(lists)
	// comparisons on average.
	if total > 2*n*tables {
		t.Errorf("%d steps for %d times %d coordinates", total, tables, n)
	}
}

// groundRows returns 4,097 rows that attack a hash table whose factors are not random, but expanded
// from the digest of the rows. It also returns the factors that such a table would have. The keys
// and nonces have consecutive x coordinates. The s of the last row was found by trying some 116,000
// values: with it, the coordinates fall into few lists, so that finding one takes many comparisons.
func groundRows() (rows []*row, factors [8]uint64) {
	const n = 4097
	number := func(k int) (b [32]byte) {
		binary.BigEndian.PutUint64(b[24:], uint64(k))
		return b
	}
	var b Records
	msg := number(7)
	for i := range n {
		row, s := b.Add(), 1
		if i == n-1 {
			s = 115979
		}
		x, y, z := number(1+i), number(n+1+i), number(s)
		row.SetKeyX(x[:])
		row.SetSchnorr(msg[:], append(y[:], z[:]...), nil)
	}
	rows = parsed(&b, Schnorr)
	e := equation{rows: rows}
	e.set(&bip340)
	var digests [hash.Sixteen][32]byte
	hash.Expand(&digests, &e.seed, 1<<63)
	for i := range factors {
		factors[i] = binary.LittleEndian.Uint64(digests[i/4][8*(i%4):])
	}
	return rows, factors
}

// TestMergeBound checks that the number of comparisons is bounded even if the sender knows the
// factors, and that the factors of a call depend neither on the rows nor on earlier calls.
func TestMergeBound(t *testing.T) {
	rows, ground := groundRows()
	coordinates := 2 * len(rows)
	never := func() bool { return false }
	comparisons := func(e *equation) int { return mergeSteps*coordinates - e.known.left }

	e := equation{rows: rows}
	e.set(&bip340)
	e.known.factors = ground
	if e.merge(never); comparisons(&e) != mergeSteps*coordinates {
		t.Errorf("%d comparisons for %d coordinates", comparisons(&e), coordinates)
	}
	// These factors are good: they give each coordinate a list of its own.
	e.known.factors = [8]uint64{1 << (64 - 14)}
	e.merge(never)
	if comparisons(&e) != 0 || len(e.points) != len(rows) || int(e.shorts) != len(rows) {
		t.Errorf("good factors make %d comparisons", comparisons(&e))
	}
	seen := map[[8]uint64]bool{ground: true}
	for range 3 {
		if ok, err := e.holds(context.Background(), &bip340, rows, nil); ok || err != nil {
			t.Error(ok, err)
		}
		if factors := e.known.factors; seen[factors] {
			t.Errorf("the factors %x a second time", factors)
		}
		seen[e.known.factors] = true
	}
}

// A forgetful context returns an error only from the call with number at of its method Err.
type forgetful struct {
	context.Context
	at int
}

func (c *forgetful) Err() error {
	if c.at--; c.at == 0 {
		return context.Canceled
	}
	return nil
}

// TestMergeStops checks that merge stops within segmentRows rows, and that a search for points does
// nothing after the end of its context.
func TestMergeStops(t *testing.T) {
	rows, _ := groundRows()
	for most := range 2 * len(rows) / segmentRows {
		e := equation{rows: rows}
		e.known.draw()
		e.set(&bip340)
		calls := 0
		e.merge(func() bool { calls++; return calls > most })
		if calls != most+1 || len(e.known.where) > most*segmentRows {
			t.Errorf("%d calls and %d coordinates, want at most %d", calls, len(e.known.where), most)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := equation{rows: rows}
	e.set(&bip340)
	found, err := e.find(ctx)
	if found || err == nil || len(e.known.where) > 0 || e.nonces[0].X.IsZero() == 0 {
		t.Errorf("a cancelled search finds points: %v, %v", found, err)
	}
	// A search must return the error of its context even if later calls of Err return nil.
	once := &forgetful{Context: context.Background(), at: 1}
	if found, err := e.find(once); found || err == nil {
		t.Errorf("a search whose context ended for a moment: %v, %v", found, err)
	}
}
