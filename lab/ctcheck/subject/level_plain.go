//go:build !valgrind || !amd64 || purego

package main

// assume leaves the CPU features unchanged.
func assume() {}
