//go:build !gpu

package main

import (
	"context"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

const (
	deviceHelp = "`DEVICE` that verifies rows: in this build the CPU, for cpu, auto and all"

	noDevices = "none: this build is for the CPU alone"
)

// withDevices is the command that installs a build with device support from a checkout.
const withDevices = "go install -tags gpu ./cmd/koblitz"

func listDevices() []deviceInfo { return []deviceInfo{} }

// whyNoOthers returns nil, because noDevices already gives the reason.
func whyNoOthers([]deviceInfo) []string { return nil }

// openDevice opens no device, since this build supports none. The values cpu, auto and all select
// the CPU; a device name is a usage error.
func openDevice(_ context.Context, name string, _ int, _ cli.Streams) (*accelerator, error) {
	switch name {
	case deviceCPU, deviceAuto, deviceAll:
		return nil, nil
	}
	return nil, cli.Usagef("--device %s: this build is for the CPU alone; one with devices, from a "+
		"checkout of the repository: %s", name, withDevices)
}
