package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
)

// A bench measures one device. One goroutine does all work; run waits for it, and goes on alone if
// the driver hangs.
type bench struct {
	backends  []backend
	out, errs io.Writer

	// These fields are the values of flags.
	device string
	list   bool
	budget time.Duration
	rows   int
	only   *regexp.Regexp
	seed   uint64

	mu     sync.Mutex // protects the fields below
	report Report
	doing  string // what the driver is doing, for the failure if it hangs
	over   bool   // run has returned: print and record nothing

	// These fields belong to the goroutine that works.
	open func() (driver.Device, error)
	in   *inputs
	left int // operations that are not measured yet
}

var (
	errTime   = errors.New("the time is over")
	errHung   = errors.New("the driver does not return")
	errResult = errors.New("wrong result")
	errEnd    = errors.New("nothing more can be measured") // the reason is already reported
)

// grace is how long run waits for the driver after the end of its context.
const grace = 5 * time.Second

// run measures the device, or lists all devices, and returns the report.
func (b *bench) run(ctx context.Context) Report {
	b.report = Report{Rows: b.rows, Seed: b.seed, Host: fmt.Sprintf("%s/%s, %d CPUs, %s",
		runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version())}
	limited, cancel := context.WithTimeoutCause(ctx, b.budget, errTime)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- b.all(limited) }()
	var err error
	select {
	case err = <-ended:
	case <-limited.Done():
		select {
		case err = <-ended:
		case <-time.After(grace):
			err = fmt.Errorf("%w: %w", errHung, context.Cause(limited))
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil && !errors.Is(err, errHung) {
		err = errors.New("interrupted")
	}
	if err != nil && err != errEnd {
		b.fail(b.doing, err)
	}
	for _, l := range b.report.LeftOut {
		fmt.Fprintf(b.out, "# left out: %s: %s\n", l.Operation, l.Reason)
	}
	b.over = true
	return b.report
}

// all does the work of run.
func (b *bench) all(ctx context.Context) (err error) {
	b.begin("listing devices")
	if err := b.find(); err != nil || b.list {
		return err
	}
	b.begin("making inputs")
	if b.in, err = newInputs(ctx, b.seed, b.rows); err != nil {
		return b.end(ctx, "all operations", err)
	}
	calls := slices.DeleteFunc(kinds(), func(k kind) bool { return !b.only.MatchString(k.name) })
	kernels := slices.DeleteFunc(benchKernels(), func(k kernel) bool {
		return !b.only.MatchString(k.name)
	})
	if b.left = len(calls) + len(kernels); b.left == 0 {
		return errors.New("no operation has a name that matches -only")
	}
	if len(calls) > 0 {
		err = b.end(ctx, "all calls", b.calls(ctx, calls))
	}
	if len(kernels) > 0 && err == nil {
		err = b.end(ctx, "all kernels", b.kernels(ctx, kernels))
	}
	return err
}

// find finds the device to measure, or prints all devices.
func (b *bench) find() error {
	failure := fmt.Errorf("no device for -device %s", b.device)
	for _, one := range b.backends {
		infos, err := one.list()
		failure = errors.Join(failure, err)
		for i, info := range infos {
			word, _, _ := strings.Cut(info.Name, " ")
			switch {
			case info.Name == "": // the driver cannot describe it, and err says why
			case b.list:
				b.print(func() string { return info.Name + "\n" })
			case word == b.device || b.device == "auto" && !info.CPU:
				b.open = func() (driver.Device, error) { return one.open(i) }
				b.print(func() string { b.report.Device = info; return b.report.heading() })
				return nil
			default:
				failure = errors.Join(failure, fmt.Errorf("there is %s", info.Name))
			}
		}
		if b.list && len(infos) > 0 {
			failure = nil
		}
	}
	return failure
}

// begin records what is done from now on.
func (b *bench) begin(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.doing = what
}

// print calls f, which may change the report, and prints the text that it returns.
func (b *bench) print(f func() string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		io.WriteString(b.out, f())
	}
}

// fail reports a failure. The caller holds b.mu.
func (b *bench) fail(operation string, err error) {
	if b.over {
		return
	}
	reason := strings.ReplaceAll(err.Error(), "\n", "; ")
	b.report.Failures = append(b.report.Failures, Note{operation, reason})
	fmt.Fprintf(b.errs, "koblitz-gpubench: %s: %s\n", operation, reason)
}

// end handles the error with which an operation, or a group of operations, has ended. It returns an
// error if nothing more can be measured.
func (b *bench) end(ctx context.Context, operation string, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil || err == errEnd:
		return err
	case errors.Is(err, driver.ErrLost) || errors.Is(err, launch.ErrLost):
		b.fail(operation, err)
		return errEnd
	case errors.Is(err, errResult) || errors.Is(err, launch.ErrAnswer):
		b.fail(operation, err)
		return nil
	case context.Cause(ctx) == errTime:
		err = errTime
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, driver.ErrMemory) || errors.Is(err, launch.ErrMemory) ||
		errors.Is(err, launch.ErrKind) || errors.Is(err, errTime):
	default:
		b.fail(operation, err)
		return nil
	}
	if !b.over {
		b.report.LeftOut = append(b.report.LeftOut, Note{operation, err.Error()})
	}
	return nil
}

// operation measures an operation by a call of f, which may take some time, and prints its line. It
// returns an error if nothing more can be measured.
func (b *bench) operation(
	ctx context.Context, name string, f func(limit time.Duration) (Operation, error),
) error {
	b.begin(name)
	deadline, _ := ctx.Deadline()
	// Other operations need time too, and a machine that measures few rows is a slow one.
	limit := min(time.Until(deadline)/time.Duration(max(b.left, 1)),
		time.Duration(b.rows)*time.Microsecond)
	b.left--
	o, err := Operation{}, ctx.Err()
	if err == nil {
		o, err = f(limit)
	}
	if err != nil {
		return b.end(ctx, name, err)
	}
	o.Name = name
	b.print(func() string {
		b.report.Operations = append(b.report.Operations, o)
		return b.report.line(&o)
	})
	return nil
}

const leastRuns, mostRuns = 3, 25

// repeat calls f for about the time limit, but from leastRuns to mostRuns times, and returns the
// times that f returns.
func repeat(
	ctx context.Context, limit time.Duration, f func() (time.Duration, error),
) (Times, error) {
	var runs []time.Duration
	for began := time.Now(); len(runs) < leastRuns ||
		len(runs) < mostRuns && time.Since(began) < limit; {
		t, err := f()
		if err = errors.Join(err, ctx.Err()); err != nil {
			return Times{}, err
		}
		runs = append(runs, t)
	}
	slices.Sort(runs)
	last := len(runs) - 1
	return Times{(runs[last/2] + runs[(last+1)/2]) / 2, runs[0], runs[last], len(runs)}, nil
}
