//go:build !darwin

package machine

// brand returns "": on systems other than macOS, the CPU's name is read from /proc/cpuinfo.
func brand() string { return "" }
