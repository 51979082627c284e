//go:build (((arm64 || riscv64) && purego) || 386) && !race && !valgrind

package secret_test

// This build does not clear registers, so it has no operations that test this.
var registerOperations, registerLeaks, kernelLeaks []operation
