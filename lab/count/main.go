// Command count prints the number of instructions that operations of the library execute on another
// architecture, counted under qemu-user. The numbers are exact and reproducible.
//
//	go run ./lab/count -arch arm64
//	go run ./lab/count -arch arm64 -tags purego
//
// With -secrets it runs the operations that use a secret, each with many different secrets. It
// fails if the executed instructions, or the addresses read or written, depend on the secret:
//
//	go run ./lab/count -arch arm64 -secrets
//
// It needs a C compiler for the plugin, and qemu-user with support for plugins (Debian: qemu-user;
// the statically linked package lacks it). With
//
//	go run ./lab/count -arch riscv64 -cpu sifive-u74
//
// it also prints how many cycles these instructions take according to LLVM's model of a CPU; see
// cycles.go.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	arch := flag.String("arch", "arm64", "GOARCH of what is counted")
	tags := flag.String("tags", "", "build tags")
	cpu := flag.String("cpu", "", "what cycles are predicted for, as llvm-mca names it")
	secrets := flag.Bool("secrets", false, "compare what is executed with many secrets")
	flag.Parse()
	var err error
	if *secrets {
		err = compareSecrets(os.Stdout, *arch, *tags)
	} else {
		err = printCounts(os.Stdout, *arch, *tags, *cpu)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A counted is an operation with the number of instructions that it executed. cycles is the
// predicted number of cycles, or 0 without a prediction.
type counted struct {
	name         string
	instructions int
	blocks       []block
	cycles       float64
}

// A block is a basic block: its address, its number n of instructions, and how often it was
// executed.
type block struct {
	at       uint64
	n, times int
}

// emulators maps GOARCH to the name of the qemu-user program.
var emulators = map[string]string{
	"386": "qemu-i386", "arm": "qemu-arm", "arm64": "qemu-aarch64", "loong64": "qemu-loongarch64",
	"mips": "qemu-mips", "mips64le": "qemu-mips64el", "ppc64le": "qemu-ppc64le",
	"riscv64": "qemu-riscv64", "s390x": "qemu-s390x",
}

// printCounts prints the counts of the operations of lab/count/subject, and their cycles if cpu is
// not empty.
func printCounts(w io.Writer, arch, tags, cpu string) error {
	option := ""
	var predict func([]block) (float64, error)
	if cpu != "" {
		option = "blocks=1"
	}
	names, counts, err := emulate(arch, tags, option, nil, func(subject string) (err error) {
		if cpu != "" {
			predict, err = predictor(subject, arch, cpu)
		}
		return err
	})
	if err != nil {
		return err
	}
	all, err := table(names, counts, predict)
	if err != nil {
		return err
	}
	for _, c := range all {
		line := fmt.Sprintf("%-34s %9d", c.name, c.instructions)
		if c.cycles > 0 {
			line += fmt.Sprintf(" %10.0f", c.cycles)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// emulate builds lab/count/subject for another architecture, calls the function built with the name
// of the executable, and runs the executable with arguments in the emulator with the plugin.
// pluginOption is an option of the plugin, or "". emulate returns the output of the program and
// that of the plugin.
func emulate(
	arch, tags, pluginOption string, args []string, built func(subject string) error,
) (names, counts *bytes.Buffer, err error) {
	emulator, ok := emulators[arch]
	if !ok {
		return nil, nil, fmt.Errorf("no emulator for %q", arch)
	}
	dir, err := os.MkdirTemp("", "count")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	plugin, subject := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "subject")
	const source = "lab/count/plugin/count.c"
	if _, err := run(nil, "cc", "-O2", "-shared", "-fPIC", "-o", plugin, source); err != nil {
		return nil, nil, err
	}
	cross := []string{"GOARCH=" + arch, "GOOS=linux", "CGO_ENABLED=0"}
	build := []string{"build", "-tags", tags, "-o", subject, "./lab/count/subject"}
	if _, err := run(cross, "go", build...); err != nil {
		return nil, nil, err
	}
	if err := built(subject); err != nil {
		return nil, nil, err
	}
	symbols, err := run(nil, "go", "tool", "nm", subject)
	if err != nil {
		return nil, nil, err
	}
	option := "file=" + plugin
	if pluginOption != "" {
		option += "," + pluginOption
	}
	for line := range strings.Lines(symbols) {
		f := strings.Fields(line)
		for _, name := range []string{"Begin", "End"} {
			if len(f) == 3 && f[2] == "main."+name {
				option += "," + strings.ToLower(name) + "=0x" + f[0]
			}
		}
	}
	// With one thread and no garbage collection, nothing interrupts the computation.
	cmd := exec.Command(emulator, append([]string{"-plugin", option, subject}, args...)...)
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	names, counts = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = names, counts
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w\n%s", emulator, err, counts.Bytes())
	}
	return names, counts, nil
}

// table combines the names of operations with their counts and, if predict is not nil, with their
// predicted cycles. The first count is the cost of counting itself, and table subtracts it from all
// others.
func table(names, counts *bytes.Buffer, predict func([]block) (float64, error)) (
	[]counted, error) {
	all, err := parse(counts)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(names)
	k := 0
	for ; lines.Scan(); k++ {
		if k >= len(all) {
			return nil, fmt.Errorf("no count of %s", lines.Text())
		}
		all[k].name = lines.Text()
		if predict == nil {
			continue
		}
		if all[k].cycles, err = predict(all[k].blocks); err != nil {
			return nil, err
		}
	}
	if k != len(all) || k == 0 {
		return nil, fmt.Errorf("%d counts, %d names", len(all), k)
	}
	for k := range all[1:] {
		all[k+1].instructions -= all[0].instructions
		all[k+1].cycles -= all[0].cycles
	}
	return all[1:], lines.Err()
}

// rounds is the number of times that a subject, the program in the emulator, runs an operation
// while the plugin counts.
const rounds = 3

// parse parses the plugin's output. For each operation it returns the round with the fewest
// instructions.
func parse(counts *bytes.Buffer) (all []counted, err error) {
	lines := bufio.NewScanner(counts)
	for lines.Scan() {
		var b block
		if _, err := fmt.Sscanf(lines.Text(), "block %x %d %d", &b.at, &b.n, &b.times); err == nil &&
			len(all) > 0 {
			last := &all[len(all)-1]
			last.blocks = append(last.blocks, b)
			continue
		}
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return nil, err
		}
		all = append(all, counted{instructions: n})
	}
	if len(all)%rounds != 0 {
		return nil, fmt.Errorf("%d counts, of %d each", len(all), rounds)
	}
	for k := range len(all) / rounds {
		all[k] = slices.MinFunc(all[rounds*k:rounds*(k+1)], func(a, b counted) int {
			return cmp.Compare(a.instructions, b.instructions)
		})
	}
	return all[:len(all)/rounds], lines.Err()
}

// run runs the named program with additional environment variables, and returns its output.
func run(environment []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), environment...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, failed.Bytes())
	}
	return out.String(), nil
}
