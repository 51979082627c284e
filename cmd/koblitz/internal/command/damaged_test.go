package command

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestDamagedFolders checks that no command that reads blocks panics, or ends with the status of a
// wrong command line, if the files of a node are damaged.
func TestDamagedFolders(t *testing.T) {
	folders := 240 / clitest.OneIn(8)
	if clitest.EveryCase() {
		folders = 5000
	}
	keys := keysFile(t)
	for seed := range folders {
		chance := rand.New(rand.NewPCG(uint64(seed), 48))
		dir := commandtest.CoreBlocks(t)
		names := clitest.Must(filepath.Glob(filepath.Join(dir, "*.dat")))
		pick := func() string { return names[chance.IntN(len(names))] }
		for range 1 + chance.IntN(2) {
			name, other := pick(), pick()
			data := []byte(clitest.ReadFile(t, name))
			at := chance.IntN(len(data) + 1)
			switch what := chance.IntN(8); {
			case seed == 0:
				name = filepath.Join(dir, "blk00001.dat")
				data = []byte(clitest.ReadFile(t, name))
				data[2111] ^= 1 // in the number of a transaction's inputs
				write(t, name, data)
			case what < 5 && at < len(data):
				data[at] ^= 1 << chance.IntN(8)
				write(t, name, data)
			case what <= 5:
				write(t, name, data[:at])
			case what == 6:
				write(t, name, []byte(clitest.ReadFile(t, other)))
				write(t, other, data)
			default:
				write(t, name, nil)
			}
		}
		out := filepath.Join(t.TempDir(), "out")
		for _, args := range [][]string{
			{"check", dir},
			{"tweaks", dir, "-o", out},
			{"scan", "--keys", keys, out, dir},
		} {
			if status, stdout, stderr := invoke(t, "", args...); status == cli.ExitUsage {
				t.Errorf("folder %d: koblitz %s: status %d\n%s%s", seed, strings.Join(args, " "), status,
					stdout, stderr)
			}
		}
	}
}
