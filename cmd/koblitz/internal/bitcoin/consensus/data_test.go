package consensus

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// firstBlocks returns the first 14,132 blocks of mainnet in the format of a blk*.dat file.
func firstBlocks(t testing.TB) []byte {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/btcsuite/btcd").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "blockchain", "testdata",
		"blk_0_to_14131.dat"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
