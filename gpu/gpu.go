package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// Errors that [Open] returns and that the hook of [OnError] is called with. They may be wrapped, so
// compare with errors.Is.
var (
	ErrNone    = errors.New("gpu: no device") // there is no device, or none with the given name
	ErrAnswer  = launch.ErrAnswer             // an answer was wrong; Open: or is missing
	ErrMemory  = launch.ErrMemory             // too little memory for the shortest launch
	ErrTimeout = launch.ErrTimeout            // a launch took too long
	ErrLost    = launch.ErrLost               // the device failed or hung, and gets no more calls
	ErrClosed  = launch.ErrClosed             // the device was closed
)

// Info describes a device.
type Info struct {
	// Name is the identifier that [Named] takes, followed by the vendor's name for the device:
	// "cuda:0 NVIDIA H200".
	Name     string
	Driver   string // version of the driver
	Memory   int64  // in bytes
	Units    int    // number of multiprocessors (CUDA) or compute units (OpenCL)
	ClockMHz int    // highest clock rate, or 0 if the driver does not say
	CPU      bool   // the device is a CPU, which Open opens only by name
}

// publicInfo returns the description of a device without what only this module needs.
func publicInfo(i driver.Info) Info {
	return Info{Name: i.Name, Driver: i.Driver, Memory: i.Memory, Units: i.Units,
		ClockMHz: i.ClockMHz, CPU: i.CPU}
}

// A backend is a driver interface: CUDA or OpenCL.
type backend struct {
	name string
	list func() ([]driver.Info, error)
	open func(index int) (driver.Device, error)
}

// backends returns the driver interfaces, the preferred one first.
func backends() []backend {
	return []backend{
		{"cuda", cuda.List, cuda.Open},
		{"opencl", opencl.List, opencl.Open},
	}
}

// List returns the devices that the drivers report, in the order in which [Open] tries them. A GPU
// is listed twice if both CUDA and OpenCL report it. List opens no device, so a listed device may
// turn out not to work.
func List() []Info {
	all, _ := list(backends())
	var infos []Info
	for _, c := range all {
		infos = append(infos, publicInfo(c.info))
	}
	return infos
}

// A candidate is a device that is not open yet.
type candidate struct {
	backend string
	info    driver.Info
	open    func() (driver.Device, error)
}

// word returns the identifier of the candidate, the first word of its name: "cuda:0".
func (c *candidate) word() string {
	word, _, _ := strings.Cut(c.info.Name, " ")
	return word
}

// model returns the candidate's description without the device number. Devices of the same model on
// the same backend have equal results.
func (c *candidate) model() driver.Info {
	info := c.info
	number, name, _ := strings.Cut(info.Name, " ")
	backend, _, _ := strings.Cut(number, ":")
	info.Name = backend + " " + name
	return info
}

// list returns the candidates of all backends. The error says which devices could not be described,
// and which backends have no devices, and why.
func list(backends []backend) (all []candidate, err error) {
	for _, r := range backends {
		infos, e := r.list()
		err = errors.Join(err, e)
		for i, info := range infos {
			if info.Name != "" {
				all = append(all, candidate{r.name, info,
					func() (driver.Device, error) { return r.open(i) }})
			}
		}
	}
	return all, err
}

// Open opens the first device in [List] that works and is not a CPU, or the devices that the
// options select. Before it returns, it has each device compute rows with known answers, valid and
// invalid ones of every kind, and compares the answers. Some of these rows come from this package,
// the others from [device.New].
//
// Open takes as long as compiling the programs, which most drivers cache, and as the measurements
// described at [From]; [OnOpen] reports the duration of each step. A program should open a device
// once and keep it. The error says for each device why it was not opened, and is [ErrNone] if there
// was no device to try.
func Open(opts ...Option) (*device.Device, error) {
	return OpenContext(context.Background(), opts...)
}

// OpenContext is like Open, and returns the error of ctx as soon as ctx ends. The driver may then
// go on in the background, as compiling can take seconds; a device that it opens late is closed
// again. No hook is called after OpenContext has returned. Before that, hooks may be called by
// another goroutine. A nil context never ends.
func OpenContext(ctx context.Context, opts ...Option) (*device.Device, error) {
	return open(ctx, backends(), kernels.Comb, opts)
}

// open does the work of OpenContext with the given backends. The function table returns the
// device's table of multiples of G.
func open(ctx context.Context, backends []backend, table func() []byte,
	opts []Option) (*device.Device, error) {
	ctx = launch.Remember(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if ctx.Done() == nil { // the context never ends, so the caller can wait for the driver
		return openAll(ctx, backends, table, opts, func(hook func()) { hook() })
	}
	var mu sync.Mutex // held while a hook runs
	over := false     // OpenContext has returned: call no more hooks
	tell := func(hook func()) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			hook()
		}
	}
	type result struct {
		d   *device.Device
		err error
	}
	done := make(chan result, 1)
	go func() {
		r := result{nil, errHook}
		defer func() { done <- r }()
		r.d, r.err = openAll(ctx, backends, table, opts, tell)
	}()
	select {
	case r := <-done:
		return r.d, r.err
	case <-ctx.Done():
		mu.Lock()
		over = true
		mu.Unlock()
		go func() {
			if r := <-done; r.d != nil {
				_ = Close(r.d) // the caller no longer waits for the device, so close it here
			}
		}()
		return nil, ctx.Err()
	}
}

