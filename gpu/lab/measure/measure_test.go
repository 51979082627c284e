package measure

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// interpreted returns a simulated device that runs kernels in the interpreter of PTX.
func interpreted(t *testing.T) candidate {
	fake := cudatest.New()
	t.Cleanup(func() {
		if err := errors.Join(fake.Err(), fake.Leaks()); err != nil {
			t.Error(err)
		}
	})
	a := fake.API()
	infos, err := a.List()
	if err != nil {
		t.Fatal(err)
	}
	return candidate{infos[0], func() (driver.Device, error) { return a.Open(0) }}
}

// least returns options for the smallest possible measurement, limited to the given names.
func least(only ...string) Options {
	return Options{Sizes: []int{3}, Only: only, Time: 1, Launch: 1, Items: 2, Gather: 4096, Seed: 7}
}

// TestInterpreter checks that the committed PTX of all benchmark kernels computes the same results
// as the CPU, and that each row of the report has its times.
func TestInterpreter(t *testing.T) {
	told := 0
	o := least(Rates, Memory, Field, Points)
	o.Tell = func(Row) { told++ }
	r, err := interpreted(t).measure(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, r, o)
	if told != len(r.Rows) || len(r.LeftOut) != 3 { // the rows with large tables are left out
		t.Errorf("%d rows, of which %d were told; left out: %v", len(r.Rows), told, r.LeftOut)
	}
}

// checkRows checks that the report has every row that the options ask for, and that each row has
// times.
func checkRows(t *testing.T, r *Report, o Options) {
	t.Helper()
	for _, want := range rows() {
		if want[0] == Opening || !o.wants(want[0], want[1]) ||
			want[0] == Registers && !isCUDA(r.Device) ||
			slices.ContainsFunc(r.LeftOut, func(l LeftOut) bool { return l.ID == want[1] }) {
			continue
		}
		row, ok := r.Best(want[1])
		if !ok || row.Section != want[0] || row.Count <= 0 || row.Title == "" {
			t.Errorf("%s: %+v", want[1], row)
			continue
		}
		kernel, end := row.Kernel.Runs, row.EndToEnd.Runs
		if copied := strings.HasPrefix(row.ID, "copy-"); copied != (kernel == 0) ||
			end == 0 && row.Section != Rates && row.Section != Memory {
			t.Errorf("%s: %d runs of the kernel, %d end to end", row.ID, kernel, end)
		}
		for _, s := range []Spread{row.Kernel, row.EndToEnd, row.Host} {
			if s.Runs > 0 && (s.Low <= 0 || s.Low > s.Median || s.Median > s.High) {
				t.Errorf("%s: %+v", row.ID, s)
			}
		}
	}
}

// A liar is a device that runs other launches in place of those of some kernels.
type liar struct {
	driver.Timed
	lie func(kernel string, n int, args []any) (string, int, []any)
}

func (l *liar) NewQueue() (driver.Queue, error) {
	q, err := l.Timed.NewQueue()
	return lyingQueue{q, l}, err
}

func (l *liar) NewTimedQueue() (driver.TimedQueue, error) {
	q, err := l.Timed.NewTimedQueue()
	return lyingTimed{q, l}, err
}

type lyingQueue struct {
	driver.Queue
	l *liar
}

func (q lyingQueue) Launch(kernel string, n int, args ...any) error {
	kernel, n, args = q.l.lie(kernel, n, args)
	return q.Queue.Launch(kernel, n, args...)
}

type lyingTimed struct {
	driver.TimedQueue
	l *liar
}

func (q lyingTimed) Launch(kernel string, n int, args ...any) error {
	kernel, n, args = q.l.lie(kernel, n, args)
	return q.TimedQueue.Launch(kernel, n, args...)
}

