//go:build gpu

package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu"
)

// memory is the maximum number of bytes that rows take while they are sent to a device, both
// in main memory and on the device. It is enough for four of the largest blocks that a worker of
// package verify sends.
const memory = 16 << 20

// Help describes --device. None is the text that koblitz info prints if there is no device.
const (
	Help = "let `DEVICE` verify rows where that pays: cpu for none, auto for the first\n" +
		"that works, all for all of one driver, cuda:0, opencl:0 or a list like\n" +
		"cuda:0,cuda:1 as 'koblitz info' has them"

	None = "none"
)

// whyNone returns the reason why the driver does not offer the named device, as lines that begin
// with "cuda:" or "opencl:".
func whyNone(name string) (lines []string) {
	_, err := gpu.Open(gpu.Named(name))
	if err == nil {
		return nil
	}
	driver, _, _ := strings.Cut(name, ":")
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if strings.HasPrefix(line, driver+":") {
			lines = append(lines, reading.Printable(line))
		}
	}
	return lines
}

// Describe describes the available devices, which it does not open. If there are none, found is
// None. missing explains why each driver without a device found none.
func Describe() (found, missing []string) {
	infos := gpu.List()
	for _, d := range infos {
		text := fmt.Sprintf("%s, driver %s, %d MiB, %d units", d.Name, d.Driver, d.Memory>>20, d.Units)
		if d.ClockMHz > 0 { // some drivers do not say
			text += fmt.Sprintf(", %d MHz", d.ClockMHz)
		}
		if d.CPU {
			text += ", a CPU: auto passes it over"
		}
		found = append(found, reading.Printable(text))
	}
	for _, driver := range []string{"cuda:", "opencl:"} {
		if !slices.ContainsFunc(infos, func(d gpu.Info) bool {
			return strings.HasPrefix(d.Name, driver)
		}) {
			missing = append(missing, whyNone(driver+"0")...)
		}
	}
	if len(found) == 0 {
		found = []string{None}
	}
	return found, missing
}

// Open opens the devices that name, the value of --device, selects. A device is used only for
// calls with at least minRows rows; if minRows is 0, the library measures the smallest number that
// pays off. For cpu, Open returns nil without loading a driver. A device name that does not
// exist is a usage error. If a device exists but does not work, or if ctx ends, the run continues
// on the CPU; Open reports a broken device on standard error.
func Open(ctx context.Context, name string, minRows int, io cli.Streams) (*Accelerator, error) {
	if name == CPU {
		return nil, nil
	}
	var infos []gpu.Info
	listed := make(chan bool)
	go func() {
		defer close(listed)
		infos = gpu.List()
	}()
	select {
	case <-listed:
	case <-ctx.Done(): // do not wait further: a driver may hang
		return new(Accelerator), nil
	}
	tries, err := tries(name, infos)
	if err != nil {
		return nil, err
	}
	for _, which := range tries {
		a := new(Accelerator)
		err := a.open(ctx, which, minRows)
		switch {
		case err == nil:
			return a, nil
		case ctx.Err() != nil:
			return new(Accelerator), nil
		case !errors.Is(err, gpu.ErrNone):
			io.Note("%s", failureLine(err))
		}
	}
	return new(Accelerator), nil
}

// tries returns the choices of devices for name, the value of --device, which must not be
// cpu. The caller tries one choice after the other until one works. infos lists the available
// devices.
func tries(name string, infos []gpu.Info) (tries []gpu.Option, err error) {
	word := func(i gpu.Info) string { return strings.Fields(i.Name)[0] }
	switch name {
	case All:
		return []gpu.Option{gpu.All()}, nil
	case Auto:
		for _, i := range infos {
			if !i.CPU {
				tries = append(tries, gpu.Named(word(i)))
			}
		}
		return tries, nil
	}
	names := strings.Split(name, ",")
	for _, n := range names {
		if !slices.ContainsFunc(infos, func(i gpu.Info) bool { return word(i) == n }) {
			why := strings.Join(append([]string{""}, whyNone(n)...), "; ")
			return nil, cli.Usagef("--device %s: there is no such device; 'koblitz info' lists those that "+
				"there are%s", n, why)
		}
	}
	return []gpu.Option{gpu.Named(names...)}, nil
}

// open opens the devices that choice selects, for calls with at least minRows rows.
func (a *Accelerator) open(ctx context.Context, choice gpu.Option, minRows int) error {
	d, err := gpu.OpenContext(ctx, choice, gpu.From(minRows), gpu.MemoryLimit(memory),
		gpu.OnError(a.Fail), gpu.OnOpen(func(o gpu.Opening) {
			a.Names = append(a.Names, o.Device.Name)
		}))
	if err != nil {
		return err
	}
	if err = a.use(d.Engine()); err != nil {
		return errors.Join(err, gpu.Close(d))
	}
	return nil
}

// use makes the engine e the device of the run, and counts the rows to which e gives verdicts.
func (a *Accelerator) use(e device.Engine) (err error) {
	a.dev, err = device.New(&tally{e, a})
	a.Rows.Store(0) // do not count the rows of device.New's self-test
	return err
}

// A tally is an engine that wraps another engine and counts the rows to which that engine gives
// verdicts.
type tally struct {
	device.Engine
	a *Accelerator
}

func (c *tally) Run(ctx context.Context, call *device.Call) error {
	err := c.Engine.Run(ctx, call)
	if err != nil {
		return err
	}
	n := int64(0)
	for _, v := range call.Verdicts {
		if v != device.Unchecked {
			n++
		}
	}
	c.a.Rows.Add(n)
	return nil
}
