// Package measure measures devices: how many instructions they execute and how much memory they
// read per second, how fast the kernels are, with and without copies, and how fast the calls of
// package batch are. It is made for the project's own programs, koblitz-gpubench and bench; its
// interface may change whenever they do.
//
// Every result that is timed is compared with the CPU's: all rows of short calls, and a sample of
// long ones. Times of kernels are by the device's clock; end-to-end times, which include all
// copies, are by the host's clock. Each time is given as a median, with the lowest and the highest.
package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// sections are the parts of a report, in order.
var sections = []string{Opening, Rates, Memory, Calls, Registers, Field, Points}

// These are the names of the sections of a report.
const (
	Opening   = "open"      // time until the first verdict
	Rates     = "rates"     // rates of instructions, and of operations in registers
	Memory    = "memory"    // random reads and copies
	Calls     = "calls"     // calls of package batch
	Registers = "registers" // a kernel of calls, compiled with other numbers of registers
	Field     = "field"     // operations on columns of field elements
	Points    = "points"
)

// Sections returns the names of all sections, in the order in which they are measured.
func Sections() []string { return slices.Clone(sections) }

// Options select what is measured and how. The zero value measures everything, which takes some
// minutes on a GPU.
type Options struct {
	// Budget, if it is not zero, limits how long everything takes. Each row then takes its part of
	// the time that is left, if that is less than Time. When the time is over, the remaining rows
	// are left out.
	Budget time.Duration
	// Sizes are the numbers of rows of operations and calls. By default they are 2^8, 2^10 and so
	// on up to 2^22. With a Budget they are 2^8, 2^12, 2^16 and 2^20, and operations are measured
	// with 2^18 rows alone.
	Sizes []int
	// Only limits the measurement to sections and rows with the given names. A name may also be a
	// prefix of row names.
	Only []string
	// Time is the time that measuring a row should take, by default a second. A row that would take
	// several times as long is left out, and the report says so.
	Time time.Duration
	// Gather limits the memory for random reads, in bytes. By default it is 10 GiB, but at most
	// half of the device's memory, and 32 MiB if the device is a CPU.
	Gather int64
	// Items sets the number of work items of launches whose work does not consist of rows. By
	// default it is 2048 for each compute unit (multiprocessor) of the device.
	Items int
	// Launch is the duration of a launch in which an operation is repeated in registers, by default
	// 20 milliseconds.
	Launch time.Duration
	// Seed selects the random inputs.
	Seed uint64
	// Tell, if it is not nil, is called with each row as soon as the row is measured, by another
	// goroutine than that of the caller.
	Tell func(Row)

	columns []int // numbers of rows of the operations on columns
}

// set replaces fields that are zero by their defaults.
func (o *Options) set() {
	switch {
	case len(o.Sizes) > 0:
		o.Sizes = slices.Clone(o.Sizes)
		slices.Sort(o.Sizes)
		o.Sizes = slices.Compact(o.Sizes)
	case o.Budget > 0:
		o.Sizes = []int{1 << 8, 1 << 12, 1 << 16, 1 << 20}
		o.columns = []int{1 << 18}
	default:
		for e := 8; e <= 22; e += 2 {
			o.Sizes = append(o.Sizes, 1<<e)
		}
	}
	if o.columns == nil {
		o.columns = o.Sizes
	}
	if o.Time <= 0 {
		o.Time = time.Second
	}
	if o.Launch <= 0 {
		o.Launch = 20 * time.Millisecond
	}
	if o.Tell == nil {
		o.Tell = func(Row) {}
	}
}

// Quicken gives small values to fields that are zero, so that measuring takes seconds, even on a
// CPU.
func (o *Options) Quicken() {
	if len(o.Sizes) == 0 {
		o.Sizes = []int{1 << 8}
	}
	if o.Time <= 0 || o.Time == time.Second {
		o.Time = 20 * time.Millisecond
	}
	if o.Launch <= 0 || o.Launch == 20*time.Millisecond {
		o.Launch = time.Millisecond
	}
	if o.Gather == 0 {
		o.Gather = 4 << 20
	}
	if o.Items == 0 {
		o.Items = 1024
	}
}

