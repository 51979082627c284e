// Bench compares the speed of koblitz with that of other implementations of secp256k1 and prints
// how many times faster koblitz is.
//
//	make bench                  # from the repository's root: everything
//	make bench ARGS=-quick      # less than a minute
//	cd lab/bench && GOWORK=off go run . -only ecdsa-verify,schnorr -peers dcrec,btcec
//
// The peers take turns in each round of an operation (A B C A B C …), so that a machine that
// becomes slower affects all of them. A ratio is the median of the ratios of all rounds, and is
// printed with the lowest and the highest of these. Operations whose rounds differ by more than a
// tenth are marked. All peers process the same keys and messages. Before a peer is timed, its
// results are compared with those of koblitz.
//
// A peer that panics in an operation is left out of the operation, and a peer that panics while it
// is opened is left out of all operations. The report says so.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/growth"
	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/lab/bench/internal/report"
)

func main() {
	switch err := run(os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage")

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, strings.Split(s, ",")...); return nil }

func run(args []string, out, errs io.Writer) error {
	var only, peers, require list
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(errs)
	rounds := f.Int("rounds", 5, "rounds through all peers")
	each := f.Duration("time", 0, "time for one peer in one round; by default 30ms, or 6ms if quick")
	quick := f.Bool("quick", false, "fewer operations, and less time for each: less than a minute")
	f.Var(&only, "only", "operations, or beginnings of their names (ecdsa, msm), separated by commas")
	f.Var(&peers, "peers", "peers, separated by commas: "+strings.Join(peer.Names, ", "))
	f.Var(&require, "require", "peers without which there is an error, separated by commas")
	dir := f.String("report", "", "write report.md, run.json and page.json into this folder")
	grow := f.Bool("growth", false, "measure how koblitz' batches and sums grow up to 65,536 rows,\n"+
		"and not the peers: growth.md and plots in the folder of -report; ten minutes")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if f.NArg() > 0 || *rounds < 1 || *each < 0 || *grow && *dir == "" {
		f.Usage()
		return errUsage
	}
	if *each == 0 {
		if *each = 30 * time.Millisecond; *quick {
			*each = 6 * time.Millisecond
		}
	}
	if *grow {
		if err := os.MkdirAll(*dir, 0o755); err != nil {
			return err
		}
		return growth.Measure(1<<16, *rounds, *each, errs).Write(*dir)
	}
	s := harness.Settings{Rounds: *rounds, Each: *each, Quick: *quick}
	c := peer.Config{Only: peers, Require: require, Rust: "rust"}
	ops, err := harness.Select(only, *quick)
	if err != nil {
		return err
	}
	result, err := measure(s, ops, c, errs)
	if err != nil {
		return err
	}
	if *dir != "" {
		if err := report.Write(*dir, result); err != nil {
			return err
		}
	}
	report.Text(out, result)
	return nil
}

// measure opens the peers that c selects, compares their results and times the operations.
func measure(
	s harness.Settings, ops []peer.Operation, c peer.Config, progress io.Writer,
) (*harness.Run, error) {
	points, many := 0, 0
	for _, o := range ops {
		switch o.Family {
		case "":
		case peer.Sums:
			points = max(points, o.Size)
		default:
			many = max(many, o.Size)
		}
	}
	var left []harness.LeftOut
	c.Absent = func(name string, reason error) {
		left = append(left, harness.LeftOut{Name: name, Reason: reason.Error()})
	}
	fmt.Fprintln(progress, "bench: building the peers")
	in := peer.NewInputs(points, many)
	peers, err := peer.Open(in, c)
	if err != nil {
		return nil, err
	}
	chosen := func(id string) bool {
		return slices.ContainsFunc(ops, func(o peer.Operation) bool { return o.ID == id })
	}
	for _, p := range peers {
		if p.Close != nil {
			defer p.Close()
		}
		absent := func(op string, reason error) {
			left = append(left, harness.LeftOut{Name: p.Name, Operation: op, Reason: reason.Error()})
		}
		if err := peer.Check(in, peers[0], p, chosen, absent); err != nil {
			return nil, err
		}
	}
	r := harness.Measure(s, peers, ops, progress)
	r.LeftOut = append(left, r.LeftOut...)
	return r, nil
}
