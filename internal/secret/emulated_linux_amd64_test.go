//go:build !purego && !race && !valgrind

package secret_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestNothingIsLeftEmulated makes the checks of TestNothingIsLeft and TestLeaksAreFound for other
// architectures. The subject, the process that runs the operations, is this program compiled for
// the other architecture, in an emulator.
func TestNothingIsLeftEmulated(t *testing.T) {
	if !cputest.Deep() {
		t.Skip("without KOBLITZ_DEEP: it builds programs and emulates them")
	}
	for _, arch := range []struct {
		goarch, emulator string
		kernels          cputest.Level
	}{
		{"arm64", "qemu-aarch64-static", cputest.A64},
		{"riscv64", "qemu-riscv64-static", cputest.RV64},
	} {
		t.Run(arch.goarch, func(t *testing.T) {
			emulator, err := exec.LookPath(arch.emulator)
			if err != nil {
				t.Skipf("without %s: it runs a program for %s", arch.emulator, arch.goarch)
			}
			program := filepath.Join(t.TempDir(), "subject")
			build := exec.Command("go", "test", "-c", "-o", program, ".")
			build.Env = append(build.Environ(), "GOARCH="+arch.goarch, "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// All of the subject's memory is at addresses from base to base + size, and none of the
			// emulator's memory is.
			const base, size = 1 << 45, 1 << 45
			r := startSubject(t, []string{
				emulator, "-B", fmt.Sprint(uint64(base)), "-R", fmt.Sprint(uint64(size)), program,
			})
			r.memory.Begin, r.memory.End = base, base+size
			for i := range searched {
				if arch.goarch == "riscv64" && searched[i].name == "registers after group.Scalar.Set" {
					// Skip this operation. It copies a scalar through general registers, which are
					// not cleared (see DoLeaf), and the signal arrives before another function has
					// overwritten them.
					continue
				}
				for _, keep := range []cpu.Feature{0, arch.kernels.Features()} {
					r.searchUpTo(t, i, keep, i%2 == 0, 1, 3, 2)
				}
			}
			for i := len(searched); i < len(everything); i++ {
				if slices.ContainsFunc(registerLeaks, everything[i].is) {
					continue // this leak does not occur, because the compiler uses other registers
				}
				r.checkLeak(t, i, arch.kernels.Features(), true)
			}
		})
	}
}

func (o *operation) is(other operation) bool { return o.name == other.name }
