//go:build ((!amd64 && !arm64 && !riscv64) || purego) && !(permuted && purego)

package cpu

// detect returns no features: on this architecture, or under purego, there is only the portable
// implementation. So the environment variable has no effect.
func detect() Feature { return 0 }
