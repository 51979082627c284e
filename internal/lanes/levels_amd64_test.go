//go:build !purego

package lanes

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestEveryLevel runs the tests again without the CPU's best instructions, which all other runs
// use. TestLevelsAgree compares the results.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		if Available() {
			t.Fatal("lanes without features")
		}
		testAll(t)
	}, cputest.Portable)
	cputest.Run(t, testAll, cputest.LanesAVX2, cputest.LanesAVXIFMA, cputest.LanesFMA)
}

var testAll = cputest.Tests(TestOperations, TestNormalize, TestIsZero, TestSelect, TestRoots,
	TestInvertLanes, TestRows, TestAdditions, TestDoubleN, TestDenominators, TestAddAffine, TestCoZ,
	TestAffine, TestScalar, TestScalarAbove, TestBatchInvertScalars, TestDivideScalars,
	TestMulScalars, TestSplitOdd)

// TestFeatures removes each extension that the kernels of the lowest level use, one at a time, and
// checks that lanes are then unavailable.
func TestFeatures(t *testing.T) {
	cputest.Use(t, cputest.LanesAVX2)
	for f := cpu.Feature(1); f != 0 && f <= cpu.Lanes; f <<= 1 {
		restore := cpu.Restrict(^f)
		if want := f&cpu.LanesAVX2 == 0; Available() != want {
			t.Errorf("without feature %b: %v", f, Available())
		}
		restore()
	}
}

// TestManyProducts checks that products are right modulo p for factors that are likely to cause
// rare carries: combinations of the smallest and largest limbs, and factors whose product is near a
// multiple of p.
func TestManyProducts(t *testing.T) {
	r := reference.Rand(t)
	rounds := cputest.Cases(200, 20000)
	if !Available() {
		rounds = 200
	}
	for range rounds {
		a := randomElement(r)
		near := big.NewInt(int64(r.IntN(100)))
		b := elementOf(func(j int) limbs { // b is (a number near 0)/a
			x := a.get(j).int()
			if x.ModInverse(x, prime) == nil {
				return limbs{}
			}
			x.Mul(x, near).Mod(x, prime)
			if r.IntN(2) == 0 {
				x.Add(x, prime)
			}
			return toLimbs(x)
		})
		var v Element
		v.Mul(&a, &b)
		checkLanes(t, "product", &v, func(j int) *big.Int {
			return new(big.Int).Mul(a.get(j).int(), b.get(j).int())
		})
		normalize(&v, &v)
		if !isCanonical(&v) {
			t.Fatalf("%x is not canonical", v)
		}
	}
}
