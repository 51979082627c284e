//go:build gpu

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu"
	inner "github.com/koblitz-go/koblitz/internal/device"
)

const (
	deviceHelp = "let `DEVICE` verify rows where that pays: cpu for none, auto for the first\n" +
		"that works, cuda:0, opencl:0 and so on as 'koblitz info' has them"

	noDevices = "none"
)

// listDevices returns the devices that there are. It opens none.
func listDevices() []deviceInfo {
	infos := []deviceInfo{}
	for _, info := range gpu.List() {
		infos = append(infos, deviceInfo(info))
	}
	return infos
}

// openDevice opens the device of a --device, which is given calls of so many rows and more; 0
// has that measured. For cpu there is none, and for auto there may be none that works. If there
// is none of the name, the command line is wrong. Of a device that is there and does not work
// standard error is told, and the run goes on without it.
func openDevice(name string, from int, io streams) (*accelerator, error) {
	if name == deviceCPU {
		return nil, nil
	}
	for _, info := range listDevices() {
		word, _, _ := strings.Cut(info.Name, " ")
		if name == deviceAuto && info.CPU || name != deviceAuto && name != word {
			continue
		}
		a := &accelerator{name: info.Name}
		d, err := openNamed(word, from, a)
		if err == nil {
			a.use((*inner.Device)(d).Engine())
			return a, nil
		}
		fmt.Fprintf(io.err, "koblitz: %s\n", deviceFailure(err))
		if name != deviceAuto {
			return new(accelerator), nil
		}
	}
	if name == deviceAuto {
		return new(accelerator), nil
	}
	return nil, usagef("--device %s: there is no such device; 'koblitz info' lists those that "+
		"there are", name)
}

// openNamed opens the device of a name, the failures of which a is told.
func openNamed(name string, from int, a *accelerator) (*device.Device, error) {
	return gpu.Open(gpu.Named(name), gpu.From(from), gpu.MemoryLimit(deviceMemory),
		gpu.OnError(a.fail))
}

// use makes an engine the device of a.
func (a *accelerator) use(e inner.Engine) {
	a.dev = (*device.Device)(inner.New(&tally{e, a}))
}

// A tally is an engine that counts the rows for which it gives verdicts.
type tally struct {
	inner.Engine
	a *accelerator
}

func (c *tally) Run(ctx context.Context, call *inner.Call) error {
	err := c.Engine.Run(ctx, call)
	if err != nil {
		return err
	}
	n := int64(0)
	for _, v := range call.Verdicts {
		if v != inner.Unchecked {
			n++
		}
	}
	c.a.rows.Add(n)
	return nil
}
