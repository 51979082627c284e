//go:build !gpu

package main

import "context"

const (
	deviceHelp = "`DEVICE` that verifies rows: in this build the CPU, for cpu, auto and all"

	noDevices = "none: this build is for the CPU alone"
)

// withDevices installs a build with devices from a checkout. Nothing is published yet.
const withDevices = "go install -tags gpu ./cmd/koblitz"

func listDevices() []deviceInfo { return []deviceInfo{} }

// whyNoOthers returns nothing: noDevices says it.
func whyNoOthers([]deviceInfo) []string { return nil }

// openDevice opens nothing: cpu, auto and all are the CPU, and a device is a wrong command line.
func openDevice(_ context.Context, name string, _ int, _ streams) (*accelerator, error) {
	switch name {
	case deviceCPU, deviceAuto, deviceAll:
		return nil, nil
	}
	return nil, usagef("--device %s: this build is for the CPU alone; one with devices, from a "+
		"checkout of the repository: %s", name, withDevices)
}
