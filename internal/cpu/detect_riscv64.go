//go:build !purego

package cpu

import "os"

// detect returns RV64, which every riscv64 CPU has, unless the environment variable removes it.
func detect() Feature { return RV64 &^ parseSwitch(os.Getenv(Switch)) }
