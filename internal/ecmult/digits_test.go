package ecmult

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// laneLimbs are the limbs of the coordinates x and y in one lane, in radix 2^52.
type laneLimbs [2][5]uint64

// randomLimbs returns limbs of two reduced elements. Some are the smallest or largest, or those of
// 0, p − 1, p, p + 1 or 2·p.
func randomLimbs(r *rand.Rand) (l laneLimbs) {
	const low, high = 1<<52 - 1, 1<<48 - 1
	edges := [][5]uint64{
		{}, {1}, {low, low, low, low, 1<<49 - 1}, {0, 0, 0, 0, 1 << 48},
		{low - field.C, low, low, low, high}, {low + 1 - field.C, low, low, low, high},
		{low + 2 - field.C, low, low, low, high}, {low + 1 - 2*field.C, low, low, low, 2*high + 1},
	}
	for k := range l {
		for i := range l[k] {
			l[k][i] = r.Uint64() >> 12
		}
		l[k][4] >>= 3
		if r.Intn(3) == 0 {
			l[k] = edges[r.Intn(len(edges))]
		}
	}
	return l
}

// randomEntries returns a table for readDigits and windows of w bits.
func randomEntries(r *rand.Rand, w int) []lanes.Affine {
	table := make([]lanes.Affine, 1<<(w-1))
	for e := range table {
		for j := range lanes.Width {
			l := randomLimbs(r)
			for i := range 5 {
				table[e].X[i].Set(j, l[0][i])
				table[e].Y[i].Set(j, l[1][i])
			}
		}
	}
	return table
}

// randomShared returns 32 points, and the table for readShared that has them.
func randomShared(r *rand.Rand) (points []laneLimbs, table *[10][4]lanes.Vector) {
	table = new([10][4]lanes.Vector)
	for e := range 32 {
		l := randomLimbs(r)
		points = append(points, l)
		for i := range 10 {
			table[i][e/8][e%8] = l[i/5][i%5]
		}
	}
	return points, table
}

func randomLaneWords(r *rand.Rand, n int) []lanes.Vector {
	words := make([]lanes.Vector, n)
	for i := range words {
		for j := range words[i] {
			words[i][j] = r.Uint64()
		}
	}
	return words
}

// laneDigit returns the digit of lane j that the w bits of words from bit shift up encode.
func laneDigit(words []lanes.Vector, j, shift, w int) int {
	v := new(big.Int)
	for i := range words {
		word := new(big.Int).SetUint64(words[i].At(j))
		v.Or(v, word.Lsh(word, uint(64*i)))
	}
	v.Rsh(v, uint(shift)).And(v, big.NewInt(1<<w-1))
	return 2*int(v.Int64()) - (1<<w - 1)
}

// setWindows sets the window of each lane to a number of its own; first is that of lane 0. If first
// takes all values, the windows of every lane do so too.
func setWindows(words []lanes.Vector, shift, w int, first uint64) {
	for j := range lanes.Width {
		code := (first + uint64(37*j)) & (1<<w - 1)
		for k := range w {
			at := shift + k
			v := words[at/64].At(j) &^ (1 << (at % 64))
			words[at/64].Set(j, v|code>>k&1<<(at%64))
		}
	}
}

// limbValue returns the number with the given limbs.
func limbValue(limb func(i int) uint64) *big.Int {
	v := new(big.Int)
	for i := range 5 {
		l := new(big.Int).SetUint64(limb(i))
		v.Add(v, l.Lsh(l, uint(52*i)))
	}
	return v
}

// checkLane returns an error if lane j of p is not the point with the given limbs, or its opposite
// if negative is set. Only a coordinate that is negated may have other limbs.
func checkLane(p *lanes.Affine, j int, want laneLimbs, negative bool) error {
	y := func(i int) uint64 { return p.Y[i].At(j) }
	for i := range 5 {
		if got := p.X[i].At(j); got != want[0][i] {
			return fmt.Errorf("limb %d of x is %#x, want %#x", i, got, want[0][i])
		}
		if !negative && y(i) != want[1][i] {
			return fmt.Errorf("limb %d of y is %#x, want %#x", i, y(i), want[1][i])
		}
		if y(i)>>52 != 0 || y(4)>>49 != 0 {
			return fmt.Errorf("limb %d of y is %#x, which is not reduced", i, y(i))
		}
	}
	if !negative {
		return nil
	}
	sum := limbValue(y)
	sum.Add(sum, limbValue(func(i int) uint64 { return want[1][i] }))
	if sum.Mod(sum, reference.P()).Sign() != 0 {
		return errors.New("y is not negated")
	}
	return nil
}

// checkDigits checks the points that readDigits stores in p.
func checkDigits(
	t *testing.T, p *lanes.Affine, table []lanes.Affine, words *[3]lanes.Vector, shift, w int,
) {
	t.Helper()
	before := *words
	readDigits(p, table, words, shift, w)
	if *words != before {
		t.Fatal("readDigits changes its argument")
	}
	for j := range lanes.Width {
		d := laneDigit(words[:], j, shift, w)
		e := &table[max(d, -d)/2]
		var want laneLimbs
		for i := range 5 {
			want[0][i], want[1][i] = e.X[i].At(j), e.Y[i].At(j)
		}
		if err := checkLane(p, j, want, d < 0); err != nil {
			t.Fatalf("%d bits from %d, lane %d, digit %d: %v", w, shift, j, d, err)
		}
	}
}

// checkShared checks the points that readShared stores in p.
func checkShared(t *testing.T, p *lanes.Affine, points []laneLimbs, table *[10][4]lanes.Vector,
	words *[5]lanes.Vector, shift, w int) {
	t.Helper()
	before := *words
	readShared(p, table, words, shift, w)
	if *words != before {
		t.Fatal("readShared changes its argument")
	}
	for j := range lanes.Width {
		d := laneDigit(words[:], j, shift, w)
		if err := checkLane(p, j, points[max(d, -d)/2], d < 0); err != nil {
			t.Fatalf("%d bits from %d, lane %d, digit %d: %v", w, shift, j, d, err)
		}
	}
}

// TestReadDigits checks readDigits for windows of every width at every place, and for every digit
// in every lane.
func TestReadDigits(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	p := new(lanes.Affine)
	for w := 1; w <= 7; w++ {
		table := randomEntries(r, w)
		for shift := 0; shift+w <= 192; shift++ {
			words := [3]lanes.Vector(randomLaneWords(r, 3))
			for first := range uint64(1) << w {
				setWindows(words[:], shift, w, first)
				checkDigits(t, p, table, &words, shift, w)
			}
		}
	}
}

// TestReadShared checks readShared in the same way as TestReadDigits. What the table has beyond the
// points for windows of w bits must not matter.
func TestReadShared(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	p := new(lanes.Affine)
	for w := 1; w <= 6; w++ {
		points, table := randomShared(r)
		for e := 1 << (w - 1); e < len(points); e++ {
			for i := range table {
				table[i][e/8][e%8] = r.Uint64()
			}
		}
		for shift := 0; shift+w <= 320; shift++ {
			words := [5]lanes.Vector(randomLaneWords(r, 5))
			for first := range uint64(1) << w {
				setWindows(words[:], shift, w, first)
				checkShared(t, p, points, table, &words, shift, w)
			}
		}
	}
}
