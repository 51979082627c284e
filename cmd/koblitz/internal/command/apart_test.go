package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// withGPU reports whether this build supports devices: another one says why it has none.
var withGPU = devices.None == "none"

// TestLinkedLicence checks that the program links nothing of go-ethereum: its library is under the
// LGPL, and the program under the BSD licence.
func TestLinkedLicence(t *testing.T) {
	if _, err := os.Stat(filepath.Join(commandtest.Module, "..", "..", "go.work")); errors.Is(err,
		fs.ErrNotExist) {
		return // in the module cache, where this module has no others beside it
	}
	tags := ""
	if withGPU {
		tags = "gpu"
	}
	out, err := exec.Command("go", "list", "-deps", "-tags", tags,
		"github.com/koblitz-go/koblitz/cmd/koblitz").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("koblitz/ethereum/wire\n")) {
		t.Errorf("the list of packages lacks those of the program:\n%s", out)
	}
	for name := range strings.Lines(string(out)) {
		if strings.HasPrefix(name, "github.com/ethereum/") {
			t.Errorf("the program links %s", name)
		}
	}
}
