//go:build !js && !purego

package relay

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDialFIPS140 checks that a connection with GODEBUG=fips140=only is an error that names SHA-1,
// and not a panic. Only a child process has this setting.
func TestDialFIPS140(t *testing.T) {
	const setting = "fips140=only"
	if !strings.Contains(os.Getenv("GODEBUG"), setting) {
		child := exec.Command(os.Args[0], "-test.run=^TestDialFIPS140$", "-test.v")
		child.Env = append(os.Environ(), "GODEBUG="+setting)
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestDialFIPS140") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	c := serveHTTP(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		w.WriteHeader(http.StatusSwitchingProtocols)
	})
	if conn, _, err := c.dial(t.Context()); conn != nil || err == nil ||
		!strings.Contains(err.Error(), "SHA-1") {
		t.Errorf("%v, %v, want an error about SHA-1", conn, err)
	}
}
