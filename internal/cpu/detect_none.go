//go:build ((!amd64 && !arm64 && !riscv64) || purego) && !(permuted && purego)

package cpu

// detect finds nothing: every implementation but the portable one is assembly
// for amd64, arm64 or riscv64. So there is nothing to take away either.
func detect() Feature { return 0 }
