//go:build selftest

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// The tests in this file check that the steps of CI fail if the command git or go fails, or prints
// nothing.

const root = "../.."

// faulty holds shell scripts that replace a program. The part of the name before the colon is the
// program that a script replaces by a faulty one.
var faulty = map[string]string{
	"git that fails":       "git: echo git is broken >&2; exit 1",
	"git that is silent":   "git: exit 0",
	"git with a long line": `git: case "$*" in *.md*) echo $TEMP/long.md;; *) exec $REAL "$@";; esac`,
	"go that is silent":    "go: exit 0",
	"go without packages":  `go: [ "$1" = list ] || exec $REAL "$@"`,
	"pip that fails":       "python3: echo there is no assembler >&2; exit 1",
	"go that reports": `go: case "$*" in
		run*check*) echo "rows 732 $GOARCH" ;;
		run*info*) echo "implementations ${LEVELS:-none}" ;;
		test*) printf '{"Action":"pass","Package":"p","Test":"T"}\n{"Action":"pass","Package":"p"}\n' ;;
		*) exec $REAL "$@" ;;
		esac`,
}

// script runs a command of CI in a folder and returns its output. If program is a key of faulty,
// the faulty script replaces the real program. If program is empty, nothing is replaced. No process
// may take more than three minutes of CPU time.
func script(t *testing.T, folder, program, command string, env ...string) (out string, err error) {
	t.Helper()
	dir := t.TempDir()
	name, body, _ := strings.Cut(faulty[program], ": ")
	if program != "" {
		actual, err := exec.LookPath(name)
		if err != nil || body == "" {
			t.Fatal(program, err)
		}
		body = strings.NewReplacer("$REAL", actual, "$TEMP", dir).Replace(body)
		err = os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o777)
		if err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("word ", 30)
	if err := os.WriteFile(filepath.Join(dir, "long.md"), []byte(long), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", "ulimit -t 180 && bash "+command)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "CI_WORK=", "KOBLITZ_REQUIRE=")
	cmd.Env = append(cmd.Env, env...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func TestSteps(t *testing.T) {
	const short = "ACCEPTANCE_SHORT=1"
	cheap, dear := filepath.Join(t.TempDir(), "budget"), filepath.Join(t.TempDir(), "budget")
	for file, line := range map[string]string{cheap: "format 0\n", dear: "format 1000\n"} {
		if err := os.WriteFile(file, []byte("# comment\n"+line), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		program, command, want string
		env                    []string
	}{
		{"git with a long line", "run format", "/long.md:1: 150 columns", nil},
		{"pip that fails", "run gate", "there is no assembler", nil},
		{"go that reports", "run sample", "another report: arm64", nil},
		{"go that reports", "run ports", "arm64 has the implementations 'none'", nil},
		{"go that reports", "run ports", "no test of the level A64 ran", []string{"LEVELS=A64 portable"}},
		{"go that is silent", "run compat", "no suite ran", nil},
		{"go without packages", "run vet", "no package: ", nil},
		{"go without packages", "run static", "no package: ", nil},
		{"", "emulated vax test ./internal/ct", "there is no machine vax", nil},
		{"", "run nosuchstep", "failed: nosuchstep level lanes, which did not run",
			[]string{"KOBLITZ_REQUIRE=lanes"}},
		{"", "run format", "failed: format", []string{"CI_BUDGET=" + cheap}},
		{"", "run format", "", []string{"CI_BUDGET=" + dear}},
		{"", "acceptance nosuchpart", "there is no part nosuchpart", nil},
		{"go without packages", "acceptance tests race", "again: make acceptance PARTS='tests race'",
			[]string{short, "ACCEPTANCE_PACKAGES=./nothing"}},
		{"", "acceptance purego", "", []string{short, "ACCEPTANCE_PACKAGES=./internal/ct"}},
	}
	for _, step := range strings.Fields("format modules docs race regenerate rehearsal fuzz") {
		for program, want := range map[string]string{
			"git that fails": "git is broken", "git that is silent": "failed: " + step,
		} {
			tests = append(tests, tests[0])
			last := &tests[len(tests)-1]
			last.program, last.command, last.want = program, "run "+step, want
		}
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s with %s", tt.command, tt.program), func(t *testing.T) {
			env := append(tt.env, "ACCEPTANCE_LOGS="+t.TempDir())
			out, err := script(t, root, tt.program, ".ci/"+tt.command, env...)
			if (err != nil) != (tt.want != "") || !strings.Contains(out, tt.want) {
				t.Errorf("want %q: %v\n%s", tt.want, err, out)
			}
		})
	}
}

// TestErrexit checks that no script of CI relies on bash to stop at a failure that bash ignores: in
// the list of a for loop, or in a process substitution. Every script must also set inherit_errexit,
// without which bash ignores failures in a command substitution.
func TestErrexit(t *testing.T) {
	hides := regexp.MustCompile(`(?m)^[^#\n]*(for [a-z]+ in [$][(]|< <[(](git|go) )`)
	files, err := filepath.Glob(filepath.Join(root, ".ci", "*"))
	if err != nil || len(files) < 4 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		if filepath.Base(file) == "budget" {
			continue // the only file that is not a script
		}
		text := reference.Must(os.ReadFile(file))
		if found := hides.Find(text); found != nil {
			t.Errorf("%s hides a failure: %s", file, found)
		}
		script := "\n" + string(text)
		if !strings.Contains(script, "\nset -euo pipefail\nshopt -s inherit_errexit\n") &&
			!strings.Contains(script, "\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/lib\" || exit\n") {
			t.Errorf("%s does not stop at failures", file)
		}
	}
	for _, text := range []string{"for x in $(git ls-files); do", "done < <(go list ./...)"} {
		if !hides.MatchString(text) {
			t.Errorf("%s passes", text)
		}
	}
}

// repository creates a folder with the scripts of CI and the given files, and returns its name.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".ci"), os.DirFS(filepath.Join(root, ".ci"))); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q", "add -A",
		"-c user.name=x -c user.email=x@example.org commit -qm x"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

func TestEmptyRepository(t *testing.T) {
	dir := repository(t, map[string]string{"go.mod": "module example.org/m\n", "m.go": "package m\n"})
	for step, want := range map[string]string{
		"fuzz": "0 fuzz targets", "regenerate": "no generator", "modules": "no module is outside",
	} {
		if out, err := script(t, dir, "", ".ci/run "+step); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", step, err, out)
		}
	}
}

