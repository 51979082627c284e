package main

import (
	"go/format"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestCompiled(t *testing.T) {
	listing := `TEXT github.com/koblitz-go/koblitz/internal/field.(*Element).Mul(SB) /x/mul.go
  mul.go:33	0x484c00		493b6610		CMPQ SP, 0x10(R14)
  mul.go:34	0x484c04		48f7f1		DIVQ CX
TEXT github.com/koblitz-go/koblitz/internal/vartime.wnaf(SB) /x/wnaf.go
  wnaf.go:34	0x484c08		48f7f1		IDIVL CX
  wnaf.go:35	0x484c0c		48f7f1		SQRTSD X0, X0
  wnaf.go:36	0x484c10		c4e2f9b9c9eb13f2	MOVL $-0xdec1437, CX
  wnaf.go:37	0x484c14		48f7f1		?
  wnaf.go:38	0x484c18		48f7f1		FLD ST
  wnaf.go:39	0x484c1c		48f7f1		MOVSD_XMM X0, 0x8(SP)
  wnaf.go:40	0x484c20		48f7f1		CVTSQ2SD AX, X0
TEXT github.com/koblitz-go/koblitz/internal/field.mulADX.abi0(SB) /x/mul_amd64.s
  mul_amd64.s:57	0x484c24		48f7f1		DIVL BL
`
	all, symbols := compiled(strings.NewReader(listing))
	var got []string
	for _, i := range all {
		got = append(got, strings.TrimPrefix(i.symbol, library+"/internal/")+": "+i.text)
	}
	want := []string{"field.(*Element).Mul: DIVQ CX", "vartime.wnaf: IDIVL CX",
		"vartime.wnaf: SQRTSD X0, X0", "vartime.wnaf: MOVL $-0xdec1437, CX", "vartime.wnaf: ?",
		"vartime.wnaf: FLD ST"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if all[0].pc != 0x484c04 {
		t.Errorf("%#x", all[0].pc)
	}
	if len(symbols) != 3 || !symbols[library+"/internal/field.mulADX"] {
		t.Errorf("%v", symbols)
	}
}

func TestAssembled(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   []string
	}{
		{"TEXT ·mul(SB), NOSPLIT, $0-24\n\tMOVQ a+8(FP), DX // no DIVQ\n\tMULXQ AX, BX, CX\n", nil},
		{"TEXT ·mul(SB), NOSPLIT, $0-24\n\tDIVQ CX // why\n", []string{"p/q.mul: DIVQ CX"}},
		{"TEXT other∕r·mul<>(SB), 0, $0\n\tNOP; IDIVL CX\n",
			[]string{"other/r.mul: NOP; IDIVL CX"}},
		{"\tVDIVPD Z1, Z2, Z3\n\tFSQRT\n", []string{"p/q: VDIVPD Z1, Z2, Z3", "p/q: FSQRT"}},
		{"#define D(x) DIVQ x\n", []string{"p/q: #define D(x) DIVQ x"}},
		{"#define D(x)DIVQ x\n", []string{"p/q: #define D(x)DIVQ x"}},
		{"a:\tDIVQ CX\nb:DIVQ CX\n/**/DIVQ CX\n",
			[]string{"p/q: a:\tDIVQ CX", "p/q: b:DIVQ CX", "p/q: /**/DIVQ CX"}},
		{"divisor:\n\tMOVQ ·DIVISOR(SB), AX\n\tFUNCDATA $0, x\n\tVFMADD231PD Z1, Z2, Z3\n", nil},
	} {
		var got []string
		for _, i := range assembled(tt.source, "p/q") {
			got = append(got, i.symbol+": "+i.text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q has %q, want %q", tt.source, got, tt.want)
		}
	}
}

func TestExcused(t *testing.T) {
	for symbol, want := range map[string]bool{
		"runtime.growslice": true, "internal/runtime/maps.NewMap": true, "bytes.Repeat": true,
		"math/big.nat.divBasic": true, "runtimes.f": false, "bytes.RepeatAll": false,
		"math/bits.Rem64": false, "math.Sqrt": false, library + ".runtime.f": false,
	} {
		if got := excused(symbol); got != want {
			t.Errorf("%s: %v", symbol, got)
		}
	}
}

// quotients is a file with functions that may leak and one that must not.
const quotients = `package main

func F(x, y int) int {
	return x / y
}

func GVartime(x, y int) (int, int) {
	z := x /
		y % 5
	return z / 3 % y, x / 7
}

//ct:public why
func H(x float64) float64 { return x * 2 }
`

// TestJudgeInstructions checks in which functions instructions are faults.
func TestJudgeInstructions(t *testing.T) {
	s, err := parseSource("p", quotients)
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int, symbol string) instruction {
		return instruction{symbol: symbol, place: place{"f.go", line}}
	}
	faults, divisions, listed := judgeInstructions([]instruction{
		at(4, "main.inlined"), at(8, "x"), at(10, "x"), at(14, "x"), at(1, "main.init"),
		{symbol: "runtime.growslice"}, {symbol: "runtime.growslice"}, {symbol: "math/bits.Rem64"},
		{symbol: library + ".mulADX"},
	}, map[string]*source{"f.go": s})
	var got []string
	for _, f := range faults {
		got = append(got, f.function)
	}
	want := []string{"main.F", "main.", "math/bits.Rem64", library + ".mulADX"}
	if !slices.Equal(got, want) || listed != 1 {
		t.Errorf("%q, %d listed functions", got, listed)
	}
	at8, at10, at14 := place{"f.go", 8}, place{"f.go", 10}, place{"f.go", 14}
	if !maps.Equal(divisions, map[place]bool{at8: true, at10: true, at14: true}) {
		t.Errorf("%v", divisions)
	}
}

// TestFollow checks that follow adds branches on the quotients of the given lines, and only there.
func TestFollow(t *testing.T) {
	s, err := parseSource("p", quotients)
	if err != nil {
		t.Fatal(err)
	}
	s.path = "/p/f.go"
	sources := map[string]*source{"f.go": s}
	o, err := overlay{}.follow(map[place]bool{{"f.go", 8}: true, {"f.go", 10}: true}, sources)
	if err != nil {
		t.Fatal(err)
	}
	text := o["/p/f.go"]
	for _, want := range []string{
		"\treturn x / y\n", "z := quotient0(x /\n\t\ty) % 5\n",
		"return quotient0(quotient0(z / 3) % y), quotient0(x / 7)\n", "\nfunc quotient0[T comparable](",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := format.Source([]byte(text)); err != nil {
		t.Error(err)
	}
	for _, line := range []int{11, 14} {
		if _, err := (overlay{}).follow(map[place]bool{{"f.go", line}: true}, sources); err == nil {
			t.Errorf("line %d has no division, and there is no error", line)
		}
	}
}
