//go:build !linux

package pairs

// pinned calls a function that starts a process, on whatever CPU.
func pinned(start func() error) error { return start() }

// pinnedTo says that processes are not pinned here.
func pinnedTo() (cpu int, ok bool) { return 0, false }
