package launch

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/estimate"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

var (
	update = flag.Bool("update", false, "write what TestExecuted counts")
	table  = flag.Int("table", executedBits, "`bits` of the windows of TestExecuted's table of G")
	sass   = flag.String("sass", "", "`files` of nvdisasm, as a,b, for estimates of TestExecuted")
)

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

// kindNames maps kinds to their names in the table.
var kindNames = map[device.Kind]string{
	device.Schnorr: "Schnorr", device.ECDSA: "ECDSA", device.Recover: "Recover",
	device.Decompress: "Decompress", device.PublicKeys: "PublicKeys", device.Sum: "Sum",
	device.AllSchnorr: "AllSchnorr", device.AllECDSA: "AllECDSA",
	device.RecoverAddress:  "RecoverAddress",
	device.PreparedSchnorr: "PreparedSchnorr", device.PreparedECDSA: "PreparedECDSA",
}

// rowKernels maps each kind of call with one result for all rows to a kernel: the one that runs
// once for each row, and turns the row into terms of a sum. Such calls also run kernels that add up
// these terms; they are left out of the table, since their work per row depends on the number of
// rows.
var rowKernels = map[device.Kind]string{
	device.AllSchnorr: "k_equation_schnorr", device.AllECDSA: "k_equation_ecdsa",
	device.Sum: "k_sum_terms",
}

// TestExecuted counts the instructions that the kernels execute for valid rows of every kind, and
// compares the counts with the committed table; they must be equal unless -table selects another
// table. With -sass and -v it also logs the best rates that a GPU could reach, including those of
// equations. The table leaves out equations, since their kernels branch on random coefficients.
func TestExecuted(t *testing.T) {
	if !deep() {
		t.Skip("without KOBLITZ_DEEP: it interprets some hundred million instructions")
	}
	fake := cudatest.New()
	fake.Profile = true
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), d, kernels.Comb(), Options{Crossover: 1, TableBits: *table})
	if err != nil {
		t.Fatal(err, fake.Err())
	}
	s, err := newSample(driver.Group)
	if err != nil {
		t.Fatal(err)
	}
	code := machineCode(t)
	var text, estimates strings.Builder
	text.WriteString(executedHead + "\n# call            kernel             total")
	for _, c := range classes {
		fmt.Fprintf(&text, " %9s", c.name)
	}
	fmt.Fprintf(&text, " %9s %9s %9s\n", "global", "shared", "local")
	fake.Counted() // drop the counts of New
	points, err := s.points(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range append(kinds(), device.AllSchnorr, device.AllECDSA, device.Sum) {
		name := kindNames[k]
		if name == "" {
			t.Errorf("kind %d has no name", k)
		}
		c := s.call(k, driver.Group)
		if k == device.Sum {
			c = sumCall(s.scalars, points, driver.Group)
		}
		if err := e.Run(t.Context(), c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		counted := fake.Counted()
		var names []string
		for kernel := range counted {
			if only := rowKernels[k]; only == "" || kernel == only {
				names = append(names, kernel)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s has no kernel", name)
		}
		slices.Sort(names)
		for _, kernel := range names {
			c := counted[kernel]
			if equationKinds[k] == 0 {
				fmt.Fprintf(&text, "%-17s %-15s %8d", name, kernel, c.Total())
				for _, column := range classes {
					fmt.Fprintf(&text, " %9d", c.Issued[column.class])
				}
				fmt.Fprintf(&text, " %9d %9d %9d\n", c.Global, c.Shared, c.Local)
			}
			if code != nil {
				estimates.WriteString(estimated(t, name, kernel, code[kernel], c, driver.Group))
			}
		}
	}
	if code != nil {
		if err := d.Load(kernels.Bench()); err != nil {
			t.Fatal(err)
		}
		for kernel, operands := range map[string]int{"k_bench_mul_chain": 2, "k_bench_sqr_chain": 1} {
			rows := chain(t, d, kernel, operands)
			estimates.WriteString(estimated(t, "", kernel, code[kernel], fake.Counted()[kernel], rows))
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err, fake.Err())
	}
	if code != nil {
		t.Logf("estimates for an H200 with a table of %d bits, for a row: instructions, of them "+
			"products with both halves and other ones, and clocks of one multiprocessor\n"+
			"%-16s %-18s %7s %7s %6s "+
			"%8s %8s %7s %7s %8s %9s %9s\n%s", *table, "call", "kernel", "all", "wide", "low", "products",
			"integer", "memory", "issue", "clocks", "M/s", "65 %", &estimates)
	}
	if *table != executedBits {
		return
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
	for _, difference := range differences(string(want), text.String()) {
		t.Errorf("%s", difference)
	}
}

// machineCode returns the machine instructions of the kernels in the files of the flag -sass, or
// nil without the flag.
func machineCode(t *testing.T) map[string][]estimate.Instruction {
	if *sass == "" {
		return nil
	}
	code := map[string][]estimate.Instruction{}
	for file := range strings.SplitSeq(*sass, ",") {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list, err := estimate.Parse(f)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		maps.Copy(code, list)
	}
	return code
}

// estimated returns the line of the table of estimates for a kernel.
func estimated(
	t *testing.T, call, kernel string, code []estimate.Instruction, c *ptx.Counts, rows int,
) string {
	m, err := estimate.H200.Estimate(code, c, rows)
	if err != nil {
		t.Fatalf("%s: %v", kernel, err)
	}
	return fmt.Sprintf("%-16s %-18s %7.0f %7.0f %6.0f %8.2f %8.2f %7.2f %7.2f %8.2f %9.1f %9.1f\n",
		call, kernel, m.Instructions, m.Wide, m.Low, m.Products, m.Integer, m.Memory, m.Issue, m.Clocks,
		m.Rate, 0.65*m.Rate)
}

// chain runs a kernel of benchmarks that repeats an operation on the given number of operands, and
// returns the number of operations.
func chain(t *testing.T, d driver.Device, kernel string, operands int) int {
	t.Helper()
	const turns, unroll = 64, 4
	args := []any{uint32(driver.Group), uint32(turns)}
	for range operands + 1 { // the last one is the result
		b, err := d.Alloc(32 * driver.Group)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Free()
		args = append(args, b)
	}
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	err = q.Launch(kernel, driver.Group, args...)
	if err == nil {
		err = q.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return driver.Group * turns * unroll
}

// differences returns the lines that are in only one of the two tables.
func differences(want, got string) (list []string) {
	in := func(text, line string) bool { return strings.Contains("\n"+text, "\n"+line) }
	for line := range strings.Lines(got) {
		if !in(want, line) {
			list = append(list, "now:       "+strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(want) {
		if !in(got, line) {
			list = append(list, "committed: "+strings.TrimSpace(line))
		}
	}
	return list
}

// TestDifferences checks that differences finds a changed number, and an added or missing line.
func TestDifferences(t *testing.T) {
	const table = "# head\na b 12\nc d 3\n"
	for _, c := range []struct {
		got  string
		want int
	}{
		{table, 0}, {"# head\na b 11\nc d 3\n", 2}, {"# head\na b 1\nc d 3\n", 2},
		{"# head\nc d 3\n", 1}, {table + "e f 1\n", 1}, {"# other\na b 12\nc d 3\n", 2},
		{"# head\na b 123\nc d 3\n", 2},
	} {
		if list := differences(table, c.got); len(list) != c.want {
			t.Errorf("%q: %q", c.got, list)
		}
	}
}
