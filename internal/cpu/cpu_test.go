package cpu

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	if 1<<len(names) != end {
		t.Fatalf("%d names for %d features", len(names), end)
	}
	if got := (end - 1).names(); !slices.Equal(got, names[:]) {
		t.Errorf("all features are %v", got)
	}
	t.Logf("features %v, implementations %v", Features(), Implementations())
}

func TestImplementations(t *testing.T) {
	got := Implementations()
	if len(got) == 0 || got[len(got)-1] != "portable" {
		t.Errorf("implementations %v do not end with portable", got)
	}
	defer func(before Feature) { usable = before }(usable)
	const avx2 = BMI2 | ADX | AVX2
	for _, tt := range []struct {
		features Feature
		want     []string
	}{
		{avx2, []string{"ADX", "portable"}}, // without FMA
		{avx2 | FMA, []string{"lanes-AVX2", "ADX", "portable"}},
		{avx2 | FMA | AVXIFMA, []string{"lanes-AVX-IFMA", "ADX", "portable"}},
		{avx2 | FMA | AVXIFMA | LanesFMA, []string{"lanes-FMA", "ADX", "portable"}},
		{avx2 | FMA | AVXIFMA | LanesFMA | Lanes, []string{"lanes", "ADX", "portable"}},
		{A64, []string{"A64", "portable"}},
		{RV64, []string{"RV64", "portable"}},
	} {
		usable = tt.features
		if got := Implementations(); !slices.Equal(got, tt.want) {
			t.Errorf("with %v: %v, want %v", tt.features.names(), got, tt.want)
		}
	}
}

func TestRestrict(t *testing.T) {
	before := usable
	for f := Feature(0); f < end; f++ {
		restore := Restrict(f)
		if usable&^(before&f) != 0 {
			t.Fatalf("Restrict(%b) left %b", f, usable)
		}
		for i := range names {
			bit := Feature(1) << i
			if Has(bit) != (before&f&bit != 0) {
				t.Fatalf("Has(%s) is wrong after Restrict(%b)", names[i], f)
			}
		}
		nested := Restrict(0)
		if len(Features()) != 0 || Has(BMI2) || !Has(0) {
			t.Fatal("Restrict(0) left something")
		}
		nested()
		restore()
		if usable != before {
			t.Fatal("restore does not restore")
		}
	}
}
