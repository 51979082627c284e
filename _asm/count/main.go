// Command count prints how many instructions operations of the library take on another
// architecture, counted under qemu-user. The numbers are exact, and the same each time.
//
//	GOWORK=off go run ./count -arch arm64
//	GOWORK=off go run ./count -arch arm64 -tags purego
//
// It needs a C compiler for the plugin, and qemu-user with plugins (Debian: qemu-user; the
// static one has none).
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	arch := flag.String("arch", "arm64", "GOARCH of what is counted")
	tags := flag.String("tags", "", "build tags")
	flag.Parse()
	if err := count(*arch, *tags); err != nil {
		log.Fatal(err)
	}
}

// emulators has the programs of qemu-user by GOARCH.
var emulators = map[string]string{
	"arm64": "qemu-aarch64", "riscv64": "qemu-riscv64", "s390x": "qemu-s390x",
}

func count(arch, tags string) error {
	emulator, ok := emulators[arch]
	if !ok {
		return fmt.Errorf("no emulator for %q", arch)
	}
	dir, err := os.MkdirTemp("", "count")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plugin, subject := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "subject")
	const source = "count/plugin/count.c"
	if _, err := run(nil, "cc", "-O2", "-shared", "-fPIC", "-o", plugin, source); err != nil {
		return err
	}
	cross := []string{"GOARCH=" + arch, "GOOS=linux", "CGO_ENABLED=0"}
	build := []string{"build", "-tags", tags, "-o", subject, "./count/subject"}
	if _, err := run(cross, "go", build...); err != nil {
		return err
	}
	symbols, err := run(nil, "go", "tool", "nm", subject)
	if err != nil {
		return err
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
	// One thread computes, and nothing interrupts it.
	cmd := exec.Command(emulator, "-plugin", option, subject)
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	var out, counts bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &counts
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", emulator, err, counts.Bytes())
	}
	return table(&out, &counts)
}

// table prints names beside counts, less what counting itself takes, which is the first.
func table(names, counts *bytes.Buffer) error {
	a, b := bufio.NewScanner(names), bufio.NewScanner(counts)
	first, nothing := true, 0
	for a.Scan() {
		if !b.Scan() {
			return fmt.Errorf("no count of %s", a.Text())
		}
		n, err := strconv.Atoi(b.Text())
		if err != nil {
			return err
		}
		if first {
			first, nothing = false, n
			continue
		}
		fmt.Printf("%-34s %9d\n", a.Text(), n-nothing)
	}
	if b.Scan() {
		return fmt.Errorf("too many counts: %s", b.Text())
	}
	return nil
}

// run runs a program with additions to the environment, and returns what it prints.
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
