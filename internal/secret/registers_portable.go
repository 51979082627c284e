//go:build !amd64 || purego

package secret

// This is the seam of machines for which there is no assembly, without which registers
// cannot be cleared. The compiler hardly uses vectors there.

func clearRegisters() {}
