// Command ctcheck checks by machine that the running time of code that handles secrets does not
// depend on the secrets:
//
//	go run ./lab/ctcheck
//
// It builds the program in the folder subject with the tag valgrind, runs it under valgrind's
// memcheck and reads the reports. The program marks secrets as uninitialised memory. Memcheck
// follows uninitialised values through every instruction, and reports each branch and each address
// that depends on one. So a report in the library's code is a finding, and the check fails.
// Memcheck does not report divisions, so ctcheck searches the machine code for them.
//
// The check also fails if memcheck misses one of the leaks planted in the subject or in copies of
// the library's files, or if no case runs a statement of the packages that secrets reach.
//
// docs/constant-time.md says what this proves and what it does not. The file timing_test.go
// measures times instead.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	keep := flag.String("keep", "", "`folder` to leave the subject and valgrind's report in")
	tags := flag.String("tags", "",
		"further build `tags`, separated by commas: purego checks the portable code")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ok, err := run(*keep, *tags)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctcheck:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// maxFrame is larger than any stack frame of the subject and smaller than the distance between two
// stacks. Go's stacks are adjacent in the heap. When the stack pointer moves from one stack to
// another, memcheck would otherwise assume that one huge frame was pushed or popped, and forget the
// marks of all memory in between.
const maxFrame = "16384"

// attempts is the largest number of runs of the subject. A further run may succeed after one in
// which memcheck loses track of the subject's stacks, because their addresses are random in each
// run.
const attempts = 5

func run(dir, tags string) (ok bool, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ctcheck"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	}
	tags = strings.TrimSuffix("valgrind,"+tags, ",")
	for _, subject := range moduleSubjects {
		packages, err := libraryPackages(subject, tags)
		if err != nil {
			return false, err
		}
		fmt.Println(subject + ":")
		name := filepath.Join(dir, strings.ReplaceAll(subject, "/", "_"))
		if ok, err = checkLibrary(name, subject, tags, packages, overlay{}); err != nil || !ok {
			return false, err
		}
	}
	packages, err := libraryPackages(subjectPackage, tags)
	if err != nil {
		return false, err
	}
	files := overlay{}
	for _, p := range packages {
		if err := files.replaceKernels(&p); err != nil {
			return false, err
		}
	}
	ok, err = checkLibrary(filepath.Join(dir, "subject"), subjectPackage, tags, packages, files)
	if err != nil {
		return false, err
	}
	found, err := checkLeaks(filepath.Join(dir, "leaky"), tags, packages, files)
	if err != nil {
		return false, err
	}
	blocks, stale, err := uncovered(dir, tags, packages, files)
	if err != nil {
		return false, err
	}
	covered := judgeCoverage(os.Stdout, blocks, stale)
	return ok && found && covered, nil
}

// checkLibrary builds and runs a subject, and evaluates memcheck's reports and the library's
// machine code. It reports whether there was no finding.
func checkLibrary(
	subject, pkg, tags string, packages []goPackage, files overlay,
) (ok bool, err error) {
	if err := buildSubject(subject, pkg, tags, files); err != nil {
		return false, err
	}
	divide, err := divisionsIn(subject, packages)
	if err != nil {
		return false, err
	}
	levels, cases, reports, err := memcheck(subject)
	if err != nil {
		return false, err
	}
	v := judge(cases, reports)
	v.levels, v.divide = levels, divide
	v.print(os.Stdout)
	return v.ok(), nil
}

// checkLeaks builds and runs the subject with all leaks inserted into the library, and reports
// whether memcheck finds each of them.
func checkLeaks(subject, tags string, packages []goPackage, files overlay) (ok bool, err error) {
	files = maps.Clone(files)
	places, err := files.plantLeaks(packages, tags)
	if err != nil {
		return false, err
	}
	if err := buildSubject(subject, subjectPackage, tags, files); err != nil {
		return false, err
	}
	_, _, reports, err := memcheck(subject)
	if err != nil {
		return false, err
	}
	found := foundLeaks(places, reports)
	for at, l := range places {
		if !found[l] {
			fmt.Printf("NOT FOUND, though it was planted in the library: %v (%s:%d)\n", l, at.file, at.line)
		}
	}
	fmt.Printf("%d of %d leaks found that were planted in the library\n", len(found), len(places))
	return len(found) == len(places), nil
}

// environment returns the environment for building the subject: this process's environment, changed
// so that go builds for linux/amd64 and without cgo.
func environment() []string {
	return append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
}

// memcheck runs the subject under memcheck, and runs it again if memcheck loses track of the
// subject's stacks. It returns what the subject prints, which is its levels and cases, and
// memcheck's reports.
func memcheck(subject string) (levels, cases []string, reports []report, err error) {
	for attempt := 1; ; attempt++ {
		levels, cases, reports, err = memcheckOnce(subject)
		if err != nil || attempt == attempts || !slices.ContainsFunc(reports, report.isLost) {
			return levels, cases, reports, err
		}
	}
}

func memcheckOnce(subject string) (levels, cases []string, reports []report, err error) {
	out, err := valgrind(subject, nil, "--tool=memcheck",
		"--track-origins=yes", // reports the origin, a mark or a stack frame
		"--num-callers=100",   // complete stacks, down to the case that ran
		"--max-stackframe="+maxFrame,
		"--error-limit=no", "--leak-check=no",
		"--xml=yes", "--xml-file="+subject+".xml")
	if err != nil {
		return nil, nil, nil, err
	}
	levels, cases, err = readCases(out)
	if err != nil {
		return nil, nil, nil, err
	}
	f, err := os.Open(subject + ".xml")
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	reports, err = parse(f)
	return levels, cases, reports, err
}

// valgrind runs the subject under valgrind and returns the subject's output.
func valgrind(subject string, env []string, options ...string) (string, error) {
	run := exec.Command("valgrind", append(options, subject)...)
	// With one thread and no garbage collection, the runtime does not interrupt a case.
	run.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	run.Env = append(run.Env, env...)
	var complaints bytes.Buffer // older versions of valgrind complain about Go's debug information
	run.Stderr = &complaints
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("running the subject under valgrind: %w\n%s", err, &complaints)
	}
	return string(out), nil
}

const subjectPackage = "github.com/koblitz-go/koblitz/lab/ctcheck/subject"

// moduleSubjects lists the subjects of other modules of the workspace. They run at the level that
// valgrind's CPU has, without leaks in the library and without counters of statements.
var moduleSubjects = []string{
	"github.com/koblitz-go/koblitz/nostr/internal/ct/subject",
	"github.com/koblitz-go/koblitz/x/internal/ct/subject",
}

// readCases parses the subject's output. It returns a line for each level with the implementations
// and CPU features in use, and the name of each case that ran, once. It returns an error unless the
// last line says that the subject ran to its end.
func readCases(out string) (levels, cases []string, err error) {
	lines := strings.Fields(out)
	if len(lines) == 0 || lines[len(lines)-1] != "end" {
		return nil, nil, fmt.Errorf("the subject did not come to its end; it said %q", out)
	}
	seen := map[string]bool{}
	for _, line := range lines[:len(lines)-1] {
		if with, ok := strings.CutPrefix(line, "with:"); ok {
			levels = append(levels, with)
		} else if !seen[line] {
			seen[line] = true
			cases = append(cases, line)
		}
	}
	if len(levels) == 0 {
		return nil, nil, fmt.Errorf("the subject does not say what it has; it said %q", out)
	}
	return levels, cases, nil
}
