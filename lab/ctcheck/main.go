// Command ctcheck checks by machine that the running time of code that handles secrets does not
// depend on the secrets:
//
//	go run ./lab/ctcheck
//
// It builds the program in the folder subject with the tag valgrind, runs it under valgrind's
// memcheck and reads the reports. The program marks secrets as uninitialised memory. Memcheck
// follows uninitialised values through every instruction, and reports each branch and each address
// that depends on one. So a report in the library's code is a finding, and the check fails.
// Memcheck does not report divisions and other instructions with variable time, so ctcheck searches
// the machine code for them, and adds branches on quotients where divisions are allowed.
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
		fmt.Println(subject + ":")
		packages, err := listPackages(subject, tags)
		if err != nil {
			return false, err
		}
		name := filepath.Join(dir, strings.ReplaceAll(subject, "/", "_"))
		if ok, err = checkLibrary(name, subject, tags, packages, overlay{}); err != nil || !ok {
			return false, err
		}
	}
	packages, err := listPackages(subjectPackage, tags)
	if err != nil {
		return false, err
	}
	files, err := replaceKernels(packages)
	if err != nil {
		return false, err
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

// checkLibrary builds a subject and searches it for instructions with variable time. Then it builds
// the subject again with branches on quotients, runs it, and evaluates memcheck's reports. It
// reports whether there was no finding.
func checkLibrary(
	subject, pkg, tags string, packages []goPackage, files overlay,
) (ok bool, err error) {
	if err := buildSubject(subject, pkg, tags, files); err != nil {
		return false, err
	}
	all, err := slowInstructions(subject, packages, files)
	if err != nil {
		return false, err
	}
	sources, err := readSources(packages, files)
	if err != nil {
		return false, err
	}
	faults, divisions, listed := judgeInstructions(all, sources)
	fmt.Printf("instructions with variable time: in %d lines of functions that may leak, "+
		"and in %d functions of the standard library\n", len(divisions), listed)
	if files, err = files.follow(divisions, sources); err != nil {
		return false, err
	}
	if err := buildSubject(subject, pkg, tags, files); err != nil {
		return false, err
	}
	levels, cases, reports, err := memcheck(subject, (*report).inPlanted)
	if err != nil {
		return false, err
	}
	v := judge(cases, reports, faults)
	v.levels = levels
	v.print(os.Stdout)
	return v.ok(), nil
}

// checkLeaks builds and runs the subject with all leaks inserted into the library. It reports
// whether memcheck finds each branch, and none without marks on the secrets, and whether the search
// for instructions finds each division.
func checkLeaks(subject, tags string, packages []goPackage, files overlay) (ok bool, err error) {
	files = maps.Clone(files)
	places, err := files.plantLeaks(packages, tags)
	if err != nil {
		return false, err
	}
	if err := buildSubject(subject, subjectPackage, tags, files); err != nil {
		return false, err
	}
	all, err := slowInstructions(subject, packages, files)
	if err != nil {
		return false, err
	}
	_, _, reports, err := memcheck(subject, func(r *report) bool {
		return r.inPlanted() || len(foundLeaks(places, []report{*r})) > 0
	})
	if err != nil {
		return false, err
	}
	// The same program must have no reports if it does not mark its secrets.
	_, _, unmarked, err := memcheckOnce(subject, []string{"CTCHECK_MARKS=off"}, false)
	if err != nil {
		return false, err
	}
	for _, r := range unmarked {
		fmt.Printf("REPORTED without a secret: %s\n", r.describe())
	}
	found, divisions := foundLeaks(places, reports), foundDivisions(places, all)
	for at, l := range places {
		if !found[l] {
			fmt.Printf("NOT FOUND, though it was planted in the library: %v (%s:%d)\n", l, at.file, at.line)
		}
		if !divisions[l] {
			fmt.Printf("DIVISION NOT FOUND beside the leak %v (%s:%d)\n", l, at.file, at.line)
		}
	}
	fmt.Printf("%d of %d leaks found that were planted in the library, and %d of as many divisions; "+
		"%d reports without secrets\n", len(found), len(places), len(divisions), len(unmarked))
	return len(found) == len(places) && len(divisions) == len(places) && len(unmarked) == 0, nil
}

// environment returns the environment for building the subject: this process's environment, changed
// so that go builds for every CPU of linux/amd64 and without cgo.
func environment() []string {
	return append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "CGO_ENABLED=0")
}

// memcheck runs the subject under memcheck. It returns what the subject prints, which is its levels
// and cases, and memcheck's reports. Unless planted accepts all reports, the subject runs again,
// and memcheck tells where the values come from, which takes longer. It runs again too if memcheck
// loses track of the subject's stacks.
func memcheck(
	subject string, planted func(*report) bool,
) (levels, cases []string, reports []report, err error) {
	origins := false
	for attempt := 1; ; attempt++ {
		levels, cases, reports, err = memcheckOnce(subject, nil, origins)
		again := slices.ContainsFunc(reports, report.isLost)
		if !origins {
			again = slices.ContainsFunc(reports, func(r report) bool { return !planted(&r) })
		}
		if err != nil || attempt == attempts || !again {
			return levels, cases, reports, err
		}
		origins = true
	}
}

func memcheckOnce(
	subject string, env []string, origins bool,
) (levels, cases []string, reports []report, err error) {
	track := "--track-origins=no"
	if origins {
		track = "--track-origins=yes" // reports the origin, a mark or a stack frame
	}
	out, err := valgrind(subject, env, "--tool=memcheck", track,
		"--num-callers=100", // complete stacks, down to the case that ran
		"--max-stackframe="+maxFrame,
		"--error-limit=no", "--show-leak-kinds=none",
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
	return start(env, "valgrind", append(options, subject)...)
}

// start runs a program and returns its output.
func start(env []string, program string, args ...string) (string, error) {
	run := exec.Command(program, args...)
	// With one thread and no garbage collection, the runtime does not interrupt a case.
	run.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	run.Env = append(run.Env, env...)
	var complaints bytes.Buffer // older versions of valgrind complain about Go's debug information
	run.Stderr = &complaints
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("running %s: %w\n%s", program, err, &complaints)
	}
	return string(out), nil
}

const subjectPackage = "github.com/koblitz-go/koblitz/lab/ctcheck/subject"

// operationsPackage is the path of the package whose operations the subject runs, too.
const operationsPackage = library + "/lab/operations"

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
