package sums

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestNumbers checks that constants that Go and C share are equal.
func TestNumbers(t *testing.T) {
	source := kernels.Sums().Source
	for name, want := range map[string]string{
		"TERM_POINT":    fmt.Sprint(pointBytes / wordBytes),
		"TERM_HALF":     fmt.Sprint(halfBytes / wordBytes),
		"XYZZ_WORDS":    fmt.Sprint(xyzzBytes / wordBytes),
		"STATE_WORDS":   fmt.Sprint(stateBytes / wordBytes),
		"STATE_BAD":     "0",
		"PLACE_BUCKETS": fmt.Sprint(placeRun),
		"ENTRY_TERM":    fmt.Sprintf("0x%08x", maxTerms-1) + "u",
	} {
		found := regexp.MustCompile(`\n#define ` + name + ` (\w+)`).FindStringSubmatch(source)
		if found == nil || found[1] != want {
			t.Errorf("%s is %q, want %s", name, found, want)
		}
	}
}

// TestShapes checks, for all numbers of terms, that the counts which kernels keep in 32 bits or
// fewer do not overflow, and that every launch has enough memory for its output.
func TestShapes(t *testing.T) {
	for n := 1; n <= MaxRows(device.Sum); n = n*3/2 + 1 {
		shapes := []*Shape{best(n)}
		for c := minWindow; c <= maxWindow; c++ {
			shapes = append(shapes, of(device.Sum, n, c, 0))
		}
		for _, s := range shapes {
			if err := checkShape(s); err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
		}
	}
	if s, long := best(1000), best(1<<20); s.window >= long.window || long.window != maxWindow {
		t.Errorf("windows of %d bits for few terms, and of %d for many", s.window, long.window)
	}
}

func checkShape(s *Shape) error {
	top := halfBits - s.window*(s.windows-1)
	switch {
	case s.windows > 32:
		return fmt.Errorf("entries cannot name the window")
	case top < 1 || top > s.window:
		return fmt.Errorf("%d bits in the last window", top)
	case int64(s.entries()+s.run) > 1<<31:
		return fmt.Errorf("%d entries", s.entries())
	case s.pieces*s.run < s.entries() || s.pieces > maxPieces:
		return fmt.Errorf("%d pieces", s.pieces)
	case s.chunks<<s.shift < s.buckets || s.window-1 < s.shift:
		return fmt.Errorf("%d chunks", s.chunks)
	}
	m, sizes := new(Memory), s.sizes()
	for p := range m.buffers {
		m.buffers[p] = sized(sizes[p])
	}
	for _, l := range s.launches(m) {
		last := l.args[len(l.args)-1].(sized)
		rows := 0
		switch l.kernel {
		case "k_sum_fold", "k_sum_reduce":
			rows = l.n * xyzzBytes
		case "k_sum_join":
			rows = l.n * wordBytes
			if int(l.args[len(l.args)-2].(sized)) < l.n*xyzzBytes {
				return fmt.Errorf("%s writes %d heads", l.kernel, l.n)
			}
		}
		if l.n < 1 || int64(l.n) > 1<<31 || int(last) < rows {
			return fmt.Errorf("%s: %d work items", l.kernel, l.n)
		}
	}
	if out, n := s.result(); n < s.windows || sizes[out] < n*xyzzBytes ||
		stateBytes+n*xyzzBytes > SumBytes {
		return fmt.Errorf("%d points are left", n)
	}
	return nil
}

// A sized is a buffer that consists of nothing but its size in bytes.
type sized int

func (sized) Free() {}

// TestTerms checks that the two halves of each scalar recombine to the scalar and are short, and
// that each point is stored together with β·x.
func TestTerms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	curve, n, p := reference.Secp256k1(), reference.N(), reference.P()
	var scalars []*big.Int
	for _, x := range reference.EdgeInts() {
		scalars = append(scalars, new(big.Int).Mod(x, n))
	}
	for range 2000 {
		scalars = append(scalars, new(big.Int).Mod(reference.RandInt(r), n))
	}
	c := &device.Call{Kind: device.Sum, Rows: len(scalars), Verdicts: make([]device.Verdict, 1),
		Results: make([]byte, 64)}
	c.Columns[0].Stride, c.Columns[1].Stride = 32, 64
	for _, k := range scalars {
		c.Columns[0].Data = append(c.Columns[0].Data, k.FillBytes(make([]byte, 32))...)
		c.Columns[1].Data = append(c.Columns[1].Data, reference.Gx().FillBytes(make([]byte, 32))...)
		c.Columns[1].Data = append(c.Columns[1].Data, reference.Gy().FillBytes(make([]byte, 32))...)
	}
	point := slices.Concat(littleEndian(reference.Gx()), littleEndian(reference.Gy()),
		littleEndian(new(big.Int).Mod(new(big.Int).Mul(reference.Beta(), reference.Gx()), p)))
	onHost(t, func(t *testing.T, r *runner, slow bool) {
		if slow {
			return
		}
		s := best(c.Rows)
		if err := r.memory.Grow(r.dev, s, 1<<40); err != nil {
			t.Fatal(err)
		}
		if err := r.write(s, c, 0, 0, c.Rows); err != nil {
			t.Fatal(err)
		}
		points, halves := make([]byte, c.Rows*pointBytes), make([]byte, c.Rows*2*halfBytes)
		for part, b := range map[Part][]byte{Points: points, Halves: halves} {
			if err := r.queue.Read(b, r.memory.buffers[part], 0); err != nil {
				t.Fatal(err)
			}
		}
		for i, k := range scalars {
			if !bytes.Equal(points[i*pointBytes:][:pointBytes], point) {
				t.Fatalf("point %d is %x", i, points[i*pointBytes:][:pointBytes])
			}
			d1, d2 := half(halves[2*i*halfBytes:]), half(halves[(2*i+1)*halfBytes:])
			// The first half, d1, is below 0.64·2^128, and the second half, d2, is below
			// 0.55·2^128. The map holds the factors in hundredths.
			limit := new(big.Int).Lsh(big.NewInt(1), 128)
			for d, most := range map[*big.Int]int64{d1: 64, d2: 55} {
				if new(big.Int).Mul(d, big.NewInt(100)).CmpAbs(
					new(big.Int).Mul(limit, big.NewInt(most))) >= 0 {
					t.Fatalf("a half of %x is %x", k, d)
				}
			}
			sum := new(big.Int).Mul(d2, curve.Lambda)
			if sum.Add(sum, d1).Mod(sum, n).Cmp(k) != 0 {
				t.Fatalf("%x is split into %x and %x", k, d1, d2)
			}
		}
	})
}

// littleEndian returns the 32 bytes of x, the least significant first.
func littleEndian(x *big.Int) []byte {
	b := x.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

// half returns the half of a scalar that b encodes, in as many words as the constant TERM_HALF
// says. If the words are not the encoding of a half, it returns a number that is too large for one.
func half(b []byte) *big.Int {
	limbs := bytes.Clone(b[:16])
	slices.Reverse(limbs)
	x := new(big.Int).SetBytes(limbs)
	switch sign := binary.LittleEndian.Uint32(b[16:]); sign {
	case 1 << 31:
		return x.Neg(x)
	case 0:
		return x
	}
	return new(big.Int).Lsh(x, 200) // too large for a half
}

var _ driver.Buffer = sized(0)
