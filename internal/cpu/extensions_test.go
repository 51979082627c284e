package cpu

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// levels maps the suffix of a kernel's name to the features that callers check before the call.
// Package cpu adds those that a feature counts only with.
var levels = map[string]Feature{
	"SSE":      0, // every amd64 CPU has SSE2
	"ADX":      BMI2 | ADX,
	"AVX2":     AVX2,
	"SHA":      SHANI,
	"FMA256":   LanesAVX2,
	"IFMA256":  LanesAVXIFMA,
	"AVX512":   AVX512F,
	"AVX512VL": AVX512F | AVX512VL | BMI2 | ADX,
	"FMA512":   LanesFMA,
	"IFMA":     Lanes,
}

// base holds the instructions that every amd64 CPU has. To use a new instruction in a kernel, add
// it to this list or to that of an extension.
var base = words(`ADCQ ADDQ ANDL ANDQ BSRQ CMOVQCS CMOVQEQ CMOVQNE CMPQ DECL DECQ IMULQ IMUL3Q
	INCQ LEAQ CMOVLEQ MOVB MOVBLZX MOVL MOVLQZX MOVQ NEGQ NOTQ ORL ORQ RET SARQ SBBQ SHLL SHLQ
	SHRL SHRQ SUBQ LDMXCSR STMXCSR
	TESTB TESTL TESTQ XORL XORQ PREFETCHT0
	MOVOU PADDL PSHUFL PUNPCKHLQ PUNPCKHQDQ PUNPCKLLQ PUNPCKLQDQ PXOR
	JCC JCS JEQ JGE JGT JLE JLT JMI JMP JNE JNZ JZ`)

// instructions lists the instructions of each extension. An instruction that AVX-512F shares with
// AVX2 or FMA counts as AVX-512F if it uses a register or an operand that only AVX-512F has. TZCNT
// and ANDN belong to BMI1, with which BMI2 counts, and AVX512F counts with POPCNT.
var instructions = map[Feature]map[string]bool{
	BMI2: words(`MULXQ BZHIQ SARXQ SHLXQ SHRXQ TZCNTQ ANDNQ`),
	ADX:  words(`ADCXQ ADOXQ`),
	AVX2: words(`VMOVDQU VMOVQ VPAND VPOR VPXOR VPADDD VPADDQ VPSUBQ VPCMPEQQ VPCMPGTQ VPSLLQ
		VPSLLD VPSRLQ VPSRLD VPSRLVQ VPSLLVQ VPSHUFD VPBROADCASTD VPBROADCASTQ VPUNPCKLDQ
		VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ VPERMQ VPINSRQ VINSERTI128 VZEROUPPER VZEROALL
		VPMULUDQ VSUBPD VPBLENDD VPBLENDVB VPSHUFB VBROADCASTI128 VMOVMSKPD VPERM2I128`),
	FMA: words(`VFMADD231PD VFMSUB231PD`),
	AVX512F: words(`VMOVDQU32 VMOVDQU64 VMOVDQA64 VPANDQ VPORQ VPXORQ VPXORD VPSRAQ VPRORD VPROLQ
		VPTERNLOGQ VINSERTI64X4 VSHUFI64X2 VPTESTMQ VPTESTMD VPTESTNMQ VPBLENDMQ VPANDNQ VPORD
		VPCMPUD VPCMPUQ VPERMI2Q VPMOVQD VPCOMPRESSD KMOVW POPCNTL`),
	SHANI:       words(`PALIGNR PSHUFB SHA256MSG1 SHA256MSG2 SHA256RNDS2`),
	AVX512DQ:    words(`KMOVB KNOTB KORB KANDB KSHIFTLB VPMULLQ VPMOVD2M`),
	AVX512VBMI2: words(`VPSHRDQ VPSHLDQ`),
	AVX512IFMA:  words(`VPMADD52LUQ VPMADD52HUQ`),
}

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var (
	line512 = regexp.MustCompile(`\b(Z|K)[0-9]+\b|\b[XY](1[6-9]|2[0-9]|3[01])\b|\.BCST\b`)
	shorter = regexp.MustCompile(`\b[XY][0-9]+\b`)
	longest = regexp.MustCompile(`\bZ[0-9]+\b`)
)

