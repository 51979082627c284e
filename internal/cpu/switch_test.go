package cpu

import (
	"slices"
	"testing"
)

func TestParseSwitch(t *testing.T) {
	for _, tt := range []struct {
		value   string
		want    Feature
		unknown []string
	}{
		{"", 0, nil},
		{" , ,,", 0, nil},
		{"ADX", ADX, nil},
		{"adx", ADX, nil},
		{"a64", A64, nil},
		{"rv64", RV64, nil},
		{"lanes", AVX512IFMA, nil},
		{"all", end - 1, nil},
		{"ADX, AVX-IFMA avx512ifma", ADX | AVXIFMA | AVX512IFMA, nil},
		{"portable", 0, []string{"portable"}},
		{"SSE2,ADX,-ADX,ADX=on", ADX, []string{"SSE2", "-ADX", "ADX=on"}},
		{"\x00\xff\n;all;", 0, []string{"\x00\xff\n;all;"}},
	} {
		f, unknown := ParseSwitch(tt.value)
		if f != tt.want || !slices.Equal(unknown, tt.unknown) {
			t.Errorf("%q: %v, unknown %q", tt.value, f.names(), unknown)
		}
	}
	for i, name := range names {
		want := Feature(1) << i
		if want == AVX2 {
			want |= AVX512F // whose kernels use both
		}
		if f, _ := ParseSwitch(name); f != want {
			t.Errorf("%s: %v", name, f.names())
		}
	}
}

// TestOff: what was taken away is not in use.
func TestOff(t *testing.T) {
	if usable&off != 0 {
		t.Errorf("%v taken away, and in use", (usable & off).names())
	}
	if got := Off(); !slices.Equal(got, off.names()) {
		t.Errorf("taken away %v, want %v", got, off.names())
	}
}

func TestOffLanes(t *testing.T) {
	defer func(a, b Feature) { usable, off = a, b }(usable, off)
	for _, tt := range []struct {
		usable, off Feature
		want        bool
	}{
		{Lanes, 0, false},
		{Lanes, ADX, false},
		{Lanes &^ AVX512IFMA, AVX512IFMA, true},
		{0, Lanes, true},
		{AVX512F, AVX512DQ, false}, // there were none
		{0, 0, false},
	} {
		usable, off = tt.usable, tt.off
		if got := OffLanes(); got != tt.want {
			t.Errorf("of %v and %v: %v", tt.usable.names(), tt.off.names(), got)
		}
	}
}
