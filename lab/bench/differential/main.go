// Differential compares the results of koblitz, at every level of the CPU, with each other and with
// those of libsecp256k1.
//
//	cd lab/bench && GOWORK=off go run ./differential                  # 10 million cases
//	cd lab/bench && GOWORK=off go run ./differential -cases 200000 -seed 7
//	cd lab/bench && GOWORK=off go run -tags purego ./differential     # without assembly
//
// The cases are derived from a seed, which is printed. About half of them are crafted: numbers at
// the edges of their ranges, x coordinates above n, sums that meet equal or opposite points or
// infinity, high s, wrong keys, changed bits. A round has a block of cases of each operation. Every
// level computes each block, by the function for one case or by the one for many rows; in each
// round half of the levels use one, and half the other. A quarter of the rounds has mostly valid
// signatures, on which the functions for many rows may try equations.
//
// The program prints the first 20 differences with their cases, and at the end a table of what it
// compared. It exits with status 1 if there was a difference.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

func main() {
	err := run(os.Args[1:], operations(), os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

func run(args []string, all []operation, out, errs io.Writer) error {
	f := flag.NewFlagSet("differential", flag.ContinueOnError)
	f.SetOutput(errs)
	cases := f.Int("cases", 10_000_000, "number of cases")
	seed := f.Uint64("seed", rand.Uint64(), "seed of the cases; by default a random one")
	rust := f.String("rust", "rust", "folder of the Rust program, whose crates have libsecp256k1")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || *cases < 1 {
		return errors.New("no arguments, and at least one case")
	}
	lib, err := peer.OpenLibsecp(*rust)
	if err != nil {
		return err
	}
	c := comparison{all: all, levels: levels(), out: errs, counts: make([]count, len(all))}
	fmt.Fprintf(errs, "seed %d, libsecp256k1 %s, %d levels\n", *seed, lib.Version, len(c.levels))
	begin := time.Now()
	rounds := make(chan []task) // the next round is made while the levels compute one
	go func() {
		defer close(rounds)
		g := newGenerator(*seed, lib)
		for number, left := 0, *cases; left > 0; number++ {
			rounds <- c.round(g, number, &left)
		}
	}()
	done := 0
	for round := range rounds {
		for i, l := range c.levels {
			c.compute(round, i, l)
		}
		if done++; done%16 == 0 {
			fmt.Fprintf(errs, "%d rounds, %d answers differ\n", done, c.differences)
		}
	}
	fmt.Fprintf(out, "%s, seed %d, %s/%s, %v, libsecp256k1 %s\n\n",
		time.Now().UTC().Format(time.DateOnly), *seed, runtime.GOOS, runtime.GOARCH,
		time.Since(begin).Round(time.Second), lib.Version)
	c.print(out)
	if c.differences > 0 {
		return fmt.Errorf("%d answers differ", c.differences)
	}
	return nil
}

// A level is a set of CPU features that koblitz may use.
type level struct {
	name string
	keep cpu.Feature
}

// levels returns the levels that this CPU and build have. If some of them leave koblitz the same
// features, only the first is returned.
func levels() (all []level) {
	keep := []cpu.Feature{^cpu.Feature(0)}
	for _, l := range []cputest.Level{
		cputest.LanesFMA, cputest.AVX512F, cputest.LanesAVXIFMA, cputest.LanesAVX2, cputest.SHANI,
		cputest.AVX2, cputest.ADX, cputest.Portable,
	} {
		keep = append(keep, l.Features())
	}
	seen := map[string]bool{}
	for _, features := range keep {
		restore := cpu.Restrict(features)
		name := fmt.Sprintf("%s (%s)", strings.Join(cpu.Implementations(), ", "),
			strings.Join(cpu.Features(), ", "))
		restore()
		if !seen[name] {
			seen[name] = true
			all = append(all, level{name, features})
		}
	}
	return all
}

// A comparison has the levels compute cases and compares their answers with libsecp256k1's.
type comparison struct {
	all         []operation
	levels      []level
	out         io.Writer // for differences
	counts      []count   // by operation
	differences int
}

// A count says what was compared for an operation.
type count struct{ cases, accepted, one, many int }

// unit is the number of cases of an operation with share 1 in a round.
const unit = 256

// maxPrinted is the number of differences that are printed.
const maxPrinted = 20

// A task is a block of cases of one operation, and libsecp256k1's answers.
type task struct {
	round    int
	together bool // whether the even levels use the function for many rows, or the odd ones
	exact    bool
	cases    [][][]byte
	want     [][]byte
}

// round returns a block of cases for each operation, or for the first ones if no more cases are
// left. It counts down the cases that are left.
func (c *comparison) round(g *generator, number int, left *int) (blocks []task) {
	for i, o := range c.all {
		if *left == 0 {
			break
		}
		b := task{round: number, together: (number/4+number)%2 == 0}
		g.begin(number)
		b.exact = !g.rare && (number/2+i)%2 == 0
		for range min(o.share*unit, *left) {
			fields := o.next(g)
			b.cases = append(b.cases, fields)
			b.want = append(b.want, bytes.Clone(o.theirs(g.lib, fields)))
		}
		*left -= len(b.cases)
		blocks = append(blocks, b)
	}
	return blocks
}

// compute has a level compute the blocks of a round, and compares its answers with libsecp256k1's.
func (c *comparison) compute(round []task, index int, l level) {
	answers, inRows := make([][][]byte, len(round)), make([]bool, len(round))
	restore := cpu.Restrict(l.keep)
	peer.EmptyPools()
	var all sync.WaitGroup
	for i, b := range round {
		all.Go(func() {
			together := b.together == (index%2 == 0)
			answers[i], inRows[i] = c.all[i].compute(b.cases, together, b.exact)
		})
	}
	all.Wait()
	restore()
	for i, b := range round {
		n := &c.counts[i]
		if inRows[i] {
			n.many += len(b.cases)
		} else {
			n.one += len(b.cases)
		}
		for k, want := range b.want {
			if index == 0 {
				n.cases++
				if want != nil {
					n.accepted++
				}
			}
			if bytes.Equal(answers[i][k], want) {
				continue
			}
			if c.differences++; c.differences <= maxPrinted {
				fmt.Fprintf(c.out, "%s, round %d, case %d: %x\n  %x by libsecp256k1\n"+
					"  %x by %s, in rows: %t\n", c.all[i].name, b.round, k, b.cases[k], want,
					answers[i][k], l.name, inRows[i])
			}
		}
	}
}

// print writes the table of what was compared.
func (c *comparison) print(w io.Writer) {
	fmt.Fprintf(w, "| operation | cases | accepted | refused | by one call | in rows |\n")
	fmt.Fprintf(w, "|---|---|---|---|---|---|\n")
	var all count
	row := func(name string, n count) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", name, n.cases, n.accepted,
			n.cases-n.accepted, n.one, n.many)
	}
	for i, o := range c.all {
		n := c.counts[i]
		row(o.name, n)
		all = count{all.cases + n.cases, all.accepted + n.accepted, all.one + n.one,
			all.many + n.many}
	}
	row("all", all)
	fmt.Fprintf(w, "\n%d answers differ. Levels:\n\n", c.differences)
	for _, l := range c.levels {
		fmt.Fprintf(w, "- %s\n", l.name)
	}
}
