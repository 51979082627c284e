// Package enginetest makes devices for tests.
package enginetest

//ci:untested Tests of batch and msm make their devices with it.

import "github.com/koblitz-go/koblitz/device"

// Device returns a device that uses the engine e, even an engine that [device.New] would refuse:
// New is called with an engine that accepts no calls.
//
//ct:public a device gets public data alone
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
