//go:build (amd64 || ((arm64 || riscv64) && !purego)) && !race && !valgrind

package secret_test

import (
	"runtime"
	"syscall"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// interrupt sends its own thread a signal that the runtime uses for preemption. The kernel then
// stores all registers on the thread's signal stack.
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

// copyThroughVector copies 32 bytes. The compiler copies them through a vector
// register.
//
//go:noinline
func copyThroughVector(to, from *[32]byte) { *to = *from }

var registerLeaks = []operation{
	{"leak: a frame and registers of a panic", locked(func(s *subject) {
		d := (*[32]byte)(s.d())
		catch(call, func() {
			copyThroughVector(d, d)
			sinkFirst(copyOf(d[:]))
			panic(s)
		})
	}), 0, aKey},
	{"leak: a vector register", locked(func(s *subject) {
		d := (*[32]byte)(s.d())
		call(func() { copyThroughVector(d, d) })
	}), 0, aKey},
}

// kernelLeaks are operations that leave secrets in registers if the multiplication kernel has
// enough registers for all operands. On some architectures these registers are overwritten before
// the signal that makes the kernel store them.
var kernelLeaks = []operation{
	{"leak: the registers of a kernel", locked(multiply), 0, aKey},
}

// multiply squares d with the multiplication kernel, which leaves its operands in registers.
func multiply(s *subject) {
	var x, y field.Element
	x.SetBytes((*[32]byte)(s.d()))
	y.Mul(&x, &x)
	x.Wipe()
	y.Wipe()
}

var registerOperations = []operation{
	{"registers", locked(func(s *subject) {
		d := (*[32]byte)(s.d())
		secret.Do(func() { copyThroughVector(d, d) })
	}), 0, aKey},
	{"registers of a kernel", locked(func(s *subject) {
		secret.Do(func() { multiply(s) })
	}), 0, aKey},
	{"registers after a panic", locked(func(s *subject) {
		d := (*[32]byte)(s.d())
		catch(secret.Do, func() {
			copyThroughVector(d, d)
			sinkFirst(copyOf(d[:]))
			panic(s)
		})
	}), 0, aKey},
	// This operation copies a point, which the compiler does through vector registers.
	{"registers after group.Point.Set", locked(func(s *subject) { s.r.Set(s.p) }), needPoints, aPoint},
	{"registers after group.Point.Neg", locked(func(s *subject) { s.r.Negate(s.p) }), needPoints,
		aPoint},
	{"registers after group.Point.Add",
		locked(func(s *subject) { s.r.Add(s.p, s.q) }), needPoints, twoPoints},
	{"registers after group.Point.ScalarMult",
		locked(func(s *subject) { s.r.ScalarMult(s.y, s.p) }), needPoints, aSecretMult},
	{"registers after group.Scalar.Set", locked(func(s *subject) { s.z.Set(s.x) }), needScalars, aKey},
}

// locked returns an operation that runs f and then interrupts its own thread, so that the kernel
// stores the registers in memory.
func locked(f func(s *subject)) func(s *subject) error {
	return func(s *subject) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		f(s)
		interrupt()
		return nil
	}
}
