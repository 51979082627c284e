package contract

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// pointIn returns the two coordinates of a point in a lane of the buffer. They begin at the given
// element.
func pointIn(buffer string, element, lane int, top uint) []number {
	at := ElementWords*element + lane
	return []number{
		limbsAt(buffer, at, Lanes, top), limbsAt(buffer, at+ElementWords, Lanes, top),
	}
}

// rowIn returns the two coordinates of the point in a row of the buffer.
func rowIn(buffer string, row int) []number {
	return []number{rowAt(buffer, 8*row), rowAt(buffer, 8*row+4)}
}

// canonical returns numbers that are below the modulus.
func canonical(numbers ...number) []number {
	for k := range numbers {
		numbers[k].below = p
	}
	return numbers
}

// buffer returns the words of the buffer with the given name when the call begins.
func (c *Call) buffer(name string) []uint64 {
	return c.Buffers[slices.IndexFunc(c.Buffers, func(b Buffer) bool { return b.Param == name })].In
}

// number returns the value of a number that is passed by value.
func (c *Call) number(name string) int {
	at := slices.IndexFunc(c.Numbers, func(n Number) bool { return n.Param == name })
	return int(c.Numbers[at].Value)
}

// signed returns the point in, with its y negated if minus is set.
func signed(in []*big.Int, minus bool) []*big.Int {
	if minus {
		return []*big.Int{in[0], subP(new(big.Int), in[1])}
	}
	return same(in)
}

func same(in []*big.Int) []*big.Int { return slices.Clone(in) }

// rowClaims holds the claims of the kernels, of the level IFMA, that move numbers between rows and
// lanes. The kernels of the other levels have the same claims.
var rowClaims = map[string]claim{
	"lanes.unpackIFMA": {
		text: "lane j ≡ row j modulo p, for each j",
		places: func(_ *Call, lane int) (in, out []number) {
			return rowIn("rows", lane), pointIn("p", 0, lane, 48)
		},
		want: same,
	},
	"lanes.isZeroIFMA": {
		text: "bit j is 1 if lane j ≡ 0 modulo p, and 0 if not, for each j", mask: "m_bits",
		places: func(*Call, int) (in, out []number) {
			for j := range Lanes {
				in = append(in, limbsAt("a", j, Lanes, 49))
			}
			return in, nil
		},
	},
	"lanes.splitOddIFMA": {
		text: "d₁ + d₂·λ ≡ k modulo n, with odd dᵢ encoded in bᵢ, for 8 calls",
		ring: Scalars(), each: 8,
		places: func(c *Call, lane int) (in, out []number) {
			k := rowAt("k", 4*lane)
			k.below = reference.N()
			for _, name := range []string{"b1", "b2"} {
				at := []int{lane, lane + Lanes, lane + 2*Lanes}
				out = append(out, number{buffer: name, at: at, bits: 64, top: 64})
			}
			return []number{k}, out
		},
		proves: proveSplit,
	},
	"lanes.packIFMA": {
		text: "row j ≡ lane j modulo p, 0 ≤ row j < p, for each j",
		ring: Ring{Modulus: p, Canonical: true},
		places: func(_ *Call, lane int) (in, out []number) {
			return pointIn("p", 0, lane, 49), rowIn("rows", lane)
		},
		want: same,
	},
	"eisenstein.loadRowsIFMA": {
		text: "lane j ≡ the signed row for digit j modulo p, for 120 digits", each: 120,
		places: func(c *Call, lane int) (in, out []number) {
			d := int(c.buffer("digits")[lane])
			x, y := (d&^95+64*lane)/8, (d&^1023+64*lane+32)/8
			return canonical(rowAt("tables", x), rowAt("tables", y)), pointIn("p", 0, lane, 48)
		},
		wants: func(c *Call, lane int, in []*big.Int) []*big.Int {
			return signed(in, c.buffer("digits")[lane]>>4&1 == 1)
		},
	},
	"lanewise.lookupPackedIFMA": {
		text: "lane j ≡ the signed row for digit j modulo p, for 120 digits", each: 120,
		places: func(c *Call, lane int) (in, out []number) {
			d := digitIn(c, lane)
			row := int(c.buffer("tables")[2*lane])/64 + c.number("skip") + max(d, -d)/2
			return canonical(rowIn("packed tables", row)...), pointIn("p", 0, lane, 48)
		},
		wants: func(c *Call, lane int, in []*big.Int) []*big.Int {
			return signed(in, digitIn(c, lane) < 0)
		},
	},
	"sums.timesLambdaIFMA": {
		text: "(β·x, y) for each row modulo p, for 40 calls with 1 or 2 groups", each: 40,
		loops: []int{0, 5},
		places: func(c *Call, lane int) (in, out []number) {
			in = []number{limbsAt("beta", lane, Lanes, 49)}
			for g := range c.number("groups") {
				row := 2 * (Lanes*g + lane)
				in = append(in, rowIn("rows", row)...)
				out = append(append(out, rowIn("rows", row)...), rowIn("rows", row+1)...)
			}
			return in, out
		},
		wants: func(_ *Call, _ int, in []*big.Int) (out []*big.Int) {
			for k := 1; k < len(in); k += 2 {
				out = append(out, in[k], in[k+1], mulP(in[0], in[k]), in[k+1])
			}
			return out
		},
	},
	"sums.differencesIFMA": {
		text: "x1 − x2 for each pair and their products modulo p, for the references of 8 calls", each: 8,
		loops: []int{0, 5},
		places: func(c *Call, lane int) (in, out []number) {
			acc := func(top uint) []number {
				return []number{
					limbsAt("acc", lane, Lanes, top), limbsAt("acc", ElementWords+lane, Lanes, top),
				}
			}
			in = acc(52)
			for g := range c.number("groups") {
				a, b, _ := pairOf(c, g, lane)
				in = append(in, rowAt("rows", 8*a), rowAt("rows", 8*b))
				at := ElementWords*g + lane
				out = append(out, limbsAt("products", at, Lanes, 52), limbsAt("differences", at, Lanes, 49))
			}
			return in, append(out, acc(49)...)
		},
		wants: func(_ *Call, _ int, in []*big.Int) (out []*big.Int) {
			product := slices.Clone(in[:2])
			for g := range len(in)/2 - 1 {
				d := subP(in[2*g+2], in[2*g+3])
				out = append(out, product[g%2], d)
				product[g%2] = mulP(product[g%2], d)
			}
			return append(out, product...)
		},
	},
	"sums.chordsIFMA": {
		text: "sums by the slope (y2 − y1)·acc·product modulo p, for the references of 8 calls", each: 8,
		loops: []int{0, 5},
		places: func(c *Call, lane int) (in, out []number) {
			in = []number{limbsAt("acc", lane, Lanes, 49), limbsAt("acc", ElementWords+lane, Lanes, 49)}
			for g := range c.number("groups") {
				a, b, _ := pairOf(c, g, lane)
				in = append(append(in, rowIn("rows", a)...), rowIn("rows", b)...)
				at := ElementWords*g + lane
				in = append(in, limbsAt("products", at, Lanes, 52), limbsAt("differences", at, Lanes, 49))
				out = append(out, rowIn("rows", int(half(c, "out", pairIn(g, lane))>>6))...)
			}
			return in, out
		},
		wants: func(c *Call, lane int, in []*big.Int) []*big.Int {
			last, groups := slices.Clone(in[:2]), c.number("groups")
			out := make([]*big.Int, 2*groups)
			for g := groups - 1; g >= 0; g-- {
				q := in[6*g+2:][:6]
				y2 := q[3]
				if _, _, minus := pairOf(c, g, lane); minus {
					y2 = subP(new(big.Int), y2)
				}
				slope := mulP(subP(y2, q[1]), last[g%2], q[4])
				last[g%2] = mulP(last[g%2], q[5])
				x := addP(subP(mulP(slope, slope), timesP(2, q[0])), q[5])
				out[2*g], out[2*g+1] = x, subP(mulP(slope, subP(x, q[0])), q[1])
			}
			return out
		},
	},
}