// TestFuzz checks that the step fuzz runs the fuzz targets of a module in the workspace and of one
// outside of it, and fails if a target fails.
func TestFuzz(t *testing.T) {
	target := func(body string) string {
		return "package p\n\nimport \"testing\"\n\nfunc FuzzIt" +
			"(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) {" + body + "}) }\n"
	}
	for _, found := range []string{"", "inside", "outside"} {
		files := map[string]string{"go.work": "go 1.25\n\nuse ./inside\n"}
		for _, module := range []string{"inside", "outside"} {
			body := ""
			if module == found {
				body = `t.Error("found")`
			}
			files[module+"/go.mod"] = "module example.org/" + module + "\n\ngo 1.25\n"
			files[module+"/p_test.go"] = target(body)
		}
		out, err := script(t, repository(t, files), "", ".ci/run fuzz")
		if (err == nil) != (found == "") || found != "" && !strings.Contains(out, ": found\n") ||
			found != "inside" && !strings.Contains(out, "./outside FuzzIt\n") ||
			!strings.Contains(out, "./inside FuzzIt\n") {
			t.Errorf("with an error %q: %v\n%s", found, err, out)
		}
	}
}

// TestEmulated checks that .ci/emulated runs the tests of another architecture, and fails if a test
// fails.
func TestEmulated(t *testing.T) {
	dir := repository(t, map[string]string{
		"go.mod":         "module example.org/m\n\ngo 1.25\n",
		"two_arm64.go":   "package m\n\nconst two = 2\n",
		"two_riscv64.go": "package m\n\nconst two = 3\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\n" +
			"func TestTwo(t *testing.T) {\n\tif two != 2 {\n\t\tt.Error(\"two is\", two)\n\t}\n}\n",
	})
	if out, err := script(t, dir, "", ".ci/emulated arm64 test ."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := script(t, dir, "", ".ci/emulated riscv64 test .")
	if err == nil || !strings.Contains(out, "two is 3") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWorkflow checks that the hosted workflow runs every step on Linux exactly once, and no step
// that does not exist, and that every step has a budget.
func TestWorkflow(t *testing.T) {
	read := func(name string) string {
		text := reference.Must(os.ReadFile(filepath.Join(root, name)))
		return string(text)
	}
	list := regexp.MustCompile(`(?m)^steps=\((.*)\)$`).FindStringSubmatch(read(".ci/run"))
	steps := strings.Fields(list[1])
	hosted := regexp.MustCompile(`(?m)\{os: (\S+), steps: ([a-z0-9 ]+)[,}]`).
		FindAllStringSubmatch(read(".github/workflows/ci.yml"), -1)
	linux := ""
	for _, m := range hosted {
		if m[1] == "ubuntu-24.04" {
			linux += m[2] + " "
		}
		for _, step := range strings.Fields(m[2]) {
			if !slices.Contains(steps, step) {
				t.Errorf("%s: there is no step %s", m[1], step)
			}
		}
	}
	all := strings.Fields(linux)
	slices.Sort(all)
	slices.Sort(steps)
	if !slices.Equal(all, steps) {
		t.Errorf("Linux runs %q, want %q", all, steps)
	}
	var budgets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9]+) [1-9][0-9]*$`).
		FindAllStringSubmatch(read(".ci/budget"), -1) {
		budgets = append(budgets, m[1])
	}
	slices.Sort(budgets)
	if !slices.Equal(budgets, steps) {
		t.Errorf(".ci/budget has %q, want %q", budgets, steps)
	}
}
