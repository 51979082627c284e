// Package interp interprets the instruction streams of the generated kernels.
//
// A generator builds a kernel as data: a list of instructions with their
// operands, which is printed as Go assembly: for amd64 by avo, once it has allocated
// registers, for arm64 and riscv64 by package listing. The same list is run here, on a model of the
// machine that knows more than a CPU does: which bytes hold a value, which depend on secrets,
// and which memory the kernel was given. It runs on every machine, whatever its CPU.
//
// This package holds the machine and the rules, which are the same for every instruction
// set. An [Architecture] is the table of one: registers, calling convention, instructions.
// Packages amd64, arm64 and riscv64 are such tables.
//
// # What a run checks
//
// The results are what the test's oracle, in big integers, says. In addition
// each of the following stops the run with a [Fault]:
//
//   - an instruction that is not in the table of this package;
//   - reading a register, a byte of the frame or of an output, or a flag that
//     holds no value, at entry or because the last instruction left it
//     undefined by the manual, whatever today's CPUs do;
//   - a load or a store of even one byte outside what the arguments point to,
//     the frame, the results and the read-only data, a store to an input, an
//     aligned access where Go promises no alignment (a test with guard pages
//     sees one side of a region, at the grain of its pages, and no frame);
//   - returning with a result that is not set, or against the calling convention
//     (of amd64: with the upper halves of vector registers in use, a moved stack
//     pointer or a lost frame pointer);
//   - using a register that belongs to the linker across an access to read-only
//     data (of amd64: R15), which a build for shared libraries or plugins does not
//     allow.
//
// For a kernel that is declared constant time, also:
//
//   - a conditional jump on a flag that depends on a secret;
//   - an address, even of a prefetch, that depends on a secret;
//   - a secret left in a vector register;
//   - an instruction whose time may depend on its operands. The table marks
//     them; the rest is in the vendors' lists of those that do not.
//
// Secrecy is followed through every byte of memory, byte of a general register,
// lane of a vector, mask register and flag. What becomes of it does not depend
// on values: a result is secret if an operand is (a register minus or xor
// itself is not). All conditional jumps and addresses being public, the path
// through a kernel depends on public inputs alone, and so does what is secret
// where. One run for every value of the public inputs that the kernel is used
// with therefore shows these three properties for all secrets, not only for
// those that were tried. Tests also fail if there is an instruction that no run
// reached.
//
// # Ranges
//
// [Ranges] follows the kernels on lanes, those that read and write rows too, for all
// inputs at once: it proves that no factor is negative or has more bits that count than
// the multiplier reads, that no sum overflows, that nothing carried or half a product is lost, and
// that results are in range, canonical ones below the modulus. What it takes on
// trust is in its comment.
//
// # How far that can be trusted
//
// Package probe runs every instruction of a table as a function of its own,
// interpreted and on the CPU, on random and extreme operands, and compares all
// registers, memory and the flags that are defined; amd64/probes has those of amd64, and
// arm64/probes and riscv64/probes those of arm64 and riscv64, which an emulator runs elsewhere.
// A toy table in this package's tests shows that the rules find each kind of fault
// without anything that amd64 has. Package mutant plants an
// error in every instruction of every kernel; those that no input reveals are
// counted, and a test bounds their number. Package contract calls kernels and
// chooses their inputs.
//
// # What it does not show
//
//   - Correctness on inputs that were not tried, but for ranges. The inputs are
//     chosen for the carries that random ones do not reach, but this is testing,
//     not proof.
//   - That the assembler encodes what the list says, and that the .s file in the
//     core is the printed list: that is for the tests of the core, which run the
//     assembled kernels, and for the check that regeneration gives the same bytes.
//   - Anything about the callers, the Go declarations with which the kernels
//     are called, or stack growth.
//   - Timing below the level of instructions: caches other than through
//     addresses, frequency, speculation, and CPUs that break the vendors' lists.
//   - That general registers and the stack hold no secrets after the return.
//
// # Running it
//
//	cd _asm && GOWORK=off go test ./...
//
// With -v the tests say which probes this CPU could run and which planted errors
// nothing revealed.
//
// # Adding a kernel
//
// A line in the table of oracles in package contract's tests, without which a
// test fails. An oracle is the kernel's documented contract: which buffers may
// share memory, which inputs are allowed, what is left for exceptional ones.
//
// # Adding an instruction
//
// A line in the table (amd64: instructions.go, vector_instructions.go, dwords.go), a
// function if no existing one has its shape, a rule for ranges if it works on lanes
// (ranges.go), and a case in amd64/probes, without which a test fails. For arm64 and
// riscv64: a line in its table and in listing/arm64 or listing/riscv64, and a case in its probes.
//
// # Adding an architecture
//
// A package beside amd64, arm64 and riscv64 with an [Architecture], one beside listing/arm64
// that has a method for each instruction (or, as for amd64, a function that makes a [Program]
// of what another generator built), and a package of probes. Nothing here changes, and neither
// do the oracles of package contract. Registers have up to eight lanes of 64 bits. What has
// fewer than eight holds a part of a vector, and then rows of words cannot be followed by
// [Ranges].
package interp
