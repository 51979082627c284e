// Differential compares the results of koblitz, at every level of the CPU and built without
// assembly, with each other and with those of libsecp256k1.
//
//	cd lab/bench && GOWORK=off go run ./differential                  # 10 million cases
//	cd lab/bench && GOWORK=off go run ./differential -cases 200000 -seed 7
//
// The cases are derived from a seed, which is printed. About half of them are crafted: numbers at
// the edges of their ranges, x coordinates above n, sums that meet equal or opposite points or
// infinity, high s, wrong keys, changed bits. They come in blocks of 512 cases of one operation. A
// process for each level computes each block, by the function for one case or by the one for many
// rows; in each round half of the levels use one, and half the other. A quarter of the rounds has
// mostly valid signatures, on which the functions for many rows may try equations.
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
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

func main() {
	var err error
	if os.Getenv(levelVariable) != "" {
		err = serve(-1)
	} else {
		err = run(os.Args[1:], os.Stdout, os.Stderr)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

func run(args []string, out, errs io.Writer) error {
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
	lib, err := peer.NewLibsecp(peer.NewInputs(0, 0), os.DirFS(*rust))
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "differential-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	purego := filepath.Join(work, "purego.exe")
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := withoutAssembly(program, purego, errs); err != nil {
		return fmt.Errorf("the build without assembly: %w", err)
	}
	levels, err := startLevels(program, purego)
	if err != nil {
		return err
	}
	c := comparison{lib: lib, levels: levels, cases: *cases, out: errs}
	fmt.Fprintf(errs, "seed %d, libsecp256k1 %s, %d levels\n", *seed, lib.Version, len(levels))
	begin := time.Now()
	err = c.compare(*seed)
	for _, l := range levels {
		if e := l.stop(); err == nil && e != nil {
			err = fmt.Errorf("level %s: %w", l.name, e)
		}
	}
	c.print(out, *seed, time.Since(begin))
	if err == nil && c.differences > 0 {
		err = fmt.Errorf("%d cases differ", c.differences)
	}
	return err
}

// withoutAssembly builds the given program, which is this one, without assembly. It is a variable
// for tests.
var withoutAssembly = func(program, to string, errs io.Writer) error {
	build := exec.Command("go", "build", "-tags", "purego", "-o", to,
		"github.com/koblitz-go/koblitz/lab/bench/differential")
	build.Stderr = errs
	return build.Run()
}

// A comparison has the levels compute cases and compares their answers with libsecp256k1's.
type comparison struct {
	lib         *peer.Peer
	levels      []*level
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

// A job is a block that the levels compute.
type job struct {
	operation int
	number    int
	cases     [][][]byte
	replies   []Reply // by level
	calls     []*rpc.Call
}

// start has each level compute the block of a job. The levels must be idle.
func (c *comparison) start(j *job, together func(level int) bool, exact bool) {
	j.replies = make([]Reply, len(c.levels))
	for i, l := range c.levels {
		b := Block{j.operation, j.number, together(i), exact, j.cases}
		j.calls = append(j.calls, l.Go("Server.Compute", b, &j.replies[i], nil))
	}
}

// wait returns an error if a level has failed to compute the job's block.
func (c *comparison) wait(j *job) error {
	for i, call := range j.calls {
		if err := (<-call.Done).Error; err != nil {
			return fmt.Errorf("level %s, block %d: %w", c.levels[i].name, j.number, err)
		}
		if n := len(j.replies[i].Answers); n != len(j.cases) {
			return fmt.Errorf("level %s, block %d: %d answers", c.levels[i].name, j.number, n)
		}
	}
	return nil
}

// compare runs the comparison. It returns an error if a level fails to answer.
func (c *comparison) compare(seed uint64) error {
	all := operations()
	c.counts = make([]count, len(all))
	// The schedule takes an operation of each kind in turn, until all shares are used up.
	var schedule []int
	for turn, grown := 0, true; grown; turn++ {
		grown = false
		for i, o := range all {
			if turn < o.share {
				schedule, grown = append(schedule, i), true
			}
		}
	}
	g := newGenerator(seed, c.lib.Functions)
	last := new(job) // the levels compute a job while this process makes the next and checks the last
	for done, number := 0, 0; done < c.cases; number++ {
		round, o := number/len(schedule), schedule[number%len(schedule)]
		n := min(blockSize, c.cases-done)
		done += n
		g.renew()
		g.rare, g.crafted = round%4 == 3, 0
		j := &job{operation: o, number: number, cases: all[o].cases(g, n)}
		c.counts[o].cases += n
		c.counts[o].crafted += g.crafted
		if err := c.wait(last); err != nil {
			return err
		}
		together := func(level int) bool { return (round/4+round+level)%2 == 0 }
		c.start(j, together, !g.rare && (number+round)%2 == 0)
		c.check(&all[last.operation], last)
		last = j
		if number%200 == 199 {
			fmt.Fprintf(c.out, "%d cases, %d differ\n", done, c.differences)
		}
	}
	if err := c.wait(last); err != nil {
		return err
	}
	c.check(&all[last.operation], last)
	return nil
}

// check compares the answers of a job with libsecp256k1's.
func (c *comparison) check(o *operation, j *job) {
	n := &c.counts[j.operation]
	for _, r := range j.replies {
		if r.InRows {
			n.many += len(r.Answers)
		} else {
			n.one += len(r.Answers)
		}
	}
	for k, fields := range j.cases {
		want := o.theirs(c.lib.Functions, fields)
		if want != nil {
			n.accepted++
		}
		var wrong []string
		for i, l := range c.levels {
			if answer := j.replies[i].Answers[k]; !bytes.Equal(answer, want) {
				wrong = append(wrong, fmt.Sprintf("  %x by %s, in rows: %t", answer, l.name,
					j.replies[i].InRows))
			}
		}
		if wrong == nil {
			continue
		}
		if c.differences++; c.differences <= maxPrinted {
			var text []string
			for _, b := range fields {
				text = append(text, hex.EncodeToString(b))
			}
			fmt.Fprintf(c.out, "%s, block %d, case %d: %s\n  %x by libsecp256k1\n%s\n", o.name,
				j.number, k, strings.Join(text, " "), want, strings.Join(wrong, "\n"))
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
	for i, o := range operations() {
		n := c.counts[i]
		row(o.name, n)
		all = count{all.cases + n.cases, all.crafted + n.crafted, all.accepted + n.accepted,
			all.one + n.one, all.many + n.many}
	}
	row("all", all)
	fmt.Fprintf(w, "\n%d cases differ. Levels:\n\n", c.differences)
	for _, l := range c.levels {
		fmt.Fprintf(w, "- %s\n", l.name)
	}
}
