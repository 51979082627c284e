//go:build !gpu

package command

import (
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// TestNoDevices checks that a build without device support accepts cpu, auto and all, and that its
// error for a device name tells how to install a build with device support.
func TestNoDevices(t *testing.T) {
	_, want, _ := invoke(t, "", "check", "--sample")
	for _, name := range []string{devices.CPU, devices.Auto, devices.All} {
		status, got, said := invoke(t, "", "check", "--sample", "--device", name)
		if status != cli.ExitOK || clitest.WithoutTime(got) != clitest.WithoutTime(want) || said != "" {
			t.Errorf("%s: status %d, another report:\n%s%s", name, status, got, said)
		}
	}
	for _, name := range []string{"cuda:0", "opencl:0", "cuda:0,cuda:1"} {
		expect(t, cli.ExitUsage, []string{"for the CPU alone",
			"repository: go install -tags gpu ./cmd/koblitz\n"}, "", "check", "--sample", "--device", name)
	}
	expect(t, cli.ExitOK, []string{"\ndevice           " + devices.None + "\n"}, "", "info")
}
