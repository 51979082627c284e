// Package measure measures devices: what they multiply and read a second, how fast the kernels
// are, alone and with the copies to them, and how fast the calls of package batch are on them. It
// is for the project's own programs, koblitz-gpubench and bench, and changes with them.
//
// Every result that is timed is compared with what the CPU computes: all rows of short calls, and
// a sample of long ones. Times of kernels are those of the device's own clock, and end to end is
// the host's clock, with all copies. Each time is a median, with the lowest and the highest.
package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// Sections are the parts of a report, in their order.
var sections = []string{Opening, Rates, Memory, Field, Points, Calls}

// Names of the sections.
const (
	Opening = "open"   // until the first verdict
	Rates   = "rates"  // of instructions, and of operations in registers
	Memory  = "memory" // gathers and copies
	Field   = "field"  // operations on columns
	Points  = "points"
	Calls   = "calls" // of package batch
)

// Sections returns the names of all sections, in the order of a report.
func Sections() []string { return slices.Clone(sections) }

// Options say what is measured. The zero value measures everything, in some minutes on a GPU.
type Options struct {
	// Sizes are the numbers of rows of operations and calls. Without any they are 2^8, 2^10
	// and so on until 2^20.
	Sizes []int
	// Only are names of sections, names of rows, and beginnings of such: nothing else is
	// measured.
	Only []string
	// Time is what a row may take. A row that would take many times as long is left out, and
	// the report says so. Without it, it is a second.
	Time time.Duration
	// Gather bounds the memory of random gathers, in bytes. Without it that is 10 GiB, at
	// most half of the device's memory, and 32 MiB if the device is a CPU.
	Gather int64
	// Items bounds the work items of the launches that are not about rows. Without it they
	// are 2048 for each unit.
	Items int
	// Launch is how long a launch of a chain in registers should take. Without it, it is 20
	// milliseconds.
	Launch time.Duration
	// Seed chooses the inputs. With the same one they are the same.
	Seed uint64
	// Tell is told each row as soon as it was measured, if it is not nil.
	Tell func(Row)
}

// set replaces what is not given.
func (o *Options) set() {
	if len(o.Sizes) == 0 {
		for e := 8; e <= 20; e += 2 {
			o.Sizes = append(o.Sizes, 1<<e)
		}
	}
	o.Sizes = slices.Clone(o.Sizes)
	slices.Sort(o.Sizes)
	o.Sizes = slices.Compact(o.Sizes)
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

// Quicken sets what is not given to little of everything, which takes seconds, also on a CPU.
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

// MaxSize is the largest size that can be measured.
const MaxSize = 1 << 24

// ErrOption is in the tree of the errors about options.
var ErrOption = errors.New("measure: wrong option")

// check returns an error if the options make no sense.
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
		name  string
		value int64
	}{{"time", int64(o.Time)}, {"launch", int64(o.Launch)}, {"gather", o.Gather},
		{"items", int64(o.Items)}} {
		if number.value < 0 {
			return fmt.Errorf("%w: %s is less than none", ErrOption, number.name)
		}
	}
	return nil
}

// wants reports whether a row of a section is to be measured.
func (o *Options) wants(section, id string) bool {
	if len(o.Only) == 0 {
		return true
	}
	return slices.ContainsFunc(o.Only, func(name string) bool {
		return name == section || name == id ||
			strings.HasPrefix(id, name) && !slices.Contains(rowNames(), name)
	})
}

// known reports whether a name is one of Only.
func known(name string) bool {
	return slices.Contains(sections, name) || name != "" && slices.ContainsFunc(rowNames(),
		func(id string) bool { return strings.HasPrefix(id, name) })
}

// A candidate is a device that is not opened.
type candidate struct {
	info driver.Info
	open func() (driver.Device, error)
}

// list returns the devices that there are, those of CUDA first, and why there are no others. A
// device that its driver does not describe has no name.
func list() (all []candidate, err error) {
	for _, road := range []struct {
		list func() ([]driver.Info, error)
		open func(int) (driver.Device, error)
	}{{cuda.List, cuda.Open}, {opencl.List, opencl.Open}} {
		infos, e := road.list()
		err = errors.Join(err, e)
		for i, info := range infos {
			if info.Name != "" {
				all = append(all,
					candidate{info, func() (driver.Device, error) { return road.open(i) }})
			}
		}
	}
	return all, err
}

// ErrNone is in the tree of the error that says that there is no such device.
var ErrNone = errors.New("measure: no device")

// Device measures a device: the one that has the name, as in "cuda:0" or "opencl:0", or, if that
// is "auto", the first that is no CPU. Rows whose results are wrong, and those for which there is
// too little memory, are left out; the former are errors too. With an error that ends the
// measurement, as that of a context, what was measured until then is returned.
func Device(ctx context.Context, name string, o Options) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	all, why := list()
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

// Names returns the names of the devices that there are, of which the first word is for [Device]:
// those that are CPUs, or all others.
func Names(cpus bool) (names []string) {
	all, _ := list()
	for _, c := range all {
		if c.info.CPU == cpus {
			names = append(names, c.info.Name)
		}
	}
	return names
}

// measure measures a device in all sections.
func (c candidate) measure(ctx context.Context, o Options) (*Report, error) {
	o.set()
	r := &Report{
		Device: c.info.Name, Driver: c.info.Driver, Memory: c.info.Memory, Units: c.info.Units,
		ClockMHz: c.info.ClockMHz, CPU: c.info.CPU, Seed: o.Seed, Began: time.Now().UTC(),
		Host: fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH,
			runtime.GOMAXPROCS(0), runtime.Version()),
	}
	b := &bench{report: r, o: &o, info: c.info, open: c.open,
		in: newInputs(o.Seed, slices.Max(o.Sizes))}
	err := errors.Join(b.all(ctx), b.wrong)
	r.Took = time.Since(r.Began)
	return r, err
}

// all measures all sections.
func (b *bench) all(ctx context.Context) error {
	if err := b.opening(ctx); err != nil {
		return err
	}
	if err := b.kernels(ctx); err != nil {
		return err
	}
	return b.calls(ctx)
}

// rows returns the section and the ID of every row that there can be.
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
	return all
}

// rowNames returns the IDs of all rows.
func rowNames() (names []string) {
	for _, r := range rows() {
		names = append(names, r[1])
	}
	return names
}

// kernels measures the sections whose kernels nothing but benchmarks launch.
func (b *bench) kernels(ctx context.Context) (err error) {
	if !slices.ContainsFunc(rows(), func(r [2]string) bool {
		return r[0] != Opening && r[0] != Calls && b.o.wants(r[0], r[1])
	}) {
		return nil
	}
	dev, err := b.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	timed, ok := dev.(driver.Timed)
	if !ok {
		return fmt.Errorf("measure: %s cannot time launches", b.info.Name)
	}
	begin := time.Now()
	if err := dev.Load(kernels.Bench()); err != nil {
		return err
	}
	b.report.Compiled = time.Since(begin)
	return b.loaded(ctx, timed)
}

// loaded is kernels on a device that has the program of benchmarks.
func (b *bench) loaded(ctx context.Context, dev driver.Timed) (err error) {
	if b.timed, err = dev.NewTimedQueue(); err != nil {
		return err
	}
	defer b.timed.Close()
	if b.plain, err = dev.NewQueue(); err != nil {
		return err
	}
	defer b.plain.Close()
	b.dev = dev
	for _, section := range []func(context.Context) error{
		b.rates, b.chains, b.gathers, b.copies, b.operations,
	} {
		if err := section(ctx); err != nil {
			return err
		}
	}
	return nil
}
