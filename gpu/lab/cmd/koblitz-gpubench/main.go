// Koblitz-gpubench measures a device, and prints tables within two minutes.
//
//	make bench-gpu                           # from the repository's root: the first GPU
//	make bench-gpu ARGS='-budget 0'          # every size, as long as it takes
//	make bench-gpu ARGS='-device opencl:0 -quick'
//
// Built without cgo, the program is a single file that needs nothing but the device's driver:
//
//	cd gpu/lab && GOWORK=off CGO_ENABLED=0 go build ./cmd/koblitz-gpubench
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/koblitz-go/koblitz/gpu/lab/measure"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, restore the default: a second signal ends the program at once, even
	// while a driver function runs.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, measure.Installed(), os.Args[1:], os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	good        = 0
	failed      = 1
	usage       = 2
	interrupted = 130
)

// run runs the program on devices of the given drivers, and returns its exit status.
func run(ctx context.Context, drivers measure.Drivers, args []string, out, errs io.Writer) int {
	f := flag.NewFlagSet("koblitz-gpubench", flag.ContinueOnError)
	f.SetOutput(errs)
	var o measure.Options
	device := f.String("device", "auto",
		"`names` of devices, as cuda:0,opencl:0; auto is the first that is no CPU, all is all such")
	list := f.Bool("list", false, "list the devices, or say why there are none, and end")
	f.DurationVar(&o.Budget, "budget", 2*time.Minute,
		"`time` for everything on a device; rows for which none is left are left out; 0 is no limit")
	sizes := f.String("sizes", "", "`numbers` of rows, as 256,2^20 (default 2^8,2^12,2^16,2^20, and "+
		"without a limit of time 2^8,2^10,…,2^22)")
	only := f.String("only", "", "sections ("+strings.Join(measure.Sections(), ", ")+
		") and beginnings of rows' `names`, separated by commas")
	f.DurationVar(&o.Time, "time", time.Second, "most time for a row")
	f.DurationVar(&o.Launch, "launch", 20*time.Millisecond, "time for a launch of a chain")
	f.Int64Var(&o.Gather, "gather", 0,
		"`bytes` of memory for random reads (default 10 GiB, or half of the memory)")
	f.IntVar(&o.Items, "items", 0, "work `items` of a chain (default 2048 for each unit)")
	f.Uint64Var(&o.Seed, "seed", uint64(time.Now().UnixNano()), "`number` that inputs are made of")
	quick := f.Bool("quick", false, "little of everything: seconds, also on a CPU")
	file := f.String("json", "", "write everything measured into this `file`; - is standard output")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return good
		}
		return usage
	}
	if f.NArg() > 0 {
		fmt.Fprintf(errs, "koblitz-gpubench: no argument is expected, and there is %q\n", f.Arg(0))
		return usage
	}
	if *list {
		names, _ := drivers.Names(false)
		cpus, why := drivers.Names(true)
		return devices(append(names, cpus...), why, out, errs)
	}
	if *quick {
		o.Quicken()
	}
	var err error
	if *sizes != "" {
		if o.Sizes, err = parseSizes(*sizes); err != nil {
			fmt.Fprintln(errs, "koblitz-gpubench:", err)
			return usage
		}
	}
	if *only != "" {
		o.Only = strings.Split(*only, ",")
	}
	if err := writable(*file); err != nil {
		fmt.Fprintln(errs, "koblitz-gpubench:", err)
		return failed
	}
	o.Tell = func(r measure.Row) { fmt.Fprintln(errs, r.Line()) }
	var reports []*measure.Report
	for _, name := range named(drivers, *device) {
		if e := ctx.Err(); e != nil {
			err = errors.Join(err, fmt.Errorf("koblitz-gpubench: %s: %w", name, e))
			break
		}
		report, e := drivers.Device(ctx, name, o)
		if report != nil {
			reports = append(reports, report)
		}
		if errors.Is(e, measure.ErrOption) { // the options are wrong for every device
			fmt.Fprintln(errs, "koblitz-gpubench:", e)
			return usage
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("koblitz-gpubench: %s: %w", name, e))
		}
	}
	// Print what was measured before the errors.
	if e := write(reports, *file, out); e != nil {
		fmt.Fprintln(errs, "koblitz-gpubench:", e)
		return failed
	}
	if err == nil {
		return good
	}
	fmt.Fprintln(errs, err)
	if ctx.Err() != nil {
		fmt.Fprintln(errs, "koblitz-gpubench: interrupted; the rows above are what was measured")
		return interrupted
	}
	if len(reports) > 0 && !errors.Is(err, measure.ErrResult) {
		fmt.Fprintln(errs, "koblitz-gpubench: the tables have what was measured all the same")
	}
	return failed
}

// devices prints names, which are those of all devices, to out. If there are none, it prints why to
// errs. It returns the exit status: good or failed.
func devices(names []string, why error, out, errs io.Writer) int {
	for _, name := range names {
		fmt.Fprintln(out, name)
	}
	if len(names) > 0 {
		return good
	}
	fmt.Fprintln(errs, "koblitz-gpubench: no device")
	if why != nil {
		fmt.Fprintln(errs, why)
	}
	return failed
}

// writable returns an error if the file for the reports cannot be written. It is called before
// measuring, which takes minutes and would be in vain. If the file did not exist, it does not exist
// afterwards.
func writable(file string) error {
	if file == "" || file == "-" {
		return nil
	}
	_, missing := os.Stat(file)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil || missing == nil {
		return err
	}
	return os.Remove(file)
}

// named returns the names of the devices that the flag -device selects. If there is no device, it
// returns a name with which Drivers.Device returns an error.
func named(drivers measure.Drivers, device string) (names []string) {
	if device != "all" {
		return strings.Split(device, ",")
	}
	all, _ := drivers.Names(false)
	for _, name := range all {
		word, _, _ := strings.Cut(name, " ")
		names = append(names, word)
	}
	if len(names) == 0 {
		names = []string{"auto"}
	}
	return names
}

// write prints the reports to out, and writes them to file as a JSON array.
func write(reports []*measure.Report, file string, out io.Writer) error {
	for i, r := range reports {
		if file == "-" {
			break
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		r.Text(out)
	}
	if file == "" || len(reports) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(reports, "", " ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if file == "-" {
		_, err = out.Write(data)
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// parseSizes parses numbers separated by commas. A number may be written as a power of two, such as
// 2^20.
func parseSizes(s string) (sizes []int, err error) {
	for part := range strings.SplitSeq(s, ",") {
		n := 0
		if exponent, ok := strings.CutPrefix(part, "2^"); ok {
			var e int
			if e, err = strconv.Atoi(exponent); err == nil && e >= 0 && e < 31 {
				n = 1 << e
			}
		} else {
			n, err = strconv.Atoi(part)
		}
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-sizes: %q is no number of rows", part)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
