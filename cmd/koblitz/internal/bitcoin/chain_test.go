package bitcoin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/btcsuite/btcd/limits" // for the data in its module, which go.mod would otherwise lose

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// firstBlocks returns the first 14,132 blocks of mainnet as a blk*.dat file.
func firstBlocks(t testing.TB) []byte {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/btcsuite/btcd").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "blockchain", "testdata", "blk_0_to_14131.dat"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFirstBlocks(t *testing.T) {
	c := NewChain()
	defer c.Close()
	got := run(c.File(source("blk00000.dat", firstBlocks(t))))
	t.Logf("%+v tip %d", got, c.tip)
	if got.err != nil {
		t.Fatal(got.err)
	}
	if c.tip != 14131 || c.shelf.n != 0 {
		t.Errorf("the last block has height %d, %d are left; want 14131 and none", c.tip, c.shelf.n)
	}
	if n := got.verdicts[rows.Valid]; n == 0 || n != got.units || len(got.bad) > 0 {
		t.Errorf("%v of %d", got.verdicts, got.units)
	}
}
