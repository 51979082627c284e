package kernels

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/device"
)

// TestSource: the text has every file once, and includes none that a device would need.
func TestSource(t *testing.T) {
	source := Source()
	for line := range strings.Lines(source) {
		if strings.HasPrefix(line, "#include") && line != "#include <stdint.h>\n" {
			t.Errorf("%q", line)
		}
	}
	files, err := fs.Glob(sources, "*.h")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(sources, name)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(data), "\n")
		if n := strings.Count(source, first); n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
}

// kernelNames returns the kernels with the numbers of their parameters, of the C text.
func kernelNames(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	found := regexp.MustCompile(`(?s)\nKERNEL void (\w+)\(ROW_PARAMETER ([^)]*)\)`)
	for _, m := range found.FindAllStringSubmatch(Source(), -1) {
		all[m[1]] = strings.Count(m[2], ",") + 1
	}
	if len(all) < 5 {
		t.Fatal(all)
	}
	return all
}

// TestPTX: the committed PTX is that of the committed sources, has their kernels, and needs
// nothing newer than it says.
func TestPTX(t *testing.T) {
	h := sha256.New()
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "kernels.cl" {
			return err
		}
		source, err := fs.ReadFile(sources, name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(source), source)
		return err
	})
	main, err2 := fs.ReadFile(sources, "kernels.cl")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	fmt.Fprintf(h, "%s %d\n%s", "kernels.cl", len(main), main)
	if !strings.Contains(PTX(), fmt.Sprintf("\n// Sources: SHA-256 %x\n", h.Sum(nil))) {
		t.Error("koblitz.ptx is not of these sources: go generate")
	}
	if head := "\n.version 6.3\n.target sm_75\n.address_size 64\n"; !strings.Contains(PTX(), head) {
		t.Errorf("no %q", head)
	}
	want := kernelNames(t)
	entry := regexp.MustCompile(`(?s)\n\.visible \.entry (\w+)\(([^)]*)\)`)
	for _, m := range entry.FindAllStringSubmatch(PTX(), -1) {
		if n := strings.Count(m[2], ".param"); want[m[1]] != n {
			t.Errorf("%s has %d parameters, want %d", m[1], n, want[m[1]])
		}
		delete(want, m[1])
	}
	for name := range want {
		t.Errorf("no kernel %s", name)
	}
	for line := range strings.Lines(PTX()) {
		if code, _, _ := strings.Cut(line, "//"); strings.Contains(code, "/") {
			t.Errorf("a path: %q", line)
		}
	}
}

// TestNumbers: the numbers that Go and C have in common are the same.
func TestNumbers(t *testing.T) {
	for name, want := range map[string]int{
		"UNCHECKED": int(device.Unchecked), "VALID": int(device.Valid),
		"INVALID": int(device.Invalid), "MALFORMED": int(device.Malformed),
		"LOW_S": LowS, "HASHED": Hashed, "KEY_SIZE": device.KeySize, "COMB_BITS": CombBits,
	} {
		m := regexp.MustCompile(`\n#define ` + name + ` (\d+)u?( *//.*)?\n`).FindStringSubmatch(Source())
		if m == nil {
			t.Errorf("no %s", name)
			continue
		}
		if n, err := strconv.Atoi(m[1]); err != nil || n != want {
			t.Errorf("%s is %s, want %d", name, m[1], want)
		}
	}
	if n := strings.Count(Source(), fmt.Sprintf("reqd_work_group_size(%d, 1, 1)", GroupSize)); n != 1 {
		t.Error("the groups of OpenCL have another size")
	}
	if n := strings.Count(Source(), fmt.Sprintf("launch_bounds(%d, ", GroupSize)); n != 1 {
		t.Error("the groups of CUDA have another size")
	}
}

// TestOpenCL: clang takes the text as OpenCL C 1.2, without a warning.
func TestOpenCL(t *testing.T) {
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("there is no clang-15")
	}
	cmd := exec.Command("clang-15", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
		"-target", "spir64-unknown-unknown", "-Wall", "-Wextra", "-Werror", "-pedantic",
		"-Wno-unused-function", "-fsyntax-only", "-")
	cmd.Stdin = bytes.NewReader([]byte(Source()))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
