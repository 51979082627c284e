//go:build gpu && linux

package check

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// hanging is the C source of a driver library that hangs while it is loaded.
const hanging = `#include <unistd.h>
__attribute__((constructor)) static void hang(void)
{
	if (write(2, "loaded\n", 7) < 0) return;
	for (;;) pause();
}
`

// TestDeviceHangs checks that a hanging driver does not delay runs without devices, and that one
// interrupt ends a run that waits for the driver.
func TestDeviceHangs(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("without gcc: the driver is written in C")
	}
	dir := t.TempDir()
	text := write(t, filepath.Join(dir, "hanging.c"), []byte(hanging))
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcuda.so.1"),
		text).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := []string{"LD_LIBRARY_PATH=" + dir}
	for _, args := range [][]string{nil, {"--device", devices.CPU}} {
		if _, said := clitest.RunCommand(t, cli.ExitOK, env, append([]string{"check", "--sample"},
			args...)...); said != "" {
			t.Errorf("%q: %s", args, said)
		}
	}
	c := clitest.Command("check", "--sample", "--device", devices.Auto)
	c.Env = append(c.Env, env...)
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Must(0, c.Start())
	if line, err := bufio.NewReader(said).ReadString('\n'); line != "loaded\n" {
		t.Errorf("%q, %v", line, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = c.Wait() // the exit status is compared below
	if status := c.ProcessState.ExitCode(); status != cli.ExitInterrupted {
		t.Errorf("status %d", status)
	}
}
