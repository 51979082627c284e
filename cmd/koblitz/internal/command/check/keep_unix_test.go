//go:build unix

package check

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// TestKilled kills processes at random moments, several times for each run (300 times with
// KOBLITZ_DEEP=every), and resumes each run from its state file. The last process must give the
// report of an uninterrupted run.
func TestKilled(t *testing.T) {
	kills := 12 / oneIn(12)
	if clitest.EveryCase() {
		kills = 300
	}
	chance := rand.New(rand.NewPCG(5, 6))
	for _, test := range stateCases(t) {
		begin := time.Now()
		wantStatus, want := process(t, append([]string{"check"}, test.args...), 0)
		took := time.Since(begin)
		killed, wentOn, runs := 0, 0, 0
		last := false // the last process is not killed
		for file := filepath.Join(t.TempDir(), "state"); !last; {
			args := append([]string{"check", "--state", file}, test.args...)
			after := time.Duration(1 + chance.Int64N(int64(took)))
			if last = killed >= kills; last {
				after = 0
			}
			status, report := process(t, args, after)
			if status == -1 {
				killed++
				continue
			}
			if strings.Contains(report, "going on after") {
				wentOn++
			}
			_, report, _ = strings.Cut(report, stderrEnds)
			if _, want, _ := strings.Cut(want, stderrEnds); status != wantStatus || report != want {
				t.Fatalf("%s: after %d kills: status %d, want %d\n%s, want\n%s", test.name, killed, status,
					wantStatus, report, want)
			}
			runs++
			file = filepath.Join(t.TempDir(), "state")
		}
		t.Logf("covers %s: %d kills, %d runs that ended, of which %d went on", test.name, killed, runs,
			wentOn)
		if runs > 0 && wentOn == 0 && kills > 100 {
			t.Errorf("%s: no run went on", test.name)
		}
	}
}

const stderrEnds = "\x00"

// process runs the command as a separate process. If timeout is not 0, the process is killed after
// that time. output is the standard error, the separator stderrEnds, and the standard output
// without times. status is -1 if the process was killed.
func process(t *testing.T, args []string, timeout time.Duration) (status int, output string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := clitest.Command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if timeout > 0 {
		//layers:allow wherever a run is killed, the next one completes it
		defer time.AfterFunc(timeout, func() { cmd.Process.Kill() }).Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String() + stderrEnds +
		clitest.WithoutTime(stdout.String())
}

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
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
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
