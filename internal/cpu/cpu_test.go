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
	// A CPU with 52-bit multiply-add only on 256-bit vectors lacks the feature set Lanes, but
	// Features must still report its instructions.
	defer func(before Feature) { usable = before }(usable)
	usable = BMI2 | ADX | AVX2 | AVXIFMA
	if got := Implementations(); !slices.Equal(got, []string{"ADX", "portable"}) {
		t.Errorf("with AVX-IFMA alone: %v", got)
	}
	if !slices.Contains(Features(), "AVX-IFMA") {
		t.Errorf("AVX-IFMA is not listed: %v", Features())
	}
	usable |= LanesFMA
	if got := Implementations(); !slices.Equal(got, []string{"lanes-FMA", "ADX", "portable"}) {
		t.Errorf("with AVX-512 without IFMA: %v", got)
	}
	usable |= Lanes
	if got := Implementations(); !slices.Equal(got, []string{"lanes", "ADX", "portable"}) {
		t.Errorf("with AVX-512 IFMA: %v", got)
	}
	usable = A64
	if got := Implementations(); !slices.Equal(got, []string{"A64", "portable"}) {
		t.Errorf("on arm64: %v", got)
	}
	usable = RV64
	if got := Implementations(); !slices.Equal(got, []string{"RV64", "portable"}) {
		t.Errorf("on riscv64: %v", got)
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
