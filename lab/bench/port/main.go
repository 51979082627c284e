// Port measures the operations that are the columns of the hardware table in docs/ports.md, and
// prints their times as a row of this table:
//
//	make bench-port                                     # from the repository's root
//	make bench-port ARGS='-machine "VisionFive 2, JH7110 at 1.5 GHz"'
//
// For a machine without Go, build the program elsewhere (in lab/bench, without the workspace) and
// copy it:
//
//	GOWORK=off GOARCH=riscv64 go build ./port
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "port:", err)
		os.Exit(1)
	}
}

func run(args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("port", flag.ContinueOnError)
	f.SetOutput(errs)
	name := f.String("machine", "", "what the row calls the machine; by default, as the system does")
	each := f.Duration("time", 200*time.Millisecond, "time for one run of an operation")
	rounds := f.Int("rounds", 9, "runs of each operation, of which the median counts")
	heading := f.Bool("heading", true, "begin with the table's heading")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || *each <= 0 || *rounds < 1 {
		f.Usage()
		return errors.New("wrong arguments")
	}
	m := machine.Describe()
	if *name == "" {
		*name = fmt.Sprintf("%s, %s/%s, %s", m.CPU, m.OS, m.Arch, m.Go)
	}
	operations, err := prepare()
	if err != nil {
		return err
	}
	times, err := measure(operations, *rounds, *each, time.Now)
	if err != nil {
		return err
	}
	if *heading {
		fmt.Fprint(out, tableHeading(operations))
	}
	fmt.Fprint(out, tableRow(*name, koblitz.Implementations()[0], times))
	return nil
}

// measure returns the median time of each operation in nanoseconds per row. Each round runs every
// operation, repeated for about the duration each, so that a disturbance of the machine affects all
// operations alike.
func measure(
	operations []operation, rounds int, each time.Duration, now func() time.Time,
) ([]float64, error) {
	repeats, runs := make([]int, len(operations)), make([][]float64, len(operations))
	for i, o := range operations {
		n := 1
		for {
			took, err := o.repeat(n, now)
			if err != nil {
				return nil, err
			}
			if took >= each/4 || n >= 1<<30 {
				// max prevents a division by zero if the clock stands still.
				repeats[i] = max(1, int(float64(n)*float64(each)/float64(max(took, 1))))
				break
			}
			n *= 2
		}
	}
	for range rounds {
		for i, o := range operations {
			took, err := o.repeat(repeats[i], now)
			if err != nil {
				return nil, err
			}
			runs[i] = append(runs[i], float64(took.Nanoseconds())/float64(repeats[i]*o.rows))
		}
	}
	medians := make([]float64, len(operations))
	for i, r := range runs {
		medians[i] = quantile.Median(r)
	}
	return medians, nil
}

// repeat does the operation n times and returns how long that took. If a result is wrong, it
// returns an error.
func (o operation) repeat(n int, now func() time.Time) (time.Duration, error) {
	begin := now()
	for i := range n {
		if !o.do(i) {
			return 0, fmt.Errorf("%s: a wrong result", o.name)
		}
	}
	return now().Sub(begin), nil
}

// tableHeading returns the heading of the Markdown table and the line of dashes below it.
func tableHeading(operations []operation) string {
	var s strings.Builder
	s.WriteString("| machine | level |")
	for _, o := range operations {
		s.WriteString(" " + o.name + ", ns |")
	}
	s.WriteString("\n|" + strings.Repeat("---|", len(operations)+2) + "\n")
	return s.String()
}

// tableRow returns a row of the table with times in ns. They have three significant digits, because
// repeated runs differ in the third.
func tableRow(name, level string, times []float64) string {
	var s strings.Builder
	// In the name, replace a vertical bar, which would begin another cell, and a line break, which
	// would begin another row.
	clean := strings.NewReplacer("|", "/", "\n", " ", "\r", " ")
	fmt.Fprintf(&s, "| %s | %s |", clean.Replace(name), level)
	for _, ns := range times {
		s.WriteString(" " + threeDigits(ns) + " |")
	}
	return s.String() + "\n"
}

// threeDigits formats x with three significant digits, and without decimals from 100 on.
func threeDigits(x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return "?"
	}
	digits := strconv.FormatFloat(rounded, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}