// TestWrong checks, for every row, that the measurement detects a device that leaves out the last
// row, carries out another operation, or does one iteration less.
func TestWrong(t *testing.T) {
	instead := map[string]string{
		"k_bench_mul": "k_bench_add", "k_bench_add": "k_bench_mul", "k_bench_sub": "k_bench_add",
		"k_bench_sqr": "k_bench_inv", "k_bench_inv": "k_bench_sqr",
		"k_bench_mul_chain": "k_bench_add_chain", "k_bench_add_chain": "k_bench_mul_chain",
		"k_bench_gej_chain": "k_bench_sqr_chain", "k_bench_wide": "k_bench_imad",
		"k_bench_gej_double": "k_bench_gej_affine", "k_bench_gej_affine": "k_bench_sqr",
	}
	c := interpreted(t)
	d, err := c.open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	shared := &kept{Timed: d.(driver.Timed)}
	for name, lie := range map[string]func(string, int, []any) (string, int, []any){
		"fewer": func(kernel string, n int, args []any) (string, int, []any) {
			args = slices.Clone(args)
			if kernel != "k_bench_fill" {
				args[0] = args[0].(uint32) - 1
			}
			return kernel, n, args
		},
		"other": func(kernel string, n int, args []any) (string, int, []any) {
			if other, ok := instead[kernel]; ok {
				kernel = other
			}
			return kernel, n, args
		},
		"turn": func(kernel string, n int, args []any) (string, int, []any) {
			if turns, ok := args[1].(uint32); ok && !strings.HasPrefix(kernel, limitedKernel) {
				args = slices.Clone(args)
				args[1] = turns - 1
			}
			return kernel, n, args
		},
	} {
		for _, row := range rows() {
			if row[0] == Opening || row[0] == Calls {
				continue // tests of the engine cover calls
			}
			lied := false
			l := &liar{shared, func(k string, n int, args []any) (string, int, []any) {
				if k == "k_comb" {
					return k, n, args // tests of the engine check the table
				}
				otherK, otherN, otherArgs := lie(k, n, args)
				lied = lied || otherK != k || !slices.Equal(args, otherArgs)
				return otherK, otherN, otherArgs
			}}
			o := least(row[1])
			o.set()
			b := &bench{report: new(Report), o: &o, info: c.info, dev: l, in: newInputs(o.Seed, 3)}
			if err := b.sections(context.Background()); err != nil {
				t.Errorf("%s, %s: %v", name, row[1], err)
			}
			if len(b.report.LeftOut) == 1 && b.wrong == nil {
				continue // the row needs a large table
			}
			if lied != errors.Is(b.wrong, ErrResult) || lied == (len(b.report.Rows) == 1) {
				t.Errorf("%s, %s: lied: %t, %v, %+v", name, row[1], lied, b.wrong, b.report)
			}
		}
	}
}

