// Package secret runs code that handles secrets and leaves nothing of them on the
// stack or in registers. It does the work of runtime/secret for every toolchain. In
// builds with GOEXPERIMENT=runtimesecret it calls that package.
//
// A function can wipe its own variables. It leaves more than those:
//
//   - Copies that the compiler made. Registers are spilled to the stack, results
//     are returned through it, and inlined code has variables of its own. They
//     stay in the dead part of the stack, below the stack pointer, until another
//     call happens to overwrite them.
//   - Old stacks. A goroutine that needs more stack gets a larger one, to which
//     the runtime copies the part in use. The old one is freed and not wiped. A
//     collection of garbage does the same to the stack of a goroutine that uses
//     less than a quarter of it, and gives it a smaller one.
//   - Vector registers. The standard library copies and hashes through them. Those of a
//     level that is switched off are not cleared: docs/constant-time.md says why that is
//     enough.
//
// [Do] makes the stack large enough first, so that it does not move while the
// function runs. At the end it overwrites the part that the function may have used,
// and the registers. It does not reach the frames of the function's callers, nor the
// heap: the function takes pointers to where its results go, and holds every secret in
// variables of its own.
//
// On arm64 the function runs with data-independent timing, where the CPU has it.
//
// Two kinds of copies remain. A signal that arrives while the function runs stores all
// registers of its thread, on a stack of the thread that the next signal overwrites.
// Go interrupts long computations with one, and then keeps the vector registers in
// memory of its own as well. And a goroutine may still be moved to another stack if its
// own is more than four times as large as it needs, because it once called a much
// deeper function or began with the average of the others. Only runtime/secret reaches
// those, or the settings asyncpreemptoff=1 and gcshrinkstackoff=1 of GODEBUG.
package secret

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package secret -dir ../internal/secret