// MaxSize is the greatest number of rows that Sizes may contain.
const MaxSize = 1 << 24

// ErrOption is wrapped by errors which say that an option is not valid.
var ErrOption = errors.New("measure: wrong option")

// check returns an error if the options are not valid.
func (o *Options) check() error {
	for _, n := range o.Sizes {
		if n < 1 || n > MaxSize {
			return fmt.Errorf("%w: a size of %d rows; it is from 1 to %d", ErrOption, n, MaxSize)
		}
	}
	for _, name := range o.Only {
		if !known(name) {
			return fmt.Errorf("%w: there is no section and no row %q; the sections are %s, and "+
				"rows begin with %s", ErrOption, name, strings.Join(sections, ", "),
				strings.Join(rowNames(), ", "))
		}
	}
	for _, number := range []struct {
		name        string
		value, most int64
	}{{"budget", int64(o.Budget), math.MaxInt64}, {"time", int64(o.Time), math.MaxInt64},
		{"launch", int64(o.Launch), math.MaxInt64}, {"gather", o.Gather, entrySize * math.MaxUint32},
		{"items", int64(o.Items), MaxSize}} {
		switch {
		case number.value < 0:
			return fmt.Errorf("%w: %s is negative", ErrOption, number.name)
		case number.value > number.most:
			return fmt.Errorf("%w: %s is above %d", ErrOption, number.name, number.most)
		}
	}
	return nil
}

// wants reports whether the row with the given ID, in the given section, is to be measured.
func (o *Options) wants(section, id string) bool {
	if len(o.Only) == 0 {
		return true
	}
	return slices.ContainsFunc(o.Only, func(name string) bool {
		return name == section || name == id ||
			strings.HasPrefix(id, name) && !slices.Contains(rowNames(), name)
	})
}

// known reports whether Only may contain the given name.
func known(name string) bool {
	return slices.Contains(sections, name) || name != "" && slices.ContainsFunc(rowNames(),
		func(id string) bool { return strings.HasPrefix(id, name) })
}

// Drivers are drivers of devices, in the order in which "auto" tries them.
type Drivers []interface {
	List() ([]driver.Info, error)
	Open(index int) (driver.Device, error)
}

// Installed returns the drivers of this machine: CUDA and OpenCL.
func Installed() Drivers {
	return Drivers{installed{cuda.List, cuda.Open}, installed{opencl.List, opencl.Open}}
}

// An installed is a driver that is given by its functions.
type installed struct {
	list func() ([]driver.Info, error)
	open func(int) (driver.Device, error)
}

func (i installed) List() ([]driver.Info, error)          { return i.list() }
func (i installed) Open(index int) (driver.Device, error) { return i.open(index) }

// A candidate is a device that is not open yet.
type candidate struct {
	info driver.Info
	open func() (driver.Device, error)
}

// list returns the devices that the drivers report. The error says why a driver reports no devices.
// A device that its driver cannot describe has no name.
func (d Drivers) list() (all []candidate, err error) {
	for _, one := range d {
		infos, e := one.List()
		err = errors.Join(err, e)
		for i, info := range infos {
			if info.Name != "" {
				all = append(all, candidate{info, func() (driver.Device, error) { return one.Open(i) }})
			}
		}
	}
	return all, err
}

// Errors that Device returns. They may be wrapped.
var (
	ErrNone = errors.New("measure: no device")
	ErrTime = errors.New("measure: the time for all rows is over")
	ErrHung = errors.New("measure: a kernel, a compiler or long work of the CPU does not end")
)

