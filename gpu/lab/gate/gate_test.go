package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programs is the folder that holds the programs to compile.
const programs = "../../kernels"

func committed(t *testing.T) []row {
	t.Helper()
	file, err := os.ReadFile("compiled.txt")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parse(string(file))
	if err != nil {
		t.Fatal(err)
	}
	if text(c) != string(file) {
		t.Error("compiled.txt is not as -update writes it")
	}
	return c
}

// TestCommitted checks that compiled.txt has a row for each kernel on each target, and that the
// rows keep the limits.
func TestCommitted(t *testing.T) {
	c := committed(t)
	if err := limits(c); err != nil {
		t.Error(err)
	}
	var want, got []string
	files, err := filepath.Glob(filepath.Join(programs, "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatal("no program", err)
	}
	entry := regexp.MustCompile(`\.entry (\w+)\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		program := strings.TrimSuffix(filepath.Base(file), ".ptx")
		for _, m := range entry.FindAllStringSubmatch(string(text), -1) {
			for _, target := range allTargets {
				want = append(want, target+" "+program+" "+m[1])
			}
		}
	}
	for _, r := range c {
		got = append(got, r.Target+" "+r.Program+" "+r.Kernel)
	}
	slices.Sort(want)
	slices.Sort(got)
	missing := func(all, in []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(line string) bool {
			_, found := slices.BinarySearch(in, line)
			return found
		})
	}
	if !slices.Equal(got, want) {
		t.Errorf("compiled.txt lacks %q and has %q for nothing, or some twice", missing(want, got),
			missing(got, want))
	}
}

// says fails the test unless err contains the text want. If want is empty, err must be nil.
func says(t *testing.T, what string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: error %v, want %q", what, err, want)
	}
}

// TestCompare checks that compare returns an error for a number that differs from the table's by
// more than the tolerance.
func TestCompare(t *testing.T) {
	good := []row{
		{"sm_75", "rows", "k_a", 128, 0, 1000, 512, 0, 1000},
		{"sm_90", "rows", "k_a", 100, 0, 1000, 512, 0, 1000},
		{"gfx90a", "rows", "k_a", 200, 50, 1000, 512, 0, 1000},
	}
	targets := []string{"sm_75", "sm_90", "gfx90a"}
	for _, c := range []struct {
		name, want string
		change     func(r []row)
	}{
		{"nothing", "", func(r []row) {}},
		{"a little", "", func(r []row) { r[0].Instructions = 1020 }},
		{"a little less", "", func(r []row) { r[0].Instructions = 980 }},
		{"longer", "1021 instructions, and 1000", func(r []row) { r[0].Instructions = 1021 }},
		{"shorter", "979 instructions", func(r []row) { r[0].Instructions = 979 }},
		{"stack", "1100 bytes of stack", func(r []row) { r[0].Stack = 1100 }},
		{"shared", "513 bytes of shared", func(r []row) { r[0].Shared = 513 }},
		{"scalars", "60 scalar registers", func(r []row) { r[2].Scalars = 60 }},
		{"registers", "129 registers, the limit is 128", func(r []row) { r[0].Registers = 129 }},
		{"no registers", "90 registers, and 100", func(r []row) { r[1].Registers = 90 }},
		{"spills", "k_a on sm_75: 4 spills", func(r []row) { r[0].Spills = 4 }},
		{"more registers", "205 registers, and 200", func(r []row) { r[2].Registers = 205 }},
		{"another kernel", "k_b on sm_75 is not in", func(r []row) { r[0].Kernel = "k_b" }},
	} {
		rows := slices.Clone(good)
		c.change(rows)
		says(t, c.name, compare(good, rows, targets), c.want)
	}
	says(t, "a row fewer", compare(good, good[:2], targets),
		"k_a on gfx90a is in compiled.txt alone")
	// Rows of a target are not reported as missing if that target was not measured.
	if err := compare(good, good[:1], targets[:1]); err != nil {
		t.Error(err)
	}
}

// TestLimits checks that limits reports a kernel with more registers than its limit, or with
// spilled registers.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		row  row
		want string
	}{
		{row{Target: "sm_75", Kernel: "k_a", Registers: 128}, ""},
		{row{Target: "sm_75", Kernel: "k_a", Registers: 129},
			"k_a on sm_75: 129 registers, the limit is 128"},
		{row{Target: "gfx90a", Kernel: "k_a", Registers: 256}, ""},
		{row{Target: "gfx90a", Kernel: "k_a", Spills: 1}, "k_a on gfx90a: 1 spills"},
	} {
		says(t, fmt.Sprint(c.row), limits([]row{c.row}), c.want)
	}
}

// TestVerbose checks that parseVerbose returns the registers, the stack and the spills of kernels,
// and that these include the functions that a kernel calls.
func TestVerbose(t *testing.T) {
	const text = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k_a' for 'sm_75'
ptxas info    : Function properties for k_a
    224 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 127 registers, used 1 barriers, 240 bytes cumulative stack size, 99 bytes smem
ptxas info    : Compile time = 385.645 ms
ptxas info    : Function properties for _ZL6fe_invP2fePKS_
    16 bytes stack frame, 32 bytes spill stores, 64 bytes spill loads
ptxas info    : Compiling entry function 'k_b' for 'sm_75'
ptxas info    : Function properties for k_b
    48 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 384 bytes cmem[0]
`
	want := []row{{Kernel: "k_a", Registers: 127, Stack: 240, Shared: 99, Spills: 120},
		{Kernel: "k_b", Registers: 12, Stack: 48}}
	if got, err := parseVerbose(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	lines := strings.SplitAfter(text, "\n")
	for _, lost := range []int{1, 11} {
		rest := strings.Join(slices.Delete(slices.Clone(lines), lost, lost+1), "")
		if got, err := parseVerbose(rest); err == nil {
			t.Errorf("without %q: %+v", lines[lost], got)
		}
	}
}

// TestAssembly checks that parseAssembly returns the resources of a kernel on AMD, and that it
// counts the instructions of functions that the kernel calls.
func TestAssembly(t *testing.T) {
	const text = `k_a:                                    ; @k_a
; %bb.0:
	s_mov_b32 s4, s15
	s_add_u32 s0, s0, twice@rel32@lo+4
	s_addc_u32 s1, s1, twice@rel32@hi+12
	s_endpgm
.Lfunc_end0:
	.size	k_a, .Lfunc_end0-k_a
twice:                                  ; @twice
	s_add_u32 s0, s0, once@gotpcrel32@lo+4
	s_swappc_b64 s[30:31], s[4:5]
.LBB0:
	s_setpc_b64 s[30:31]
.Lfunc_end1:
once:                                   ; @once
	s_add_u32 s0, s0, twice@rel32@lo+4
.Lfunc_end2:
other:                                  ; @other
	s_nop 0
.Lfunc_end3:
amdhsa.kernels:
  - .agpr_count:     15
    .args:
      - .name:           x
        .size:           8
    .group_segment_fixed_size: 512
    .name:           k_a
    .private_segment_fixed_size: 1272
    .sgpr_count:     50
    .sgpr_spill_count: 3
    .vgpr_count:     242
    .vgpr_spill_count: 4
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
`
	want := []row{{Kernel: "k_a", Registers: 242, Scalars: 50, Stack: 1272, Shared: 512, Spills: 7,
		Instructions: 8}}
	if got, err := parseAssembly(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := parseAssembly(strings.Replace(text, "once:", "never:", 1)); err == nil ||
		!strings.Contains(err.Error(), "once is called") {
		t.Errorf("%+v, %v", got, err)
	}
	text2 := strings.Replace(text, "    .vgpr_count:     242\n", "", 1)
	if got, err := parseAssembly(text2); err == nil {
		t.Errorf("%+v", got)
	}
}

// TestHashes checks that cubin.txt has a line for each program that can be carried and each of
// NVIDIA's targets, and that compareHashes reports another hash and an unknown file.
func TestHashes(t *testing.T) {
	file, err := os.ReadFile("cubin.txt")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	for _, target := range allTargets {
		for _, program := range carried {
			if isNVIDIA(target) && !strings.Contains(string(file), "  "+program+"."+target+"\n") {
				t.Errorf("no hash of %s for %s", program, target)
			}
			path := filepath.Join(temp, program+"."+target)
			if err := os.WriteFile(path, []byte(path), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines, err := hashes(temp, allTargets)
	if err != nil || len(lines) != strings.Count(string(file), "  ") {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	text := hashText(lines)
	if !strings.HasPrefix(string(file), hashHead) {
		t.Error("cubin.txt is not as -update writes it")
	}
	says(t, "the same", compareHashes(text, lines), "")
	changed := maps.Clone(lines)
	changed["rows.sm_90"] = lines["rows.sm_80"]
	says(t, "another hash", compareHashes(text, changed), "rows.sm_90 has SHA-256")
	says(t, "a new file", compareHashes(text, map[string]string{"rows.sm_70": lines["rows.sm_75"]}),
		"rows.sm_70 has SHA-256")
	_, err = hashes(t.TempDir(), allTargets)
	says(t, "no code", err, "no such file")
}

// TestCarry checks that carry writes files that hold the code and the hash of the PTX, the same
// bytes each time, and removes older files.
func TestCarry(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	old := filepath.Join(dir, "cubin", "rows.sm_60.gz")
	for path, text := range map[string]string{
		filepath.Join(dir, "rows.ptx"):    "the PTX",
		filepath.Join(temp, "rows.sm_75"): "the code",
		old:                               "of an older target",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var first []byte
	for range 2 {
		says(t, "carry", carry(dir, temp, map[string]string{"rows.sm_75": ""}), "")
		file, err := os.ReadFile(filepath.Join(dir, "cubin", "rows.sm_75.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(file, first) {
			t.Error("other bytes the second time")
		}
		first = file
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", old, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	code, err := io.ReadAll(z)
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte("the PTX"))); err != nil ||
		string(code) != "the code" || z.Comment != want {
		t.Errorf("%q, made from %s, %v", code, z.Comment, err)
	}
	says(t, "no PTX", carry(dir, temp, map[string]string{"sums.sm_75": ""}), "sums.ptx")
}
