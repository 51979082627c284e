//go:build !gpu

package main

const (
	deviceHelp = "`DEVICE` that verifies rows: in this build the CPU, for cpu and for auto"

	noDevices = "none: this build is for the CPU alone"
)

// withDevices is how to come by a build with devices.
const withDevices = "go install -tags gpu github.com/koblitz-go/koblitz/cmd/koblitz@latest"

func listDevices() []deviceInfo { return []deviceInfo{} }

// openDevice opens nothing: cpu and auto are the CPU, and a device is a wrong command line.
func openDevice(name string, _ int, _ streams) (*accelerator, error) {
	if name == deviceCPU || name == deviceAuto {
		return nil, nil
	}
	return nil, usagef("--device %s: this build is for the CPU alone; one with devices:\n  %s", name,
		withDevices)
}
