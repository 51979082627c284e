//go:build !linux

package pairs

// pinned calls start, which starts a process. On this system it does not restrict the process to
// one CPU.
func pinned(start func() error) error { return start() }

// pinnedTo returns false: on this system pinned does not restrict processes to one CPU.
func pinnedTo() (cpu int, ok bool) { return 0, false }
