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
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

var update = flag.Bool("update", false, "write what TestExecuted counts")

// executedBits is the window size of the table of G in this test. Larger tables take the
// interpreter too long to make; large GPUs use 16 bits.
const executedBits = 12

// executedHead is the text with which testdata/executed.txt begins.
const executedHead = `# Instructions that kernels execute for one group of 128 good rows, and the
# multiplications among them, counted by the interpreter of the committed PTX:
# go test ./internal/launch -run Executed -update writes this.
# The table of G is for windows of 12 bits.

`

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
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), d, kernels.Comb(),
		Options{Crossover: 1, TableBits: executedBits, Timeout: patience})
	if err != nil {
		t.Fatal(err, fake.Err())
	}
	s, err := NewSample(t.Context(), driver.Group)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s# %-15s %-18s %12s %14s\n", executedHead, "call", "kernel", "instructions",
		"multiplications")
	for _, k := range append(kinds(), device.Sum) {
		name := k.String()
		clear(fake.Counted) // of what ran before
		if err := e.Run(t.Context(), s.Call(k, driver.Group)); err != nil {
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
			fmt.Fprintf(&text, "%-17s %-18s %12d %14d\n", name, kernel, c.Instructions, c.Products)
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
