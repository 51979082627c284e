package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A row holds the resources that a kernel uses on one target.
type row struct {
	Target, Program, Kernel string

	Registers    int // 32-bit registers of a work item (on AMD, vector registers)
	Scalars      int // AMD's scalar registers of a wave
	Stack        int // bytes of local memory of a work item, including spills
	Shared       int // bytes of shared memory of a group
	Spills       int // NVIDIA: bytes stored and loaded; AMD: registers
	Instructions int // including the functions that the kernel calls
}

// maxRegisters is the limit for NVIDIA's kernels: four groups then fit on a multiprocessor. percent
// is the tolerance within which numbers may differ from the committed ones.
const (
	maxRegisters = 128
	percent      = 2
)

// head is the text with which compiled.txt begins.
const head = `# What each kernel takes. go run ./gate -update writes this.
#
# registers and sgprs: of a work item, and AMD's scalar ones of a wave. stack and shared: bytes of a
# work item and of a group. spills: bytes that are stored and loaded (sm), or registers (gfx).
# instructions: with those of the functions that the kernel calls.
#
# A kernel of NVIDIA's may have 128 registers. No kernel may spill.
`

// text returns the text of compiled.txt for the given rows.
func text(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n# %-6s %-7s %-14s %9s %5s %5s %6s %6s %12s\n", head, "target", "program",
		"kernel", "registers", "sgprs", "stack", "shared", "spills", "instructions")
	for _, r := range rows {
		fmt.Fprintf(&b, "%-8s %-7s %-14s %9d %5d %5d %6d %6d %12d\n", r.Target, r.Program, r.Kernel,
			r.Registers, r.Scalars, r.Stack, r.Shared, r.Spills, r.Instructions)
	}
	return b.String()
}

// parse parses the text of compiled.txt.
func parse(text string) (rows []row, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		var r row
		var more string
		fields, err := fmt.Sscan(line, &r.Target, &r.Program, &r.Kernel, &r.Registers, &r.Scalars,
			&r.Stack, &r.Shared, &r.Spills, &r.Instructions, &more)
		if fields == 9 {
			err = nil // the line has no field after the ninth
		} else if err == nil {
			err = errors.New("too many fields")
		}
		if err != nil {
			return nil, fmt.Errorf("compiled.txt, line %d: %w", n, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// limits returns an error for each row that exceeds a limit.
func limits(rows []row) (err error) {
	for _, r := range rows {
		if isNVIDIA(r.Target) && r.Registers > maxRegisters {
			err = errors.Join(err, fmt.Errorf("%s on %s: %d registers, the limit is %d",
				r.Kernel, r.Target, r.Registers, maxRegisters))
		}
		if r.Spills > 0 {
			err = errors.Join(err, fmt.Errorf("%s on %s: %d spills", r.Kernel, r.Target, r.Spills))
		}
	}
	return err
}

// compare returns an error for each row that exceeds a limit or differs from the row of the same
// kernel in table. It compares rows for the given targets only.
func compare(table, rows []row, targets []string) error {
	err := limits(rows)
	type key struct{ target, program, kernel string }
	committed := map[key]*row{}
	for i := range table {
		r := &table[i]
		if slices.Contains(targets, r.Target) {
			committed[key{r.Target, r.Program, r.Kernel}] = r
		}
	}
	for _, r := range rows {
		k := key{r.Target, r.Program, r.Kernel}
		c := committed[k]
		if c == nil {
			err = errors.Join(err, fmt.Errorf("%s on %s is not in compiled.txt", r.Kernel, r.Target))
			continue
		}
		delete(committed, k)
		for _, n := range []struct {
			what     string
			got, was int
			percent  int
		}{
			{"registers", r.Registers, c.Registers, percent},
			{"scalar registers", r.Scalars, c.Scalars, percent},
			{"bytes of stack", r.Stack, c.Stack, percent},
			{"bytes of shared memory", r.Shared, c.Shared, 0},
			{"spills", r.Spills, c.Spills, 0},
			{"instructions", r.Instructions, c.Instructions, percent},
		} {
			if d := n.got - n.was; 100*max(d, -d) > n.percent*n.was {
				err = errors.Join(err, fmt.Errorf("%s on %s: %d %s, and %d in compiled.txt",
					r.Kernel, r.Target, n.got, n.what, n.was))
			}
		}
	}
	for k := range committed {
		err = errors.Join(err, fmt.Errorf("%s on %s is in compiled.txt alone", k.kernel, k.target))
	}
	return err
}
