//go:build !purego

package cpu

import "os"

// detect finds the one level that every CPU of arm64 has, if the environment leaves it.
func detect() Feature { return A64 &^ parseSwitch(os.Getenv(Switch)) }
