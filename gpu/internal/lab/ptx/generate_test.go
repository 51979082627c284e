package ptx

import (
	_ "embed"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:generate clang-15 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O3 -S testdata/programs.cu -o testdata/programs.ptx

//go:embed testdata/programs.ptx
var programs string

// TestGenerated checks that testdata/programs.ptx is the output of clang-15 for its source.
func TestGenerated(t *testing.T) {
	clang, err := exec.LookPath("clang-15")
	if err != nil {
		t.Skip("without clang-15: it compiles to PTX")
	}
	got, err := exec.Command(clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75",
		"-nocudainc", "-nocudalib", "-O3", "-S", filepath.Join("testdata", "programs.cu"),
		"-o", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != programs {
		t.Error("testdata/programs.ptx is not made of testdata/programs.cu: go generate")
	}
}
