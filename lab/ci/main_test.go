package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// plant writes the module in testdata/planted.txt to a new folder, which is the working folder
// until the test ends.
func plant(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("on wasm: no program starts another")
	}
	text := reference.Must(os.ReadFile(filepath.Join("testdata", "planted.txt")))
	t.Chdir(t.TempDir())
	for _, part := range strings.Split(string(text), "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"GOWORK": "off", "GOOS": "", "GOARCH": "", "KOBLITZ_REQUIRE": "none",
		"KOBLITZ_DEEP": "1",
	} {
		t.Setenv(name, value)
	}
}

// has holds the architecture and the flags of a CPU that has the levels portable and ADX.
var has = []string{"amd64", "fpu", "bmi1", "bmi2", "adx", "avx512f2"}

// try runs go test with args in the planted module, and checks that ci reports exactly the problems
// in want.
func try(t *testing.T, levels, without, args string, want ...string) (out, summary string) {
	t.Helper()
	var b strings.Builder
	cmd := append([]string{"go", "-C", ".", "test", "-json", "-vet=off"}, strings.Fields(args)...)
	if folder, rest, ok := strings.Cut(args, ": "); ok {
		cmd = append(cmd[:6:6], strings.Fields(rest)...)
		cmd[2] = folder
	}
	r := newRun(&b, levels, without, has, "here", cmd)
	got := r.test(".")
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "example.org/m/", "")
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("go test %s: %q\nwant %q\n%s", args, got, want, b.String())
	}
	text := reference.Must(os.ReadFile("here.summary"))
	return strings.ReplaceAll(b.String(), "example.org/m/", ""), string(text)
}

// TestFailures checks that ci reports each failure in its output and in the summary, for packages
// that fail in every way.
func TestFailures(t *testing.T) {
	plant(t)
	out, summary := try(t, "", "", "./good ./bad ./panics ./exits ./broken",
		"here: exit status 1", "failed: bad TestBad", "failed: bad TestTalks",
		"failed: bad TestParts/part", "failed: bad TestParts", "failed: bad",
		"failed: panics TestPanics", "failed: panics", "failed: exits TestExits", "failed: exits",
		"failed: broken")
	for _, want := range []string{
		"ok  \tgood",
		"TestParts/one covers one part\n",
		"--- FAIL: TestBad in bad\n    bad_test.go:10: bad\n",
		"bad_test.go:10: bad",
		"undefined: nothing",
		"panic: no reason",
		"TestPanics(",
		"--- FAIL: TestExits in exits\n    exits_test.go:11: before\n",
		"here: 1 packages, 6 tests passed, 0 skipped\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "said by a test that passes") {
		t.Error("the output has what a test says that passes")
	}
	if n := strings.Count(summary, "failed: "); n != 10 {
		t.Errorf("the summary has %d failures:\n%s", n, summary)
	}

	// The planted test TestTalks prints the lines "line 0" to "line 199", and a data race after
	// "line 99".
	_, talk, _ := strings.Cut(out, "--- FAIL: TestTalks in bad\n")
	talk, _, _ = strings.Cut(talk, "--- FAIL")
	for _, want := range []string{"line 0\n", "line 29\n", "line 100\n", "line 128\n", "line 175\n",
		"WARNING: DATA RACE\n", "the reason\n"} {
		if !strings.Contains(talk, want) {
			t.Errorf("the excerpt lacks %q:\n%s", want, talk)
		}
	}
	if n := strings.Count(talk, "\n"); n != 30+1+30+1+30 {
		t.Errorf("the excerpt has %d lines:\n%s", n, talk)
	}
}

// TestNothingRuns checks that it is a problem if a package or a command runs no test.
func TestNothingRuns(t *testing.T) {
	plant(t)
	try(t, "", "", "./good ./declared")
	try(t, "", "", "compat/other/v2: ./...")
	try(t, "", "", "-run TestOne ./good ./bad ./untested ./declared",
		"here: no test ran in bad", "here: no test file in untested")
	try(t, "", "", "-run TestParts/none ./good", "here: no test ran in good")
	try(t, "", "", "-run TestNoReason ./skips", "here: no test ran in skips",
		"here: skips TestNoReason: skipped without a reason: no reason")
	try(t, "", "", "./declared", "here: no test ran")
	try(t, "", "", "./nothing", "here: exit status 1", "failed: ./nothing")
	for _, command := range []string{"true", "no-such-command"} {
		var out strings.Builder
		r := newRun(&out, "", "", has, "here", []string{command})
		if got := r.test("."); len(got) != 1 || !strings.HasPrefix(got[0], "here: ") {
			t.Errorf("%s: %q", command, got)
		}
	}
	r := newRun(&strings.Builder{}, "", "", has, "here", []string{"go", "test", "-json", "./good"})
	if got := r.test("no-folder"); len(got) != 1 {
		t.Errorf("a summary that cannot be written: %q", got)
	}
}

