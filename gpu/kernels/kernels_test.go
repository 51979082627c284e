package kernels

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestSource checks that a program contains every file that it includes exactly once, and includes
// no file that a device's compiler would have to find. Every header is part of some program.
func TestSource(t *testing.T) {
	headers, err := fs.Glob(here, "*.h")
	if err != nil || len(headers) < 8 {
		t.Fatal(headers, err)
	}
	used := map[string]bool{}
	for _, p := range programs(t) {
		for line := range strings.Lines(p.Source) {
			if strings.HasPrefix(line, "#include") && line != "#include <stdint.h>\n" {
				t.Errorf("%s: %q", p.Name, line)
			}
		}
		for _, name := range headers {
			data, err := fs.ReadFile(here, name)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(data), "\n")
			n := strings.Count(p.Source, first)
			if n > 1 {
				t.Errorf("%s: %s is there %d times", p.Name, name, n)
			}
			used[name] = used[name] || n == 1
		}
	}
	for _, name := range headers {
		if !used[name] {
			t.Errorf("no program has %s", name)
		}
	}
}

// here is the folder of this package, which holds the sources.
var here = os.DirFS(".")

// programs returns all programs.
func programs(t *testing.T) []*driver.Program {
	t.Helper()
	list := []*driver.Program{Rows(), Sums(), Bench()}
	names, err := fs.Glob(here, "*.cl")
	if err != nil || len(names) != len(list) {
		t.Fatal(names, err)
	}
	for _, p := range list {
		if p == nil || !slices.Contains(names, p.Name+".cl") {
			t.Fatal("a program is not there")
		}
	}
	return list
}

// kernelNames returns the names of the kernels in a C text, each with its number of parameters.
func kernelNames(source string) map[string]int {
	all := map[string]int{}
	found := regexp.MustCompile(`(?s)\nKERNEL void (\w+)\(ROW_PARAMETER ([^)]*)\)`)
	for _, m := range found.FindAllStringSubmatch(source, -1) {
		all[m[1]] = strings.Count(m[2], ",") + 1
	}
	return all
}

// TestPTX checks that the committed PTX of each program is made from the committed sources, that it
// has the same kernels as the sources, and that it requires no newer device than its header says.
// No kernel is in two programs.
func TestPTX(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range programs(t) {
		t.Run(p.Name, func(t *testing.T) { checkPTX(t, p) })
		for name := range kernelNames(p.Source) {
			if seen[name] {
				t.Errorf("%s is in two programs", name)
			}
			seen[name] = true
		}
	}
}

func checkPTX(t *testing.T, p *driver.Program) {
	headers, err := fs.Glob(here, "*.h")
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, name := range append(headers, p.Name+".cl") {
		source, err := fs.ReadFile(here, name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(source), source)
	}
	if !strings.Contains(p.PTX, fmt.Sprintf("\n// Sources: SHA-256 %x\n", h.Sum(nil))) {
		t.Error("the PTX is not of these sources: go generate")
	}
	if head := "\n.version 6.3\n.target sm_75\n.address_size 64\n"; !strings.Contains(p.PTX, head) {
		t.Errorf("no %q", head)
	}
	want := kernelNames(p.Source)
	if len(want) == 0 {
		t.Error("no kernel")
	}
	entry := regexp.MustCompile(`(?s)\n\.visible \.entry (\w+)\(([^)]*)\)`)
	for _, m := range entry.FindAllStringSubmatch(p.PTX, -1) {
		if n := strings.Count(m[2], ".param"); want[m[1]] != n {
			t.Errorf("%s has %d parameters, want %d", m[1], n, want[m[1]])
		}
		delete(want, m[1])
	}
	for name := range want {
		t.Errorf("no kernel %s", name)
	}
	for line := range strings.Lines(p.PTX) {
		if code, _, _ := strings.Cut(line, "//"); strings.Contains(code, "/") {
			t.Errorf("a path: %q", line)
		}
	}
}

// TestNumbers checks that constants that exist both in Go and in C are equal.
func TestNumbers(t *testing.T) {
	source := Rows().Source
	for name, want := range map[string]int{
		"UNCHECKED": int(device.Unchecked), "VALID": int(device.Valid),
		"INVALID": int(device.Invalid), "MALFORMED": int(device.Malformed),
		"LOW_S": LowS, "HASHED": Hashed, "KEY_SIZE": device.KeySize,
		"COMB_POINT": CombPoint / 4, "COMB_POWERS": combPowers, "COMB_CHAIN": combChain,
		"ADDRESS": Address, "ADDRESS_SIZE": device.AddressSize,
	} {
		m := regexp.MustCompile(`\n#define ` + name + ` (\d+)u?( *//.*)?\n`).FindStringSubmatch(source)
		if m == nil {
			t.Errorf("no %s", name)
			continue
		}
		if n, err := strconv.Atoi(m[1]); err != nil || n != want {
			t.Errorf("%s is %s, want %d", name, m[1], want)
		}
	}
	if n := strings.Count(source, fmt.Sprintf("reqd_work_group_size(%d, 1, 1)", GroupSize)); n != 1 {
		t.Error("the groups of OpenCL have another size")
	}
	if n := strings.Count(source, fmt.Sprintf("launch_bounds(%d, ", GroupSize)); n != 1 {
		t.Error("the groups of CUDA have another size")
	}
}

// TestOpenCL checks that clang compiles the programs as OpenCL C 1.2, without a warning.
func TestOpenCL(t *testing.T) {
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("without clang-15: it compiles the kernels")
	}
	for _, p := range programs(t) {
		cmd := exec.Command("clang-15", "-x", "cl", "-cl-std=CL1.2", "-Xclang",
			"-finclude-default-header", "-target", "spir64-unknown-unknown", "-Wall", "-Wextra",
			"-Werror", "-pedantic", "-Wno-unused-function", "-fsyntax-only", "-")
		cmd.Stdin = bytes.NewReader([]byte(p.Source))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.Name, err, out)
		}
	}
}
