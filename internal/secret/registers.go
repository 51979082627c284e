package secret

import "runtime"

// ClearRegisters overwrites the registers, as Do does when f returns. A function f with a loop over
// many rows may call it after each row. If a garbage collection stops f in a later row, the runtime
// can save registers that still hold an earlier row's values.
func ClearRegisters() { clearRegisters() }

// clearRegistersGeneric overwrites registers without assembly. It copies zeros by the runtime's
// memmove. On amd64 this copies 256 bytes through all sixteen 128-bit registers, and on 386 it
// copies 128 bytes through all eight. Its longer copies, and the standard library's hashes, clear
// the upper parts of wider registers themselves. On other architectures the compiler and the
// runtime copy through vector registers too, but memmove need not overwrite all of them.
//
//lint:ignore U1000 builds with assembly have a kernel instead
//go:noinline
func clearRegistersGeneric() {
	var from, to [256]byte
	for n := len(from); n >= 128; n /= 2 { // n is not constant, so the compiler calls memmove
		copy(to[:n], from[:n])
	}
	runtime.KeepAlive(&to)
	//lint:ignore SA4017 the registers that it leaves are its effect
	fillGeneral(0, 0, 0, 0, 0, 0, 0, 0, 0)
}

// fillGeneral computes with so many numbers at a time that on amd64 the compiler keeps one in every
// general register. If all arguments are zero, so are all the numbers.
//
//lint:ignore U1000 builds with assembly have a kernel instead
//go:noinline
func fillGeneral(a, b, c, d, e, f, g, h, i uint64) (_, _, _, _, _, _, _, _, _ uint64) {
	j, k, l, m := a^b, c^d, e^f, g^h
	return a + m, b + j, c + k, d + l, e + j, f + m, g + k, h + l, i + (j & k & l & m)
}
