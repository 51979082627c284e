// Bench measures koblitz beside other implementations of secp256k1, in one
// run, and prints how many times faster it is.
//
//	cd bench
//	GOWORK=off go run -tags purego . [-rounds 9] [-time 60ms] [-only verify]
//
// Every operation goes round by round through all implementations (A B C A B
// C …), so that a machine that slows down slows all of them. A figure is the
// median over the rounds; a ratio is the median of the ratios of the rounds,
// with the lowest and the highest beside it. Every implementation works on the
// same 64 keys and messages, and its results are checked before it is timed.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/koblitz-go/koblitz"
)

func main() {
	rounds := flag.Int("rounds", 9, "rounds through all implementations")
	each := flag.Duration("time", 60*time.Millisecond, "time for one implementation in one round")
	only := flag.String("only", "", "measure only the operations whose name contains this")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 || *each <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*rounds, *each, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, each time.Duration, only string) error {
	in := newInputs()
	if err := in.check(); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	fmt.Printf("koblitz (%s), %s, %s/%s, one thread, %d rounds of %v\n\n",
		strings.Join(koblitz.Implementations(), ", "), runtime.Version(), runtime.GOOS, runtime.GOARCH, rounds, each)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintln(w, "operation\timplementation\tµs\tallocations\ttimes faster\tlowest\thighest\tremark")
	found := false
	for _, op := range in.operations() {
		if !strings.Contains(op.name, only) {
			continue
		}
		found = true
		op.measure(w, rounds, each)
	}
	if !found {
		return fmt.Errorf("no operation contains %q", only)
	}
	return nil
}

// An operation is one thing that several implementations do. The first of
// them is koblitz.
type operation struct {
	name    string
	drivers []driver
}

// A driver does an operation on input i of size.
type driver struct {
	peer   string
	remark string
	do     func(i int)
}

func (op operation) measure(w *tabwriter.Writer, rounds int, each time.Duration) {
	times := make([][]float64, len(op.drivers)) // µs by driver and round
	for range rounds {
		for i, d := range op.drivers {
			times[i] = append(times[i], measure(d.do, each))
		}
	}
	for i, d := range op.drivers {
		allocs := testing.AllocsPerRun(size, counter(d.do))
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.0f\t", op.name, d.peer, median(times[i]), allocs)
		if i == 0 {
			fmt.Fprintf(w, "\t\t\t%s\n", d.remark)
			continue
		}
		ratios := make([]float64, rounds)
		for r := range ratios {
			ratios[r] = times[i][r] / times[0][r]
		}
		fmt.Fprintf(w, "%.2f\t%.2f\t%.2f\t%s\n", median(ratios), slices.Min(ratios), slices.Max(ratios), d.remark)
	}
}

// measure returns the time of one call of do in µs, over about as long as
// each.
func measure(do func(i int), each time.Duration) float64 {
	n := 0
	start := time.Now()
	for time.Since(start) < each {
		for range 16 {
			do(n % size)
			n++
		}
	}
	return float64(time.Since(start).Nanoseconds()) / float64(n) / 1000
}

func counter(do func(i int)) func() {
	n := 0
	return func() {
		do(n % size)
		n++
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}
