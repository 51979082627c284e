package ecmult

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// notCanonical returns v + p, the other representation of v in 256 bits, or v itself if v + p has
// more bits.
func notCanonical(v field.Element) field.Element {
	l := v.Limbs()
	const c = 1<<32 + 977
	if l[0] < c && l[1]|l[2]|l[3] == 0 {
		v.SetLimbs(l[0]-c, ^uint64(0), ^uint64(0), ^uint64(0))
	}
	return v
}

func putWord(b []byte, x uint64) { binary.LittleEndian.PutUint64(b, x) }

// TestRead checks that reading an entry of a table in constant time returns the right entry, for
// every index of tables of every possible length, next to pages that cannot be accessed.
func TestRead(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	all := make([]point.Entry, 64)
	packed := make([]byte, len(all)*point.PackedSize)
	for i := range all {
		for j := range all[i] {
			all[i][j] = r.Uint64()
			putWord(packed[i*point.PackedSize+8*j:], all[i][j])
		}
	}
	results := cputest.Memory[point.Entry](t)
	for count := 1; count <= len(all); count++ {
		texts := cputest.Strings(t, string(packed[:count*point.PackedSize]))
		for i, table := range cputest.Slices[point.Entry](t, count) {
			copy(table, all)
			for index, want := range table {
				*results[i] = point.Entry{1, 2, 3}
				if read(results[i], table, uint64(index)); *results[i] != want {
					t.Errorf("entry %d of %d is wrong", index, count)
				}
				*results[i] = point.Entry{4, 5, 6}
				if readPacked(results[i], texts[i], uint64(index)); *results[i] != want {
					t.Errorf("packed entry %d of %d is wrong", index, count)
				}
			}
		}
	}
}

func TestOddDigit(t *testing.T) {
	for w := uint(1); w <= 8; w++ {
		for bits := range int64(1) << w {
			b := [5]uint64{uint64(bits)}
			if got, want := digit(&b, 0, w), 2*bits-(1<<w-1); got.Int64() != want {
				t.Errorf("digit %d of %d bits is %d, want %d", bits, w, got, want)
			}
		}
	}
}

func TestWipe(t *testing.T) {
	k := toScalar(reference.Lambda())
	var g point.Affine
	g.SetGenerator()
	base := baseScratch{bits: [5]uint64{1, 2, 3, 4, 5}, entry: point.Entry{6}, addend: g, m: k}
	if base.wipe(); base != (baseScratch{}) {
		t.Error("scratch of the fixed base is left")
	}
	mult := multScratch{recoding{k: k, b1: [5]uint64{1}, b2: [5]uint64{2}}, point.Entry{6}, g}
	mult.h1, mult.h2 = k.Split()
	if mult.wipe(); mult != (multScratch{}) {
		t.Error("scratch of the variable base is left")
	}
	inParallel := parallelScratch{recoding{k: k, b1: [5]uint64{1}}, vector.Affine{X: [5]uint64{6}},
		vector.Point{{7}}}
	if inParallel.wipe(); inParallel != (parallelScratch{}) {
		t.Error("scratch of package vector is left")
	}
	inLanes := laneScratch{recoding: recoding{b1: [5]uint64{1}, k: k}}
	inLanes.parts[7] = 8
	inLanes.addend.SetLane(3, &g.X, &g.Y)
	if inLanes.wipe(); inLanes != (laneScratch{}) {
		t.Error("scratch of the base in lanes is left")
	}
	var sum lanes.Jacobian
	var rows [lanes.Width][4]uint64
	sum.Z.One()
	rows[7][3] = 1
	wipeLanes(&sum)
	if wipeRows(&rows); sum != (lanes.Jacobian{}) || rows != ([lanes.Width][4]uint64{}) {
		t.Error("sums of the base in lanes are left")
	}
}
