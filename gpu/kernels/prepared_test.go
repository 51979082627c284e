package kernels

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// preparedSets returns hostile rows under prepared keys.
func preparedSets(size int) []hostile.Set {
	return slices.DeleteFunc(hostile.Sets(size), func(s hostile.Set) bool {
		return s.Kind != device.PreparedECDSA && s.Kind != device.PreparedSchnorr
	})
}

// TestPreparedWidths checks that rows with prepared keys get the right verdicts, for all window
// sizes of the keys' tables.
func TestPreparedWidths(t *testing.T) {
	h := compileHost(t, Rows().Source, "-w")
	sets := preparedSets(1)
	for h.width = CombLeast; h.width <= KeyMost; h.width++ {
		for _, s := range sets {
			c := s.Call()
			if err := h.run(c); err != nil {
				t.Errorf("%d bits: %v", h.width, err)
			} else if err := s.Check(c); err != nil {
				t.Errorf("%d bits: %v", h.width, err)
			}
		}
	}
}

// preparedFaults are faults in the code for rows with prepared keys, and in the code that makes the
// tables of the keys.
var preparedFaults = []c11test.Fault{
	{"if (i >= count) return 0;", "i %= count;"},
	{"return table[1] ? table : 0;", "return table;"},
	{"table[1] = any != 0;", "table[1] = 1;"},
	{"(u32)number[1] << 8", "(u32)number[0] << 8"},
	{"| (u32)number[3] << 24;", ";"},
	{
		"*key = key_of(numbers + 4 * i, tables, count);\n\tu8",
		"*key = key_of(numbers, tables, count);\n\tu8",
	},
	{
		"*key = key_of(numbers + 4 * i, tables, count);\n\t\tif",
		"*key = key_of(numbers, tables, count);\n\t\tif",
	},
	{"sc_load_be(&s, sigs + 64 * (u64)ROW + 32);", "sc_load_be(&s, sigs + 32);"},
	{"mul_base(&a, &u2, key);", "mul_base(&a, &u2, gtable);"},
	{"if (add_base(&a, &u1, gtable))", "add_base(&a, &u1, gtable);"},
	{"mul_base(&a, &e, key);", "mul_base(&a, &e, gtable);"},
	{"if (add_base(&a, &s, gtable))", "add_base(&a, &s, gtable);"},
	{"if (!good || !key) return 0;", "if (!key) return 0;"},
	{"if (!(p.y.v[0] & 1)) sc_neg(e, e);", "sc_neg(e, e);"},
	{"return fe_is_zero(&t.zz) ^ 1;", "return 1;"},
	{"if (k < COMB_POWERS - 1) fe_mul(&inverse, &inverse, &y);", "fe_mul(&inverse, &inverse, &y);"},
	{"powers[COMB_POINT * w * window + k]", "powers[COMB_POINT * (w * window + 1) + k]"},
	{"row / each), row % each", "row % each), row / each"},
}

// TestPreparedFaults checks that hostile rows reveal each of preparedFaults.
func TestPreparedFaults(t *testing.T) {
	c11test.Plant(t, Rows().Source, preparedFaults, found(preparedSets(2)))
}

// TestPreparedOverrun checks that the sanitizers detect an index into the set of keys that is one
// too large.
func TestPreparedOverrun(t *testing.T) {
	overrun := c11test.Fault{"if (i >= count) return 0;", "if (i > count) return 0;"}
	c11test.Plant(t, Rows().Source, []c11test.Fault{overrun},
		found(preparedSets(2)[:1], sanitized...))
}
