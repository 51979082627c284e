package machine

import (
	"os"
	"strings"
)

// Unknown is the value of a count that the system does not provide.
const Unknown = -1

// Load returns the load averages of the last 1, 5 and 15 minutes, separated by spaces as in
// /proc/loadavg (proc_loadavg(5)), or "unknown" if the system has no such file.
func Load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 3 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}