// TestOpenCL checks that all sections can be measured without an error on the first OpenCL device,
// such as PoCL. It prints the tables.
func TestOpenCL(t *testing.T) {
	o := Options{Sizes: []int{128, 160}, Time: 1, Launch: 1, Items: 200, Gather: 1 << 20, Seed: 9}
	r, err := Installed().Device(context.Background(), "opencl:0", o)
	if errors.Is(err, ErrNone) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, r, o)
	if len(r.Openings) != 2 || r.Openings[0].Compile <= 0 || r.Openings[1].Call <= 0 {
		t.Errorf("openings: %+v", r.Openings)
	}
	var text bytes.Buffer
	r.Text(&text)
	for _, want := range []string{r.Device, "The first verdict", "field multiply", "batch inverse",
		"random reads", "ECDSA, compressed keys", "160"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// TestHostAlone checks how often the CPU's time is measured: once for a kind of row, but at each
// size for a sum, since a sum takes less time per term the more terms it has.
func TestHostAlone(t *testing.T) {
	o := Options{Sizes: []int{128, 160}, Only: []string{"ecdsa", "sum"}, Time: 300 * time.Millisecond}
	r, err := Installed().Device(context.Background(), "opencl:0", o)
	if errors.Is(err, ErrNone) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	for id, once := range map[string]bool{"ecdsa": true, "sum": false} {
		short, _ := r.find(id, 128)
		long, ok := r.find(id, 160)
		if each := short.Host.Median / 128 * 160; !ok ||
			(math.Abs(long.Host.Median/each-1) < 1e-9) != once {
			t.Errorf("%s: the host takes %+v, and %+v", id, short.Host, long.Host)
		}
	}
}

// TestPoints checks that isTimesG refuses points with another y coordinate, with another
// denominator, or with zeros in place of coordinates.
func TestPoints(t *testing.T) {
	in := newInputs(3, 4)
	for _, o := range []operand{operandP, operandJacobian, operandXYZZ} {
		for i := range in.n {
			good := make([]words, o.coordinates)
			o.at(in, i, good)
			if !isTimesG(good, logP(in, i)) || isTimesG(good, logTwice(in, i)) {
				t.Errorf("%d coordinates: point %d is not that of its logarithm", len(good), i)
			}
			for c := range good {
				bad := slices.Clone(good)
				bad[c] = limbs(new(big.Int).Neg(number(&bad[c])))
				// Negating y, z or zzz gives −P. Negating x or zz gives a point off the curve.
				if isTimesG(bad, logP(in, i)) {
					t.Errorf("%d coordinates: −%d passes", len(good), c)
				}
				bad[c] = words{}
				if isTimesG(bad, logP(in, i)) {
					t.Errorf("%d coordinates: 0 for %d passes", len(good), c)
				}
			}
			if isTimesG(make([]words, o.coordinates), logP(in, i)) {
				t.Errorf("%d coordinates: zeros pass", len(good))
			}
		}
	}
	result := newPlanar(1000, 2)
	copy(result.data, poisoned(len(result.data)))
	for i := range 1000 {
		if err := result.written(); !errors.Is(err, ErrResult) {
			t.Fatalf("%d of 1000 rows are written: %v", i, err)
		}
		result.put(999-i, 0, &in.scalars()[0])
	}
	if err := result.written(); err != nil || result.get(3, 0) != in.scalars()[0] {
		t.Errorf("all rows are written: %v", err)
	}
	for _, list := range [][]words{in.a(), in.b(), in.scalars()} {
		seen := map[words]bool{}
		for _, w := range list {
			if seen[w] {
				t.Error("an input is there twice")
			}
			seen[w] = true
		}
	}
}

// TestLaunches checks that the time of a kernel is measured in calls with a single launch, and
// scaled to the number of rows of the call.
func TestLaunches(t *testing.T) {
	o := Options{Sizes: []int{200}, Only: []string{"decompress"}, Time: 1}
	r, err := Installed().Device(context.Background(), "opencl:0", o)
	if errors.Is(err, ErrNone) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := r.find("decompress", 200); !ok || row.Note != "" || row.Host.Runs == 0 {
		t.Errorf("%+v", row)
	}
	o.Sizes = []int{1 << 18 / 64 * min(r.Units, 64)} // a launch has 1024 rows for each unit
	r, err = Installed().Device(context.Background(), "opencl:0", o)
	if err != nil {
		t.Fatal(err)
	}
	row, ok := r.find("decompress", o.Sizes[0])
	if !ok || !strings.HasPrefix(row.Note, "kernel: launches of ") {
		t.Errorf("%+v", row)
	}
	s := Spread{2, 1, 3, 5}
	if s.times(4) != (Spread{8, 4, 12, 5}) {
		t.Errorf("four times %+v is %+v", s, s.times(4))
	}
	times := []time.Duration{4e9, 1e9, 3e9, 2e9}
	if got := spread(times); got != (Spread{2.5, 1, 4, 4}) {
		t.Errorf("the spread is %+v", got)
	}
	if got := spread(times[:3]); got != (Spread{2, 1, 3, 3}) {
		t.Errorf("the spread is %+v", got)
	}
}

// TestTable checks that multiplications of G use tables computed by the device, for all window
// sizes.
func TestTable(t *testing.T) {
	c := interpreted(t)
	d, err := c.open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := errors.Join(d.Load(kernels.Bench()), d.Load(kernels.Rows())); err != nil {
		t.Fatal(err)
	}
	o := least()
	o.set()
	o.Gather = 1 << 20
	b := &bench{report: new(Report), o: &o, info: c.info, dev: d.(driver.Timed),
		in: newInputs(o.Seed, 3)}
	if b.timed, err = d.(driver.Timed).NewTimedQueue(); err != nil {
		t.Fatal(err)
	}
	defer b.timed.Close()
	if b.plain, err = d.NewQueue(); err != nil {
		t.Fatal(err)
	}
	defer b.plain.Close()
	for _, bits := range []int{4, 5, 9} {
		op := timesBase(bits)
		if err := b.base(context.Background(), &op); err != nil || b.wrong != nil {
			t.Errorf("%d bits: %v, %v", bits, err, b.wrong)
		}
	}
	if len(b.report.Rows) != 3 || len(b.report.LeftOut) != 0 {
		t.Errorf("%+v", b.report)
	}
}

// TestCounts checks the PTX of the kernels that measure rates of multiplications: an iteration of a
// kernel must have as many multiplications as the kernel's entry in the list of rates states.
func TestCounts(t *testing.T) {
	for _, r := range rates() {
		_, text, ok := strings.Cut(kernels.Bench().PTX, ".visible .entry "+r.kernel+"(")
		if !ok {
			t.Fatalf("no kernel %s", r.kernel)
		}
		text, _, _ = strings.Cut(text, "\n}\n")
		if n := strings.Count(text, "mad.lo.u32 ") + strings.Count(text, "mad.lo.cc.u32 ") +
			strings.Count(text, "madc.lo.cc.u32 "); n != r.each {
			t.Errorf("%s has %d multiplications, want %d", r.kernel, n, r.each)
		}
	}
}

// TestEnds checks that the end of a context stops the measurement, and that what was measured
// before is returned.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := least(Rates)
	o.Tell = func(Row) { cancel() }
	r, err := interpreted(t).measure(ctx, o)
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Rows) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestConcurrent checks that the report has every row, even if several goroutines add rows to it at
// once, as after a driver has hung.
func TestConcurrent(t *testing.T) {
	told := 0
	b := &bench{report: new(Report), o: &Options{Tell: func(Row) { told++ }}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { b.add(Row{}) })
	}
	all.Wait()
	if len(b.report.Rows) != 8 || told != 8 {
		t.Errorf("%d rows, of which %d were told", len(b.report.Rows), told)
	}
}

