package vartime

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

func TestSplitTableSize(t *testing.T) {
	p := new(point.Affine).SetGenerator()
	sizes := vartimetest.SplitTableSizes()
	for i, size := range sizes {
		next := math.MaxInt
		if i+1 < len(sizes) {
			next = sizes[i+1]
		}
		for _, maxBytes := range []int{size, size + 1, next - 1} {
			c := NewSplitTable(p, maxBytes)
			if c.Size() != size {
				t.Errorf("at most %d bytes: %d, want %d", maxBytes, c.Size(), size)
			}
			if c.stride > MaxStride || c.stride+1 < c.window || c.window < minSplitWindow {
				t.Errorf("%d bytes: window %d and stride %d", size, c.window, c.stride)
			}
		}
	}
	for _, maxBytes := range []int{math.MinInt, -1, 0, 1, 1<<10 - 1} {
		if c := NewSplitTable(p, maxBytes); c != (SplitTable{}) {
			t.Errorf("a table of %d bytes where there is room for %d", c.Size(), maxBytes)
		}
	}
}

// checkSplitTable compares every entry of c with the multiples of p.
func checkSplitTable(t *testing.T, curve *reference.Curve, c *SplitTable, p reference.Point) {
	t.Helper()
	if c.Size() != subtablesOf(c.stride)*point.PackedSize<<(c.window-2) {
		t.Fatalf("%d bytes with window %d and stride %d", c.Size(), c.window, c.stride)
	}
	entries := c.table
	for subtable := range subtablesOf(c.stride) {
		m := p
		twice := curve.Double(p)
		for i := range 1 << (c.window - 2) {
			var q point.Affine
			q.SetEntry(new(point.Entry).Unpack(entries), 0)
			entries = entries[point.PackedSize:]
			if q.Equal(vartimetest.Affine(m)) != 1 {
				t.Fatalf("order %v, window %d, stride %d: entry %d of subtable %d is wrong",
					curve.Order, c.window, c.stride, i, subtable)
			}
			m = curve.Add(m, twice)
		}
		for range c.stride {
			p = curve.Double(p)
		}
	}
}

func TestNewSplitTable(t *testing.T) {
	c := reference.Secp256k1()
	for _, k := range []*big.Int{
		big.NewInt(1), big.NewInt(-1), c.Lambda, big.NewInt(0x123456789abcdef),
	} {
		p := c.ScalarMult(k, c.G)
		for _, size := range vartimetest.SplitTableSizes() {
			split := NewSplitTable(vartimetest.Affine(p), size)
			checkSplitTable(t, c, &split, p)
		}
	}
}

// TestGeneratorTables checks both embedded tables. makeSplitTable must compute the same tables as
// gen.go did.
func TestGeneratorTables(t *testing.T) {
	c := reference.Secp256k1()
	for _, tt := range []struct {
		file  string
		table SplitTable
		sum   string // SHA-256
	}{
		{"g.bin", GeneratorTable(),
			"fb6757abc1102759884d03e7d9e51c336772ddf54ae0d6c6ddcd61eab913a970"},
		{"split.bin", GeneratorSplitTable(),
			"105c7ab89480e046377617506ae0052b188307ba8ce2c30a1c4e1daf719ddcd5"},
	} {
		sum := sha256.Sum256([]byte(tt.table.table))
		if got := hex.EncodeToString(sum[:]); got != tt.sum {
			t.Errorf("%s has SHA-256 %s, want %s", tt.file, got, tt.sum)
		}
		checkSplitTable(t, c, &tt.table, c.G)
		made := makeSplitTable(vartimetest.Affine(c.G), tt.table.window, tt.table.stride)
		if made != tt.table {
			t.Errorf("%s: makeSplitTable makes another table of G", tt.file)
		}
	}
	if g := GeneratorSplitTable(); g.stride > MaxStride {
		t.Errorf("stride %d", g.stride)
	}
}

// TestSplitTablePositions checks that the code finds the subtable and the number of doublings of
// every digit position.
func TestSplitTablePositions(t *testing.T) {
	for stride := 1; stride <= MaxStride; stride++ {
		reciprocal := 1<<16/stride + 1
		for i := range wnaf.Positions {
			if i*reciprocal>>16 != i/stride || i/stride >= subtablesOf(uint(stride)) {
				t.Fatalf("stride %d: position %d in subtable %d", stride, i, i*reciprocal>>16)
			}
		}
	}
}

// FuzzMultiply checks that sums computed with and without a table are equal. The point is a
// multiple of G or of λ·G, so that the fuzzer can provoke exceptional cases.
func FuzzMultiply(f *testing.F) {
	f.Add([]byte{1}, []byte{1}, []byte{1}, byte(0))
	f.Add([]byte{0xff, 0xff}, bytes.Repeat([]byte{0xff}, 32), bytes.Repeat([]byte{0x55}, 32), byte(5))
	f.Fuzz(func(t *testing.T, k, a, b []byte, form byte) {
		if len(k) > 8 || len(a) > 32 || len(b) > 32 {
			t.Skip()
		}
		key := new(big.Int).SetBytes(k)
		if form&0x80 != 0 {
			key.Mul(key, reference.Lambda())
		}
		if form&0x40 != 0 {
			key.Neg(key)
		}
		if key.Sign() == 0 {
			t.Skip()
		}
		sizes := vartimetest.SplitTableSizes()
		newFactor(key, sizes[int(form&0x3f)%len(sizes)]).
			check(t, new(big.Int).SetBytes(a), new(big.Int).SetBytes(b), true)
	})
}
