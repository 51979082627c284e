// Command ctcheck checks by machine that the time of what touches secrets does
// not depend on them:
//
//	go run ./internal/ctcheck
//
// It builds the program in the folder subject with the tag valgrind, runs it
// under valgrind's memcheck and reads the reports. The subject marks secrets as
// uninitialised memory; memcheck follows them through every instruction and
// reports each branch and each address that depends on one. So a report of the
// library's own code is a finding, and the check fails. The subject also holds
// leaks that were planted; it fails, too, if one of those is not found. Divisions,
// which memcheck passes over, are looked for in the machine code.
//
// docs/constant-time.md says what this proves and what it does not.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	keep := flag.String("keep", "", "`folder` to leave the subject and valgrind's report in")
	tags := flag.String("tags", "", "further build `tags`, separated by commas: purego checks the portable code")
	verbose := flag.Bool("v", false, "show the planted leaks that were found, too")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ok, err := run(*keep, *tags, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctcheck:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// maxFrame is larger than any frame of ours and smaller than the distance
// between two stacks. Go's stacks lie beside each other in the heap; where the
// stack pointer goes from one to the next, memcheck would otherwise see one huge
// frame come or go and forget what it knows about all the memory between them.
const maxFrame = "16384"

// attempts is how often the subject runs at most: where its stacks lie is drawn
// anew each time.
const attempts = 5

func run(dir, tags string, verbose bool) (ok bool, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ctcheck"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	}
	subject, xml := filepath.Join(dir, "subject"), filepath.Join(dir, "report.xml")

	tags = strings.TrimSuffix("valgrind,"+tags, ",")
	build := exec.Command("go", "build", "-tags", tags, "-o", subject, subjectPackage)
	build.Env = environment()
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return false, fmt.Errorf("building the subject: %w", err)
	}

	listing, err := disassemble(subject)
	if err != nil {
		return false, err
	}
	divide := divisions(strings.NewReader(listing))
	kernels, err := assembly(tags)
	if err != nil {
		return false, err
	}
	for _, name := range kernels {
		source, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		if line := dividing(string(source)); line != "" {
			divide[name] = line
		}
	}
	for attempt := 1; ; attempt++ {
		v, err := check(subject, xml)
		if err != nil {
			return false, err
		}
		v.divide = divide
		if len(v.lost) > 0 && attempt < attempts {
			continue
		}
		v.print(os.Stdout, verbose)
		return v.ok(), nil
	}
}

// environment is that of the program under test.
func environment() []string {
	return append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
}

// check runs the subject once.
func check(subject, xml string) (*verdict, error) {
	memcheck := exec.Command("valgrind", "--tool=memcheck",
		"--track-origins=yes", // tells secrets from what the runtime left uninitialised
		"--num-callers=100",   // whole stacks, up to the case that ran
		"--max-stackframe="+maxFrame,
		"--error-limit=no", "--leak-check=no",
		"--xml=yes", "--xml-file="+xml, subject)
	// One thread and no collector: nothing of the runtime comes between.
	memcheck.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	var complaints bytes.Buffer // older versions have some about Go's debug information
	memcheck.Stderr = &complaints
	out, err := memcheck.Output()
	if err != nil {
		return nil, fmt.Errorf("running the subject under valgrind: %w\n%s", err, &complaints)
	}
	with, cases, err := readCases(string(out))
	if err != nil {
		return nil, err
	}
	f, err := os.Open(xml)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reports, err := parse(f)
	if err != nil {
		return nil, err
	}
	v := judge(cases, reports)
	v.with = with
	return v, nil
}

const subjectPackage = "github.com/koblitz-go/koblitz/internal/ctcheck/subject"

// readCases returns what implementations and CPU features the subject says it
// has, and the names of the functions that it ran, one a line, and an error if its
// last line does not say that it came to its end.
func readCases(out string) (with string, cases []string, err error) {
	lines := strings.Fields(out)
	if len(lines) == 0 || lines[len(lines)-1] != "end" {
		return "", nil, fmt.Errorf("the subject did not come to its end; it said %q", out)
	}
	with, ok := strings.CutPrefix(lines[0], "with:")
	if !ok {
		return "", nil, fmt.Errorf("the subject does not say what it has; it said %q", out)
	}
	return with, lines[1 : len(lines)-1], nil
}
