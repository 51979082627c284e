//go:build (amd64 || ((arm64 || riscv64) && !purego)) && !race && !valgrind

package secret_test

import (
	"runtime"
	"syscall"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/lab/operations"
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
	{"leak: a frame and registers of a panic", 0, locked(func(o *operations.Operands) {
		d := (*[32]byte)(o.D)
		catch(call, func() {
			copyThroughVector(d, d)
			sinkFirst(copyOf(d[:]))
			panic(o)
		})
	}), aKey},
	{"leak: a vector register", 0, locked(func(o *operations.Operands) {
		d := (*[32]byte)(o.D)
		call(func() { copyThroughVector(d, d) })
	}), aKey},
}

// kernelLeaks are operations that leave secrets in registers if the multiplication kernel has
// enough registers for all operands. On some architectures these registers are overwritten before
// the signal that makes the kernel store them.
var kernelLeaks = []operation{
	{"leak: the registers of a kernel", 0, locked(multiply), aKey},
}

// multiply squares d with the multiplication kernel, which leaves its operands in registers.
func multiply(o *operations.Operands) {
	var x, y field.Element
	x.SetBytes((*[32]byte)(o.D))
	y.Mul(&x, &x)
	x.Wipe()
	y.Wipe()
}

var registerOperations = []operation{
	{"registers", 0, locked(func(o *operations.Operands) {
		d := (*[32]byte)(o.D)
		secret.Do(func() { copyThroughVector(d, d) })
	}), aKey},
	{"registers of a kernel", 0, locked(func(o *operations.Operands) {
		secret.Do(func() { multiply(o) })
	}), aKey},
	{"registers after a panic", 0, locked(func(o *operations.Operands) {
		d := (*[32]byte)(o.D)
		catch(secret.Do, func() {
			copyThroughVector(d, d)
			sinkFirst(copyOf(d[:]))
			panic(o)
		})
	}), aKey},
	// This operation copies a point, which the compiler does through vector registers.
	{"registers after group.Point.Set", operations.Points, locked(func(o *operations.Operands) {
		o.R.Set(o.P)
	}), aPoint},
	{"registers after group.Point.Neg", operations.Points, locked(func(o *operations.Operands) {
		o.R.Negate(o.P)
	}), aPoint},
	{"registers after group.Point.Add", operations.Points, locked(func(o *operations.Operands) {
		o.R.Add(o.P, o.Q)
	}), twoPoints},
	{"registers after group.Point.ScalarMult", operations.Points, locked(func(o *operations.Operands) {
		o.R.ScalarMult(o.Y, o.P)
	}), aSecretMult},
	{"registers after group.Scalar.Set", operations.Scalars, locked(func(o *operations.Operands) {
		o.Z.Set(o.X)
	}), aKey},
}

// locked returns an operation that runs f and then interrupts its own thread, so that the kernel
// stores the registers in memory.
func locked(f func(o *operations.Operands)) func(o *operations.Operands) error {
	return func(o *operations.Operands) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		f(o)
		interrupt()
		return nil
	}
}
