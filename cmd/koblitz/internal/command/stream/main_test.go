package stream

import (
	"io"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

func TestMain(m *testing.M) { program.Main(m) }

var (
	program             = clitest.Program(Add)
	invoke, expect, run = program.Run, program.Expect, program.RunTo
)

// start runs a command that reads from in and writes to out. The function end closes in, and checks
// that rest more bytes come out and that the command succeeds.
func start(t *testing.T, args ...string) (in io.Writer, out io.Reader, end func(rest int)) {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		status := run(t.Context(), args, inRead, outWrite, io.Discard)
		outWrite.Close()
		ended <- status
	}()
	return inWrite, outRead, func(rest int) {
		t.Helper()
		inWrite.Close()
		if b, err := io.ReadAll(outRead); len(b) != rest || err != nil {
			t.Errorf("%d more bytes, %v", len(b), err)
		}
		if status := <-ended; status != cli.ExitOK {
			t.Errorf("status %d", status)
		}
	}
}
