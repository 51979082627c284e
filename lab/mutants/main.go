// Mutants plants errors in packages, one at a time, and says which of them their tests find.
//
// Usage:
//
//	mutants [-n NUMBER] [-seed SEED] [-tests PACKAGE,…] PACKAGE…
//
// The errors are drawn from four kinds: a condition is negated, a statement is left out, a
// comparison is off by one, and two arguments are swapped. The same seed draws the same errors from
// the same source files. All of them are compiled into one binary of tests for each package, by an
// overlay of the source files, and an environment variable chooses one. A line of output says
// whether an error was killed, which means that a test failed or ran for too long, or survived.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	number := flag.Int("n", 60, "number of errors")
	seed := flag.Uint64("seed", 1, "seed of the drawing")
	tests := flag.String("tests", "", "packages whose tests run, instead of those of PACKAGE")
	flag.Parse()
	tested := flag.Args()
	if *tests != "" {
		tested = strings.Split(*tests, ",")
	}
	if err := mutate(os.Stdout, flag.Args(), tested, *number, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// A listed is what go list says of a package.
type listed struct {
	Dir, Name, ImportPath string
	GoFiles               []string
}

func list(packages []string) (all []listed, err error) {
	args := append([]string{"list", "-json=Dir,Name,ImportPath,GoFiles", "--"}, packages...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// mutate draws errors in packages, and writes what the tests of other packages find.
func mutate(w io.Writer, packages, tested []string, number int, seed uint64) error {
	subjects, err := list(packages)
	if err != nil {
		return err
	}
	var mutants []*mutant
	for _, p := range subjects {
		for _, name := range p.GoFiles {
			found, err := sites(filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			mutants = append(mutants, found...)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
	mutants = mutants[:min(len(mutants), 2*number)] // some will not compile
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, mutants, err := compilable(dir, subjects, mutants)
	if err != nil {
		return err
	}
	binaries, err := build(dir, overlay, tested)
	if err != nil {
		return err
	}
	mutants, killed := mutants[:min(len(mutants), number)], 0
	for _, m := range mutants {
		result := "survived"
		for _, b := range binaries {
			if b.try(m.number) != nil {
				result = "killed"
				killed++
				break
			}
		}
		fmt.Fprintf(w, "%-8s %s\n", result, m)
	}
	_, err = fmt.Fprintf(w, "%d of %d killed\n", killed, len(mutants))
	return err
}

// compilable writes an overlay with the mutants that compile, and returns these.
func compilable(dir string, subjects []listed, mutants []*mutant) (string, []*mutant, error) {
	for i, m := range mutants {
		m.number = i + 1
	}
	for {
		overlay, err := write(dir, subjects, mutants)
		if err != nil {
			return "", nil, err
		}
		args := []string{"build", "-gcflags=-e", "-o", os.DevNull, "-overlay", overlay}
		for _, p := range subjects {
			args = append(args, p.ImportPath)
		}
		out, err := exec.Command("go", args...).CombinedOutput()
		if err == nil {
			return overlay, mutants, nil
		}
		rest := without(mutants, out)
		if len(rest) == len(mutants) {
			return "", nil, fmt.Errorf("%w\n%s", err, out)
		}
		mutants = rest
	}
}

// A binary is the tests of a package, with all mutants.
type binary struct {
	path, dir string
	limit     time.Duration
}

// build builds the tests of packages, and runs them without an error.
func build(dir, overlay string, packages []string) (all []*binary, err error) {
	tested, err := list(packages)
	if err != nil {
		return nil, err
	}
	// Tests that build programs build them with the mutants, too.
	os.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	for i, p := range tested {
		b := &binary{filepath.Join(dir, strconv.Itoa(i)+".test"), p.Dir, time.Hour}
		build := exec.Command("go", "test", "-c", "-vet=off", "-o", b.path, p.ImportPath)
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, out)
		}
		if _, err := os.Stat(b.path); err != nil {
			continue // it has no tests
		}
		start := time.Now()
		if err := b.try(0); err != nil {
			return nil, fmt.Errorf("%s fails without an error: %w", p.ImportPath, err)
		}
		b.limit = 5*time.Since(start) + 10*time.Second
		all = append(all, b)
	}
	return all, nil
}

// try runs the tests with the mutant of a number.
func (b *binary) try(number int) error {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	run := exec.CommandContext(ctx, b.path, "-test.failfast")
	run.Dir, run.WaitDelay = b.dir, time.Second
	run.Env = append(os.Environ(), variable+"="+strconv.Itoa(number))
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
