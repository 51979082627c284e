//go:build unix

package check

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// TestTerminated checks that SIGTERM interrupts a run as Ctrl-C does, and that the next run resumes
// where the first stopped. The signal is sent once the run has its state file. A run that has ended
// by then is repeated.
func TestTerminated(t *testing.T) {
	test := stateCases(t)[1]
	wantStatus, want, _ := invoke(t, "", append([]string{"check"}, test.args...)...)
	for range 50 {
		file := filepath.Join(t.TempDir(), "state")
		args := append([]string{"check", "--state", file}, test.args...)
		cmd := clitest.Command(args...)
		clitest.Must(0, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for ; len(ended) == 0; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(file); err == nil {
				break
			}
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && err != os.ErrProcessDone {
			t.Fatal(err)
		}
		<-ended
		if cmd.ProcessState.ExitCode() != cli.ExitInterrupted {
			continue // the run had ended
		}
		status, got, _ := invoke(t, "", args...)
		if status != wantStatus || clitest.WithoutTime(got) != clitest.WithoutTime(want) {
			t.Errorf("status %d\n%s, want\n%s", status, got, want)
		}
		return
	}
	t.Error("no process was stopped by SIGTERM with its own status")
}
