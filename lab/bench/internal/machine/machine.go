// Package machine describes the machine on which a benchmark runs.
package machine

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/cpu"
)

// Describe returns a line that names this machine's CPU and system, the features of the CPU that
// koblitz uses, and the implementations that koblitz selects.
func Describe() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	name := cpuName(string(info))
	if b, err := os.ReadFile("/sys/firmware/devicetree/base/model"); err == nil && name == "" {
		name = strings.Trim(string(b), "\x00 ")
	}
	if runtime.GOOS == "darwin" {
		b, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		name = strings.TrimSpace(string(b))
	}
	if name == "" {
		name = "unknown CPU"
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s; %s; koblitz: %s", name, runtime.NumCPU(),
		runtime.GOOS, runtime.GOARCH, runtime.Version(), strings.Join(cpu.Features(), " "),
		strings.Join(koblitz.Implementations(), ", "))
}

var nameLine = regexp.MustCompile(`(?m)^(?:model name|uarch)\s*: (.*)$`)

// cpuName returns the name of the CPU from /proc/cpuinfo. On riscv64, this file names a
// microarchitecture. On arm64 it has only numbers, so the name is empty.
func cpuName(info string) string {
	if m := nameLine.FindStringSubmatch(info); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}
