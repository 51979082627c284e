//go:build !valgrind || !amd64 || purego

package main

// assume changes nothing: the subject uses the CPU features that the CPU reports.
func assume() {}
