//go:build !purego

package cpu

import "os"

// detect returns A64, which every arm64 CPU has, unless the environment variable removes it.
func detect() Feature { return A64 &^ parseSwitch(os.Getenv(Switch)) }
