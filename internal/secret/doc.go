// Package secret runs functions that handle secrets, and leaves none of the secrets on the stack or
// in registers. It does the work of runtime/secret on every version of Go. In builds with
// GOEXPERIMENT=runtimesecret it calls that package.
//
// A function can wipe its own variables, but other copies remain:
//
//   - Copies that the compiler made. Registers are spilled to the stack, results
//     are returned through it, and inlined code has its own variables. These copies
//     remain below the stack pointer, in the dead part of the stack, until another
//     call overwrites them.
//   - Old stacks. If a goroutine needs more stack, the runtime copies the part in
//     use to a larger one, and frees the old one without wiping it. A garbage
//     collection moves the stack to a smaller one if the goroutine uses less than a
//     quarter of it.
//   - Vector registers. The standard library copies and hashes with them. Registers
//     of a disabled level are not cleared; docs/constant-time.md explains why that is
//     enough.
//
// [Do] first grows the stack, so that it does not move while the function runs. At the end it
// overwrites the part of the stack that the function may have used, and the registers, also if the
// function panicked. It does not wipe the frames of the function's callers, or the heap. So the
// function must get pointers to its results, and hold all secrets in its own variables.
//
// On arm64 CPUs with data-independent timing (DIT), Do enables DIT while the function runs.
//
// Two kinds of copies remain. First, a signal that arrives while the function runs stores all
// registers on the thread's signal stack, which only the next signal overwrites. Go interrupts long
// computations with a signal, and then also keeps the vector registers in its own memory. Second,
// the runtime may still move a goroutine to another stack if its own is more than four times as
// large as necessary, because an earlier call was much deeper or because goroutines begin with the
// average size. Only runtime/secret prevents these copies, or the settings asyncpreemptoff=1 and
// gcshrinkstackoff=1 of GODEBUG. With these settings a collection still stops the function at a
// call, and the runtime rarely saves a general register then. In a loop over rows a value can stay
// in a register for long, so package batch calls [ClearRegisters] after it loads the secrets of a
// block of rows, and after each row that it signs.
package secret

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package secret -dir ../internal/secret
