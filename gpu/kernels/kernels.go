// Package kernels holds the programs that devices run, as text. They are written in a
// subset of C that clang compiles as CUDA, a driver as OpenCL C 1.2, and gcc as C11 for
// the tests; vendor.h names what differs. Devices see public data alone: no time, branch
// or address of these programs is independent of what they compute on.
//
//go:generate go run generate.go
package kernels
