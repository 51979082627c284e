package pairs

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// pinned calls start, which starts a process. If the system allows it, the process stays on one
// CPU.
func pinned(start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) == nil {
		one.Set(last(&all))
		if unix.SchedSetaffinity(0, &one) == nil {
			defer unix.SchedSetaffinity(0, &all)
		}
	}
	return start()
}

// pinnedTo returns the CPU to which pinned restricts processes, and false if it does not restrict
// them.
func pinnedTo() (cpu int, ok bool) {
	var one unix.CPUSet
	pinned(func() error { return unix.SchedGetaffinity(0, &one) })
	return last(&one), one.Count() == 1
}

// last returns the CPU with the highest number in a set, because systems let the first CPUs serve
// more interrupts.
func last(s *unix.CPUSet) (cpu int) {
	for i := range 64 * len(s) {
		if s.IsSet(i) {
			cpu = i
		}
	}
	return cpu
}
