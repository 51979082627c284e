// Differential compares the results of koblitz, at every level of the CPU, with each other and with
// those of libsecp256k1.
//
//	cd lab/bench && GOWORK=off go run ./differential                  # 10 million cases
//	cd lab/bench && GOWORK=off go run ./differential -cases 200000 -seed 7
//	cd lab/bench && GOWORK=off go run -tags purego ./differential     # without assembly
//
// The cases are derived from a seed, which is printed. About half of them are crafted: numbers at
// the edges of their ranges, x coordinates above n, sums that meet equal or opposite points or
// infinity, high s, wrong keys, changed bits. They come in blocks of 512 cases of one operation.
// Every level computes each block, by the function for one case or by the one for many rows; in
// each round half of the levels use one, and half the other. A quarter of the rounds has mostly
// valid signatures, on which the functions for many rows may try equations.
//
// The program prints the first 20 differences with their cases, and at the end a table of what it
// compared. It exits with status 1 if there was a difference.
package main

import (
	"bytes"
	"encoding/hex"
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
	c := comparison{lib: lib, all: all, levels: levels(), cases: *cases, out: errs,
		counts: make([]count, len(all))}
	fmt.Fprintf(errs, "seed %d, libsecp256k1 %s, %d levels\n", *seed, lib.Version, len(c.levels))
	begin := time.Now()
	rounds := make(chan []*task) // the next round is made while the levels compute one
	go c.generate(*seed, rounds)
	done := 0
	for round := range rounds {
		for i, l := range c.levels {
			c.compute(round, i, l)
		}
		if done++; done%4 == 0 {
			fmt.Fprintf(errs, "%d rounds, %d answers differ\n", done, c.differences)
		}
	}
	c.print(out, *seed, time.Since(begin))
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
	lib         *peer.Libsecp
	all         []operation
	levels      []level
	cases       int
	out         io.Writer // for differences
	counts      []count   // by operation
	differences int
}

// A count says what was compared for an operation.
type count struct{ cases, crafted, accepted, one, many int }

const blockSize = 512

// maxPrinted is the number of differences that are printed.
const maxPrinted = 20

// A task is a block of cases of one operation, and libsecp256k1's answers.
type task struct {
	operation int
	number    int
	together  bool // whether the even levels use the function for many rows, or the odd ones
	exact     bool
	cases     [][][]byte
	want      [][]byte
	crafted   int
}

// generate makes the blocks of all cases, and sends them in rounds.
func (c *comparison) generate(seed uint64, rounds chan<- []*task) {
	defer close(rounds)
	// The schedule takes an operation of each kind in turn, until all shares are used up.
	var schedule []int
	for turn, grown := 0, true; grown; turn++ {
		grown = false
		for i, o := range c.all {
			if turn < o.share {
				schedule, grown = append(schedule, i), true
			}
		}
	}
	g := newGenerator(seed, c.lib)
	for done, number := 0, 0; done < c.cases; {
		var blocks []*task
		round := number / len(schedule)
		for _, o := range schedule {
			n := min(blockSize, c.cases-done)
			if n == 0 {
				break
			}
			done += n
			g.begin(round%4 == 3)
			b := &task{operation: o, number: number, together: (round/4+round)%2 == 0,
				exact: !g.rare && (number+round)%2 == 0}
			for range n {
				fields := c.all[o].next(g)
				b.cases = append(b.cases, fields)
				b.want = append(b.want, bytes.Clone(c.all[o].theirs(c.lib, fields)))
			}
			b.crafted = g.crafted
			blocks = append(blocks, b)
			number++
		}
		rounds <- blocks
	}
}

// compute has a level compute the blocks of a round, and compares its answers with libsecp256k1's.
func (c *comparison) compute(round []*task, index int, l level) {
	answers, inRows := make([][][]byte, len(round)), make([]bool, len(round))
	restore := cpu.Restrict(l.keep)
	peer.EmptyPools()
	var all sync.WaitGroup
	for i, b := range round {
		all.Go(func() {
			together := b.together == (index%2 == 0)
			answers[i], inRows[i] = c.all[b.operation].compute(b.cases, together, b.exact)
		})
	}
	all.Wait()
	restore()
	for i, b := range round {
		c.check(b, l, answers[i], inRows[i], index == 0)
	}
}

// check compares a level's answers for a block with libsecp256k1's. For the first level, it also
// counts the cases.
func (c *comparison) check(b *task, l level, answers [][]byte, inRows, first bool) {
	o, n := &c.all[b.operation], &c.counts[b.operation]
	if first {
		n.cases += len(b.cases)
		n.crafted += b.crafted
	}
	if inRows {
		n.many += len(b.cases)
	} else {
		n.one += len(b.cases)
	}
	if len(answers) != len(b.cases) {
		panic(fmt.Sprintf("%s, block %d: %d answers by %s", o.name, b.number, len(answers), l.name))
	}
	for k, want := range b.want {
		if first && want != nil {
			n.accepted++
		}
		if bytes.Equal(answers[k], want) {
			continue
		}
		if c.differences++; c.differences <= maxPrinted {
			var text []string
			for _, field := range b.cases[k] {
				text = append(text, hex.EncodeToString(field))
			}
			fmt.Fprintf(c.out, "%s, block %d, case %d: %s\n  %x by libsecp256k1\n  %x by %s, in rows: %t\n",
				o.name, b.number, k, strings.Join(text, " "), want, answers[k], l.name, inRows)
		}
	}
}

// print writes the table of what was compared.
func (c *comparison) print(w io.Writer, seed uint64, took time.Duration) {
	fmt.Fprintf(w, "%s, seed %d, %s/%s, %v, libsecp256k1 %s\n\n",
		time.Now().UTC().Format(time.DateOnly), seed, runtime.GOOS, runtime.GOARCH,
		took.Round(time.Second), c.lib.Version)
	fmt.Fprintf(w, "| operation | cases | crafted | accepted | refused | by one call | in rows |\n")
	fmt.Fprintf(w, "|---|---|---|---|---|---|---|\n")
	var all count
	row := func(name string, n count) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d |\n", name, n.cases, n.crafted, n.accepted,
			n.cases-n.accepted, n.one, n.many)
	}
	for i, o := range c.all {
		n := c.counts[i]
		row(o.name, n)
		all = count{all.cases + n.cases, all.crafted + n.crafted, all.accepted + n.accepted,
			all.one + n.one, all.many + n.many}
	}
	row("all", all)
	fmt.Fprintf(w, "\n%d answers differ. Levels:\n\n", c.differences)
	for _, l := range c.levels {
		fmt.Fprintf(w, "- %s\n", l.name)
	}
}
