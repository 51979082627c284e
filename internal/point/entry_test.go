package point

import (
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestEntry checks that an entry has canonical coordinates, and that SetEntry returns the point or
// its opposite, also for y coordinates whose negation nearly borrows from each limb.
func TestEntry(t *testing.T) {
	var g Affine
	g.SetGenerator()
	values := reference.EdgeInts()
	for i := range uint(256) { // 2^i, p − 2^i and neighbours of these
		x := new(big.Int).Lsh(big.NewInt(1), i)
		y := new(big.Int).Sub(reference.P(), x)
		values = append(values,
			x, new(big.Int).Sub(x, big.NewInt(1)),
			y, new(big.Int).Add(y, big.NewInt(1)))
	}
	for _, v := range values {
		y := element(v)
		var e Entry
		e.Set(&Affine{y, g.X})
		if l := reference.Words(new(big.Int).Mod(v, reference.P())); [4]uint64(e[:4]) != [4]uint64(l) {
			t.Errorf("%x is stored as %x", v, e)
		}
		e.Set(&Affine{g.X, y})
		want := y
		for negative := range ct.Choice(2) {
			var a Affine
			if a.SetEntry(&e, negative); a.X != g.X || a.Y.Equal(&want) == 0 {
				t.Errorf("%x, negative %d: y is %x, want %x", v, negative, a.Y.Limbs(), want.Limbs())
			}
			want.Neg(&y)
		}
	}
}

// TestPacked checks that Unpack reads the entry that AppendPacked wrote, whatever the word size and
// the byte order of the CPU. Where AlignedEntries exists, Realign must return the same entry. The
// table begins 0 to 15 bytes after an aligned address, and has other bytes before and after it.
func TestPacked(t *testing.T) {
	r := reference.Rand(t)
	for skew := range 16 {
		var entries [3]Entry
		before := reference.Bytes(r, skew)
		packed := before
		for i := range entries {
			for j := range entries[i] {
				entries[i][j] = r.Uint64()
			}
			packed = entries[i].AppendPacked(packed)
		}
		if len(packed) != skew+len(entries)*PackedSize {
			t.Fatalf("%d entries have %d bytes", len(entries), len(packed)-skew)
		}
		table := string(packed)[skew:]
		for i, want := range entries {
			var got Entry
			if got.Unpack(table[i*PackedSize:]); got != want {
				t.Errorf("skew %d: entry %d is %x, want %x", skew, i, got, want)
			}
			for j, l := range want {
				if b := table[i*PackedSize+8*j:]; binary.LittleEndian.Uint64([]byte(b[:8])) != l ||
					PackedLimb(b) != l {
					t.Errorf("skew %d: limb %d of entry %d is %x, want %x", skew, j, i, b[:8], l)
				}
			}
			aligned, distance := AlignedEntries(table)
			if aligned == nil {
				continue
			}
			got = aligned[i]
			var last uint64
			if distance != 0 {
				last = aligned[i+1][0]
			}
			if got.Realign(last, distance); got != want {
				t.Errorf("skew %d: aligned entry %d is %x, want %x", skew, i, got, want)
			}
		}
	}
}
