//go:build ((!amd64 && !arm64 && !riscv64) || purego) && !(permuted && purego)

package cpu

// detect returns no features: all implementations except the portable one are assembly
// for amd64, arm64 or riscv64. So the environment variable has no effect here.
func detect() Feature { return 0 }
