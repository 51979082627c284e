//go:build !gpu

package main

import "testing"

const withGPU = false

// TestNoDevices: a build without devices takes cpu, auto and all, which change nothing, and says of
// a device how to come by a build with them.
func TestNoDevices(t *testing.T) {
	_, want, _ := cli(t, "", "check", "--sample")
	for _, name := range []string{deviceCPU, deviceAuto, deviceAll} {
		status, got, said := cli(t, "", "check", "--sample", "--device", name)
		if status != exitOK || withoutTime(got) != withoutTime(want) || said != "" {
			t.Errorf("%s: status %d, another report:\n%s%s", name, status, got, said)
		}
	}
	for _, name := range []string{"cuda:0", "opencl:0", "cuda:0,cuda:1"} {
		wantCLI(t, exitUsage, []string{"for the CPU alone", "repository: " + withDevices + "\n"}, "",
			"check", "--sample", "--device", name)
	}
	wantCLI(t, exitOK, []string{"\ndevice           " + noDevices + "\n"}, "", "info")
	wantCLI(t, exitOK, []string{`"devices": []`}, "", "info", "--json")
}
