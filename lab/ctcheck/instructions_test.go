package main

import (
	"go/types"
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

// TestProgramJudge checks which functions are judged, which callers, and that the check finds
// nothing in a program without instructions of variable time.
func TestProgramJudge(t *testing.T) {
	call := func(reason *directive, target string) mention {
		return mention{target: target, reason: reason, place: place{"d/f.go", 7}}
	}
	anything := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	read := func() *program {
		secret := &function{name: "secret", mentions: []mention{call(nil, "passOnVartime")}}
		excused := &function{name: "excused", mentions: []mention{call(&directive{}, "dividesVartime")}}
		values := &function{name: "values", mentions: []mention{{value: anything}}}
		standard := &function{name: "standard", mentions: []mention{call(nil, "math/bits.Rem64")}}
		planted := &function{name: plantedPackage + ".Caller", mentions: []mention{call(nil, "math.Exp")}}
		divides := &function{name: "dividesVartime", exempt: "name"}
		passOn := &function{name: "passOnVartime", exempt: "name",
			mentions: []mention{call(nil, "dividesVartime")}}
		p := &program{
			functions: []*function{secret, excused, values, standard, planted, divides, passOn},
			lines:     map[place][]*function{{"d/f.go", 1}: {secret}, {"d/f.go", 2}: {divides}},
			targets:   map[string][]*function{}, listed: map[string]bool{},
			values: []value{{anything, "dividesVartime"}},
		}
		for _, f := range p.functions {
			p.targets[f.name] = []*function{f}
		}
		return p
	}
	if faults := read().judge(nil); faults != nil {
		t.Errorf("in a program without such instructions: %v", faults)
	}
	at := func(line int, symbol string) instruction {
		return instruction{symbol: symbol, place: place{"d/f.go", line}, text: "DIVQ CX"}
	}
	var got []string
	for _, f := range read().judge([]instruction{
		at(1, "main.inlined"), at(2, "main.inlined"), at(3, library+".init"), at(3, "main.main"),
		at(3, "math/bits.Rem64"), at(3, "math.Exp"), at(3, "runtime.growslice"),
	}) {
		got = append(got, string(f.check)+" "+f.function)
	}
	want := []string{"instructions secret", "instructions " + library + ".init",
		"instructions main.main", "callers secret", "callers values", "callers standard",
		"callers " + plantedPackage + ".Caller", "instructions math/bits.Rem64"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestMisleading(t *testing.T) {
	for text, want := range map[string]bool{
		"package p\n//line a.go:1\n": true, "var x /*line a.go:1*/ int\n": true,
		"//go:linkname f runtime.f\n": true, "package p // line 1\n//linear\n": false,
	} {
		if got := misleading.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestReadProgram checks what a program says about the planted functions.
func TestReadProgram(t *testing.T) {
	list, err := overlay{}.write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := readProgram(subjectPackage, "valgrind", list, overlay{})
	if err != nil {
		t.Fatal(err)
	}
	exempt := map[string]string{}
	for _, f := range p.functions {
		exempt[f.name] = f.exempt
	}
	for name, want := range map[string]string{
		plantedPackage + ".divideVartime": "name", plantedPackage + ".(*Number).divide": "directive",
		plantedPackage + ".CallerOfName": "", plantedDivision: "",
		library + "/internal/vartime.DoubleScalarMult": "package",
		library + "/group.(*Point).Add":                "",
	} {
		if got, ok := exempt[name]; !ok || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, want)
		}
	}
}
