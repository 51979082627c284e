//go:build !purego

package cpu

import "os"

// detect finds the one level that every CPU of riscv64 has, if the environment leaves it.
func detect() Feature { return RV64 &^ parseSwitch(os.Getenv(Switch)) }
