//go:build (((arm64 || riscv64) && purego) || 386) && !race && !valgrind

package secret_test

// Registers are not cleared in this build, so there are no such operations.
var registerOperations, registerLeaks, kernelLeaks []operation
