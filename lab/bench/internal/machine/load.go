package machine

import (
	"os"
	"strconv"
	"strings"
)

// Unknown is the value of a count that the system does not provide.
const Unknown = -1

// Load returns the load averages of the last 1, 5 and 15 minutes, separated by spaces as in
// /proc/loadavg, or "unknown".
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

// others returns the number of running threads, not counting the caller's. field is the fourth
// field of /proc/loadavg, "running/existing".
func others(field string) int {
	running, _, _ := strings.Cut(field, "/")
	n, err := strconv.Atoi(running)
	if err != nil {
		return Unknown
	}
	return max(n-1, 0)
}

// loadavg returns the fields of /proc/loadavg (see proc_loadavg(5)), or nil if the system has no
// such file.
func loadavg() []string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 4 {
		return f
	}
	return nil
}
