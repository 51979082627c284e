package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestMainPasses(t *testing.T) { main() }

// TestSize checks that the library adds at most 3 MB to a program.
func TestSize(t *testing.T) {
	if !cputest.Deep() {
		t.Skip("without KOBLITZ_DEEP: it builds programs")
	}
	dir := t.TempDir()
	hello := filepath.Join(dir, "hello.go")
	const text = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"
	if err := os.WriteFile(hello, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	size := func(source string) int64 {
		program := filepath.Join(dir, "program")
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		info := reference.Must(os.Stat(program))
		return info.Size()
	}
	without, with := size(hello), size(".")
	t.Logf("a program of %d bytes grows by %d", without, with-without)
	if with-without > 3_000_000 || with <= without {
		t.Errorf("a program of %d bytes grows by %d", without, with-without)
	}
}
