package contract

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// laneOracles holds the oracles of the lane kernels.
var laneOracles = map[string]oracle{
	"lanes.mulIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a", "b"}, Input: Products(reference.P()),
			F: perLane(func(x []*big.Int) *big.Int {
				return mulP(x[0], x[1])
			})}.Calls(r, n/4)
	},
	"lanes.squareNIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return squaringCalls(1, r, n/4, full)
	},
	"lanes.squareNPairIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return squaringCalls(2, r, n/4, full)
	},
	"lanes.addIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a", "b"}, F: perLane(func(x []*big.Int) *big.Int {
			return addP(x[0], x[1])
		})}.Calls(r, n/2)
	},
	"lanes.subIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a", "b"}, F: perLane(func(x []*big.Int) *big.Int {
			return subP(x[0], x[1])
		})}.Calls(r, n/2)
	},
	"lanes.mulSmallIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a"},
			Numbers: func(k int) []Number { return []Number{{Param: "k", Value: uint64(k % 17)}} },
			F: func(k, _ int, x []*big.Int) []*big.Int {
				return []*big.Int{timesP(int64(k%17), x[0])}
			},
		}.Calls(r, n/2)
	},
	"lanes.normalizeIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a"}, Canonical: true,
			F: perLane(func(x []*big.Int) *big.Int { return x[0] })}.Calls(r, n/2)
	},
	"lanes.isZeroIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return ZeroTests(r, n/2)
	},
	"lanes.selectLanesIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a", "b"}, Numbers: laneMask,
			F: func(k, lane int, x []*big.Int) []*big.Int {
				return []*big.Int{x[1-bit(k, lane)]}
			}}.Calls(r, n/4)
	},
	"lanes.condNegIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "v", In: []string{"a"}, Numbers: laneMask,
			F: func(k, lane int, x []*big.Int) []*big.Int {
				if bit(k, lane) == 1 {
					return []*big.Int{subP(new(big.Int), x[0])}
				}
				return x
			}}.Calls(r, n/2)
	},
	"lanes.unpackIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return Unpackings(r, n/4)
	},
	"lanes.packIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return Packings(r, n/4)
	},
	"lanes.mulScalarIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		m := reference.N()
		hard := Products(m)
		return LaneKernel{Out: "v", In: []string{"a", "b"}, Modulus: m, Canonical: true,
			Input: func(r *rand.Rand, k, lane int, x []Lane) {
				if hard(r, k, lane, x); r.IntN(2) == 0 {
					hard(r, k, lane, x)
				}
				for i := range x { // make inputs canonical; a number near 2^256 moves to near n
					y := x[i].Int()
					if y.Cmp(m) >= 0 {
						y.Sub(two256, y).Abs(y).Mod(y, m)
						y.Sub(m, y).Mod(y, m)
					}
					x[i] = ToLane(y)
				}
			},
			F: perLane(func(x []*big.Int) *big.Int {
				y := new(big.Int).Mul(x[0], x[1])
				return y.Mod(y, m)
			})}.Calls(r, n/2)
	},
	"lanes.doubleNIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		times := []int{1, 2, 1, 3}
		return LaneKernel{Out: "p", In: []string{"q"}, Elements: []int{3, 3},
			Numbers: func(k int) []Number { return []Number{{Param: "n", Value: uint64(times[k%4])}} },
			Input: func(r *rand.Rand, _, _ int, x []Lane) {
				if r.IntN(8) == 0 {
					x[2] = ToLane(new(big.Int).Mul(p, big.NewInt(r.Int64N(3))))
				}
			},
			F: func(k, _ int, x []*big.Int) []*big.Int {
				a := Jacobian{x[0], x[1], x[2]}
				for range times[k%4] {
					a = a.Double()
				}
				return []*big.Int{a.X, a.Y, a.Z}
			},
		}.Calls(r, n/5)
	},
	"lanes.addMixedIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return laneSums([]string{"q", "a"}, 2).Calls(r, n/5)
	},
	"lanes.addJacobianIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return laneSums([]string{"q", "r"}, 3).Calls(r, n/5)
	},
	"lanes.addAffineIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "p", In: []string{"a", "b", "inv"}, Elements: []int{2, 2, 1, 2},
			F: func(_, _ int, x []*big.Int) []*big.Int {
				l := mulP(subP(x[3], x[1]), x[4])
				x3 := subP(subP(mulP(l, l), x[0]), x[2])
				return []*big.Int{x3, subP(mulP(l, subP(x[0], x3)), x[1])}
			}}.Calls(r, n/4)
	},
	"lanes.addCoZIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return LaneKernel{Out: "p", In: []string{"q", "d"}, Elements: []int{2, 2, 5},
			F: func(_, _ int, x []*big.Int) []*big.Int {
				ratio, e := subP(x[2], x[0]), subP(x[3], x[1])
				w, v := mulP(x[0], ratio, ratio), mulP(x[2], ratio, ratio)
				a := mulP(x[3], subP(v, w))
				x3 := subP(subP(mulP(e, e), v), w)
				return []*big.Int{x3, subP(mulP(e, subP(v, x3)), a), v, a, ratio}
			}}.Calls(r, n/4)
	},
	"lanes.splitOddIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return oddSplits(r, n/4)
	},

	"lanewise.lookupPackedIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return DigitLookups(false, r, n/4)
	},
	"lanewise.prefetchPackedIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return DigitLookups(true, r, n/4)
	},
	"eisenstein.loadRowsIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return RowLoads(r, n/4)
	},
	"sums.differencesIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return repeat(pairDifferences(true), 2, 6, r, n/40)
	},
	"sums.differencesFMA256":  differencesAlone,
	"sums.differencesIFMA256": differencesAlone,
	"sums.chordsIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return repeat(pairChords, 2, 6, r, n/40)
	},
	"sums.timesLambdaIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return repeat(timesLambda, 1, 2, r, n/4)
	},
	"sums.digitsFMA512": func(r *rand.Rand, n int, full bool) []*Call { return Digits(r, n) },
	"sums.accumulateFMA512": func(r *rand.Rand, n int, full bool) []*Call {
		return Accumulations(r, n)
	},
	"sums.sumRefsFMA512": func(r *rand.Rand, n int, full bool) []*Call { return PairSums(r, n) },
	"sums.halveFMA512":   func(r *rand.Rand, n int, full bool) []*Call { return Halvings(r, n) },
}