// TestSkips checks that a skipped test is reported as a problem unless the reason for the skip is
// true. It tries each kind of reason once where the reason is true and once where it is false.
func TestSkips(t *testing.T) {
	plant(t)
	refused := func(messages ...string) (all []string) {
		for _, m := range messages {
			name, message, _ := strings.Cut(m, " ")
			all = append(all, "here: skips Test"+name+": skipped without a reason: "+message)
		}
		return all
	}
	always := []string{"NoMessage ", "NoReason no reason", "Another on vax: no such machine",
		"Unknown level fast: no such level", "Log not the last: it is a log",
		"Deep without KOBLITZ_DEEP: it takes hours"}
	_, summary := try(t, "", "", "./skips", refused(append(always, "Short with -short: it is long",
		"Gcc without gcc: it compiles", "ADX level ADX: the build lacks it")...)...)
	if summary != "level portable\n" {
		t.Errorf("the summary is %q", summary)
	}
	_, summary = try(t, "portable", "clang-15,gcc", "-short ./skips", refused(always...)...)
	if summary != "level portable in here\n" {
		t.Errorf("the summary is %q", summary)
	}
	try(t, "portable,ADX", "gcc", "-short -run One|ADX|Ran ./skips",
		append(refused("ADX level ADX: the build lacks it"), "here: no test of the level ADX ran")...)
	try(t, "portable,lanes", "gcc", "-run One|Lanes ./skips",
		append(refused("Lanes/x_y level lanes: the build lacks it"),
			"here: no test of the level lanes ran", "here: no test of the level portable ran")...)
}

// TestPlatform checks that a skip for another GOOS or GOARCH than this machine's is a problem, and
// that a skip because KOBLITZ_DEEP is not set is none.
func TestPlatform(t *testing.T) {
	r := newRun(nil, "", "", has, "here", nil)
	r.deep = false
	for message, want := range map[string]bool{
		"on " + runtime.GOARCH + ": why": true, "on " + runtime.GOARCH + "x: why": false,
		"on: why": false, "on :": false, runtime.GOARCH: false, "": false, "without : why": false,
		"without KOBLITZ_DEEP: why": true,
	} {
		if r.isTrue(message) != want {
			t.Errorf("%q: %t, want %t", message, !want, want)
		}
	}
}

// TestLevels checks which levels newRun derives from the architecture and the flags of several
// CPUs.
func TestLevels(t *testing.T) {
	const flagsOfZen4 = "model name : x\nflags\t\t: fpu bmi1 bmi2 adx avx2 fma avx512f avx512dq " +
		"avx512vl avx512_vbmi2 avx512ifma ssse3 sha_ni\nbugs : x\n"
	for _, tt := range []struct{ arch, cpuinfo, want string }{
		{"amd64", flagsOfZen4, "ADX AVX2 AVX512F SHA-NI lanes lanes-AVX2 lanes-FMA portable"},
		{"amd64", strings.Replace(flagsOfZen4, "avx512_vbmi2", "", 1),
			"ADX AVX2 AVX512F SHA-NI lanes-AVX2 lanes-FMA portable"},
		{"amd64", "flags : fpu bmi1 bmi2 adx avx2 fma avx_ifma ssse3 sha_ni",
			"ADX AVX2 SHA-NI lanes-AVX-IFMA lanes-AVX2 portable"},
		{"amd64", "flags : fpu avx2 ssse3", "AVX2 portable"},
		{"amd64", "flags : fpu avx2x", "portable"},
		{"amd64", "", "portable"},
		{"arm64", "Features : fp asimd", "A64 portable"},
		{"riscv64", "", "RV64 portable"},
		{"s390x", "", "portable"},
	} {
		r := newRun(nil, "", "", append(flags(tt.cpuinfo), tt.arch), "here", nil)
		slices.Sort(r.levels)
		if got := strings.Join(r.levels, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.arch, got, tt.want)
		}
	}
}