// errHook is returned if a hook ended its goroutine with runtime.Goexit instead of returning.
var errHook = errors.New("gpu: a hook did not return")

// openAll does the work of open, but waits for the driver even if ctx ends. It calls all hooks
// through the function tell.
func openAll(ctx context.Context, backends []backend, table func() []byte, opts []Option,
	tell func(hook func())) (*device.Device, error) {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	table = sync.OnceValue(table)
	hook, opened := o.Hook, new(atomic.Bool)
	if hook != nil { // failures during Open are in its error, and are not reported as failed calls
		o.Hook = func(err error) {
			if opened.Load() {
				hook(err)
			}
		}
	}
	all, err := list(backends)
	chosen, missing := o.choose(all)
	if missing != nil {
		return nil, errors.Join(missing, err)
	}
	if len(o.names) > 0 {
		err = nil // the caller named devices, so problems of other devices do not matter
	}
	var engines []*launch.Engine
	var d *device.Device
	// measured holds the crossovers measured for each model. Later devices of the same model use
	// them instead of measuring again.
	measured := map[driver.Info]map[device.Kind]int{}
	for _, c := range chosen {
		o.Known = measured[c.model()]
		e, its, failure := o.start(ctx, &c, table, len(chosen) > 1 && !o.first(), tell)
		if failure == nil {
			engines, d = append(engines, e), its
			measured[c.model()] = e.Crossovers()
			if o.first() {
				break
			}
			continue
		}
		failure = fmt.Errorf("%s: %w", c.info.Name, failure)
		err = errors.Join(err, failure)
		if len(o.names) > 0 {
			break
		}
		if o.all && hook != nil && ctx.Err() == nil {
			tell(func() { hook(failure) })
		}
	}
	failed := len(engines) == 0 || len(o.names) > 0 && len(engines) < len(chosen)
	if ended := ctx.Err(); ended != nil && !failed { // some devices may be missing
		err, failed = ended, true
	}
	if len(engines) > 1 && !failed {
		d, err = deviceOf(launch.NewTeam(engines))
		failed = err != nil
	}
	if failed {
		for _, e := range engines {
			err = errors.Join(err, e.Close())
		}
		return nil, err
	}
	opened.Store(true)
	return d, nil
}

// deviceOf wraps e as a Device. It returns an error if e gives wrong answers to the known rows of
// device.New.
func deviceOf(e device.Engine) (*device.Device, error) {
	d, err := device.New(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return d, nil
}

// first reports whether Open is to open the first device that works, and no other.
func (o *options) first() bool { return !o.all && len(o.names) == 0 }

// choose returns the devices to open, in order. The error says that there are no devices, or lists
// the requested names that do not exist.
func (o *options) choose(all []candidate) (chosen []candidate, err error) {
	for _, name := range o.names {
		i := slices.IndexFunc(all, func(c candidate) bool { return c.word() == name })
		if i < 0 {
			err = errors.Join(err, fmt.Errorf("%w named %q", ErrNone, name))
			continue
		}
		chosen = append(chosen, all[i])
	}
	if len(o.names) > 0 {
		return chosen, err
	}
	for _, c := range all {
		// All opens the devices of one backend only: another backend may list the same devices
		// again.
		if !c.info.CPU && (!o.all || len(chosen) == 0 || chosen[0].backend == c.backend) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) > 0 {
		return chosen, nil
	}
	err = ErrNone
	for _, c := range all {
		err = fmt.Errorf("%w: %s is a CPU, which is opened by its name alone", err, c.info.Name)
	}
	return nil, err
}

// start opens a candidate, and returns its Engine and the Device that wraps it. If several is set,
// each error passed to the hook begins with the device's name.
func (o *options) start(ctx context.Context, c *candidate, table func() []byte, several bool,
	tell func(hook func())) (*launch.Engine, *device.Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	begin := time.Now()
	dev, err := c.open()
	if err != nil {
		return nil, nil, err
	}
	opened := time.Since(begin)
	options := o.Options
	if hook := o.Hook; several && hook != nil {
		options.Hook = func(err error) { hook(fmt.Errorf("%s: %w", c.info.Name, err)) }
	}
	e, err := launch.New(ctx, dev, table(), options)
	if err != nil {
		return nil, nil, err
	}
	begin = time.Now()
	d, err := deviceOf(e)
	if err != nil {
		return nil, nil, errors.Join(err, e.Close())
	}
	answers := time.Since(begin)
	if o.opened != nil {
		t := e.Times()
		tell(func() {
			o.opened(Opening{Device: publicInfo(c.info), Context: opened, Compile: t.Compile,
				Table: t.Table, Answers: t.Answers + answers, Crossover: t.Crossover})
		})
	}
	return e, d, nil
}

// Close waits for the calls that d is carrying out, and then frees the memory of its devices. The
// CPU carries out later calls with d. A second Close returns [ErrClosed]. If no launch has ended
// for the time set by [LaunchTimeout], the device hangs, and Close returns [ErrTimeout]. A program
// that uses its devices until it exits need not close them.
func Close(d *device.Device) error {
	e, ok := d.Engine().(interface{ Close() error })
	if !ok {
		return fmt.Errorf("%w: it was not opened by this package", ErrNone)
	}
	return e.Close()
}
