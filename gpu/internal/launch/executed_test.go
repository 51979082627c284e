package launch

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

var update = flag.Bool("update", false, "write what TestExecuted counts")

// executedBits is the window size of the table of G in this test. Larger tables take the
// interpreter too long to make; large GPUs use 16 bits.
const executedBits = 12

// executedHead is the text with which testdata/executed.txt begins.
const executedHead = `# What kernels carry out for one group of 128 good rows, counted by the
# interpreter of the committed PTX: go test ./internal/launch -run Executed -update writes this.
# The table of G is for windows of 12 bits.
#
# total is of all work items. Then come sorts of instructions (gpu/internal/lab/ptx, Class) as a GPU
# issues them at least, which is for whole warps, and bytes that are loaded and stored.
`

// classes are the columns of the committed table: each has a name and the instructions that it
// counts.
var classes = []struct {
	name  string
	class ptx.Class
}{
	{"low", ptx.MulLow}, {"high", ptx.MulHigh}, {"wide", ptx.MulWide}, {"mul64", ptx.Mul64},
	{"integer", ptx.Integer}, {"integer64", ptx.Integer64}, {"move", ptx.Move},
	{"branch", ptx.Branch}, {"barrier", ptx.Barrier}, {"load", ptx.Load}, {"store", ptx.Store},
	{"atomic", ptx.Atomic},
}

// rowKernel is the kernel of a sum that runs once for each row, and turns the row into terms. The
// other kernels of a sum add up these terms; they are left out of the table, since their work per
// row depends on the number of rows.
const rowKernel = "k_sum_terms"

// TestExecuted counts the instructions that the kernels execute for valid rows of every kind, and
// compares the counts with the committed table. It leaves out equations, since their kernels branch
// on random coefficients.
func TestExecuted(t *testing.T) {
	if !deep() {
		t.Skip("without KOBLITZ_DEEP: it interprets some hundred million instructions")
	}
	fake := cudatest.New()
	fake.Counted = make(map[string]*ptx.Counts)
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), d, kernels.Comb(),
		Options{Crossover: 1, TableBits: executedBits, Timeout: patience})
	if err != nil {
		t.Fatal(err, fake.Err())
	}
	s, err := newSample(driver.Group)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(executedHead + "\n# call            kernel             total")
	for _, c := range classes {
		fmt.Fprintf(&text, " %9s", c.name)
	}
	fmt.Fprintf(&text, " %9s %9s %9s\n", "global", "shared", "local")
	for _, k := range append(kinds(), device.Sum) {
		name := k.String()
		clear(fake.Counted) // of what ran before
		if err := e.Run(t.Context(), s.call(k, driver.Group)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var names []string
		for kernel := range fake.Counted {
			if k != device.Sum || kernel == rowKernel {
				names = append(names, kernel)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s has no kernel", name)
		}
		slices.Sort(names)
		for _, kernel := range names {
			c := fake.Counted[kernel]
			fmt.Fprintf(&text, "%-17s %-15s %8d", name, kernel, c.Total())
			for _, column := range classes {
				fmt.Fprintf(&text, " %9d", c.Issued[column.class])
			}
			fmt.Fprintf(&text, " %9d %9d %9d\n", c.Global, c.Shared, c.Local)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err, fake.Err())
	}
	path := filepath.Join("testdata", "executed.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text.String() {
		t.Errorf("now, in place of %s:\n%s", path, text.String())
	}
}
