//go:build !goexperiment.runtimesecret

package secret

// maxDepth and maxDeepDepth are the maximum stack depths, in bytes, of a function that Do or DoDeep
// calls, including the function's own frame. The library's operations need 2.3 and 7.0 KiB, and 0.6
// KiB more if they panic, or if the goroutine is interrupted, which never happens in a kernel.
// TestDepth measures their depth.
const (
	maxDepth     = 3 << 10
	maxDeepDepth = 31 << 8
)

// A pad is part of the frame of Do and never written to. While f runs, it keeps more than a quarter
// of the stack in use. Otherwise a garbage collection would halve the stack, and free the old one
// with all values that f has written.
//
// Let u be the number of bytes that Do's callers use. The size of a stack is a power of two. If no
// earlier call was deeper, it is the smallest one that holds u, this pad, maxDeepDepth, and 928
// bytes that the runtime keeps free. A garbage collection halves the stack if the bytes in use, u +
// 3328 + 800, are less than a quarter of its size. They never are: for u up to 4192 the size is at
// most 16 KiB, a quarter of which is 4096 bytes. For larger u the size is at most 2·(u + 12191)
// bytes, a quarter of which is less than u + 4128. (Windows keeps 5 KiB free, so this does not
// hold for some u. A maxDeepDepth above 8064 would break it everywhere.)
type pad [3328]byte

// Do runs f, which may use at most 3 KiB of stack, and leaves none of f's values on the stack or in
// registers. It does not allocate.
//
// If f panics, Do wipes the same memory and then panics with the same value. The trace of this
// panic begins at Do. The value must not hold a secret, because Do does not wipe it. f must not
// call runtime.Goexit, which never returns to Do.
//
// It clears the registers before the stack: if the runtime interrupts the wiping of the stack, it
// saves all registers below the part that is wiped.
//
//go:noinline
func Do(f func()) {
	if f == nil { // never true; this statement puts the pad into the frame
		new(pad).use()
		return
	}
	enter(false)
	value, returned := catch(f)
	clearRegisters()
	enter(true)
	if !returned { //ct:unrun no case panics
		panic(value) //layers:allow f panicked
	}
}

// DoDeep is Do for a function f that uses up to 7.75 KiB of stack, such as a multiplication of a
// point.
//
//go:noinline
func DoDeep(f func()) {
	if f == nil {
		new(pad).use()
		return
	}
	enterDeep(false)
	value, returned := catch(f)
	clearRegisters()
	enterDeep(true)
	if !returned { //ct:unrun no case panics
		panic(value) //layers:allow f panicked
	}
}

// catch calls f and reports whether it returned. If f panics, catch returns the value of the panic,
// which is nil if GODEBUG has panicnil=1 and f calls panic(nil).
//
//go:noinline
func catch(f func()) (value any, returned bool) {
	defer func() {
		if !returned { //ct:unrun no case panics
			value = recover()
		}
	}()
	timed(f)
	return nil, true
}

// enter has a frame of maxDepth bytes that begins at the address where the frame of catch begins,
// so calling it grows the stack by enough for catch and f. If wipe is set it also zeroes the frame:
// the compiler zeroes a variable whose address is taken.
//
//go:noinline
func enter(wipe bool) {
	if wipe {
		var frame [maxDepth]byte
		use(&frame[0])
	}
}

// enterDeep does the work of enter with a frame of maxDeepDepth bytes.
//
//go:noinline
func enterDeep(wipe bool) {
	if wipe {
		var frame [maxDeepDepth]byte
		use(&frame[0])
	}
}

// use makes the compiler treat the array at p as used, so that it keeps the stores to it.
//
//go:noinline
func use(p *byte) {}

//go:noinline
func (p *pad) use() {}
