// Package kernels holds the programs that devices run, as text. They are written in a
// subset of C that clang compiles as CUDA, a driver as OpenCL C 1.2, and gcc as C11 for
// the tests; vendor.h names what differs. Devices see public data alone: no time, branch
// or address of these programs is independent of what they compute on.
//
// Every program has one work item a row, in groups of [GroupSize], and passes over those
// from n on. Columns are packed, and their bytes are those of device.Call:
//
//	k_ecdsa(n, flags uint32, hashes, keys, sigs, ids, verdicts, table)
//	k_schnorr(n, flags uint32, messages, keys, sigs, verdicts, table)
//	k_recover(n, flags uint32, hashes, sigs, verdicts, out, table)
//	k_decompress(n uint32, keys, verdicts, out)
//	k_pubkeys(n uint32, scalars, verdicts, out, table)
//
// Where there are no recovery ids, ids is a null pointer. table is that of [Comb], or a wider one,
// which [CombStart] begins and a kernel without rows makes, step by step:
//
//	k_comb(n, step uint32, table)
package kernels

import (
	"embed"
	"strings"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

//go:generate go run generate.go

// GroupSize is the number of work items in a group, which the programs are compiled for.
const GroupSize = 128

// Flags of a launch. LowS and Hashed are the rules of these names of package device. With Address
// the results of k_recover are Ethereum addresses instead of keys.
const (
	LowS    = 1
	Hashed  = 2
	Address = 4
)

// Rules returns the rules that the kernels of a kind of calls know.
func Rules(k device.Kind) device.Rules {
	switch k {
	case device.Schnorr, device.AllSchnorr:
		return device.Hashed
	case device.ECDSA, device.AllECDSA, device.PreparedECDSA, device.Recover, device.RecoverAddress:
		return device.LowS
	}
	return 0
}

// Flags returns the flags of a call whose rules the kernels know.
func Flags(c *device.Call) (flags uint32) {
	if c.Rules&device.LowS != 0 {
		flags |= LowS
	}
	if c.Rules&device.Hashed != 0 {
		flags |= Hashed
	}
	if c.Kind == device.RecoverAddress {
		flags |= Address
	}
	return flags
}

//go:embed *.h rows.* sums.*
var files embed.FS

// The benchmarks are apart: a program that does not run them is a megabyte shorter without.
//
//go:embed bench.*
var bench embed.FS

// Rows returns the kernels of calls whose rows have a verdict each.
func Rows() *driver.Program { return load(files, "rows") }

// Sums returns the kernels of sums of products, which package sums launches, and of equations for
// many rows, which package equation does.
func Sums() *driver.Program { return load(files, "sums") }

// Bench returns the kernels of benchmarks, which bench_field.h, bench_point.h and bench_rate.h
// describe. Nothing else launches them.
func Bench() *driver.Program { return load(bench, "bench") }

// load returns the program of a name. Its source is the file with the ending .cl as one text
// without includes, which is OpenCL C 1.2, CUDA and C11. Its PTX is what clang-15 makes of that for
// NVIDIA devices of compute capability 7.5 and newer. Every driver since CUDA 10.0 loads it.
func load(from embed.FS, name string) *driver.Program {
	source, err1 := from.ReadFile(name + ".cl")
	ptx, err2 := from.ReadFile(name + ".ptx")
	if err1 != nil || err2 != nil {
		return nil // there is no such program
	}
	var text strings.Builder
	include(&text, map[string]bool{}, string(source))
	return &driver.Program{Name: name, Source: text.String(), PTX: string(ptx)}
}

// include appends a source to text, with the headers that it includes in the place of the
// directives, each once. A directive for a header that is not embedded stays as it is.
func include(text *strings.Builder, seen map[string]bool, source string) {
	for line := range strings.Lines(source) {
		rest, ok := strings.CutPrefix(line, "#include \"")
		if !ok {
			text.WriteString(line)
			continue
		}
		header, _, _ := strings.Cut(rest, "\"")
		if seen[header] {
			continue
		}
		seen[header] = true
		if data, err := files.ReadFile(header); err == nil {
			include(text, seen, string(data))
		} else {
			text.WriteString(line)
		}
	}
}
