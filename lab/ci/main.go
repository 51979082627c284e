// Command ci runs go test -json for a step of .ci/run, shows what failed, and fails where tests
// silently did not run:
//
//	ci [-levels LIST] [-without LIST] LABEL COMMAND…
//
// These are failures too:
//
//   - A package in which no test passed.
//   - A package without test files. A line "//ci:untested REASON" in one of its files allows it.
//   - A skipped test, unless its message begins with one of these reasons and the reason is true:
//     "level NAME:" (the build or the CPU lacks this level of package cputest), "with -FLAG:" (the
//     command has this flag, such as -short), "without NAME:" (-without lists this program or
//     device), "without KOBLITZ_DEEP:" (the variable is not set), "on NAME:" (this machine has this
//     GOOS or GOARCH).
//   - A level of -levels at which no test ran. Builds for other machines or with other tags run
//     with -levels. For all other builds, the levels are those that the CPU has according to Linux.
//
// A test may log what it covers, in a message that begins with "covers". If the test passes, ci
// prints this message.
//
// The file $CI_WORK/LABEL.summary gets a line "failed: TEST" for each failure, and a line "level
// NAME" for each level that ran. With -levels, the second line ends in "in LABEL".
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	levels := flag.String("levels", "", "the levels of the build, all of which must run")
	without := flag.String("without", "", "the programs and devices that tests may lack")
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo") // only Linux has this file
	has := append(flags(string(cpuinfo)), runtime.GOARCH)
	r := newRun(os.Stdout, *levels, *without, has, flag.Arg(0), flag.Args()[1:])
	if problems := r.test(os.Getenv("CI_WORK")); problems != nil {
		fmt.Println(strings.Join(problems, "\n"))
		os.Exit(1)
	}
}

// needs maps each level of package cputest to what a CPU needs for it: an architecture, and flags
// in /proc/cpuinfo. A level is a set of CPU instructions that kernels use.
var needs = map[string][]string{
	"portable":       {},
	"ADX":            {"amd64", "bmi1", "bmi2", "adx"},
	"AVX2":           {"amd64", "avx2"},
	"SHA-NI":         {"amd64", "ssse3", "sha_ni"},
	"AVX512F":        {"amd64", "avx512f"},
	"lanes-AVX2":     {"amd64", "avx2", "fma"},
	"lanes-AVX-IFMA": {"amd64", "avx2", "avx_ifma"},
	"lanes-FMA":      {"amd64", "avx512f", "avx512dq", "avx512vl"},
	"lanes":          {"amd64", "avx512f", "avx512dq", "avx512vl", "avx512_vbmi2", "avx512ifma"},
	"A64":            {"arm64"},
	"RV64":           {"riscv64"},
}

// A run is one execution of the command that ci runs, and the state of the tests in it.
type run struct {
	out             io.Writer
	label           string
	command         []string
	levels, without []string // levels of the build; programs and devices that tests may lack
	elsewhere       bool     // the tests are for another CPU than this one
	deep            bool     // KOBLITZ_DEEP is set

	said             map[test][]byte // output of each test that has not ended yet
	passed           map[string]int  // number of passed tests by package
	ran              map[string]bool // levels at which at least one test ran
	packages, tests  int             // numbers of packages and tests that passed
	skips            int
	failed, problems []string
}

// A test identifies a test of a package, or the whole package if name is empty.
type test struct{ pkg, name string }

// newRun returns a run of command cmd. cpu holds the architecture and the flags of the CPU.
func newRun(out io.Writer, levels, without string, cpu []string, label string, cmd []string) *run {
	r := &run{out: out, label: label, command: cmd, without: strings.Split(without, ","),
		deep: os.Getenv("KOBLITZ_DEEP") != "",
		said: map[test][]byte{}, passed: map[string]int{}, ran: map[string]bool{}}
	if levels != "" {
		r.levels, r.elsewhere = strings.Split(levels, ","), true
		return r
	}
	for level, all := range needs {
		lacks := func(need string) bool { return !slices.Contains(cpu, need) }
		if !slices.ContainsFunc(all, lacks) {
			r.levels = append(r.levels, level)
		}
	}
	return r
}

// flags returns the words of the first line in cpuinfo that begins with "flags".
func flags(cpuinfo string) []string {
	return strings.Fields(regexp.MustCompile(`(?m)^flags.*$`).FindString(cpuinfo))
}

func (r *run) problem(format string, args ...any) {
	r.problems = append(r.problems, r.label+": "+fmt.Sprintf(format, args...))
}

// test runs the command and writes its summary to folder. It returns the problems that it found,
// followed by a line for each failed test.
func (r *run) test(folder string) []string {
	cmd := exec.Command(r.command[0], r.command[1:]...)
	cmd.Stderr = os.Stderr
	where := "\n"
	if r.elsewhere {
		where = " in " + r.label + "\n"
		cmd.Env = append(os.Environ(), "KOBLITZ_REQUIRE="+strings.Join(r.levels, ","))
	}
	output, err := cmd.Output()
	for line := range strings.Lines(string(output)) {
		r.line(line)
	}
	if err != nil {
		r.problem("%v", err)
	} else if r.packages == 0 {
		r.problem("no test ran")
	}
	for _, level := range r.levels {
		if r.elsewhere && !r.ran[level] {
			r.problem("no test of the level %s ran", level)
		}
	}
	fmt.Fprintf(r.out, "%s: %d packages, %d tests passed, %d skipped\n",
		r.label, r.packages, r.tests, r.skips)
	text := strings.Join(append(r.failed, ""), "\n")
	for _, level := range slices.Sorted(maps.Keys(r.ran)) {
		text += "level " + level + where
	}
	file := filepath.Join(folder, r.label+".summary")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		r.problem("%v", err)
	}
	return append(r.problems, r.failed...)
}