// TestOptions checks that invalid options are errors, and that valid ones select the rows that they
// describe.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Sizes: []int{256, 0}}, "0 rows"},
		{Options{Sizes: []int{MaxSize + 1}}, "rows"},
		{Options{Only: []string{"nothing"}}, `"nothing"`},
		{Options{Only: []string{""}}, `""`},
		{Options{Gather: -1}, "gather is negative"},
		{Options{Items: -1}, "items is negative"},
		{Options{Budget: -1}, "budget is negative"},
		{Options{Time: -1}, "time is negative"},
		{Options{Launch: -1}, "launch is negative"},
		{Options{Items: MaxSize + 1}, "items is above"},
		{Options{Gather: 64 << 32}, "gather is above"},
	} {
		_, err := Installed().Device(context.Background(), "auto", c.o)
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	_, err := Installed().Device(context.Background(), "opencl:99", Options{})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), `"opencl:99"`) {
		t.Errorf("a device that does not exist: %v", err)
	}
	others, _ := Installed().Names(false)
	if cpus, _ := Installed().Names(true); len(others) == 0 && len(cpus) > 0 {
		_, err := Installed().Device(context.Background(), "auto", Options{})
		if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), cpus[0]) {
			t.Errorf("CPUs alone: %v", err)
		}
	}
	o := Options{Only: []string{"inv-batch", Memory, "su", "ecdsa"}}
	for _, c := range []struct {
		section, id string
		want        bool
	}{
		{Field, "inv-batch-8", true}, {Field, "inv", false}, {Memory, "gather", true},
		{Rates, "imad", false}, {Calls, "sum", true}, {Calls, "ecdsa", true}, {Calls, "ecdsa-all", false},
	} {
		if o.wants(c.section, c.id) != c.want {
			t.Errorf("%s %s: %t", c.section, c.id, !c.want)
		}
	}
	seen := map[string]bool{}
	for _, name := range rowNames() {
		if seen[name] {
			t.Errorf("there are two rows %s", name)
		}
		seen[name] = true
	}
	for _, g := range rateGoals {
		if !seen[g.id] {
			t.Errorf("no row %s, which has a goal", g.id)
		}
	}
}

// TestLeftOut checks that sizes that would take too long are left out, and the report says so.
func TestLeftOut(t *testing.T) {
	b := &bench{report: new(Report), time: time.Second}
	if b.tooLong("x", 1024, 100*time.Millisecond, 4) {
		t.Error("0.4 s are too long")
	}
	if !b.tooLong("x", 4096, time.Second, 4) {
		t.Error("4 s are not too long")
	}
	left := b.report.LeftOut
	if len(left) != 1 || left[0].Size != 4096 || !strings.Contains(left[0].Reason, "4s") {
		t.Errorf("%+v", left)
	}
}

