// Command count runs operations of the library on another architecture, each with many different
// secrets, under qemu-user:
//
//	go run ./lab/count -arch arm64
//	go run ./lab/count -arch arm64 -tags purego
//
// It prints the number of instructions that each operation executes. The numbers are exact and
// reproducible. It fails if the instructions of an operation, or the addresses read or written,
// depend on the secret.
//
// Memcheck cannot check the code that Go's compiler generates for other architectures. So the
// plugin hashes the executed instructions and the accessed addresses. An operation passes if the
// same trace, which is a pair of hashes, occurs at least once with every secret: other traces may
// occur too, because Go's scheduler may run during a round. This is no proof, since it covers only
// the secrets tried.
//
// It needs a C compiler for the plugin, and qemu-user with support for plugins (Debian: qemu-user;
// the statically linked package lacks it).
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	arch := flag.String("arch", "arm64", "GOARCH of what runs")
	tags := flag.String("tags", "", "build tags")
	flag.Parse()
	names, traces, err := emulate(*arch, *tags)
	if err == nil {
		err = judge(os.Stdout, names, traces)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// emulators maps GOARCH to the name of the qemu-user program.
var emulators = map[string]string{
	"386": "qemu-i386", "arm": "qemu-arm", "arm64": "qemu-aarch64", "loong64": "qemu-loongarch64",
	"mips": "qemu-mips", "mips64le": "qemu-mips64el", "ppc64le": "qemu-ppc64le",
	"riscv64": "qemu-riscv64", "s390x": "qemu-s390x",
}

// emulate builds lab/count/subject for another architecture, and runs it in the emulator with the
// plugin. It returns the output of the program and that of the plugin.
func emulate(arch, tags string) (names, traces string, err error) {
	emulator, ok := emulators[arch]
	if !ok {
		return "", "", fmt.Errorf("no emulator for %q", arch)
	}
	dir, err := os.MkdirTemp("", "count")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	plugin, subject := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "subject")
	const source = "lab/count/plugin/count.c"
	if _, _, err := run(nil, "cc", "-O2", "-shared", "-fPIC", "-o", plugin, source); err != nil {
		return "", "", err
	}
	cross := []string{"GOARCH=" + arch, "GOOS=linux", "CGO_ENABLED=0"}
	build := []string{"build", "-tags", tags, "-o", subject, "./lab/count/subject"}
	if _, _, err := run(cross, "go", build...); err != nil {
		return "", "", err
	}
	symbols, _, err := run(nil, "go", "tool", "nm", subject)
	if err != nil {
		return "", "", err
	}
	option := "file=" + plugin
	for line := range strings.Lines(symbols) {
		f := strings.Fields(line)
		for _, name := range []string{"Begin", "End"} {
			if len(f) == 3 && f[2] == "main."+name {
				option += "," + strings.ToLower(name) + "=0x" + f[0]
			}
		}
	}
	// With one thread and no garbage collection, nothing interrupts the computation.
	quiet := []string{"GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"}
	return run(quiet, emulator, "-plugin", option, subject)
}

// run runs the named program with additional environment variables, and returns its output.
func run(environment []string, name string, args ...string) (out, complaints string, err error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), environment...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("%s: %w\n%s", name, err, stderr.Bytes())
	}
	return stdout.String(), stderr.String(), nil
}

// tries is the number of times that lab/count/subject runs an operation with each secret.
const tries = 6

// A trace holds a number of instructions, a hash of them, and one of the addresses read and
// written.
type trace struct {
	instructions    int
	path, addresses string
}

// Prefixes of the names of some operations of the program lab/count/subject.
const (
	planted = "planted: " // depends on the secret and must be found
	moved   = "moved: "   // the secret has another address each time: addresses are not compared
	public  = "public: "  // the operands are public: nothing is compared
)

// judge prints the number of instructions of each operation, and whether one trace occurred with
// every secret. It returns an error if an operation depends on its secret, or if an operation with
// a planted leak does not.
func judge(w io.Writer, names, traces string) error {
	order, all, err := inCommon(names, traces)
	if err != nil {
		return err
	}
	wrong := 0
	for _, name := range order {
		s := all[name]
		verdict := "the same"
		switch depends := len(s.common) == 0; {
		case strings.HasPrefix(name, public):
			verdict = "not compared"
		case depends && strings.HasPrefix(name, planted):
			verdict = "found"
		case depends:
			verdict = "DEPENDS ON THE SECRET"
			wrong++
		case strings.HasPrefix(name, planted):
			verdict = "NOT FOUND"
			wrong++
		}
		_, err := fmt.Fprintf(w, "%-44s %9d %3d secrets  %s\n", name, s.fewest, s.secrets, verdict)
		if err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d operations are not as they should be", wrong)
	}
	return nil
}

// A seen describes the runs of an operation: the number of secrets, the fewest instructions with
// the last of them, and the traces that occurred with every secret.
type seen struct {
	secrets, fewest int
	common          map[trace]bool
}

// inCommon returns the names of the operations in their order, and the runs of each.
func inCommon(names, traces string) (order []string, all map[string]*seen, err error) {
	all = map[string]*seen{}
	var left []trace
	for line := range strings.Lines(traces) {
		var t trace
		if _, err := fmt.Sscan(line, &t.instructions, &t.path, &t.addresses); err == nil {
			left = append(left, t)
		}
	}
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		if len(left) < tries {
			return nil, nil, fmt.Errorf("%s has no traces", name)
		}
		now := map[trace]bool{}
		for _, t := range left[:tries] {
			if strings.HasPrefix(name, moved) {
				t.addresses = ""
			}
			now[t] = true
		}
		left = left[tries:]
		fewest := slices.MinFunc(slices.Collect(maps.Keys(now)), func(a, b trace) int {
			return cmp.Compare(a.instructions, b.instructions)
		}).instructions
		s := all[name]
		if s == nil {
			s = &seen{common: now}
			all[name] = s
			order = append(order, name)
		}
		s.secrets++
		s.fewest = fewest
		maps.DeleteFunc(s.common, func(t trace, _ bool) bool { return !now[t] })
	}
	if len(left) > 0 || len(order) == 0 {
		return nil, nil, fmt.Errorf("%d operations, and %d traces more", len(order), len(left))
	}
	return order, all, nil
}
