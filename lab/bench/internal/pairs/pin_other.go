//go:build !linux

package pairs

// pinned calls start, which starts a process. The process is not pinned to a CPU.
func pinned(start func() error) error { return start() }

// pinnedTo returns false: processes are not pinned here.
func pinnedTo() (cpu int, ok bool) { return 0, false }
