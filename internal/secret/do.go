//go:build !goexperiment.runtimesecret

package secret

// room and deepRoom are how deep the stack may go in a function that is run, its own
// frame included. The operations of the library need 2.3 and 5.3 KiB, and 0.6 KiB more
// if the goroutine is interrupted there. A test measures their depth.
const (
	room     = 3 << 10
	deepRoom = 6 << 10
)

// A pad is in the frame of Do and never written to. It keeps the part of a stack that
// is in use above a quarter while f runs: below that, a collection of garbage halves
// the stack, and frees the old one with everything that f has written.
//
// Let u bytes be in use above Do. A stack has 2^k bytes, and, if no other call was
// deeper, no more than are needed for u, this pad, deepRoom, and 928 bytes that the
// runtime keeps free. It is halved if u + 3328 + 800 bytes are less than a quarter.
// Up to u = 5952 it has 16 KiB at most, a quarter of which is 4096 bytes. Beyond,
// it has less than 2·(u + 10432), and a quarter of that is less than u + 4128.
// (Windows keeps 5 KiB free, and then this does not hold for some u.)
type pad [3328]byte

// Do runs f, which needs at most 3 KiB of stack, and leaves none of f's values on the
// stack or in registers. It does not allocate.
//
// Registers come first: the runtime may interrupt the wiping of the stack, and then saves
// all registers below what is wiped.
//
//go:noinline
func Do(f func()) {
	if f == nil { // never: this puts a pad into the frame
		new(pad).use()
		return
	}
	enter(false)
	timed(f)
	clearRegisters()
	enter(true)
}

// DoDeep is Do for an f that needs up to 6 KiB, as a multiplication of a variable
// point does.
//
//go:noinline
func DoDeep(f func()) {
	if f == nil {
		new(pad).use()
		return
	}
	enterDeep(false)
	timed(f)
	clearRegisters()
	enterDeep(true)
}

// enter has a frame of the size of room that begins where the frame of f does, so that
// a call makes the stack that large. If wipe is set it also zeroes the frame: the
// compiler zeroes a variable whose address is taken.
//
//go:noinline
func enter(wipe bool) {
	if wipe {
		var frame [room]byte
		use(&frame[0])
	}
}

// enterDeep is enter with a frame of the size of deepRoom.
//
//go:noinline
func enterDeep(wipe bool) {
	if wipe {
		var frame [deepRoom]byte
		use(&frame[0])
	}
}

// use stands for a use of the array that begins at p.
//
//go:noinline
func use(p *byte) {}

//go:noinline
func (p *pad) use() {}
