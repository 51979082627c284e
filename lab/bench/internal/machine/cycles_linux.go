package machine

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CountCycles returns the core cycles that f takes in user space. It returns false if the CPU or
// the system does not count them.
func CountCycles(f func()) (float64, bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_CPU_CYCLES,
		Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	read := func() (uint64, bool) {
		var b [8]byte
		n, err := unix.Read(fd, b[:])
		return binary.NativeEndian.Uint64(b[:]), err == nil && n == 8
	}
	before, ok := read()
	if !ok {
		return 0, false
	}
	f()
	after, ok := read()
	return float64(after - before), ok && after > before
}