var (
	framing = regexp.MustCompile(`^(=== (RUN|PAUSE|CONT|NAME) .*| *--- [A-Z]+: .*|PASS|FAIL)\n$`)
	logged  = regexp.MustCompile(`(?m)^ +[^ ]+\.go:[0-9]+: (.*)$`)
	covers  = regexp.MustCompile(`(?m)^ +[^ ]+\.go:[0-9]+: (covers .*)$`)
	ranAt   = regexp.MustCompile(`(?m)^ +[^ ]+\.go:[0-9]+: level (\S+): ran$`)
	ending  = regexp.MustCompile(`^(panic|fatal error|WARNING: DATA RACE)`)
)

// line processes one line of the command's output. If the line is not an event of go test -json,
// line prints it.
func (r *run) line(line string) {
	var e struct{ Action, Package, Test, Output string }
	err := json.Unmarshal([]byte(line), &e)
	t := test{e.Package, e.Test}
	switch isPackage := t.name == ""; {
	case err != nil:
		fmt.Fprint(r.out, line)
	case e.Action == "build-output" || isPackage && strings.HasPrefix(e.Output, "ok "):
		fmt.Fprint(r.out, e.Output)
		if strings.Contains(e.Output, "[no tests to run]") {
			delete(r.passed, t.pkg) // with -run, a test passes even if no subtest matches
		}
	case e.Action == "output" && !framing.MatchString(e.Output):
		r.said[t] = append(r.said[t], e.Output...)
	case e.Action == "pass" && isPackage:
		r.packages++
		if r.passed[t.pkg] == 0 {
			r.problem("no test ran in %s", t.pkg)
		}
	case e.Action == "pass":
		r.passed[t.pkg]++
		r.tests++
		for _, m := range ranAt.FindAllSubmatch(r.said[t], -1) {
			r.ran[string(m[1])] = true
		}
		for _, m := range covers.FindAllSubmatch(r.said[t], -1) {
			fmt.Fprintf(r.out, "%s %s\n", t.name, m[1])
		}
		delete(r.said, t)
	case e.Action == "skip" && isPackage:
		if !untested(t.pkg) {
			r.problem("no test file in %s", t.pkg)
		}
	case e.Action == "skip":
		r.skips++
		message := ""
		for _, m := range logged.FindAllSubmatch(r.said[t], -1) {
			message = string(m[1])
		}
		if !r.isTrue(message) {
			r.problem("%s %s: skipped without a reason: %s", t.pkg, t.name, message)
		}
		delete(r.said, t)
	case e.Action == "fail":
		for other := range r.said {
			if isPackage && other.pkg == t.pkg && other != t { // the program ended during that test
				r.fail(other)
			}
		}
		r.fail(t)
	}
}

// fail prints the output of a failed test: the first and the last 30 lines, and 30 lines of each
// panic and each data race.
func (r *run) fail(t test) {
	name := strings.TrimSpace(t.pkg + " " + t.name)
	fmt.Fprintf(r.out, "--- FAIL: %s in %s\n", cmp.Or(t.name, "tests"), t.pkg)
	lines := slices.Collect(strings.Lines(string(r.said[t])))
	for i, until := 0, 30; i < len(lines); i++ {
		if ending.MatchString(lines[i]) {
			until = i + 30
		}
		if i < until || i >= len(lines)-30 {
			fmt.Fprint(r.out, lines[i])
		} else if i == until {
			fmt.Fprintln(r.out, "    some lines are left out")
		}
	}
	r.failed = append(r.failed, "failed: "+name)
	delete(r.said, t)
}

// isTrue reports whether the message of a skipped test begins with a known reason, and this reason
// is true.
func (r *run) isTrue(message string) bool {
	reason, _, _ := strings.Cut(message, ":")
	kind, name, _ := strings.Cut(reason, " ")
	return kind == "level" && needs[name] != nil && !slices.Contains(r.levels, name) ||
		kind == "with" && slices.Contains(r.command, name) ||
		kind == "without" && name == "KOBLITZ_DEEP" && !r.deep ||
		kind == "without" && name != "" && slices.Contains(r.without, name) ||
		kind == "on" && (name == runtime.GOOS || name == runtime.GOARCH)
}

// untested reports whether a file of package pkg has a line //ci:untested. The package's folder is
// a suffix of its import path, relative to the working folder or, for a drop-in, to the folder
// compat.
func untested(pkg string) bool {
	for end, found := pkg, true; found; _, end, found = strings.Cut(end, "/") {
		files, _ := filepath.Glob(filepath.Join(end, "*.go"))
		ours, _ := filepath.Glob(filepath.Join("compat", end, "*.go"))
		for _, file := range append(files, ours...) {
			src, _ := os.ReadFile(file)
			if strings.Contains(string(src), "\n//ci:untested ") {
				return true
			}
		}
	}
	return false
}
