package stream

import (
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

func TestMain(m *testing.M) { program.Main(m) }

var (
	program     = clitest.Program(Add)
	invoke, run = program.Run, program.RunTo
)
