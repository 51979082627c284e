// Package kernels holds the source text of the programs that devices run. It is written in a subset
// of C that compiles as CUDA with clang, as OpenCL C 1.2 with drivers, and as C11 with gcc in the
// tests; vendor.h defines the differences. The programs are for public data only: their running
// time, branches and addresses depend on the data.
//
// Each work item of a program computes one row. Work items run in groups of [GroupSize]; those with
// an index of n or more do nothing. Columns are packed, and hold the bytes of the columns of
// device.Call:
//
//	k_ecdsa(n, flags uint32, hashes, keys, sigs, ids, verdicts, table)
//	k_schnorr(n, flags uint32, messages, keys, sigs, verdicts, table)
//	k_recover(n, flags uint32, hashes, sigs, verdicts, out, table)
//	k_decompress(n uint32, keys, verdicts, out)
//	k_pubkeys(n uint32, scalars, verdicts, out, table)
//
// ids is a null pointer in calls without recovery ids. The argument table is the table [Comb] or
// one with larger windows. A larger table begins with [CombStart], and this kernel computes the
// rest of it step by step:
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

// GroupSize is the number of work items in a group. It is fixed when the programs are compiled.
const GroupSize = 128

// Flags of a launch. LowS and Hashed have the meaning of the rules of the same names in package
// device. If Address is set, the results of k_recover are Ethereum addresses instead of keys.
const (
	LowS    = 1
	Hashed  = 2
	Address = 4
)

// Rules returns the rules that the kernels implement for a kind of calls.
func Rules(k device.Kind) device.Rules {
	switch k {
	case device.Schnorr, device.AllSchnorr:
		return device.Hashed
	case device.ECDSA, device.AllECDSA, device.PreparedECDSA, device.Recover, device.RecoverAddress:
		return device.LowS
	}
	return 0
}

// Flags returns the flags of a launch for call c. The call's rules must be among those that Rules
// returns.
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

// The benchmarks are embedded separately, so that a program that does not run them is a megabyte
// smaller.
//
//go:embed bench.*
var bench embed.FS

// Rows returns the program for calls in which each row has its own verdict.
func Rows() *driver.Program { return load(files, "rows") }

// Sums returns the program for sums of products and for equations over many rows, which package
// sums launches.
func Sums() *driver.Program { return load(files, "sums") }

// Bench returns the program of the benchmarks. bench_field.h and bench_point.h describe its
// kernels. Only benchmarks launch them.
func Bench() *driver.Program { return load(bench, "bench") }

// load returns the named program. Its source is the file with the suffix .cl, with all includes
// inserted; the text is valid OpenCL C 1.2, CUDA and C11. Its PTX is the output of clang-15 for
// NVIDIA devices of compute capability 7.5 and newer. All drivers since CUDA 10.0 load that PTX.
// With the build tag cubin, the programs for calls also have machine code.
func load(from embed.FS, name string) *driver.Program {
	source, err1 := from.ReadFile(name + ".cl")
	ptx, err2 := from.ReadFile(name + ".ptx")
	if err1 != nil || err2 != nil {
		return nil // no such program
	}
	var text strings.Builder
	include(&text, map[string]bool{}, string(source))
	return &driver.Program{Name: name, Source: text.String(), PTX: string(ptx),
		Cubin: func(major, minor int) []byte {
			return cubin(cubins, name, string(ptx), major, minor)
		}}
}

// include appends source to text. It replaces the first include directive for each embedded header
// by the header, and keeps the first one for every other header. It removes all later directives
// for the same header.
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
