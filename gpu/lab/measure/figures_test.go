package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A recorder is a device that records the commands of its queues: "write", "read", and the names of
// launched kernels. The commands of the queue that times launches are recorded apart from those of
// the queue that does not.
type recorder struct {
	*c11test.Host
	timed, plain []string
	skip         func(timed bool, kernel string) bool // reports whether a launch is skipped
}

type recorded struct {
	driver.TimedQueue
	r    *recorder
	log  *[]string
	what bool // whether the queue times launches
}

func (r *recorder) NewQueue() (driver.Queue, error) {
	q, err := r.Host.NewTimedQueue()
	return recorded{q, r, &r.plain, false}, err
}

func (r *recorder) NewTimedQueue() (driver.TimedQueue, error) {
	q, err := r.Host.NewTimedQueue()
	return recorded{q, r, &r.timed, true}, err
}

func (q recorded) Write(dst driver.Buffer, off int, src []byte) error {
	*q.log = append(*q.log, "write")
	return q.TimedQueue.Write(dst, off, src)
}

func (q recorded) Read(dst []byte, src driver.Buffer, off int) error {
	*q.log = append(*q.log, "read")
	return q.TimedQueue.Read(dst, src, off)
}

func (q recorded) Launch(kernel string, n int, args ...any) error {
	*q.log = append(*q.log, kernel)
	if q.r.skip != nil && q.r.skip(q.what, kernel) {
		return nil
	}
	return q.TimedQueue.Launch(kernel, n, args...)
}