// Device measures the device with the given name, such as "cuda:0" or "opencl:0", or, if name is
// "auto", the first device that is not a CPU. Rows for which there is too little memory are left
// out. Rows with wrong results are left out and reported in the error. If an error ends the
// measurement, such as the end of ctx, Device returns the error and what was measured before. The
// error is ErrTime if the device did not end its work in the time of the options. If a function of
// the driver does not return within five seconds of the end of ctx, the error is ErrHung; with a
// budget, the wait is at most 1/24 of the budget, and part of it. The device is closed when that
// function returns. The time that the driver takes to list devices is not limited.
func (d Drivers) Device(ctx context.Context, name string, o Options) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	all, why := d.list()
	none := ErrNone
	if name != "auto" {
		none = fmt.Errorf("%w named %q", ErrNone, name)
	}
	for _, c := range all {
		word, _, _ := strings.Cut(c.info.Name, " ")
		switch {
		case word == name || name == "auto" && !c.info.CPU:
			return c.measure(ctx, o)
		case name == "auto":
			none = fmt.Errorf("%w: %s is a CPU, which is measured by its name alone", none, c.info.Name)
		}
	}
	return nil, errors.Join(none, why)
}

// Names returns the names of all devices that are CPUs if cpus is set, and of all other devices if
// not. The first word of a name selects the device in [Drivers.Device]. The error says why drivers
// have no devices.
func (d Drivers) Names(cpus bool) (names []string, err error) {
	all, err := d.list()
	for _, c := range all {
		if c.info.CPU == cpus {
			names = append(names, c.info.Name)
		}
	}
	return names, err
}

// measure measures a device in all sections.
func (c candidate) measure(ctx context.Context, o Options) (*Report, error) {
	o.set()
	began := time.Now()
	r := &Report{
		Device: c.info.Name, Driver: c.info.Driver, Memory: c.info.Memory, Units: c.info.Units,
		ClockMHz: c.info.ClockMHz, CPU: c.info.CPU, Seed: o.Seed, Began: began.UTC(),
		Host: fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH,
			runtime.GOMAXPROCS(0), runtime.Version()),
	}
	if isCUDA(r.Device) {
		r.Capability = fmt.Sprintf("%d.%d", c.info.Major, c.info.Minor)
	}
	b := &bench{report: r, o: &o, info: c.info, open: c.open, time: o.Time,
		in: newInputs(o.Seed, max(slices.Max(o.Sizes), slices.Max(o.columns)))}
	wait := grace
	if o.Budget > 0 {
		wait = min(wait, o.Budget/24)
		b.until = began.Add(o.Budget * 9 / 10) // the rest is for the last row
		limited, cancel := context.WithDeadlineCause(ctx, began.Add(o.Budget-wait), ErrTime)
		defer cancel()
		ctx = limited
	}
	err := within(ctx, wait, func() error { return b.all(ctx) })
	if errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) == ErrTime {
		err = fmt.Errorf("%w: %v", ErrTime, o.Budget)
	}
	if lost(err) {
		err = fmt.Errorf("%w: %w", driver.ErrLost, err)
	}
	switch {
	case errors.Is(err, ErrHung): // the sections still use b.rows
		b.leave("the other rows", 0, "%v", err)
	case err != nil && b.rows > 0:
		b.leave(fmt.Sprintf("%d rows", b.rows), 0, "%v", err)
	}
	var report Report
	b.record(func(r *Report) {
		report = *r
		report.Openings, report.Rows = slices.Clip(r.Openings), slices.Clip(r.Rows)
		report.LeftOut = slices.Clip(r.LeftOut)
		err = errors.Join(err, b.wrong)
		o.Tell = func(Row) {} // for rows that end later
	})
	report.Took = time.Since(began)
	return &report, err
}

// grace is the most time that is waited for the driver after the end of a context. With a budget it
// is part of the budget.
const grace = 5 * time.Second

// within returns the error of f. If f does not return in the time wait after the end of ctx, within
// returns ErrHung and the cause of ctx's end, and f continues: functions of drivers cannot be
// interrupted.
func within(ctx context.Context, wait time.Duration, f func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- f() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(wait):
		return fmt.Errorf("%w: %w", context.Cause(ctx), ErrHung)
	}
}

