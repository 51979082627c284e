// Bench compares the speed of koblitz with that of other implementations of secp256k1 and prints
// how many times faster koblitz is.
//
//	make bench                  # from the repository's root: everything
//	make bench ARGS=-quick      # less than a minute
//	cd lab/bench && GOWORK=off go run . -only ecdsa-verify,schnorr -peers dcrec,btcec
//
// The peers take turns in each round of an operation (A B C A B C …), so that a machine that
// becomes slower affects all of them. A ratio is the median of the ratios of all rounds, and is
// printed with the lowest and the highest of these. A round is repeated if the CPU's clock drifts
// during it, or if another hyperthread shares the core before or after it. All peers process the
// same keys and messages. Before a peer is timed, its results are compared with those of koblitz.
//
// A peer that crashes during an operation is left out of this operation. A peer that crashes
// earlier is left out of all operations. The report lists the crashes, and the exit status is 3.
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/lab/bench/internal/report"
)

//go:embed rust/Cargo.toml rust/Cargo.lock rust/src
var rust embed.FS

func main() {
	if dir := os.Getenv(jobVariable); dir != "" {
		if err := runJob(dir, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	switch err := run(os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case errors.Is(err, errCrashed):
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

var (
	errUsage   = errors.New("usage")
	errCrashed = errors.New("a peer crashed, and the report leaves it out")
)

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, strings.Split(s, ",")...); return nil }

func run(args []string, out, errs io.Writer) error {
	var only, peers, require, libraries list
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(errs)
	rounds := f.Int("rounds", 5, "rounds through all peers")
	each := f.Duration("time", 0, "time for one peer in one round; by default 30ms, or 6ms if quick")
	quick := f.Bool("quick", false, "fewer operations, and less time for each: less than a minute")
	f.Var(&only, "only", "operations, or beginnings of their names (ecdsa, msm), separated by commas")
	f.Var(&peers, "peers", "peers, separated by commas: "+strings.Join(peer.Names, ", "))
	f.Var(&require, "require", "peers without which there is an error, separated by commas")
	f.Var(&libraries, "library",
		"NAME=PATH of another shared library with libsecp256k1's interface; may be repeated")
	dir := f.String("report", "", "write report.md, report.html and run.json into this folder")
	device := f.String("device", "",
		"accelerator to measure too, as cuda:0; auto, without -only, is the first, and none is none")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if f.NArg() > 0 || *rounds < 1 || *each < 0 {
		f.Usage()
		return errUsage
	}
	if *each == 0 {
		if *each = 30 * time.Millisecond; *quick {
			*each = 6 * time.Millisecond
		}
	}
	others := map[string]string{}
	for _, l := range libraries {
		name, path, ok := strings.Cut(l, "=")
		if !ok || name == "" || path == "" {
			return fmt.Errorf("-library wants NAME=PATH, not %q", l)
		}
		others[name] = path
	}
	s := harness.Settings{Rounds: *rounds, Each: *each, Quick: *quick}
	c := peer.Config{Only: peers, Require: require, Others: others}
	if *device == "" && len(only) > 0 {
		*device = "none"
	}
	if _, err := harness.Select(only, *quick); err != nil {
		return err
	}
	d, why, err := accelerator(*device, *quick, errs)
	if err != nil {
		return err
	}
	result, err := measure(job{Settings: s, Only: only, Peers: c}, errs)
	if err != nil {
		return err
	}
	result.Device, result.NoDevice = d, why
	if *dir != "" {
		if err := report.Write(*dir, result); err != nil {
			return err
		}
	}
	report.Text(out, result)
	return crashes(result)
}

// crashes returns an error that lists all crashes of peers, or nil if there was none.
func crashes(r *harness.Run) error {
	var all []error
	for _, l := range r.LeftOut {
		if l.Crashed {
			all = append(all, fmt.Errorf("%w: %v", errCrashed, l))
		}
	}
	return errors.Join(all...)
}
