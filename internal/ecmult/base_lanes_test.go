package ecmult

import (
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// partExtremes returns scalars for which the parts of the halves are zeros, ones, or other patterns
// of bits, so that all digits of a part are extreme.
func partExtremes(t *testing.T) (ks []*big.Int) {
	const l = 4 * laneBits
	const ones = 1<<laneBits - 1
	patterns := []uint64{0, 1, ones, ones - 1, ones >> 1, ones ^ ones>>1, ones / 3, ones/3*2 + 1}
	// A half is short, so its top part is near 2^32.
	tops := []uint64{1 << 32, 1<<32 - 1, 1<<32 + 1<<26, 1<<32 - 1<<26}
	for i, p := range patterns {
		for j, q := range patterns {
			var b, d [2]*big.Int
			for h, parts := range [][4]uint64{
				{p, q, p, tops[(i+j)%4]}, {q, p, patterns[(i+j)%len(patterns)], tops[j%4]},
			} {
				b[h] = new(big.Int)
				for part := range parts {
					b[h].Lsh(b[h], laneBits).Or(b[h], new(big.Int).SetUint64(parts[3-part]))
				}
				d[h] = new(big.Int).Lsh(b[h], 1)
				d[h].Sub(d[h], new(big.Int).Lsh(big.NewInt(1), l)).Add(d[h], big.NewInt(1))
			}
			k := new(big.Int).Mul(d[1], reference.Lambda())
			k.Add(k, d[0]).Mod(k, reference.N())
			var s multScratch
			v := toScalar(k)
			s.recode(&v, l)
			if reference.FromWords(s.b1[:]...).Cmp(b[0]) != 0 ||
				reference.FromWords(s.b2[:]...).Cmp(b[1]) != 0 {
				t.Errorf("the digits of %x are not in %x and %x", k, b[0], b[1])
			}
			ks = append(ks, k)
		}
	}
	return ks
}

// TestLanesExceptions checks that the integers in every incomplete addition in lanes are in the
// ranges that the comments on addRounds and addParts claim, and that they sum to the halves.
func TestLanesExceptions(t *testing.T) {
	const l = 4 * laneBits
	// added returns sum + term, and fails if the addition of these multiples of G is an exceptional
	// case, or if the integers are not odd multiples of 2^unit and 2^pos below 2^limit.
	added := func(sum, term *big.Int, unit, pos, limit uint) *big.Int {
		plus, minus := new(big.Int).Add(sum, term), new(big.Int).Sub(term, sum)
		for _, x := range []*big.Int{sum, plus, minus} {
			if x.TrailingZeroBits() != unit || x.BitLen() > int(limit) {
				t.Errorf("%x and %x are added: not an odd multiple of 2^%d", sum, term, unit)
			}
		}
		if term.TrailingZeroBits() != pos || exceptional(sum, term) {
			t.Errorf("%x and %x are added: exceptional, or not an odd multiple of 2^%d", sum, term, pos)
		}
		return plus
	}
	if l >= uint(reference.N().BitLen()) {
		t.Fatalf("sums have up to %d bits", l)
	}
	for _, k := range append(edgeScalars(), partExtremes(t)...) {
		var s multScratch
		ks := toScalar(k)
		s.recode(&ks, l)
		d1, d2 := halves(&s, l)
		for h, b := range []*[5]uint64{&s.b1, &s.b2} {
			var sums [4]*big.Int
			for j := range sums {
				first := uint(j) * laneBits
				pos := first
				for i := range laneRounds {
					w := laneWindow(i)
					term := digit(b, pos, w)
					term.Lsh(term, pos)
					if sums[j] == nil {
						sums[j] = term
					} else {
						sums[j] = added(sums[j], term, first, pos, pos+w)
					}
					pos += w
				}
				if pos != first+laneBits {
					t.Fatalf("the windows have %d bits", pos-first)
				}
			}
			s0 := added(sums[0], sums[2], 0, 2*laneBits, l)
			s1 := added(sums[1], sums[3], laneBits, 3*laneBits, l)
			if d := added(s0, s1, 0, laneBits, l); d.Cmp([]*big.Int{d1, d2}[h]) != 0 {
				t.Errorf("%x: the parts of half %d add up to %x", k, h, d)
			}
		}
	}
}

func TestRoundsTable(t *testing.T) {
	c := reference.Secp256k1()
	table, pos := roundsTable, uint(0)
	for i := range laneRounds {
		w := laneWindow(i)
		for entry := range 1 << (w - 1) {
			for j := range uint(4) {
				k := new(big.Int).Lsh(big.NewInt(int64(2*entry+1)), laneBits*j+pos)
				want := c.ScalarMult(k, c.G)
				x, y := reference.Words(want.X), reference.Words(want.Y)
				for word, limb := range append(x[:], y[:]...) {
					if got := binary.LittleEndian.Uint64([]byte(table[32*word+8*int(j):])); got != limb {
						t.Fatalf("round %d, entry %d, part %d: word %d is %x, want %x; run go generate",
							i, entry, j, word, got, limb)
					}
				}
			}
			table = table[roundEntry:]
		}
		pos += w
	}
	if pos != laneBits || table != "" {
		t.Errorf("the rounds have %d bits, and %d bytes of the table are left", pos, len(table))
	}
}
