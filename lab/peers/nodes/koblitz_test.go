//go:build geth

package nodes

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// command is the path of the compiled command koblitz.
var command string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		command = filepath.Join(dir, "koblitz")
		build := exec.Command("go", "build", "-o", command, "./cmd/koblitz")
		build.Dir = filepath.Join("..", "..")
		build.Env = append(os.Environ(), "GOWORK=") // the command is in a module of the workspace
		if out, err := build.CombinedOutput(); err != nil {
			panic(string(out))
		}
		return m.Run()
	}())
}

// koblitz runs the command with args, and returns its exit status and its output.
func koblitz(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	b, err := exec.Command(command, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		status = exit.ExitCode()
	}
	return status, string(b)
}

// check runs koblitz check --json. It fails the test unless the command finds as many rows of the
// format ethereum-json as the argument rows says, all of them valid.
func check(t *testing.T, rows int64, args ...string) {
	t.Helper()
	status, out := koblitz(t, append([]string{"check", "--progress", "none", "--json"}, args...)...)
	text := out
	if i := strings.LastIndex(out, "\n}\n"); i >= 0 {
		text = out[:i+3]
	}
	var report struct {
		Rows, Valid         int64
		Formats, Unreadable []string
	}
	err := json.Unmarshal([]byte(text), &report)
	if err != nil || status != 0 || !slices.Equal(report.Formats, []string{"ethereum-json"}) ||
		report.Rows != rows || report.Valid != rows || len(report.Unreadable) != 0 {
		t.Fatalf("check %v: status %d, %v, want %d valid rows\n%s", args, status, err, rows, out)
	}
}

// refused fails the test unless koblitz check with args exits with status 3 and prints text.
func refused(t *testing.T, text string, args ...string) {
	t.Helper()
	status, out := koblitz(t, append([]string{"check", "--progress", "none"}, args...)...)
	if status != 3 || !strings.Contains(out, text) {
		t.Errorf("check %v: status %d, want %q in\n%s", args, status, text, out)
	}
}
