package ecmult

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
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
		if r.IntN(3) == 0 {
			l[k] = edges[r.IntN(len(edges))]
		}
	}
	return l
}

// A reader describes two functions that read a point for each lane from a table.
type reader struct {
	name  string
	most  int // windows have up to this number of bits
	words int // number of words in each lane in which windows can be

	// build returns the points of a random table for windows of w bits, by lane and by index, and
	// two functions that read from it. Their arguments are next to pages that cannot be accessed,
	// as those of cputest.Memory.
	build func(t testing.TB, r *rand.Rand, w int) (points [lanes.Width][]laneLimbs, read [2]readFunc)
}

// A readFunc stores in p the points of the digits in w bits of words, from bit number shift up.
type readFunc func(p *lanes.Affine, words []lanes.Vector, shift, w int)

// readers lists the readers of this package.
var readers = []reader{
	{"readDigits", 7, 3, func(t testing.TB, r *rand.Rand, w int) (
		points [lanes.Width][]laneLimbs, read [2]readFunc,
	) {
		results, arguments := cputest.Memory[lanes.Affine](t), cputest.Memory[[3]lanes.Vector](t)
		for k, table := range cputest.Slices[lanes.Affine](t, 1<<(w-1)) {
			for e := range table {
				for j := range points {
					if k == 0 {
						points[j] = append(points[j], randomLimbs(r))
					}
					for i := range 5 {
						table[e].X[i].Set(j, points[j][e][0][i])
						table[e].Y[i].Set(j, points[j][e][1][i])
					}
				}
			}
			read[k] = func(p *lanes.Affine, words []lanes.Vector, shift, w int) {
				*arguments[k] = [3]lanes.Vector(words)
				readDigits(results[k], table, arguments[k], shift, w)
				*p = *results[k]
			}
		}
		return points, read
	}},
	{"readShared", 6, 5, func(t testing.TB, r *rand.Rand, w int) (
		points [lanes.Width][]laneLimbs, read [2]readFunc,
	) {
		results, arguments := cputest.Memory[lanes.Affine](t), cputest.Memory[[5]lanes.Vector](t)
		tables := cputest.Memory[[10][4]lanes.Vector](t)
		for e := range 32 {
			l := randomLimbs(r)
			for i := range tables[0] {
				tables[0][i][e/8][e%8] = l[i/5][i%5]
				if e >= 1<<(w-1) { // beyond the points
					tables[0][i][e/8][e%8] = r.Uint64()
				}
			}
			for j := range points {
				points[j] = append(points[j], l)
			}
		}
		*tables[1] = *tables[0]
		for k, table := range tables {
			read[k] = func(p *lanes.Affine, words []lanes.Vector, shift, w int) {
				*arguments[k] = [5]lanes.Vector(words)
				readShared(results[k], table, arguments[k], shift, w)
				*p = *results[k]
			}
		}
		return points, read
	}},
	{"readRound", 7, 1, func(t testing.TB, r *rand.Rand, w int) (
		points [lanes.Width][]laneLimbs, read [2]readFunc,
	) {
		results, parts := cputest.Memory[lanes.Affine](t), cputest.Memory[[lanes.Width]uint64](t)
		table := make([]byte, roundEntry<<(w-1))
		for e := range 1 << (w - 1) {
			for j := range 4 {
				var l laneLimbs
				for k := range l {
					x := new(big.Int).Mod(reference.RandInt(r), reference.P())
					for i, word := range reference.Words(x) {
						putWord(table[e*roundEntry+32*(4*k+i)+8*j:], word)
					}
					l[k] = reference.Limbs52(x)
				}
				points[j], points[j+4] = append(points[j], l), append(points[j+4], l)
			}
		}
		for k, text := range cputest.Strings(t, string(table)) {
			read[k] = func(p *lanes.Affine, words []lanes.Vector, shift, w int) {
				for j := range parts[k] {
					parts[k][j] = words[0].At(j)
				}
				readRound(results[k], text, parts[k], uint64(shift))
				*p = *results[k]
			}
		}
		return points, read
	}},
}

// checkLane returns an error if lane j of p is not the point with the given limbs, or its opposite
// if negative is set. Only a coordinate that is negated may have other limbs.
func checkLane(p *lanes.Affine, j int, want laneLimbs, negative bool) error {
	var x, y [5]uint64
	for i := range 5 {
		x[i], y[i] = p.X[i].At(j), p.Y[i].At(j)
		if y[i]>>52 != 0 || i == 4 && y[i]>>49 != 0 {
			return fmt.Errorf("limb %d of y is %#x, which is not reduced", i, y[i])
		}
	}
	if x != want[0] || !negative && y != want[1] {
		return fmt.Errorf("the point is (%x, %x), want (%x, %x)", x, y, want[0], want[1])
	}
	sum := reference.FromLimbs52(y)
	sum.Add(sum, reference.FromLimbs52(want[1]))
	if negative && sum.Mod(sum, reference.P()).Sign() != 0 {
		return errors.New("y is not negated")
	}
	return nil
}

// TestReaders checks the readers for windows of every width at every place, and for every digit in
// every lane.
func TestReaders(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, reader := range readers {
		for w := 1; w <= reader.most; w++ {
			points, read := reader.build(t, r, w)
			for shift := 0; shift+w <= 64*reader.words; shift++ {
				for first := range uint64(1) << w {
					// The window of each lane takes all values, one after another. If w is at least
					// 3, no two lanes have the same value at a time.
					words := make([]lanes.Vector, reader.words)
					var codes [lanes.Width]uint64
					for j := range codes {
						codes[j] = (first + uint64(37*j)) & (1<<w - 1)
						setWindow(words, r, j, shift, w, codes[j])
					}
					var p lanes.Affine
					read[first%2](&p, words, shift, w)
					for j, code := range codes {
						d := 2*int(code) - (1<<w - 1)
						if err := checkLane(&p, j, points[j][max(d, -d)/2], d < 0); err != nil {
							t.Fatalf("%s: %d bits from %d, lane %d, digit %d: %v", reader.name, w, shift, j, d, err)
						}
					}
				}
			}
		}
	}
}

// setWindow sets the w bits from bit number shift of the words of lane j to code, and all others to
// random bits.
func setWindow(words []lanes.Vector, r *rand.Rand, j, shift, w int, code uint64) {
	for i := range words {
		words[i].Set(j, r.Uint64())
	}
	for k := range w {
		at := shift + k
		v := words[at/64].At(j) &^ (1 << (at % 64))
		words[at/64].Set(j, v|code>>k&1<<(at%64))
	}
}

// BenchmarkReaders measures reads of eight points for windows of five bits.
func BenchmarkReaders(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, reader := range readers {
		b.Run(reader.name, func(b *testing.B) {
			var p lanes.Affine
			_, read := reader.build(b, r, 5)
			words := make([]lanes.Vector, reader.words)
			for b.Loop() {
				read[0](&p, words, 59, 5)
			}
		})
	}
}
