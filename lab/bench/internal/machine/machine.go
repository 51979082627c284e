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

var (
	nameLine  = regexp.MustCompile(`(?m)^(?:model name|uarch)\s*: (.*)$`)
	modelLine = regexp.MustCompile(`(?m)^cpu family\s*: (\d+)\nmodel\s*: (\d+)$`)
)

// cpuName returns the name of the CPU from /proc/cpuinfo, followed by its family and model on
// amd64, where virtual machines shorten the name. On riscv64, this file names a microarchitecture.
// On arm64 it has only numbers, so the name is empty.
func cpuName(info string) string {
	m := nameLine.FindStringSubmatch(info)
	if m == nil {
		return ""
	}
	name := strings.TrimSpace(m[1])
	if m := modelLine.FindStringSubmatch(info); m != nil {
		name += " (family " + m[1] + ", model " + m[2] + ")"
	}
	return name
}

// Commit returns the abbreviated commit of the working tree in a folder, with "+" if it has changes
// or new files. It is empty if the tree is not a git repository.
func Commit(dir string) string {
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, _ := cmd.Output()
		return strings.TrimSpace(string(out))
	}
	commit := git("rev-parse", "--short=12", "HEAD")
	if git("status", "--porcelain") != "" {
		commit += "+"
	}
	return commit
}
