// Package enginetest makes devices for tests.
package enginetest

//ci:untested Tests of batch, msm, device and internal/engine make their devices with it.

import (
	"context"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/device"
)

// A Fake is an engine that consists of two functions. The zero value accepts every call and leaves
// all rows to the CPU.
type Fake struct {
	// Accept is the method Accepts. If it is nil, the Fake accepts every call.
	Accept func(k device.Kind, r device.Rules, rows int) bool
	// Do is the method Run. If it is nil, Run does nothing.
	Do func(ctx context.Context, c *device.Call) error

	mu    sync.Mutex
	calls []device.Call
}

// Accepts returns the result of f.Accept.
func (f *Fake) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return f.Accept == nil || f.Accept(k, r, rows)
}

// Run records the call c and carries it out by f.Do.
func (f *Fake) Run(ctx context.Context, c *device.Call) error {
	f.mu.Lock()
	f.calls = append(f.calls, *c)
	f.mu.Unlock()
	if f.Do == nil {
		return nil
	}
	return f.Do(ctx, c)
}

// Calls returns the calls that Run got, in their order and with the slices that they had on entry.
func (f *Fake) Calls() []device.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// Device returns a device that uses f.
func (f *Fake) Device() *device.Device { return Device(f) }

// OnCPU returns a function for Fake.Do that carries out calls of all kinds but Sum on the CPU and
// then calls after, unless after is nil or there is an error. do and all must be the functions Do
// and All of package engine, and o their options. They are parameters because the tests of package
// engine import this package.
func OnCPU[O any](
	do func(context.Context, *device.Call, O) (int, error),
	all func(context.Context, *device.Call, O) (bool, error),
	o O, after func(context.Context, *device.Call) error,
) func(context.Context, *device.Call) error {
	return func(ctx context.Context, c *device.Call) (err error) {
		switch c.Kind {
		case device.AllSchnorr, device.AllECDSA:
			rows := *c
			if rows.Kind = device.Schnorr; c.Kind == device.AllECDSA {
				rows.Kind = device.ECDSA
			}
			var valid bool
			valid, err = all(ctx, &rows, o)
			if c.Verdicts[0] = device.Invalid; valid {
				c.Verdicts[0] = device.Valid
			}
		default:
			_, err = do(ctx, c, o)
		}
		if err == nil && after != nil {
			err = after(ctx, c)
		}
		return err
	}
}

// Device returns a device that uses the engine e, even an engine that [device.New] would refuse.
// New gets an engine that accepts no calls, and so cannot find a fault; after New has returned, it
// accepts the calls that e accepts.
func Device(e device.Engine) *device.Device {
	l := &late{Engine: e}
	d, err := device.New(l)
	if err != nil {
		panic(err)
	}
	l.made = true
	return d
}

type late struct {
	device.Engine
	made bool
}

func (l *late) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return l.made && l.Engine.Accepts(k, r, rows)
}
