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

// A report holds the fields in the output of koblitz check --json that the tests compare.
type report struct {
	Rows, Valid         int64
	Formats, Unreadable []string
}

// check runs koblitz check --json and returns its report. It fails the test unless the command
// exits with the given status.
func check(t *testing.T, status int, args ...string) (r report) {
	t.Helper()
	got, out := koblitz(t, append([]string{"check", "--progress", "none", "--json"}, args...)...)
	text := out
	if i := strings.LastIndex(out, "\n}\n"); i >= 0 {
		text = out[:i+3]
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || got != status {
		t.Fatalf("check %v: status %d, want %d: %v\n%s", args, got, status, err, out)
	}
	return r
}

// is fails the test unless all rows of the report are valid and of the given format, and their
// number equals the argument rows.
func (r report) is(t *testing.T, format string, rows int64) {
	t.Helper()
	if !slices.Equal(r.Formats, []string{format}) || r.Rows != rows || r.Valid != rows ||
		len(r.Unreadable) != 0 {
		t.Errorf("%+v, want %d rows of %s, all of them valid", r, rows, format)
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

// write writes a file that only its owner can read, and returns its path.
func write(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
