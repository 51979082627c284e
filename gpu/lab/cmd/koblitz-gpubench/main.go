// Koblitz-gpubench measures one device, a GPU by CUDA or OpenCL, and checks everything that it
// computes against the CPU.
//
//	make bench-gpu                                    # from the repository's root: the first GPU
//	make bench-gpu ARGS='-only ECDSA -json gpu.json'
//
// Built without cgo, the program is a single file that needs nothing but the device's driver:
//
//	cd gpu/lab && GOWORK=off CGO_ENABLED=0 go build ./cmd/koblitz-gpubench
//
// It first measures the calls of packages batch and msm, then kernels: operations of the field and
// of points, and products with a point. No setting of the device is changed.
//
// # Standard output
//
// A table, line by line as it is measured. Lines that begin with # describe the device and explain
// why operations are left out: time is over, memory is short, or the device has no program for
// them. Every other line is about one operation:
//
//	operation  size  per second  ±deviation  estimate  RTX 5060 Ti
//
// The size is the number of rows of a run. The rate of a kernel is by the device's clock, without
// copies and the cost of a launch. The rate of a call of package batch or msm is by the host's
// clock, with copies, launches, results, and what the CPU verifies again. Both are medians of 3 to
// 25 runs; the deviation is the largest. The estimate is 65 % of the peak of the model in
// docs/lab/gpu.md, which covers compute capability 9.0. The last column has rates of kernels on
// that card, which UltrafastSecp256k1 publishes; they are not scaled to the device.
//
// # Checks
//
// The CPU computes what runs must return: each verdict and result of a call, and of a kernel up to
// 512 rows. Results of kernels are overwritten before the timed runs, so that a launch which does
// nothing is noticed. The device must decide all rows of a call.
//
// # Standard error
//
// One line for each failure, when it happens:
//
//	koblitz-gpubench: field multiply: wrong result: row 17 of 1048576
//
// An operation that failed has no line in the table. The others are measured, unless the device is
// lost or its driver hangs. With -json the program also writes a [Report] to a file.
//
// # Limits of time
//
// Everything, from listing the devices on, takes at most the time of -budget, and five seconds more
// if the driver does not return: its functions cannot be interrupted. The program then ends with
// what it has measured. It does the same after Ctrl-C; a second one ends it at once.
//
// # Compilers
//
// With -compile the program needs no device. It assembles the PTX of all programs for NVIDIA's
// GPUs, and compiles their OpenCL C for AMD's with clang-15. Programs that are refused and
// registers that are spilled to memory are failures. pip fetches NVIDIA's assembler and checks its
// hash (requirements.txt), unless -ptxas names one. With -cubin the machine code for NVIDIA's GPUs
// is written to a folder, for binaries with the build tag cubin.
//
// # Exit status
//
// 0 if nothing failed, 1 after a failure, 2 for a wrong command line, 130 after an interrupt.
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
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, restore the default: a second signal ends the program at once, even
	// while a driver function runs.
	context.AfterFunc(ctx, stop)
	backends := []backend{{cuda.List, cuda.Open}, {opencl.List, opencl.Open}}
	os.Exit(run(ctx, backends, os.Args[1:], os.Stdout, os.Stderr))
}

// Exit statuses.
const good, failed, usage, interrupted = 0, 1, 2, 130

// A backend is a driver interface: CUDA or OpenCL.
type backend struct {
	list func() ([]driver.Info, error)
	open func(index int) (driver.Device, error)
}

// run runs the program with the given backends, and returns its exit status.
func run(ctx context.Context, backends []backend, args []string, out, errs io.Writer) int {
	f := flag.NewFlagSet("koblitz-gpubench", flag.ContinueOnError)
	f.SetOutput(errs)
	b := &bench{backends: backends, out: out, errs: errs}
	f.StringVar(&b.device, "device", "auto",
		"`name` of a device, such as cuda:0; auto is the first that is no CPU")
	f.BoolVar(&b.list, "list", false, "list the devices and end")
	f.DurationVar(&b.budget, "budget", 210*time.Second, "most `time` for everything")
	f.IntVar(&b.rows, "rows", 1<<20,
		"`number` of rows of the longest runs; with fewer rows each operation also gets less time")
	only := f.String("only", "", "measure only operations whose names match this `expression`")
	f.Uint64Var(&b.seed, "seed", uint64(time.Now().UnixNano()),
		"`number` that determines the inputs of kernels")
	file := f.String("json", "", "write a report to this `file`")
	var c compilation
	f.StringVar(&c.targets, "compile", "",
		"compile for these `GPUs`, such as sm_90,gfx1100 or all, and measure nothing")
	f.StringVar(&c.ptxas, "ptxas", "", "`path` of NVIDIA's assembler, for -compile")
	f.StringVar(&c.cubin, "cubin", "", "`folder` for the machine code of -compile")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return good
		}
		return usage
	}
	var err error
	b.only, err = regexp.Compile(*only)
	switch {
	case err != nil:
		err = fmt.Errorf("-only: %w", err)
	case f.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	case b.rows < 1 || b.rows > 1<<20: // the most that package batch gives a device at once
		err = fmt.Errorf("-rows is %d; it must be from 1 to 2^20", b.rows)
	}
	if err != nil {
		fmt.Fprintln(errs, "koblitz-gpubench:", err)
		return usage
	}
	if c.targets != "" {
		if err := c.run(ctx); err != nil {
			const name = "koblitz-gpubench: "
			fmt.Fprintln(errs, name+strings.ReplaceAll(err.Error(), "\n", "\n"+name))
			return failed
		}
		return good
	}
	// A file that cannot be written must not be noticed only after minutes.
	var report *os.File
	if *file != "" {
		if report, err = os.Create(*file); err != nil {
			fmt.Fprintln(errs, "koblitz-gpubench:", err)
			return failed
		}
	}
	r := b.run(ctx)
	if report != nil {
		encoder := json.NewEncoder(report)
		encoder.SetIndent("", " ")
		if err := errors.Join(encoder.Encode(r), report.Close()); err != nil {
			fmt.Fprintln(errs, "koblitz-gpubench:", err)
			return failed
		}
	}
	switch {
	case ctx.Err() != nil:
		return interrupted
	case len(r.Failures) > 0:
		return failed
	}
	return good
}
