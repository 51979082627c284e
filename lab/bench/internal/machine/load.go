package machine

import (
	"os"
	"strconv"
	"strings"
)

// Unknown stands for a count that the system does not provide.
const Unknown = -1

// Load returns the load averages of the last 1, 5 and 15 minutes in Linux's format, or "unknown".
func Load() string {
	f := loadavg()
	if f == nil {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}

// Others returns the number of threads of other programs that are running or ready to run at this
// moment on any CPU, or Unknown. It does not count the caller's thread.
func Others() int {
	f := loadavg()
	if f == nil {
		return Unknown
	}
	return others(f[3])
}

// others parses "running/existing", the fourth field of /proc/loadavg.
func others(field string) int {
	running, _, _ := strings.Cut(field, "/")
	n, err := strconv.Atoi(running)
	if err != nil {
		return Unknown
	}
	return max(n-1, 0)
}

// loadavg returns the fields of /proc/loadavg, proc_loadavg(5), or nil.
func loadavg() []string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 4 {
		return f
	}
	return nil
}
