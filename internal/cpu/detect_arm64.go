//go:build !purego

package cpu

import "os"

// detect returns the one level of every arm64 CPU, unless the environment variable removes it.
func detect() Feature { return A64 &^ parseSwitch(os.Getenv(Switch)) }