// all measures all sections. All but the first use the device that was opened last.
func (b *bench) all(ctx context.Context) (err error) {
	b.rows = b.planned(sections...)
	var last driver.Device
	closeLast := func() (err error) {
		if last != nil {
			err = last.Close()
		}
		last, b.dev = nil, nil
		return err
	}
	defer func() { err = errors.Join(err, closeLast()) }()
	keep := func() (driver.Device, error) {
		var err error
		if last, err = b.open(); err != nil {
			return nil, err
		}
		timed, ok := last.(driver.Timed)
		if !ok {
			return nil, fmt.Errorf("measure: %s cannot time launches", b.info.Name)
		}
		b.dev = &kept{Timed: timed}
		return b.dev, nil
	}
	if err := b.opening(ctx, keep, closeLast); err != nil || b.rows == 0 {
		return err
	}
	if b.dev == nil {
		if _, err := keep(); err != nil {
			return err
		}
	}
	return b.sections(ctx)
}

// rows returns the section and the ID of every possible row.
func rows() (all [][2]string) {
	all = append(all, [2]string{Opening, Opening})
	for _, r := range rates() {
		all = append(all, [2]string{Rates, r.id})
	}
	for _, c := range chains() {
		all = append(all, [2]string{Rates, c.id})
	}
	for _, id := range []string{"gather", "copy-in", "copy-out", "copy"} {
		all = append(all, [2]string{Memory, id})
	}
	for _, op := range operations() {
		all = append(all, [2]string{op.section, op.id})
	}
	for _, k := range kindRows() {
		all = append(all, [2]string{Calls, k.id})
	}
	for _, n := range registers {
		all = append(all, [2]string{Registers, registersID(n)})
	}
	return all
}

// rowNames returns the IDs of all rows.
func rowNames() (names []string) {
	for _, r := range rows() {
		names = append(names, r[1])
	}
	return names
}

// planned returns the number of rows that are to be measured in the given sections, without those
// about opening.
func (b *bench) planned(sections ...string) (n int) {
	for _, r := range rows() {
		switch section, id := r[0], r[1]; {
		case !slices.Contains(sections, section):
		case section == Opening || !b.o.wants(section, id) || section == Registers && !b.cuda():
		case section == Calls:
			n += len(b.o.Sizes)
		case section == Field || section == Points:
			n += len(b.o.columns)
		case id == "gather":
			n += len(gatherSizes(b.gatherMost()))
		default:
			n++
		}
	}
	return n
}

// cuda reports whether the device is one of CUDA's.
func (b *bench) cuda() bool { return isCUDA(b.info.Name) }

// isCUDA reports whether a name is that of a device of CUDA.
func isCUDA(name string) bool { return strings.HasPrefix(name, "cuda:") }

// benchSections are the sections that need the program of benchmarks.
var benchSections = []string{Rates, Memory, Field, Points}

// sections measures all sections but the first.
func (b *bench) sections(ctx context.Context) (err error) {
	measured := []func(context.Context) error{
		b.rates, b.chains, b.copies, b.gathers, b.calls, b.registers, b.operations,
	}
	rows := b.planned(benchSections...)
	if rows > 0 && b.compilesLong(strings.Join(benchSections, ", "), 0, b.compileBench()) {
		b.rows -= rows
		rows, measured = 0, []func(context.Context) error{b.calls, b.registers}
	}
	if rows > 0 {
		begin := time.Now()
		if err := b.dev.Load(kernels.Bench()); err != nil {
			return err
		}
		b.record(func(r *Report) { r.Compiled = time.Since(begin) })
	}
	if b.timed, err = b.dev.NewTimedQueue(); err != nil {
		return err
	}
	defer b.timed.Close()
	if b.plain, err = b.dev.NewQueue(); err != nil {
		return err
	}
	defer b.plain.Close()
	for _, section := range measured {
		if err := section(ctx); err != nil {
			return err
		}
	}
	return nil
}
