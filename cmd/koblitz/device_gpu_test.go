//go:build gpu

package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// openCL returns the name of an OpenCL device that runs on the CPU.
func openCL(t *testing.T) string {
	t.Helper()
	for _, d := range devices.List() {
		if word, _, _ := strings.Cut(d.Name, " "); d.CPU && strings.HasPrefix(word, "opencl:") {
			return word
		}
	}
	t.Skip("without OpenCL: no device is a CPU; install pocl-opencl-icd and ocl-icd-libopencl1")
	return ""
}

var deviceLine = regexp.MustCompile(`(?m)^device .*\n`)

// TestDevice checks that the command writes the same report with and without a device. The device
// must verify rows of every signature scheme.
func TestDevice(t *testing.T) {
	name := openCL(t)
	block, spent := sampleFiles(t)
	for _, test := range []struct {
		name string
		args []string
		rows int64 // minimum number of rows that the device must verify
	}{
		{"ECDSA", []string{"--spent", spent, block}, 400},
		{"BIP-340", []string{nostrFile(t)}, 500},
		{"bad rows", []string{"--format", "packed-bip340", clitest.Write(t, "rows", corruptRows(t))},
			corruptCount},
		{"recovery", []string{mainnetBlock(19431837)}, 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"check", "--max-failures", "10000"}, test.args...)
			status, want, _ := invoke(t, "", args...)
			args = append(args, "--device", name, "--device-from", "1")
			got, said := ran(t, status, nil, args...)
			if withoutTime(deviceLine.ReplaceAllString(got, "")) != withoutTime(want) || said != "" {
				t.Errorf("with a device:\n%s%s\nwithout:\n%s", got, said, want)
			}
			got, _ = ran(t, status, nil, append(args, "--json")...)
			var r result
			if err := json.Unmarshal([]byte(got), &r); err != nil {
				t.Fatal(err)
			}
			if r.Device == nil || r.Device.Rows < test.rows || r.Device.Rows > r.Rows ||
				!strings.HasPrefix(r.Device.Name, name+" ") {
				t.Errorf("of %d rows %+v did its share, want at least %d", r.Rows, r.Device, test.rows)
			}
		})
	}
}

// ran runs the command as a separate process and checks its exit status.
func ran(t *testing.T, status int, env []string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	c := clitest.Command(args...)
	c.Env = append(c.Env, env...)
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the exit status is compared below
	if got := c.ProcessState.ExitCode(); got != status {
		t.Errorf("koblitz %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status,
			out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// TestDeviceMeasured checks that a run without --device-from reports how many rows the device
// verified. The number may be 0.
func TestDeviceMeasured(t *testing.T) {
	name := openCL(t)
	expect(t, cli.ExitOK, []string{"valid          732\n", " rows by " + name + " "}, "", "check",
		"--sample", "--device", name)
}

// TestDeviceNames checks that unknown device names are refused and that info lists the available
// devices.
func TestDeviceNames(t *testing.T) {
	name := openCL(t)
	for _, other := range []string{"opencl:987", "cuda:987"} {
		expect(t, cli.ExitUsage, []string{other + ": there is no such device", "koblitz info"}, "",
			"check", "--sample", "--device", other)
	}
	if cuda := "cuda:0"; !slices.ContainsFunc(devices.List(), func(d devices.Info) bool {
		return strings.HasPrefix(d.Name, cuda)
	}) {
		expect(t, cli.ExitUsage, []string{"; cuda: no such device"}, "", "check", "--sample", "--device",
			cuda)
	}
	expect(t, cli.ExitOK, []string{"\ndevice           " + name + " ", ", a CPU"}, "", "info")
	expect(t, cli.ExitOK, []string{`"name": "` + name + " "}, "", "info", "--json")
}

// TestDeviceList checks that a list of names opens all the named devices, and that the value "all"
// leaves out CPUs.
func TestDeviceList(t *testing.T) {
	name := openCL(t)
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
	name := openCL(t)
	empty := []string{"OCL_ICD_VENDORS=" + t.TempDir(), "OPENCL_VENDOR_PATH=" + t.TempDir()}
	_, said := ran(t, cli.ExitUsage, empty, "check", "--sample", "--device", name)
	if !strings.Contains(said, name+": there is no such device") ||
		!strings.Contains(said, "; opencl: no such device") || strings.Contains(said, "cuda:") {
		t.Error(said)
	}
	report, said := ran(t, cli.ExitOK, empty, "check", "--sample", "--device", "auto")
	if !deviceLine.MatchString(report) || !strings.Contains(report, "valid          732\n") {
		t.Errorf("%s%s", report, said)
	}
	info, _ := ran(t, cli.ExitOK, empty, "info")
	if strings.Contains(info, "opencl:0") ||
		!strings.Contains(info, "\n                 opencl: no such device") {
		t.Error(info)
	}
}
