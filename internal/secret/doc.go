// Package secret runs code that handles secrets and leaves nothing of them on the
// stack or in registers. It is what runtime/secret is, for every toolchain; where
// that package is there, built with GOEXPERIMENT=runtimesecret, it is used.
//
// What a function wipes itself, its own variables, is not all that it leaves:
//
//   - Copies that the compiler made. Registers are spilled to the stack, results
//     are returned through it, and inlined code has variables of its own. They
//     stay in the dead part of the stack, below the stack pointer, until another
//     call happens to overwrite them.
//   - Old stacks. A goroutine that needs more stack gets a larger one, to which
//     the runtime copies what is in use; the old one is freed as it is. So is the
//     stack of a goroutine that needs less than a quarter of it, at a collection
//     of garbage.
//   - Vector registers. The standard library copies and hashes through them.
//
// [Do] makes the stack large enough first, so that it does not move while the
// function runs, and overwrites what the function may have used of it at the end,
// and the registers. What the function leaves in the frames of its callers or on
// the heap is its own business: it takes pointers to where its results go, and
// holds every secret in variables of its own.
//
// What remains: a signal that arrives while the function runs stores all
// registers of its thread, on a stack of the thread that the next signal
// overwrites; Go interrupts long computations with one, and then keeps the vector
// registers in memory of its own as well. And a goroutine whose stack is more than
// four times as large as it needs, because it once called something much deeper or
// began with the average of the others, may still be moved. Only runtime/secret
// reaches those, or the settings asyncpreemptoff=1 and gcshrinkstackoff=1 of GODEBUG.
package secret

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package secret -dir ../internal/secret