// half returns the number of 32 bits with the given index in the buffer.
func half(c *Call, buffer string, k int) uint32 {
	return uint32(c.buffer(buffer)[k/2] >> (k % 2 * 32))
}

// pairOf returns the rows of the two points of a pair, and whether the second one is negated.
func pairOf(c *Call, group, lane int) (a, b int, minus bool) {
	k := pairIn(group, lane)
	x, y := half(c, "a", k), half(c, "b", k)
	return int(x >> 6), int(y >> 6), (x+y)&1 == 1
}

// digitIn returns the digit that a lane looks up.
func digitIn(c *Call, lane int) int {
	w, width := c.buffer("words"), c.number("width")
	x := Int([]uint64{w[lane], w[Lanes+lane], w[2*Lanes+lane]})
	code := new(big.Int).Rsh(x, uint(c.number("shift"))).Uint64() & (1<<width - 1)
	return 2*int(code) - (1<<width - 1)
}

// entry is the claim of the kernels that copy an entry of a table, word for word. The index is a
// constant of a call.
var entry = claim{
	text: "e is the entry with the index, for the 39 indices of tables of 1 to 5 and 7 to 9 entries",
	ring: Field(), each: 39, places: entries, proves: proveEntry,
}

// entries returns the coordinates of all entries of the table, and those of the entry that is read.
func entries(c *Call, _ int) (in, out []number) {
	for k := range len(c.buffer("table")) / 8 {
		in = append(in, rowIn("table", k)...)
	}
	return in, rowIn("e", 0)
}

// proveEntry proves that the words of out are those of the entry with the index of the call.
func proveEntry(s *symbols, in, out []*proof.Form) error {
	for k, f := range out {
		if f.Key() != in[2*s.call.number("index")+k].Key() {
			return fmt.Errorf("coordinate %d is %v", k, f)
		}
	}
	return nil
}

// digitRead is the claim of the kernels that read an entry of a table in each lane. The digits are
// constants of a call.
var digitRead = claim{
	text: "lane j ≡ the signed entry for digit j modulo p, for 14 digits",
	ring: Field(), each: 14, fixed: "words",
	places: func(c *Call, lane int) (in, out []number) {
		for k := range c.number("table.len") {
			in = append(in, pointIn("table", 2*k, lane, 49)...)
		}
		return in, pointIn("p", 0, lane, 49)
	},
	wants: func(c *Call, lane int, in []*big.Int) []*big.Int {
		d := digitIn(c, lane)
		return signed(in[max(d, -d)/2*2:][:2], d < 0)
	},
}
