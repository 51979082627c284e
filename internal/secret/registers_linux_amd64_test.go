//go:build !purego && !race && !valgrind

package secret_test

import (
	"runtime"
	"syscall"

	"github.com/koblitz-go/koblitz/internal/secret"
)

// interrupt sends its own thread a signal of those that the runtime takes for an
// interruption: the kernel stores all registers on the thread's signal stack.
//
//go:nosplit
func interrupt() {
	syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(pid), tid(), uintptr(syscall.SIGURG))
}

var pid = syscall.Getpid()

//go:nosplit
func tid() uintptr {
	id, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	return id
}

// copyThroughVector copies 32 bytes, for which the compiler takes a vector
// register, and back.
//
//go:noinline
func copyThroughVector(to, from *[32]byte) { *to = *from }

var registerLeaks = []operation{
	{"leak: a vector register", func(s *subject) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		d := (*[32]byte)(s.d())
		call(func() { copyThroughVector(d, d) })
		interrupt()
		return nil
	}, 0, aKey},
}

var registerOperations = []operation{
	{"registers", func(s *subject) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		d := (*[32]byte)(s.d())
		secret.Do(func() { copyThroughVector(d, d) })
		interrupt()
		return nil
	}, 0, aKey},
}
