// Mutants plants errors in packages, one at a time, and says which of them the tests find.
//
// Usage:
//
//	mutants [flags] PACKAGE…
//
// The errors are drawn from four kinds: a condition is negated, a statement is left out, a comparison
// or a sum is off by one, and two arguments are swapped. The same seed draws the same errors from the
// same source files. All drawn errors are compiled into one test binary a package, by an overlay of
// the source files, and an environment variable chooses one of them. A line of output says of an
// error whether it was killed, which means that a test failed or ran for too long, or survived.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.number, "n", 60, "number of errors")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the drawing")
	flag.StringVar(&o.tests, "tests", "", "packages whose tests run, with commas; those of PACKAGE unless given")
	flag.StringVar(&o.run, "run", "", "run only the tests that match")
	flag.StringVar(&o.tags, "tags", "", "build tags")
	flag.StringVar(&o.files, "files", "", "draw only from files whose path matches")
	flag.StringVar(&o.only, "only", "", "try only the errors that are in this file, an output")
	flag.BoolVar(&o.short, "short", false, "run the tests with -short")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := o.mutate(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	number                        int
	seed                          uint64
	tests, run, tags, files, only string
	short                         bool
}

// A listed is what go list says of a package.
type listed struct {
	Dir, Name, ImportPath string
	GoFiles               []string
}

func (o *options) list(packages []string) ([]listed, error) {
	args := append([]string{"list", "-json=Dir,Name,ImportPath,GoFiles", "-tags", o.tags}, packages...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr(err))
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func stderr(err error) []byte {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		return e.Stderr
	}
	return nil
}

// mutate draws errors in packages and writes what becomes of them.
func (o *options) mutate(w io.Writer, packages []string) error {
	subjects, err := o.list(packages)
	if err != nil {
		return err
	}
	tested := subjects
	if o.tests != "" {
		if tested, err = o.list(strings.Split(o.tests, ",")); err != nil {
			return err
		}
	}
	mutants, err := o.draw(subjects)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, mutants, err := o.compilable(dir, subjects, mutants)
	if err != nil {
		return err
	}
	binaries, err := o.binaries(dir, overlay, tested)
	if err != nil {
		return err
	}
	killed := 0
	for _, m := range mutants {
		result := "survived"
		for _, b := range binaries {
			if found := b.try(m.number); found != "" {
				result = "killed"
				killed++
				break
			}
		}
		if _, err := fmt.Fprintf(w, "%-8s %s\n", result, m); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%d of %d killed\n", killed, len(mutants))
	return err
}

// draw returns twice as many errors as asked for, since some will not compile.
func (o *options) draw(subjects []listed) ([]*mutant, error) {
	chosen, err := regexp.Compile(o.files)
	if err != nil {
		return nil, err
	}
	var all []*mutant
	for _, p := range subjects {
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			if !chosen.MatchString(path) {
				continue
			}
			found, err := sites(path)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	if o.only != "" {
		return onlyThose(o.only, all)
	}
	r := rand.New(rand.NewPCG(o.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), 2*o.number)], nil
}

// onlyThose returns the errors that an output names.
func onlyThose(output string, all []*mutant) (named []*mutant, err error) {
	f, err := os.Open(output)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	byName := map[string]*mutant{}
	for _, m := range all {
		byName[m.String()] = m
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		_, name, _ := strings.Cut(lines.Text(), " ")
		if m := byName[strings.TrimSpace(name)]; m != nil {
			named = append(named, m)
		}
	}
	return named, lines.Err()
}

// compilable writes an overlay with all errors that compile, and returns at most the number asked for.
func (o *options) compilable(dir string, subjects []listed, mutants []*mutant) (string, []*mutant, error) {
	for i, m := range mutants {
		m.number = i + 1
	}
	for {
		overlay, err := write(dir, subjects, mutants)
		if err != nil {
			return "", nil, err
		}
		args := []string{"build", "-tags", o.tags, "-overlay", overlay}
		for _, p := range subjects {
			args = append(args, "-gcflags="+p.ImportPath+"=-e")
			if p.Name == "main" {
				args = append(args, "-o", os.DevNull)
			}
		}
		for _, p := range subjects {
			args = append(args, p.ImportPath)
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if err == nil {
			n := len(mutants)
			if o.only == "" {
				n = min(n, o.number)
			}
			return overlay, mutants[:n], nil
		}
		before := len(mutants)
		mutants = without(mutants, out)
		if len(mutants) == before {
			return "", nil, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
}

// A binary is the tests of a package with all errors.
type binary struct {
	path, dir string
	args, env []string
	limit     time.Duration
}

// binaries builds the tests and runs them without an error.
func (o *options) binaries(dir, overlay string, tested []listed) (all []*binary, err error) {
	for i, p := range tested {
		b := &binary{path: filepath.Join(dir, strconv.Itoa(i)+".test"), dir: p.Dir}
		flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -overlay=" + overlay)
		b.env = append(os.Environ(), "GOFLAGS="+flags)
		b.args = []string{"-test.failfast", "-test.run=" + o.run, "-test.short=" + strconv.FormatBool(o.short)}
		build := exec.Command("go", "test", "-c", "-vet=off", "-tags", o.tags, "-o", b.path, p.ImportPath)
		build.Env = b.env
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", p.ImportPath, err, out)
		}
		if _, err := os.Stat(b.path); err != nil {
			continue // a package without tests
		}
		b.limit = 10 * time.Minute
		start := time.Now()
		if found := b.try(0); found != "" {
			return nil, fmt.Errorf("%s fails without an error:\n%s", p.ImportPath, found)
		}
		b.limit = 5*time.Since(start) + 10*time.Second
		all = append(all, b)
	}
	return all, nil
}

// try runs the tests with an error. It returns the output of tests that failed, or nothing.
func (b *binary) try(number int) string {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	run := exec.CommandContext(ctx, b.path, b.args...)
	run.Dir, run.WaitDelay = b.dir, time.Second
	run.Env = append(b.env, variable+"="+strconv.Itoa(number))
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Sprintf("%v\n%s", err, out)
	}
	return ""
}
