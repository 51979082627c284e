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
	"github.com/koblitz-go/koblitz/gpu/internal/engine"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// Errors that [Open] returns and the hook of [OnError] is told, by errors.Is.
var (
	ErrNone    = errors.New("gpu: no device") // there is none, or none of that name
	ErrAnswer  = engine.ErrAnswer             // a device's answers were wrong, or missing, in Open
	ErrMemory  = engine.ErrMemory             // too little for the shortest launch
	ErrTimeout = engine.ErrTimeout            // a launch took too long
	ErrLost    = engine.ErrLost               // the device is not asked again
	ErrClosed  = engine.ErrClosed             // the device was closed
)

// Info describes a device.
type Info struct {
	// Name begins with the word that [Named] takes, and goes on with what the vendor calls
	// the device: "cuda:0 NVIDIA H200".
	Name     string
	Driver   string // its version
	Memory   int64  // in bytes
	Units    int    // multiprocessors, or compute units
	ClockMHz int    // the highest
	CPU      bool   // it is a CPU: Open opens it only by its name
}

// A road is a way to devices.
type road struct {
	name string
	list func() ([]driver.Info, error)
	open func(index int) (driver.Device, error)
}

// roads returns the ways to devices, the best first.
func roads() []road {
	return []road{
		{"cuda", cuda.List, cuda.Open},
		{"opencl", opencl.List, opencl.Open},
	}
}

// List returns the devices that there are, in the order in which [Open] tries them. One GPU can
// be there twice, by CUDA and by OpenCL. Nothing is opened, and whether a device is of use is
// not known.
func List() []Info {
	all, _ := list(roads())
	var infos []Info
	for _, c := range all {
		infos = append(infos, Info(c.info))
	}
	return infos
}

// A candidate is a device that is not opened.
type candidate struct {
	road string
	info driver.Info
	open func() (driver.Device, error)
}

// word is the first word of the candidate's name.
func (c *candidate) word() string {
	word, _, _ := strings.Cut(c.info.Name, " ")
	return word
}

// model is what devices of one model on one road have in common.
func (c *candidate) model() driver.Info {
	info := c.info
	number, name, _ := strings.Cut(info.Name, " ")
	road, _, _ := strings.Cut(number, ":")
	info.Name = road + " " + name
	return info
}

// list returns the devices on all roads that their drivers describe, and what is wrong with the
// others, and on roads on which there are none.
func list(roads []road) (all []candidate, err error) {
	for _, r := range roads {
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

// Open opens the first device that works, of those in [List] that are no CPU, or those that the
// options say. Before it returns, each device has answered questions about rows of all
// kinds, good and bad ones, as the CPU does: those of this package, and those of [device.New].
//
// It takes the time to compile the programs, which drivers do once and keep, and what [From]
// says; [OnOpen] tells what took how long. A program opens a device once, and keeps it. The error
// says of each device why it was not opened, and is [ErrNone] if there is none to try.
func Open(opts ...Option) (*device.Device, error) {
	return OpenContext(context.Background(), opts...)
}

// OpenContext is Open until ctx ends. Then it returns the error of ctx at once, and what the driver
// is at in the background, as compiling may take seconds, is given back when it is done. No hook is
// called any more then; until it returns, another goroutine calls them.
func OpenContext(ctx context.Context, opts ...Option) (*device.Device, error) {
	return open(ctx, roads(), kernels.Comb, opts)
}

// open is OpenContext for given roads and a table of G.
func open(ctx context.Context, roads []road, table func() []byte,
	opts []Option) (*device.Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if ctx.Done() == nil { // the caller waits anyhow
		return openAll(ctx, roads, table, opts, func(hook func()) { hook() })
	}
	var mu sync.Mutex // held while a hook is told
	over := false     // none is told any more
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
		r.d, r.err = openAll(ctx, roads, table, opts, tell)
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
				_ = Close(r.d) // nobody has it
			}
		}()
		return nil, ctx.Err()
	}
}

// errHook is what a goroutine leaves that a hook has ended.
var errHook = errors.New("gpu: a hook did not return")

// openAll is open, which waits for the driver whatever becomes of ctx. It calls hooks by tell.
func openAll(ctx context.Context, roads []road, table func() []byte, opts []Option,
	tell func(hook func())) (*device.Device, error) {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	table = sync.OnceValue(table)
	hook, opened := o.Hook, new(atomic.Bool)
	if hook != nil { // what fails in here is in the error, and no call's failure
		o.Hook = func(err error) {
			if opened.Load() {
				hook(err)
			}
		}
	}
	all, err := list(roads)
	chosen, missing := o.choose(all)
	if missing != nil {
		return nil, errors.Join(missing, err)
	}
	if len(o.names) > 0 {
		err = nil // why there are no others is not what was asked
	}
	var engines []*engine.Engine
	var d *device.Device
	measured := map[driver.Info]map[device.Kind]int{} // what there is to know of a model
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
	if len(engines) > 1 && !failed {
		d, err = deviceOf(engine.NewTeam(engines))
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

// deviceOf returns the Device of an engine that has the answers of device.New.
func deviceOf(e device.Engine) (*device.Device, error) {
	d, err := device.New(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return d, nil
}

// first reports whether one device is to be opened, the first that works.
func (o *options) first() bool { return !o.all && len(o.names) == 0 }

// choose returns the devices to open, in their order. The error says that there are none, or
// none of some name.
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
		// Other roads lead to the same devices once more.
		if !c.info.CPU && (!o.all || len(chosen) == 0 || chosen[0].road == c.road) {
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

// start opens a candidate, and returns its Engine, and that as a Device. One of several puts its
// name before what it tells the hook.
func (o *options) start(ctx context.Context, c *candidate, table func() []byte, several bool,
	tell func(hook func())) (*engine.Engine, *device.Device, error) {
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
	e, err := engine.New(ctx, dev, table(), options)
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
			o.opened(Opening{Device: Info(c.info), Context: opened, Compile: t.Compile,
				Table: t.Table, Answers: t.Answers + answers, Crossover: t.Crossover})
		})
	}
	return e, d, nil
}

// Close waits until the calls that d carries out are done, and gives back what it has of its
// devices. Calls that are given to d afterwards are done by the CPU. A second Close returns
// [ErrClosed], and one of a device that hangs [ErrTimeout], once no launch has ended for the
// time of [LaunchTimeout].
// A program that needs its devices as long as it runs need not close them.
func Close(d *device.Device) error {
	e, ok := d.Engine().(interface{ Close() error })
	if !ok {
		return fmt.Errorf("%w: it was not opened by this package", ErrNone)
	}
	return e.Close()
}
