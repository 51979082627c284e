// Mutants plants errors in packages, one at a time, and says which of them the package's own tests
// find.
//
// Usage:
//
//	mutants [-n NUMBER] [-seed SEED] [-known FILE] PACKAGE…
//
// The errors are drawn from four kinds: a condition is negated, a statement is left out, a
// comparison is off by one, and two arguments are swapped. The same seed draws the same errors from
// the same source files. Errors that do not compile are not counted. A line of output says whether
// an error was killed, which means that a test failed or ran for too long, or survived.
//
// With -known, mutants fails if an error survives that the file does not list: the output says
// "unlisted" instead of "survived". A line of the file has an error without its line number,
// " // ", and the reason why no test finds the error.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	number := flag.Int("n", 60, "number of errors")
	seed := flag.Uint64("seed", 1, "seed of the drawing")
	known := flag.String("known", "", "file with the errors that may survive")
	flag.Parse()
	if err := mutate(os.Stdout, flag.Args(), *known, *number, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// mutate draws errors in packages, and writes which of them tests find.
func mutate(w io.Writer, packages []string, known string, number int, seed uint64) error {
	var listed string
	if known != "" {
		text, err := os.ReadFile(known)
		if err != nil {
			return err
		}
		listed = "\n" + string(text)
	}
	drawn, err := sites(packages)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	limits := map[string]time.Duration{} // of the tests of a package
	counts := map[string]int{}
	for _, m := range drawn {
		if limits[m.pkg] == 0 {
			start := time.Now()
			if _, err := m.test(dir, m.before, time.Hour); err != nil {
				return fmt.Errorf("%s fails without an error: %w", m.pkg, err)
			}
			limits[m.pkg] = 5*time.Since(start) + 10*time.Second
		}
		compiled, err := m.test(dir, m.after, limits[m.pkg])
		result := "survived"
		switch {
		case !compiled:
			continue
		case err != nil:
			result = "killed"
		case known != "" && !strings.Contains(listed, "\n"+m.name("")+" // "):
			result = "unlisted"
		}
		fmt.Fprintf(w, "%-8s %s\n", result, m.name(fmt.Sprint(":", m.line)))
		counts[result]++
		if counts[""]++; counts[""] == number {
			break
		}
	}
	fmt.Fprintf(w, "%d of %d killed\n", counts["killed"], counts[""])
	if n := counts["unlisted"]; n != 0 {
		return fmt.Errorf("%s does not list %d errors that survived", known, n)
	}
	return nil
}

// A mutant is an error in a source file: the text at an offset is replaced.
type mutant struct {
	pkg, path     string
	line, offset  int
	kind          string
	text          string // the first line of the source text with the error
	before, after string
}

// name returns the package, the file with its line, and the error. The line may be empty.
func (m *mutant) name(line string) string {
	return path.Base(m.pkg) + " " + filepath.Base(m.path) + line + " " + m.kind + ": " + m.text
}

// test builds the tests of the mutant's package, with text in place of m.before, and runs them.
// Tests that build programs build them with this text, too.
func (m *mutant) test(dir, text string, limit time.Duration) (compiled bool, err error) {
	source, err := os.ReadFile(m.path)
	if err != nil {
		return false, err
	}
	source = slices.Replace(source, m.offset, m.offset+len(m.before), []byte(text)...)
	copied, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(copied, append(source, other...), 0o600); err != nil {
		return false, err
	}
	files, err := json.Marshal(map[string]map[string]string{"Replace": {m.path: copied}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, files, 0o600); err != nil {
		return false, err
	}
	binary := filepath.Join(dir, "package.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, m.pkg)
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -overlay=" + overlay)
	build.Env = append(os.Environ(), "GOFLAGS="+flags)
	if out, err := build.CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.failfast")
	run.Dir, run.WaitDelay, run.Env = filepath.Dir(m.path), time.Second, build.Env
	if out, err := run.CombinedOutput(); err != nil {
		return true, fmt.Errorf("%w\n%s", err, out)
	}
	return true, nil
}
