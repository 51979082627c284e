//go:build gpu

package command

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
	"github.com/koblitz-go/koblitz/gpu"
)

var deviceLine = regexp.MustCompile(`(?m)^device .*\n`)

// TestDeviceMeasured checks that a run without --device-from reports how many rows the device
// verified. The number may be 0.
func TestDeviceMeasured(t *testing.T) {
	name := commandtest.OpenCL(t)
	expect(t, cli.ExitOK, []string{"valid          732\n", " rows by " + name + " "}, "", "check",
		"--sample", "--device", name)
}

// TestDeviceNames checks that unknown devices are refused, and that info lists devices.
func TestDeviceNames(t *testing.T) {
	name := commandtest.OpenCL(t)
	for _, other := range []string{"opencl:987", "cuda:987"} {
		expect(t, cli.ExitUsage, []string{other + ": there is no such device", "koblitz info"}, "",
			"check", "--sample", "--device", other)
	}
	if cuda := "cuda:0"; !slices.ContainsFunc(gpu.List(), func(d gpu.Info) bool {
		return strings.HasPrefix(d.Name, cuda)
	}) {
		expect(t, cli.ExitUsage, []string{"; cuda: no such device"}, "", "check", "--sample", "--device",
			cuda)
	}
	expect(t, cli.ExitOK, []string{"\ndevice           " + name + " ", ", a CPU"}, "", "info")
}

// TestDeviceList checks that a list of names opens all the named devices, and that the value "all"
// leaves out CPUs.
func TestDeviceList(t *testing.T) {
	name := commandtest.OpenCL(t)
	expect(t, cli.ExitOK, []string{"valid          732\n", " rows by " + name + " "}, "", "check",
		"--sample", "--device", name+","+name, "--device-from", "1")
	expect(t, cli.ExitUsage, []string{"--device cuda:987: there is no such device"}, "", "check",
		"--sample", "--device", name+",cuda:987")
	expect(t, cli.ExitOK, []string{"valid          732\n"}, "", "check", "--sample", "--device",
		devices.All)
}

// TestDeviceNone checks a machine without OpenCL devices. The name of an OpenCL device must be
// refused, the value "auto" must use the CPU, and both the refusal and info must give the reason.
func TestDeviceNone(t *testing.T) {
	name := commandtest.OpenCL(t)
	empty := []string{"OCL_ICD_VENDORS=" + t.TempDir(), "OPENCL_VENDOR_PATH=" + t.TempDir()}
	_, said := clitest.RunCommand(t, cli.ExitUsage, empty, "check", "--sample", "--device", name)
	if !strings.Contains(said, name+": there is no such device") ||
		!strings.Contains(said, "; opencl: no such device") || strings.Contains(said, "cuda:") {
		t.Error(said)
	}
	report, said := clitest.RunCommand(t, cli.ExitOK, empty, "check", "--sample", "--device", "auto")
	if !deviceLine.MatchString(report) || !strings.Contains(report, "valid          732\n") {
		t.Errorf("%s%s", report, said)
	}
	info, _ := clitest.RunCommand(t, cli.ExitOK, empty, "info")
	if strings.Contains(info, "opencl:0") ||
		!strings.Contains(info, "\n                 opencl: no such device") {
		t.Error(info)
	}
}
