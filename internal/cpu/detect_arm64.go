//go:build !purego

package cpu

import "os"

// detect finds the one level that every CPU of arm64 has, if the environment leaves it.
func detect() (usable, off Feature) {
	taken, _ := ParseSwitch(os.Getenv(Switch))
	return A64 &^ taken, A64 & taken
}
