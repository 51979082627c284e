// Package info is the subcommand info.
package info

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// info holds the output of koblitz info.
type info struct {
	Version         string   `json:"version"` // version of the command
	Library         string   `json:"library"` // version of the library
	Go              string   `json:"go"`
	Platform        string   `json:"platform"`
	Threads         int      `json:"threads"`
	Features        []string `json:"features"`         // features of the CPU
	SwitchedOff     []string `json:"switched_off"`     // disabled features, with the variable
	UnknownSwitches []string `json:"unknown_switches"` // unknown names in the variable cpuOff
	Implementations []string `json:"implementations"`
	Lanes           string   `json:"lanes"` // whether batches use lanes, or the reason why not

	Devices []devices.Info `json:"devices"` // devices that check --device accepts
}

const libraryPath = "github.com/koblitz-go/koblitz"

// cpuOff is the name of the environment variable that keeps the library from using instruction sets
// (see koblitz.Implementations).
const cpuOff = "KOBLITZ_CPU_OFF"

// lanesNeed lists the CPU features that suffice for the kernels for eight rows at a time.
var lanesNeed = []string{"AVX2", "FMA"}

// cpuFeatures returns the names of the CPU features for which the library has implementations.
// known lists all of them, and present lists those that this CPU has.
func cpuFeatures() (present, known []string) {
	present = []string{}
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
		known = append(known, f.name)
		if f.present {
			present = append(present, f.name)
		}
	}
	return present, known
}

func collectInfo() info {
	features, known := cpuFeatures()
	i := info{
		Version:         cli.Version(),
		Library:         "(devel)",
		Go:              runtime.Version(),
		Platform:        runtime.GOOS + "/" + runtime.GOARCH,
		Threads:         runtime.GOMAXPROCS(0),
		Features:        features,
		Implementations: koblitz.Implementations(),
		Devices:         devices.List(),
	}
	i.SwitchedOff, i.UnknownSwitches = switches(os.Getenv(cpuOff), os.Getenv("GODEBUG"), known)
	i.Lanes = lanes(features, i.Implementations, len(i.SwitchedOff) > 0)
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range b.Deps {
			if m.Path == libraryPath && m.Version != "" {
				i.Library = m.Version
			}
		}
	}
	return i
}

// switches parses value, the value of the variable cpuOff, and the GODEBUG setting. It returns the
// disabled features, each with the environment variable that disables it. unknown lists the names
// in value that switch nothing off. A name switches something off if it is in known, if it is
// SHA-NI, which golang.org/x/sys/cpu does not report, or if it stands for several features (all,
// lanes).
func switches(value, godebug string, known []string) (disabled, unknown []string) {
	disabled, unknown = []string{}, []string{}
	for _, name := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		if slices.ContainsFunc(append(known, "SHA-NI", "all", "lanes"), func(other string) bool {
			return strings.EqualFold(name, other)
		}) {
			disabled = append(disabled, name+" ("+cpuOff+")")
		} else {
			unknown = append(unknown, name)
		}
	}
	for setting := range strings.SplitSeq(godebug, ",") {
		name, isCPU := strings.CutPrefix(setting, "cpu.")
		if name, isOff := strings.CutSuffix(name, "=off"); isCPU && isOff {
			disabled = append(disabled, name+" (GODEBUG)")
		}
	}
	return disabled, unknown
}

// lanes says whether batches verify eight rows at a time in the lanes of vectors, and if not, why.
func lanes(features, implementations []string, switchedOff bool) string {
	has := func(name string) bool { return slices.Contains(features, name) }
	missing := slices.DeleteFunc(slices.Clone(lanesNeed), has)
	switch {
	case slices.Contains(implementations, "lanes"):
		return "eight at a time, by AVX-512 IFMA"
	case slices.Contains(implementations, "lanes-FMA"):
		return "eight at a time, by AVX-512 without IFMA"
	case slices.Contains(implementations, "lanes-AVX-IFMA"):
		return "eight at a time, by AVX-IFMA"
	case slices.Contains(implementations, "lanes-AVX2"):
		return "eight at a time, by AVX2 and FMA"
	case len(missing) == 0 && switchedOff:
		return "none: " + cpuOff + " takes away what they need"
	case len(missing) == 0:
		return "none: this build leaves them out, or this CPU splits vectors of 256 bits"
	}
	return "none: they need AVX2 and FMA"
}

// Add adds the subcommand info.
func Add(koblitz *cobra.Command, io cli.Streams) { koblitz.AddCommand(newInfo(io)) }

func newInfo(io cli.Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
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
		Args: cli.RefuseArgs,
		RunE: func(*cobra.Command, []string) error {
			i := collectInfo()
			if asJSON {
				return cli.WriteJSON(io.Out, i)
			}
			none := func(s []string) string {
				if len(s) == 0 {
					return "none"
				}
				return strings.Join(s, " ")
			}
			fmt.Fprintf(io.Out, "%-16s %s\n", "koblitz", i.Version)
			fmt.Fprintf(io.Out, "%-16s %s\n", "library", i.Library)
			fmt.Fprintf(io.Out, "%-16s %s\n", "go", i.Go)
			fmt.Fprintf(io.Out, "%-16s %s\n", "platform", i.Platform)
			fmt.Fprintf(io.Out, "%-16s %d\n", "threads", i.Threads)
			fmt.Fprintf(io.Out, "%-16s %s\n", "features", none(i.Features))
			fmt.Fprintf(io.Out, "%-16s %s\n", "switched off", none(i.SwitchedOff))
			if len(i.UnknownSwitches) > 0 {
				fmt.Fprintf(io.Out, "%-16s %q, in %s\n", "unknown", i.UnknownSwitches, cpuOff)
			}
			fmt.Fprintf(io.Out, "%-16s %s\n", "implementations", none(i.Implementations))
			fmt.Fprintf(io.Out, "%-16s %s\n", "lanes", i.Lanes)
			for _, d := range i.Devices {
				fmt.Fprintf(io.Out, "%-16s %s\n", "device", reading.Printable(d.String()))
			}
			if len(i.Devices) == 0 {
				fmt.Fprintf(io.Out, "%-16s %s\n", "device", devices.None)
			}
			for _, why := range devices.WhyNoOthers(i.Devices) {
				fmt.Fprintf(io.Out, "%-16s %s\n", "", why)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
