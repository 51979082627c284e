package cpu

import "testing"

func TestParseSwitch(t *testing.T) {
	for _, tt := range []struct {
		value string
		want  Feature
	}{
		{"", 0},
		{" , ,,", 0},
		{"ADX", ADX},
		{"adx", ADX},
		{"a64", A64},
		{"rv64", RV64},
		{"lanes", AVX512IFMA | AVX512DQ | AVXIFMA | FMA},
		{"all", end - 1},
		{"ADX, AVX-IFMA avx512ifma", ADX | AVXIFMA | AVX512IFMA},
		{"portable", 0},
		{"SSE2,ADX,-ADX,ADX=on", ADX},
		{"\x00\xff\n;all;", 0},
	} {
		if f := parseSwitch(tt.value); f != tt.want {
			t.Errorf("%q: %v", tt.value, f.names())
		}
	}
	for i, name := range names {
		if f := parseSwitch(name); f != 1<<i {
			t.Errorf("%s: %v", name, f.names())
		}
	}
}