// recording returns a bench that uses a recorder. The recorder reports a nanosecond for each work
// item and iteration of a launch.
func recording(t *testing.T, path string, o Options) (b *bench, r *recorder) {
	t.Helper()
	h, wait := c11test.Start(t, path)
	t.Cleanup(func() {
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
	o.set()
	r = &recorder{Host: h}
	return &bench{report: new(Report), o: &o, info: h.Info(), dev: r,
		in: newInputs(o.Seed, slices.Max(o.Sizes))}, r
}

// TestFigures checks the figures in the rows of a report, for launches that take a nanosecond for
// each work item and iteration. The rates and the numbers of runs must be right. Kernel times must
// contain no copies, and end-to-end times must contain all copies and one launch.
func TestFigures(t *testing.T) {
	path := c11test.Compile(t, kernels.Rows().Source+kernels.Bench().Source, "-w")
	const n = 40
	rates := map[string]float64{ // operations or bytes per nanosecond
		"imad": 32, "imad-wide": 32, "imad-wide-x": 32,
		"mul-chain": 4, "sqr-chain": 4, "add-chain": 4, "point-add-chain": 4, "point-double-chain": 4,
		"gather": 4,
		"copy":   32, // copies of 16 bytes, each read and written
		// These kernels make n iterations for n elements, with one work item for each 8, 32 or 128
		// elements.
		"inv-batch-8": 1. / 5, "inv-batch-32": 1. / 2, "inv-batch-128": 1,
	}
	operands := map[string]int{} // number of columns that are copied to the device
	for _, op := range operations() {
		operands[op.id] = len(op.operands)
	}
	for _, name := range rows() {
		section, id := name[0], name[1]
		if section == Opening || section == Calls || section == Registers {
			continue
		}
		o := least(id)
		o.Sizes, o.Items, o.Launch, o.Time = []int{n, n + 1}, 6, 40, time.Hour
		b, r := recording(t, path, o)
		b.rows = b.planned(sections...)
		began := time.Now()
		if err := b.sections(context.Background()); err != nil || b.wrong != nil || b.rows != 0 {
			t.Errorf("%s: %v, %v, %d rows are planned and not measured", id, err, b.wrong, b.rows)
		}
		took := time.Since(began).Seconds()
		if len(b.report.LeftOut) == 1 {
			continue // the row needs a large table, and is left out
		}
		row := b.report.Rows[0]
		rate, ok := rates[id]
		if !ok {
			rate = 1 // one row for each work item
		}
		if got := row.Rate(row.Kernel) / 1e9; row.Kernel.Runs > 0 &&
			(got < rate*0.999999 || got > rate*1.000001) {
			t.Errorf("%s: %v operations a nanosecond, want %v", id, got, rate)
		}
		// Launches should take 40 ns, and half of that is enough. One iteration of six work items
		// takes 6 ns, so calibration stops at four iterations, which take 24 ns.
		if _, chain := rates[id]; chain && (section == Rates || id == "gather") &&
			row.Kernel.Median != 24e-9 {
			t.Errorf("%s: launches of %v s", id, row.Kernel.Median)
		}
		if copied := strings.HasPrefix(id, "copy-"); copied != (row.Kernel.Runs == 0) ||
			copied && row.Count != float64(row.Size) {
			t.Errorf("%s: %+v", id, row)
		}
		if slices.Contains(r.timed, "write") || slices.Contains(r.timed, "read") {
			t.Errorf("%s: there are copies where launches are timed: %q", id, r.timed)
		}
		for _, s := range []Spread{row.Kernel, row.EndToEnd} {
			if s.Runs != 0 && s.Runs != 25 { // docs/gpu-benchmarks.md states this number of runs
				t.Errorf("%s: %d runs, and there is time for all", id, s.Runs)
			}
		}
		if end := row.EndToEnd; end.Low*float64(end.Runs) > took {
			t.Errorf("%s: %d runs of %v s and more took %v s", id, end.Runs, end.Low, took)
		}
		if section == Field || section == Points {
			checkEndToEnd(t, id, r.plain, operands[id])
		}
	}
}

// checkEndToEnd checks the log of a row's last end-to-end runs: each of them copied all operands to
// the device, launched one kernel, and read the results.
func checkEndToEnd(t *testing.T, id string, log []string, operands int) {
	t.Helper()
	each := operands + 2
	if len(log) < mostRuns*each {
		t.Errorf("%s: %q", id, log)
		return
	}
	for run := range slices.Chunk(log[len(log)-mostRuns*each:], each) {
		for i, what := range run {
			switch {
			case i < operands && what != "write", i == operands && !strings.HasPrefix(what, "k_bench_"),
				i > operands && what != "read":
				t.Errorf("%s: a run is %q", id, run)
				return
			}
		}
	}
}

// TestSkipped checks that a launch that does nothing is detected, in timed runs and in end-to-end
// runs, even if earlier launches have left the right results in memory.
func TestSkipped(t *testing.T) {
	path := c11test.Compile(t, kernels.Rows().Source+kernels.Bench().Source, "-w")
	for _, id := range []string{"mul", "inv-batch-8", "kP", "imad", "sqr-chain", "gather", "copy"} {
		for _, timed := range []bool{true, false} {
			if !timed && !slices.ContainsFunc(operations(), func(op operation) bool { return op.id == id }) {
				continue // these rows have no launches that are not timed
			}
			for first := range 2 {
				if first == 1 && !timed {
					break // only the results of the last end-to-end run are compared
				}
				o := least(id)
				b, r := recording(t, path, o)
				launches := 0
				r.skip = func(is bool, kernel string) bool {
					if is == timed && kernel != "k_bench_fill" {
						launches++
					}
					return is == timed && kernel != "k_bench_fill" && launches > first
				}
				if err := b.sections(context.Background()); err != nil {
					t.Error(err)
				}
				what := fmt.Sprintf("%s: timed %t, the first %d are done", id, timed, first)
				if !errors.Is(b.wrong, ErrResult) || len(b.report.Rows) != 0 {
					t.Errorf("%s: %v, %+v", what, b.wrong, b.report.Rows)
				}
			}
		}
	}
}

// TestSample checks that the first and the last of many rows are among the rows that are checked.
func TestSample(t *testing.T) {
	in := newInputs(1, 1)
	for _, n := range []int{1, 512, 513, 1 << 20} {
		for _, sample := range [][]int{in.sample(n), in.few(n)} {
			if !slices.Contains(sample, 0) || len(sample) > 8 && !slices.Contains(sample, n-1) ||
				slices.Min(sample) < 0 || slices.Max(sample) >= n || n > 1 && len(sample) < 8 {
				t.Errorf("of %d rows %d are checked: %v", n, len(sample), sample)
			}
		}
		if few := in.few(n); n > 1 && !slices.Contains(few, n-1) {
			t.Errorf("of %d rows %v are checked", n, few)
		}
	}
}

// A slowpoke is a device on which compiling takes some time.
type slowpoke struct {
	driver.Device
	compile time.Duration
}

func (s slowpoke) Load(p *driver.Program) error {
	time.Sleep(s.compile)
	return s.Device.Load(p)
}

// TestFirst checks that each step of opening a device has the right duration, and that the steps do
// not overlap.
func TestFirst(t *testing.T) {
	all, _ := Installed().list()
	i := slices.IndexFunc(all, func(c candidate) bool {
		return strings.HasPrefix(c.info.Name, "opencl:")
	})
	if i < 0 {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	const open, compile = 500 * time.Millisecond, 500 * time.Millisecond
	b := &bench{info: all[i].info, open: func() (driver.Device, error) {
		time.Sleep(open)
		d, err := all[i].open()
		return slowpoke{d, compile}, err
	}}
	ctx, in := context.Background(), newInputs(5, 8)
	s, err := newSigned(ctx, in, 8)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.workload(ctx, in, device.ECDSA, 8)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f, err := b.first(ctx, w, b.open, launch.Options{Crossover: 1})
	took := time.Since(began)
	if err != nil || f.Rows != 8 || f.Driver < open || f.Compile < 2*compile || f.Table <= 0 ||
		f.Answers <= 0 || f.Call <= 0 ||
		f.Driver+f.Compile+f.Table+f.Answers+f.Call > took {
		t.Errorf("%+v in %v, %v", f, took, err)
	}
}

// TestStopwatch checks that each of several launches gets its own duration, even after earlier
// launches were recorded.
func TestStopwatch(t *testing.T) {
	h, wait := c11test.Start(t, c11test.Compile(t, kernels.Bench().Source, "-w"))
	watch := &stopwatch{Timed: h}
	q, err := watch.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	b, err := h.Alloc(5 * 64)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for n := 3; n <= 5; n++ {
			if err := q.Launch("k_bench_fill", n, uint32(n), b); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	log := watch.take()
	if len(log) != 6 || watch.take() != nil {
		t.Errorf("%d launches", len(log))
	}
	for i, l := range log {
		if l != (timedLaunch{"k_bench_fill", 3 + i%3, time.Duration(3 + i%3)}) {
			t.Errorf("launch %d is %+v", i, l)
		}
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// TestColumns checks that each figure of a row is printed in its column.
func TestColumns(t *testing.T) {
	spread := func(s float64) Spread { return Spread{s, s, s, 3} }
	r := &Report{Units: 10, ClockMHz: 1000, Rows: []Row{
		{Section: Rates, ID: "imad", Title: "IMAD", Count: 4e9, Kernel: spread(2)},
		{Section: Memory, ID: "gather", Title: "reads", Size: 1 << 20, Count: 3e6, Kernel: spread(1)},
		{Section: Memory, ID: "copy-in", Title: "in", Size: 1 << 20, Count: 5e9, Unit: "B",
			EndToEnd: spread(1)},
		{Section: Field, ID: "mul", Title: "multiply", Size: 256, Count: 256, Kernel: spread(1e-6),
			EndToEnd: spread(1e-3)},
		{Section: Calls, ID: "ecdsa", Title: "ECDSA", Size: 1024, Count: 1024, Kernel: spread(1e-3),
			EndToEnd: spread(2e-3), Host: spread(4e-3), Note: "a note"},
		{Section: Registers, ID: "ecdsa-96", Title: "96", Size: 1024, Count: 1024,
			Kernel: spread(1e-3), Note: "a note"},
	}}
	var text strings.Builder
	r.Text(&text)
	var lines []string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{
		"IMAD 2.00 G/s −0 +0 % 0.2",
		"reads 1.00 MiB 3.00 M/s −0 +0 % 192 MB/s",
		"in 1.00 MiB −0 +0 % 5.00 GB/s",
		"multiply 2^8 256 M/s −0 +0 % 256 k/s −0 +0 %",
		"ECDSA 2^10 1.02 M/s −0 +0 % 512 k/s −0 +0 % 256 k/s a note",
		"96 2^10 1.02 M/s −0 +0 % a note",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no line %q in\n%s", want, &text)
		}
	}
}

// TestEstimates checks that rates are compared with the model's and with published ones, both
// scaled by multiprocessors and clock. Devices that the model does not cover get no verdict.
func TestEstimates(t *testing.T) {
	spread := Spread{1, 1, 1, 3}
	r := &Report{Device: "cuda:0 x", Units: 36, ClockMHz: 2572, Capability: "9.0", Rows: []Row{
		{ID: "ecdsa", Title: "ECDSA", Size: 256, Count: 1e6, Kernel: spread},
		{ID: "ecdsa", Title: "ECDSA", Size: 1024, Count: 8.68e6, Kernel: spread},
		{ID: "bip340-all", Title: "small", Size: 256, Count: 1, Kernel: spread},
		{ID: "mul-chain", Title: "multiply", Count: 1e12, Kernel: spread},
	}}
	list := r.Estimates()
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	for i, want := range []struct {
		id      string
		peer    float64
		verdict string
	}{{"ecdsa", 4.34e6, "slower"}, {"mul-chain", 0, "faster"}} {
		e := &list[i]
		clocks := 0.0
		for _, m := range modelClocks {
			if m.id == want.id {
				clocks = m.clocks
			}
		}
		if got := 36 * 2572e6 * reachable / e.Expected; math.Abs(got/clocks-1) > 1e-9 ||
			math.Abs(e.Peers[0]-want.peer) > 1 || e.Verdict() != want.verdict {
			t.Errorf("%s: %+v, %s", want.id, e, e.Verdict())
		}
	}
	if scaled := 8.14e6 * 36 * 2572 / (70 * 2452); math.Abs(list[0].Peers[1]-scaled) > 1 {
		t.Errorf("%+v", list[0])
	}
	for part, want := range map[float64]string{
		0.84: "slower", 0.86: "as expected", 1.14: "as expected", 1.16: "faster",
	} {
		e := Estimate{Measured: part, Expected: 1}
		if got := e.Verdict(); got != want {
			t.Errorf("%v: %s", part, got)
		}
	}
	for _, other := range []Report{
		{Device: "opencl:0 x", Units: 36, ClockMHz: 2572, Rows: r.Rows},
		{Device: "cuda:0 x", Units: 36, Rows: r.Rows},
	} {
		if list := other.Estimates(); list != nil {
			t.Errorf("%+v", list)
		}
	}
	var text strings.Builder
	r.estimates(&text)
	if !strings.Contains(text.String(), "slower") || !strings.Contains(text.String(), "estimate ") {
		t.Errorf("the model covers the device:\n%s", &text)
	}
	text.Reset()
	r.Capability = "12.0" // with Capability 9.0, the first row would be slower
	list = r.Estimates()
	r.estimates(&text)
	if len(list) != 2 || list[0].Expected != 0 || list[0].Verdict() != "" || list[0].Peers[0] == 0 ||
		!strings.Contains(text.String(), "device, which has 12.0:") ||
		strings.Contains(text.String(), "slower") || strings.Contains(text.String(), "estimate ") {
		t.Errorf("the model does not cover the device: %+v\n%s", list, &text)
	}
}

// TestModel checks that the page with the model has the clocks of each row.
func TestModel(t *testing.T) {
	page, err := os.ReadFile("../../../docs/lab/gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Estimates\n")
	for _, m := range modelClocks {
		clocks := strconv.FormatFloat(m.clocks, 'f', -1, 64)
		if m.clocks >= 1000 {
			clocks = clocks[:len(clocks)-3] + "," + clocks[len(clocks)-3:]
		}
		if !regexp.MustCompile(`[|;] ` + regexp.QuoteMeta(clocks) + `[ ;]`).MatchString(text) {
			t.Errorf("%s: there is no %s in docs/lab/gpu.md", m.id, clocks)
		}
	}
}

// TestLimited checks that a limited program has the kernel alone, with a limit and another name,
// and the functions that all kernels call.
func TestLimited(t *testing.T) {
	whole := kernels.Rows().PTX
	p, err := limited(whole, limitedKernel, 96)
	if err != nil {
		t.Fatal(err)
	}
	functions := func(text string) int { return strings.Count(text, "\n.func ") }
	if strings.Count(p.PTX, ".visible .entry ") != 1 || p.Name != "k_ecdsa_96" ||
		!strings.Contains(p.PTX, ".visible .entry k_ecdsa_96(") ||
		strings.Count(p.PTX, "\n.maxnreg 96\n") != 1 || strings.Contains(p.PTX, ".minnctapersm") ||
		functions(p.PTX) == 0 || functions(p.PTX) != functions(whole) {
		t.Errorf("%s, %d functions of %d", p.Name, functions(p.PTX), functions(whole))
	}
	for _, name := range []string{"k_none", "k_ecds", ""} {
		if p, err := limited(whole, name, 96); err == nil {
			t.Errorf("%q: %s", name, p.Name)
		}
	}
}

// TestRegisters checks that the CPU signs the rows, and computes their verdicts, once for all
// numbers of registers.
func TestRegisters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := interpreted(t)
		began := time.Now()
		r, err := c.measure(WithHostWork(t.Context(), time.Hour), least(Registers))
		if took := time.Since(began); err != nil || len(r.Rows) != len(registers) || took != 2*time.Hour {
			t.Errorf("%+v, %v, after %v", r, err, took)
		}
	})
}

// TestBudget checks that each row gets its part of the time that is left, and that no row begins
// when the time is over.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{report: new(Report), o: &Options{Budget: time.Minute, Time: time.Second}, rows: 4}
		b.until = time.Now().Add(2 * time.Second)
		sleeps := []time.Duration{500 * time.Millisecond, 100 * time.Millisecond, 0, 2 * time.Second}
		for i, want := range []time.Duration{500, 500, 700, 1000} {
			if !b.next("a", i) || b.time != want*time.Millisecond {
				t.Errorf("row %d gets %v", i, b.time)
			}
			time.Sleep(sleeps[i])
		}
		if b.next("b", 7) || len(b.report.LeftOut) != 1 || b.report.LeftOut[0].ID != "b" ||
			b.report.LeftOut[0].Size != 7 {
			t.Errorf("%+v", b.report.LeftOut)
		}
		b.until = time.Time{}
		if !b.next("c", 0) || b.time != time.Second {
			t.Errorf("without a limit a row gets %v", b.time)
		}
	})
}

// TestCompilesLong checks that the time to compile a kernel is estimated by the programs that the
// driver had to compile.
func TestCompilesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			left, opening, bench time.Duration
			want                 bool
		}{
			{20, 30, 0, false}, {20, 50, 0, true}, // kernels of calls are compiled
			{20, 0, 10, false}, {20, 0, 30, true}, // they have machine code
		} {
			b := &bench{report: &Report{Compiled: c.bench * time.Second}, o: new(Options),
				until: time.Now().Add(c.left * time.Second)}
			b.report.Openings = []First{{Compile: c.opening * time.Second}}
			got := b.compilesLong("a", 1, b.compileLimited())
			if got != c.want || got != (len(b.report.LeftOut) == 1) {
				t.Errorf("%+v: %t, %v", c, got, b.report.LeftOut)
			}
		}
	})
}
