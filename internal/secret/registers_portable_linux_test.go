//go:build (((arm64 || riscv64) && purego) || 386) && !race && !valgrind

package secret_test

// Registers are not cleared here.
var registerOperations, registerLeaks, kernelLeaks []operation
