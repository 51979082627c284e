//go:build !purego

package cpu

import "os"

// detect finds the one level that every CPU of riscv64 has, if the environment leaves it.
func detect() (usable, off Feature) {
	taken, _ := ParseSwitch(os.Getenv(Switch))
	return RV64 &^ taken, RV64 & taken
}
