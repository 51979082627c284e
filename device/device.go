// Package device names accelerators: what batch.On and msm.On take. It makes none;
// modules for accelerators do, which open a device and return a [Device].
package device

import "github.com/koblitz-go/koblitz/internal/device"

// A Device is an accelerator that calls of packages batch and msm can be given. It is
// safe for concurrent use. The zero value, and nil, are no accelerator: the call is
// done by the CPU.
type Device device.Device
