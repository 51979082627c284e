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

// Limits for registers and spills, and the tolerance, in percent, within which other numbers may
// differ from the committed ones.
const (
	maxRegisters = 128
	maxSpills    = 0
	percent      = 2
)

// An allowance lets one kernel exceed a limit, on all targets of a vendor.
type allowance struct {
	Vendor, Program, Kernel string
	What                    string // "registers" or "spills"
	Most                    int
}

// A table is the contents of compiled.txt.
type table struct {
	rows       []row
	allowances []allowance
}

// head is the text with which compiled.txt begins.
const head = `# What each kernel takes. go run ./gate -update writes this.
#
# registers and sgprs: of a work item, and AMD's scalar ones of a wave. stack and shared: bytes of a
# work item and of a group. spills: bytes that are stored and loaded (sm), or registers (gfx).
# instructions: with those of the functions that the kernel calls.
#
# A kernel may have 128 registers and no spills. A line "allow" is an exception for the targets of
# one vendor. It must be what the worst of them takes. -update makes it smaller, never larger.
`

// String returns the text of compiled.txt.
func (t *table) String() string {
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, a := range t.allowances {
		fmt.Fprintf(&b, "allow %s %s %s %s %d\n", a.Vendor, a.Program, a.Kernel, a.What, a.Most)
	}
	fmt.Fprintf(&b, "\n# %-6s %-7s %-14s %9s %5s %5s %6s %6s %12s\n", "target", "program", "kernel",
		"registers", "sgprs", "stack", "shared", "spills", "instructions")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "%-8s %-7s %-14s %9d %5d %5d %6d %6d %12d\n", r.Target, r.Program, r.Kernel,
			r.Registers, r.Scalars, r.Stack, r.Shared, r.Spills, r.Instructions)
	}
	return b.String()
}

// parse parses the text of compiled.txt.
func parse(text string) (*table, error) {
	t := new(table)
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		var err error
		var more string
		if rest, ok := strings.CutPrefix(line, "allow "); ok {
			var a allowance
			_, err = fmt.Sscan(rest, &a.Vendor, &a.Program, &a.Kernel, &a.What, &a.Most)
			t.allowances = append(t.allowances, a)
		} else {
			var r row
			var fields int
			fields, err = fmt.Sscan(line, &r.Target, &r.Program, &r.Kernel, &r.Registers, &r.Scalars,
				&r.Stack, &r.Shared, &r.Spills, &r.Instructions, &more)
			if fields == 9 {
				err = nil // the line has no field after the ninth
			} else if err == nil {
				err = errors.New("too many fields")
			}
			t.rows = append(t.rows, r)
		}
		if err != nil {
			return nil, fmt.Errorf("compiled.txt, line %d: %w", n, err)
		}
	}
	return t, nil
}

// vendor returns the prefix that the names of a vendor's targets share.
func vendor(target string) string {
	if isNVIDIA(target) {
		return "sm"
	}
	return "gfx"
}

// value returns the number in r that allowance a applies to, and the limit for that number without
// an allowance.
func (a *allowance) value(r *row) (v, limit int) {
	switch a.What {
	case "registers":
		return r.Registers, maxRegisters
	case "spills":
		return r.Spills, maxSpills
	}
	return 0, 0
}

func (a *allowance) concerns(r *row) bool {
	return a.Vendor == vendor(r.Target) && a.Program == r.Program && a.Kernel == r.Kernel
}

func (a *allowance) String() string {
	return fmt.Sprintf("allow %s %s %s %s", a.Vendor, a.Program, a.Kernel, a.What)
}

// most returns the limit for the number called what in row r: the general limit or the kernel's
// allowance.
func (t *table) most(r *row, what string) int {
	a := allowance{What: what}
	_, limit := a.value(r)
	for _, a := range t.allowances {
		if a.What == what && a.concerns(r) {
			limit = max(limit, a.Most)
		}
	}
	return limit
}

// worst returns the greatest number among the rows to which allowance a applies, and the limit for
// that number without an allowance.
func (t *table) worst(a *allowance) (worst, limit int) {
	for i := range t.rows {
		if a.concerns(&t.rows[i]) {
			var v int
			v, limit = a.value(&t.rows[i])
			worst = max(worst, v)
		}
	}
	return worst, limit
}

// lower reduces each allowance to what the rows need, and removes those that no row needs.
func (t *table) lower() {
	for i := range t.allowances {
		worst, _ := t.worst(&t.allowances[i])
		t.allowances[i].Most = min(t.allowances[i].Most, worst)
	}
	t.allowances = slices.DeleteFunc(t.allowances, func(a allowance) bool {
		worst, limit := t.worst(&a)
		return worst <= limit
	})
}

// missing returns the allowances that would have to be added so that all rows of the table are
// within their limits.
func (t *table) missing() (list []allowance) {
	for i := range t.rows {
		r := &t.rows[i]
		for _, what := range []string{"registers", "spills"} {
			a := allowance{vendor(r.Target), r.Program, r.Kernel, what, 0}
			a.Most, _ = t.worst(&a)
			if v, _ := a.value(r); v > t.most(r, what) && !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

// limits returns an error for each row that exceeds its limits.
func (t *table) limits(rows []row) (err error) {
	for i := range rows {
		r := &rows[i]
		for _, what := range []string{"registers", "spills"} {
			a := allowance{vendor(r.Target), r.Program, r.Kernel, what, 0}
			if v, _ := a.value(r); v > t.most(r, what) {
				err = errors.Join(err, fmt.Errorf("%s on %s: %d %s, the limit is %d",
					r.Kernel, r.Target, v, what, t.most(r, what)))
			}
		}
	}
	return err
}

// consistent returns an error if a row of the table exceeds its limits, or if an allowance is
// larger than needed.
func (t *table) consistent() error {
	err := t.limits(t.rows)
	for i := range t.allowances {
		a := &t.allowances[i]
		worst, limit := t.worst(a)
		switch {
		case worst <= limit:
			err = errors.Join(err, fmt.Errorf("%s %d: nothing needs it any more", a, a.Most))
		case worst < a.Most:
			err = errors.Join(err, fmt.Errorf("%s %d: %d is enough", a, a.Most, worst))
		}
	}
	return err
}

// compare returns an error for each row that differs from the row of the same kernel in the table.
// It compares rows for the given targets only.
func (t *table) compare(rows []row, targets []string) error {
	err := t.limits(rows)
	type key struct{ target, program, kernel string }
	committed := map[key]*row{}
	for i := range t.rows {
		r := &t.rows[i]
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
