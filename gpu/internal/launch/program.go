package launch

import (
	"maps"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A program describes the kernel of a kind and which of these arguments it takes, in this order: n,
// flags, the columns, verdicts, out, table, tables of keys, and the number of keys.
type program struct {
	kernel string
	widths []int // widths of the columns, in bytes for each row
	flags  bool
	out    bool
	table  bool
	set    bool    // the kind has prepared keys
	keys   *keySet // tables of the call's keys, if set
}

// programs holds the programs of all kinds in which each row has its own verdict.
var programs = map[device.Kind]program{
	device.ECDSA:   {kernel: "k_ecdsa", widths: []int{32, 33, 64, 1}, flags: true, table: true},
	device.Schnorr: {kernel: "k_schnorr", widths: []int{32, 32, 64}, flags: true, table: true},
	device.PreparedECDSA: {kernel: "k_prepared_ecdsa", widths: []int{32, 4, 64}, flags: true,
		table: true, set: true},
	device.PreparedSchnorr: {kernel: "k_prepared_schnorr", widths: []int{32, 4, 64}, flags: true,
		table: true, set: true},
	device.Recover:        recovery,
	device.RecoverAddress: recovery,
	device.Decompress:     {kernel: "k_decompress", widths: []int{33}, out: true},
	device.PublicKeys:     {kernel: "k_pubkeys", widths: []int{32}, out: true, table: true},
}

var recovery = program{kernel: "k_recover", widths: []int{32, 65}, flags: true, out: true,
	table: true}

// programOf returns the program of a kind, and reports whether the kind has one.
func programOf(k device.Kind) (program, bool) {
	p, ok := programs[k]
	return p, ok
}

// kinds returns the kinds that have a program.
func kinds() []device.Kind { return slices.Sorted(maps.Keys(programs)) }

// widest returns the greatest width of each column over all programs.
func widest() (widths [4]int) {
	for _, k := range kinds() {
		p, _ := programOf(k)
		for i, w := range p.widths {
			widths[i] = max(widths[i], w)
		}
	}
	return widths
}

// arguments returns the arguments of a launch for n rows of c. A column without data is passed as a
// nil Buffer, a null pointer.
func (p *program) arguments(c *device.Call, n int, s *slot, table driver.Buffer) []any {
	args := []any{uint32(n)}
	if p.flags {
		args = append(args, kernels.Flags(c))
	}
	for i := range p.widths {
		if c.Columns[i].Data == nil {
			args = append(args, nil)
			continue
		}
		args = append(args, s.cols[i].buffer)
	}
	args = append(args, s.verdicts.buffer)
	if p.out {
		args = append(args, s.out.buffer)
	}
	if p.table {
		args = append(args, table)
	}
	if p.keys != nil {
		args = append(args, p.keys.tables, uint32(p.keys.count))
	}
	return args
}

// equationKinds maps each kind with one verdict for all rows to the kind that has the same columns
// and a verdict for each row.
var equationKinds = map[device.Kind]device.Kind{
	device.AllSchnorr: device.Schnorr,
	device.AllECDSA:   device.ECDSA,
}

// hasEquation reports whether a call has one verdict for all rows, and has all columns that an
// equation needs.
func hasEquation(c *device.Call) bool {
	switch c.Kind {
	case device.AllSchnorr:
		return true
	case device.AllECDSA:
		return c.Columns[3].Data != nil
	}
	return false
}
