package kernels

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
)

// trySteps compiles testdata/steps.c with the kernels' headers, in which old is replaced by text,
// and runs it. It returns what the program prints if it ends with an error, and otherwise an empty
// string.
func trySteps(t *testing.T, old, text string) string {
	t.Helper()
	dir, found := t.TempDir(), false
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		source, err := files.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(source), "#define STEPS 30 ", "#define STEPS 10 ", 1)
		if strings.Contains(changed, old) {
			changed, found = strings.Replace(changed, old, text, 1), true
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Fatalf("no header has %q", old)
	}
	program := filepath.Join(dir, "steps")
	cmd := exec.Command("gcc", "-std=c11", "-O2", "-w", "-I"+dir, "-o", program, "testdata/steps.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

// TestSteps proves that the loops of division steps and of signed digits are right for all inputs.
// It tries every case of one iteration, with batches of 10 division steps: an iteration depends on
// the low six bits of f and g, on the sign of ζ, and on how many zeros and steps there are.
func TestSteps(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("without gcc: the kernels are written in C")
	}
	if out := trySteps(t, "#define STEPS 10 ", "#define STEPS 10 "); out != "" {
		t.Fatal(out)
	}
	for _, f := range []c11test.Fault{
		{"k = k < 6 ? k : 6;", "k = k < 7 ? k : 7;"},
		{"k = k < left ? k : left;", ""},
		{"(f * f - 2)", "(f * f + 2)"},
		{"q = 0 - y, r = 0 - z;", "q = y, r = z;"},
		{"zeta = -zeta - 1;", "zeta = -zeta;"},
		{"r += w * v;", "r += v;"},
		{"u32 k = (u32)zeta + 1;", "u32 k = (u32)zeta + 2;"},
		{"u > (u32)1 << (c - 1)", "u > (u32)1 << c"},
		{"d->carry = above;", "d->carry = above & 1 & *negative;"},
		{"*negative = d->negative ^ above;", "*negative = above;"},
		{"d->v[i + 1] << (32 - c)", "d->v[i + 1] << (31 - c)"},
	} {
		if trySteps(t, f[0], f[1]) == "" {
			t.Errorf("the fault %q is not detected", f[1])
		}
	}
}
