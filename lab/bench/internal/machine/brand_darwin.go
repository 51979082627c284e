package machine

import "golang.org/x/sys/unix"

// brand returns what macOS calls the CPU.
func brand() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
