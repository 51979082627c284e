package payments

import (
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
	program         = clitest.Program(Add)
	invoke, expect  = program.Run, program.Expect
	write, readFile = clitest.Write, clitest.ReadFile
)
