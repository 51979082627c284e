//go:build !purego

package lanes

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
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
	TestInvertLanes, TestPack, TestAdditions, TestDoubleN, TestAddAffine, TestCoZ, TestAffine,
	TestScalar, TestScalarAbove, TestBatchInvertScalars, TestScalarSlices, TestSplitOdd)

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
