//go:build gpu

package check

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

var deviceLine = regexp.MustCompile(`(?m)^device .*\n`)

// TestDevice checks that the command writes the same report with and without a device. The device
// must verify rows of every signature scheme.
func TestDevice(t *testing.T) {
	name := commandtest.OpenCL(t)
	block, spent := sampleFiles(t)
	for _, test := range []struct {
		name string
		args []string
		rows int64 // minimum number of rows that the device must verify
	}{
		{"ECDSA", []string{"--spent", spent, block}, 400},
		{"BIP-340", []string{nostrFile(t)}, 500},
		{"bad rows", []string{"--format", "packed-bip340", write(t, "rows", corruptRows(t))},
			corruptCount},
		{"recovery", []string{mainnetBlock(19431837)}, 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"check", "--max-failures", "10000"}, test.args...)
			status, want, _ := invoke(t, "", args...)
			args = append(args, "--device", name, "--device-from", "1")
			got, said := clitest.RunCommand(t, status, nil, args...)
			if clitest.WithoutTime(deviceLine.ReplaceAllString(got, "")) != clitest.WithoutTime(want) ||
				said != "" {
				t.Errorf("with a device:\n%s%s\nwithout:\n%s", got, said, want)
			}
			got, _ = clitest.RunCommand(t, status, nil, append(args, "--json")...)
			var r result
			if err := json.Unmarshal([]byte(got), &r); err != nil {
				t.Fatal(err)
			}
			if r.Device == nil || r.Device.Rows < test.rows || r.Device.Rows > r.Rows ||
				!strings.HasPrefix(r.Device.Name, name+" ") {
				t.Errorf("of %d rows %+v did its share, want at least %d", r.Rows, r.Device, test.rows)
			}
		})
	}
}
