package command

import (
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
)

func TestMain(m *testing.M) {
	progress.Every, progress.LineEvery = time.Millisecond, 0
	program.Main(m)
}

var (
	program               = clitest.Program(Add)
	invoke, expect        = program.Run, program.Expect
	write, deep, deepOnly = clitest.Write, clitest.Deep, clitest.DeepOnly
)

// keysFile writes a keys file for scan and returns its name.
func keysFile(t testing.TB) string {
	const generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	return write(t, "keys", []byte("scan "+strings.Repeat("01", 32)+"\nspend "+generator+"\n"))
}