// needs returns the extensions that one line of assembly requires. known is false if the
// instruction is in no list.
func needs(mnemonic, operands string) (f Feature, known bool) {
	bare, _, _ := strings.Cut(mnemonic, ".")
	if base[bare] {
		return 0, true
	}
	for feature, list := range instructions {
		if list[bare] {
			f, known = f|feature, true
		}
	}
	long := line512.MatchString(operands) || strings.Contains(mnemonic, ".")
	if f&(AVX2|FMA) != 0 && long {
		f = AVX512F
	}
	const avx512 = AVX512F | AVX512DQ | AVX512VBMI2 | AVX512IFMA
	if f&avx512 != 0 && shorter.MatchString(operands) && !longest.MatchString(operands) {
		f |= AVX512VL
	}
	return f, known
}

// checked returns the features that the CPU has if Has(f) is true.
func checked(f Feature) (all Feature) {
	for bit := Feature(1); bit < end; bit <<= 1 {
		if ((end-1)&^bit).complete()&f != f {
			all |= bit
		}
	}
	return all
}

// TestExtensions reads the assembly and checks that every kernel uses only
// extensions that its callers check for.
func TestExtensions(t *testing.T) {
	var files []string
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, "_amd64.s") {
			files = append(files, name)
		}
		return err
	})
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	used := map[string]Feature{}
	for _, name := range files {
		switch filepath.Base(name) {
		case "memcheck_amd64.s", "cpuid_amd64.s", "mxcsr_amd64.s":
			continue // no kernels: they call valgrind, read CPUID, and set MXCSR for tests
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kernel, level := "", ""
		for line := range strings.Lines(string(text)) {
			line, comment, _ := strings.Cut(line, "//")
			if rest, ok := strings.CutPrefix(line, "TEXT ·"); ok {
				kernel, _, _ = strings.Cut(rest, "(")
				level = ""
				for end := range levels {
					if strings.HasSuffix(kernel, end) && len(end) > len(level) {
						level = end
					}
				}
				if level == "" {
					t.Errorf("%s: %s does not say what it needs", name, kernel)
				}
				continue
			}
			fields := strings.Fields(line)
			if len(fields) == 0 || line[0] != '\t' || strings.HasSuffix(fields[0], ":") {
				continue
			}
			f, known := needs(fields[0], strings.Join(fields[1:], " "))
			if fields[0] == "BYTE" && strings.HasPrefix(comment, " VPMADD52") {
				f, known = AVXIFMA, true // in VEX form, which the assembler does not know
			}
			if !known {
				t.Errorf("%s: %s: %s is in no list", name, kernel, fields[0])
			}
			if missing := f &^ checked(levels[level]); missing != 0 {
				t.Errorf("%s: %s needs %v: %s", name, kernel, missing.names(), strings.TrimSpace(line))
			}
			used[level] |= f
		}
	}
	for level, f := range used {
		t.Logf("%s: %v", level, f.names())
	}
	// Some kernel must use every feature that callers check for.
	for level, f := range map[string]Feature{"IFMA": Lanes, "FMA512": LanesFMA,
		"FMA256": LanesAVX2, "IFMA256": LanesAVXIFMA, "SHA": SHANI} {
		if idle := f &^ used[level]; idle != 0 {
			t.Errorf("no kernel of level %s uses %v", level, idle.names())
		}
	}
}

func TestNeeds(t *testing.T) {
	for _, tt := range []struct {
		mnemonic, operands string
		want               Feature
	}{
		{"ADDQ", "AX, BX", 0},
		{"VPADDQ", "Y0, Y1, Y2", AVX2},
		{"VPADDQ", "Z0, Z1, Z2", AVX512F},
		{"VPADDQ", "Y0, Y1, Y17", AVX512F | AVX512VL},
		{"VFMADD231PD", "Y0, Y1, Y2", FMA},
		{"VFMADD231PD.RZ_SAE", "Z0, Z1, Z2", AVX512F},
		{"VPADDQ.BCST", "data<>+8(SB), Z1, Z2", AVX512F},
		{"VMOVDQU64", "(SI), Y3", AVX512F | AVX512VL},
		{"VPSHRDQ", "$52, Z1, Z2, Z3", AVX512VBMI2},
		{"VPXOR", "Y1, Y1, Y1", AVX2},
		{"KMOVB", "AX, K1", AVX512DQ},
	} {
		if got, known := needs(tt.mnemonic, tt.operands); !known || got != tt.want {
			t.Errorf("%s %s needs %v, want %v", tt.mnemonic, tt.operands, got.names(), tt.want.names())
		}
	}
	if _, known := needs("VPERMB", "Z0, Z1, Z2"); known {
		t.Error("VPERMB is known")
	}
}