// differencesAlone is the oracle of a kernel differences that does not prefetch rows.
func differencesAlone(r *rand.Rand, n int, full bool) []*Call {
	return repeat(pairDifferences(false), 2, 6, r, n/40)
}

// perLane converts f, a function of one number for each argument, to the form of LaneKernel.F.
func perLane(f func(x []*big.Int) *big.Int) func(k, lane int, x []*big.Int) []*big.Int {
	return func(_, _ int, x []*big.Int) []*big.Int { return []*big.Int{f(x)} }
}

// laneSums describes a kernel for an incomplete addition by the chord formula. The first summand is
// a Jacobian point, and the second has the given number of coordinates. The formula's values are
// expected even if the points have no chord. Some of the inputs are equal or opposite points or
// infinity; their sums have Z ≡ 0.
func laneSums(in []string, coordinates int) LaneKernel {
	return LaneKernel{Out: "p", In: in, Elements: []int{3, coordinates, 3},
		Input: func(r *rand.Rand, _, _ int, x []Lane) {
			switch r.IntN(8) {
			case 0: // both points have the same x
				z := big.NewInt(1)
				if coordinates == 3 {
					z = x[5].Int()
				}
				z = divP(z, x[2].Int())
				x[3] = ToLane(mulP(x[0].Int(), z, z))
				x[4] = ToLane(mulP(x[1].Int(), z, z, z))
				if r.IntN(2) == 0 {
					x[4] = ToLane(subP(new(big.Int), x[4].Int()))
				}
			case 1:
				x[2] = ToLane(new(big.Int).Mul(p, big.NewInt(r.Int64N(3))))
			case 2:
				x[len(x)-1] = ToLane(p)
			}
		},
		F: func(_, _ int, x []*big.Int) []*big.Int {
			b := Jacobian{x[3], x[4], big.NewInt(1)}
			if coordinates == 3 {
				b.Z = x[5]
			}
			s := Jacobian{x[0], x[1], x[2]}.Chord(b)
			return []*big.Int{s.X, s.Y, s.Z}
		},
	}
}

// bit returns the bit that the mask of call k has for a lane.
func bit(k, lane int) int { return k * 37 >> lane & 1 }

func laneMask(k int) []Number {
	return []Number{{Param: "m_bits", Value: uint64(k*37) & 0xff, Bytes: 1, Secret: true}}
}

// squareCounts lists every number of squarings for which the library calls these kernels.
var squareCounts = []int{1, 2, 3, 5, 6, 11, 22, 23, 44, 88}

// TestSquareCounts compares squareCounts with the library's code.
func TestSquareCounts(t *testing.T) {
	call := regexp.MustCompile(`squares?(?:Mul|N|NPair)\([^,]+, [^,]+, (\w+)`)
	used := map[int]bool{}
	files, err := filepath.Glob("../../../internal/lanes/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			n, err := strconv.Atoi(m[1])
			switch {
			case strings.HasSuffix(name, "_test.go"):
			case err == nil:
				used[n] = true
			case m[1] != "n":
				t.Errorf("%s: %s", name, m[0])
			}
		}
	}
	if got := slices.Sorted(maps.Keys(used)); !slices.Equal(got, squareCounts) {
		t.Errorf("the library calls with %v", got)
	}
}

// squaringCalls returns calls of a kernel that squares elements, and, if full is set, one more call
// for each of squareCounts.
func squaringCalls(elements int, r *rand.Rand, n int, full bool) []*Call {
	calls := squarings(elements, 1, 2, 1, 3, 5).Calls(r, n)
	if full {
		calls = append(calls, squarings(elements, squareCounts...).Calls(r, len(squareCounts))...)
	}
	return calls
}

// squarings describes a kernel that squares each of several elements repeatedly, as often as times
// says in turn. The inputs make the last square, or an earlier one, hard to reduce.
func squarings(elements int, times ...int) LaneKernel {
	return LaneKernel{Out: "v", In: []string{"a"}, Elements: []int{elements, elements},
		Numbers: func(k int) []Number {
			return []Number{{Param: "n", Value: uint64(times[k%len(times)])}}
		},
		Input: func(r *rand.Rand, k, _ int, x []Lane) {
			for e := range x {
				if r.IntN(4) != 0 {
					continue
				}
				y := HardRoot(p, r)
				for range r.IntN(times[k%len(times)]) {
					y = rootOf(y, p)
				}
				x[e] = ToLane(y)
			}
		},
		F: func(k, _ int, x []*big.Int) []*big.Int {
			var out []*big.Int
			for _, y := range x {
				power := new(big.Int).Lsh(big.NewInt(1), uint(times[k%len(times)]))
				out = append(out, new(big.Int).Exp(y, power, p))
			}
			return out
		},
	}
}
