package gpu

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/engine"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	inner "github.com/koblitz-go/koblitz/internal/device"
)

// Errors that [Open] returns and the hook of [OnError] is told, by errors.Is.
var (
	ErrNone    = errors.New("gpu: no device") // there is none, or none of that name
	ErrAnswer  = engine.ErrAnswer             // a device gave wrong answers when it was opened
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
	info driver.Info
	open func() (driver.Device, error)
}

// word is the first word of the candidate's name.
func (c *candidate) word() string {
	word, _, _ := strings.Cut(c.info.Name, " ")
	return word
}

// list returns the devices on all roads, and what those say on which there are none.
func list(roads []road) (all []candidate, err error) {
	for _, r := range roads {
		infos, e := r.list()
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		for i, info := range infos {
			all = append(all, candidate{info, func() (driver.Device, error) { return r.open(i) }})
		}
	}
	return all, err
}

// Open opens the first device that works, of those in [List] that are no CPU, or the one that
// the options name. Before it returns, the device has answered questions about rows of all
// kinds, good and bad ones, as the CPU does.
//
// It takes the time to compile the programs, which drivers do once and keep, and what [From]
// says. A program opens a device once, and keeps it. The error says of each device why it was
// not opened, and is [ErrNone] if there is none to try.
func Open(opts ...Option) (*device.Device, error) { return open(roads(), kernels.Comb, opts) }

// open is Open for given roads and a table of G.
func open(roads []road, table func() []byte, opts []Option) (*device.Device, error) {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	all, err := list(roads)
	tried := false
	for _, c := range all {
		if o.name == "" && c.info.CPU || o.name != "" && c.word() != o.name {
			continue
		}
		tried = true
		e, failure := start(&c, table, o.Options)
		if failure == nil {
			return (*device.Device)(inner.New(e)), nil
		}
		err = errors.Join(err, fmt.Errorf("%s: %w", c.info.Name, failure))
	}
	if !tried && o.name != "" {
		err = errors.Join(fmt.Errorf("%w named %q", ErrNone, o.name), err)
	} else if !tried {
		err = errors.Join(ErrNone, err)
	}
	return nil, err
}

// start opens a candidate.
func start(c *candidate, table func() []byte, o engine.Options) (*engine.Engine, error) {
	dev, err := c.open()
	if err != nil {
		return nil, err
	}
	return engine.New(context.Background(), dev, table(), o)
}

// Close waits until the calls that d carries out are done, and gives back what it has of the
// device. Calls that are given to d afterwards are done by the CPU. A second Close returns
// [ErrClosed], and one of a device that hangs [ErrTimeout], once no launch has ended for the
// time of [LaunchTimeout].
// A program that needs its devices as long as it runs need not close them.
func Close(d *device.Device) error {
	e, ok := (*inner.Device)(d).Engine().(*engine.Engine)
	if !ok {
		return fmt.Errorf("%w: it was not opened by this package", ErrNone)
	}
	return e.Close()
}