// TestCopiesMemory checks that copies are left out if there is no memory for them, and that the
// other rows are measured.
func TestCopiesMemory(t *testing.T) {
	o := least("copy-", "copy", "imad")
	o.Items = 1 << 10
	fake := cudatest.New()
	fake.Memory = 24 << 10 // copies take 16 KiB twice
	a := fake.API()
	infos, err := a.List()
	if err != nil {
		t.Fatal(err)
	}
	c := candidate{infos[0], func() (driver.Device, error) { return a.Open(0) }}
	r, err := c.measure(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, l := range r.LeftOut {
		left = append(left, l.ID)
	}
	if !slices.Equal(left, []string{"copy-in", "copy-out", "copy"}) {
		t.Errorf("left out: %q", left)
	}
	if _, ok := r.Best("imad"); !ok {
		t.Error("other rows are left out too")
	}
}

// TestGoals checks that each goal uses the right figure of the report, and counts as reached on the
// right side of its limit, whether a higher or a lower figure is better.
func TestGoals(t *testing.T) {
	spread := func(s float64) Spread { return Spread{s, s / 2, 2 * s, 3} }
	r := &Report{Units: 100, ClockMHz: 2000, Rows: []Row{
		{Section: Rates, ID: "mul-chain", Title: "field multiply", Count: 170e9, Kernel: spread(2)},
		{Section: Calls, ID: "ecdsa", Title: "ECDSA", Size: 1 << 18, Count: 1 << 18,
			Kernel: spread(1), EndToEnd: spread(1)},
		{Section: Calls, ID: "ecdsa", Title: "ECDSA", Size: goalSize, Count: goalSize,
			Kernel: spread(0.02), EndToEnd: spread(0.025)},
		{Section: Calls, ID: "sum", Title: "sum", Size: goalSize, Count: goalSize,
			Kernel: spread(0.007), EndToEnd: spread(0.01)},
		{Section: Calls, ID: "bip340-all", Title: "equation", Size: 1 << 18, Count: 1 << 18,
			Kernel: spread(0.001), EndToEnd: spread(0.01)},
		{Section: Calls, ID: "bip340-all", Title: "equation", Size: goalSize, Count: goalSize,
			Kernel: spread(0.01), EndToEnd: spread(0.01)},
	}}
	want := map[string]float64{
		"field multiply, in registers":                        1,
		"ECDSA, compressed keys":                              goalSize / 0.02 / 35e6,
		"BIP-340, one equation of 2^20":                       goalSize / 0.01 / 90e6,
		"sum of 2^20 products":                                0.5,
		"ECDSA of 2^20 rows end to end, of the kernel's rate": 1,
	}
	for _, g := range r.Goals() {
		x, ok := want[g.Title]
		if !ok || g.Reached < x*0.999 || g.Reached > x*1.001 {
			t.Errorf("%+v, want %v", g, x)
		}
		delete(want, g.Title)
	}
	if len(want) != 0 {
		t.Errorf("no goals: %v", want)
	}
	var text bytes.Buffer
	r.Text(&text)
	for _, want := range []string{"85.0 G/s", "3.5 ms", "7 ms", "2^20", "−50 +100 %", "0.425"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	r.CPU = true
	text.Reset()
	r.Text(&text)
	if strings.Contains(text.String(), "goals") || !strings.Contains(text.String(), "is a CPU") {
		t.Errorf("a CPU has goals:\n%s", &text)
	}
}

// TestRates checks that the results which the host expects from the kernels of rates equal those
// that the comments of these kernels describe.
func TestRates(t *testing.T) {
	const seed = 0xffffff00
	if got := wantIMAD(1, 0); got[0] != 8*1+28 {
		t.Errorf("without a turn IMAD is %v", got)
	}
	if got := wantWide(seed, 0); got[0] != (28+8*seed)&(1<<32-1) ||
		got[1] != 8*(seed|1)&(1<<32-1) {
		t.Errorf("without a turn IMAD.WIDE is %#x", got)
	}
	if got := wantWideX(5, 0); got[0] != 5+14 || got[8] != 13+22 {
		t.Errorf("without a turn IMAD.WIDE.X is %v", got)
	}
	for i, size := range gatherSizes(10 << 30) {
		if want := int64(32<<20) << (2 * i); size != min(want, 10<<30) {
			t.Errorf("size %d is %d", i, size)
		}
	}
}
