// Package info is the subcommand info.
package info

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// cpuOff is the name of the environment variable that keeps the library from using instruction sets
// (see koblitz.Implementations).
const cpuOff = "KOBLITZ_CPU_OFF"

// cpuFeatures returns the names of those features of this CPU for which the library has
// implementations.
func cpuFeatures() (present []string) {
	for _, f := range []struct {
		name    string
		present bool
	}{
		{"BMI2", cpu.X86.HasBMI1 && cpu.X86.HasBMI2},
		{"ADX", cpu.X86.HasADX},
		{"AVX2", cpu.X86.HasAVX2},
		{"FMA", cpu.X86.HasFMA},
		{"AVX-IFMA", cpu.X86.HasAVXIFMA},
		{"AVX512F", cpu.X86.HasAVX512F},
		{"AVX512DQ", cpu.X86.HasAVX512DQ},
		{"AVX512VL", cpu.X86.HasAVX512VL},
		{"AVX512VBMI2", cpu.X86.HasAVX512VBMI2},
		{"AVX512IFMA", cpu.X86.HasAVX512IFMA},
		{"A64", runtime.GOARCH == "arm64"},
		{"RV64", runtime.GOARCH == "riscv64"},
	} {
		if f.present {
			present = append(present, f.name)
		}
	}
	return present
}

// switches returns the variables of the environment that disable features, with their values.
func switches() (list []string) {
	if value := os.Getenv(cpuOff); value != "" {
		list = append(list, cpuOff+"="+value)
	}
	if value := os.Getenv("GODEBUG"); strings.Contains(value, "cpu.") {
		list = append(list, "GODEBUG="+value)
	}
	return list
}

// Add adds the subcommand info.
func Add(koblitz *cobra.Command, io cli.Streams) { koblitz.AddCommand(newInfo(io)) }

func newInfo(io cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Say what this build uses: versions, CPU features, implementations",
		Long: `Say what this build uses, for bug reports and the heading of a benchmark: the
versions, the features of this CPU that the library knows, those that the
environment takes away, the implementations that it uses, fastest first, and the
devices that 'koblitz check --device' takes.

The environment variable KOBLITZ_CPU_OFF takes features away, for this command and
for every program with the library: names from the line "features", "lanes" or
"all", with commas between them. GODEBUG=cpu.adx=off does so too, and the Go
runtime complains about the names that it does not know.`,
		Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list := func(s []string) string { return cmp.Or(strings.Join(s, " "), "none") }
			lines := [][2]string{
				{"koblitz", cli.Version()},
				{"go", runtime.Version()},
				{"platform", runtime.GOOS + "/" + runtime.GOARCH},
				{"threads", strconv.Itoa(runtime.GOMAXPROCS(0))},
				{"features", list(cpuFeatures())},
				{"switched off", reading.Printable(list(switches()))},
				{"implementations", list(koblitz.Implementations())},
			}
			found, missing := devices.Describe()
			for _, device := range found {
				lines = append(lines, [2]string{"device", device})
			}
			for _, why := range missing {
				lines = append(lines, [2]string{"", why})
			}
			for _, line := range lines {
				fmt.Fprintf(io.Out, "%-16s %s\n", line[0], line[1])
			}
			return nil
		},
	}
}
