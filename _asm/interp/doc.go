// Package interp interprets the instruction streams of the generated kernels.
//
// A generator builds a kernel as a list of instructions with their operands. The list is printed as
// Go assembly: for amd64 by avo, after register allocation; for arm64 and riscv64 by package
// listing. This package runs the same list on a model of the machine that tracks more than a CPU
// does: which bytes hold a value, which depend on secrets, and which memory the kernel was given.
// The interpreter is portable: it runs kernels of every architecture on any CPU.
//
// This package holds the machine and the rules that all instruction sets share. An [Architecture]
// describes one instruction set: registers, calling convention, instructions. Packages amd64, arm64
// and riscv64 each provide one.
//
// # What a run checks
//
// A test compares the results with those of an oracle in big integers. In addition, each of the
// following stops the run with a [Fault]:
//
//   - an instruction that is missing from the architecture's table;
//   - a read of a register, a byte of the frame or of an output, or a flag that holds no value:
//     it was never written, or the manual says that the last instruction leaves it undefined
//     (even if today's CPUs define it);
//   - a load or a store with even one byte outside the memory of the arguments, the frame, the
//     results and the read-only data; a store to an input; an access that needs an alignment
//     which Go does not promise. (A test with guard pages checks only one side of a region, at
//     page granularity, and cannot check the frame.)
//   - a return with an unset result, or one that breaks the calling convention (on amd64: with
//     the upper halves of vector registers in use, a moved stack pointer, a lost frame pointer or
//     another value in MXCSR);
//   - on amd64, a product in floating point that MXCSR rounds, unless the kernel has set MXCSR to
//     round toward zero, with all exceptions masked and without special rules for subnormal
//     numbers. When a kernel is called, MXCSR has a value with none of these properties.
//   - a read of a linker register (R15 on amd64) that was written before an access to read-only
//     data: in shared libraries and plugins, the linker's code for such an access overwrites it.
//
// For a kernel that is declared constant time, also:
//
//   - a conditional jump on a flag that depends on a secret;
//   - an address, even of a prefetch, that depends on a secret;
//   - a secret left in a vector register;
//   - an instruction whose time may depend on its operands. The table marks these; the other
//     instructions are on the vendors' lists of instructions with data-independent time.
//
// Secrecy is tracked for every byte of memory and of general registers, and for every vector lane,
// mask register and flag. It does not depend on values: a result is secret if an operand is. (A
// register minus itself, or xor itself, is public.) Since all conditional jumps and addresses are
// public, the path through a kernel depends only on public inputs, and so does the set of secret
// bytes at each step. Therefore one run for each value of the public inputs shows the first three
// properties for all secrets, not only for the secrets that were tried. Tests also fail if no run
// reached some instruction.
//
// # Proofs
//
// Package proof follows kernels for all inputs at once, and proves that their results are congruent
// to a polynomial of the inputs, or below a bound. For kernels that compute in lanes it also proves
// that no sum overflows, and that the limbs of results are in range. Package contract has the
// claims; a kernel without one must be listed with the reason.
//
// # How far the checks can be trusted
//
// Package probe wraps each instruction of a table in a small function. It runs that function in the
// interpreter and on the CPU, on random and extreme operands, and compares all registers, memory
// and the defined flags. The probes are in amd64/probes, arm64/probes and riscv64/probes; for a
// foreign architecture they run in an emulator. A toy architecture in this package's tests shows
// that the rules find each kind of fault without help from amd64. Package mutant plants an error in
// every instruction of every kernel; a test counts the errors that no input reveals, and bounds
// their number. Package contract calls kernels and chooses their inputs.
//
// # What the checks do not show
//
//   - Correctness on inputs that were not tried, except for kernels with claims. The factors of
//     products are chosen for carries that random factors do not reach, but this is testing, not
//     proof.
//   - That the assembler encodes the list correctly, and that the .s file in the library is the
//     printed list. The library's tests run the assembled kernels, and CI checks that regeneration
//     gives the same bytes.
//   - Anything about the callers, the Go declarations of the kernels, or stack growth.
//   - Timing below the level of instructions: caches (except through addresses), frequency,
//     speculation, and CPUs that break the vendors' lists.
//   - That general registers and the stack hold no secrets after the return.
//
// # Running it
//
//	cd _asm && GOWORK=off go test ./...
//
// With -v, the tests list the probes that this CPU could run and the planted errors that no input
// revealed.
//
// # Adding a kernel
//
// Add a line to the table of oracles in package contract's tests; a test fails without it. An
// oracle is the kernel's documented contract: which buffers may share memory, which inputs are
// allowed, and what the kernel leaves for exceptional inputs.
//
// # Adding an instruction
//
// Add a line to the table (amd64: instructions.go, vector_instructions.go, dwords.go), a function
// if no existing one has the same shape, a rule in package proof if a kernel with a claim uses it,
// and a case in amd64/probes; a test fails without the case. For arm64 and riscv64, add a line to
// the table, a method to listing/arm64 or listing/riscv64, and a case to the probes.
//
// # Adding an architecture
//
// Add a package beside amd64, arm64 and riscv64 with an [Architecture], a package beside
// listing/arm64 with a method for each instruction (or, as for amd64, a function that converts
// another generator's output to a [Program]), and a package of probes. This package and the oracles
// of package contract stay as they are. A register has at most eight lanes of 64 bits. If it has
// fewer than eight, it holds a part of a vector.
package interp
