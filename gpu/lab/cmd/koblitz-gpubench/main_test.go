package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
)

// A result is what a run of the program has printed and returned.
type result struct {
	out, errs string
	status    int
	report    Report // zero without a file
}

// gpubench runs the program on the given backends, with a file for the report.
func gpubench(t *testing.T, ctx context.Context, backends []backend, args ...string) result {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	var out, errs bytes.Buffer
	r := result{status: run(ctx, backends, append(args, "-json", file), &out, &errs)}
	r.out, r.errs = out.String(), errs.String()
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &r.report); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// interpreted returns a backend with a simulated device that interprets PTX. The function wrap, if
// it is not nil, changes the device.
func interpreted(
	t *testing.T, wrap func(driver.Device) driver.Device,
) (*cudatest.Driver, []backend) {
	fake := cudatest.New()
	t.Cleanup(func() {
		if err := fake.Err(); err != nil {
			t.Error(err)
		}
	})
	api := fake.API()
	return fake, []backend{{api.List, func(i int) (driver.Device, error) {
		d, err := api.Open(i)
		if err == nil && wrap != nil {
			d = wrap(d)
		}
		return d, err
	}}}
}

// few are arguments for the kernels alone, with as few rows as possible.
var few = []string{"-rows", "3", "-seed", "7", "-only", "^(field|point|loop|k·|batch inverse)"}

// TestKernels checks that every kernel computes what the CPU computes,
// in the committed PTX, and what the program prints and writes about it.
func TestKernels(t *testing.T) {
	fake, backends := interpreted(t, nil)
	r := gpubench(t, t.Context(), backends, few...)
	if r.status != good || r.errs != "" {
		t.Fatalf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if err := fake.Leaks(); err != nil {
		t.Error(err)
	}
	kernels := benchKernels()
	if len(r.report.Operations) != len(kernels) || r.report.Seed != 7 || r.report.Rows != 3 ||
		!strings.HasPrefix(r.report.Device.Name, "cuda:0 ") {
		t.Errorf("%+v", r.report)
	}
	for i, o := range r.report.Operations {
		turn := 3.0 // operations of an iteration, or of a run without a loop
		if kernels[i].loop {
			turn *= opsTurn
		}
		if turns := o.Count / turn; turns < 1 || turns != math.Trunc(turns) ||
			!kernels[i].loop && turns != 1 {
			t.Errorf("%s: %v operations", o.Name, o.Count)
		}
		if o.Name != kernels[i].name || o.Size != 3 || o.Time.Runs < leastRuns || o.Time.Low <= 0 ||
			o.Time.Low > o.Time.Median || o.Time.Median > o.Time.High {
			t.Errorf("%+v", o)
		}
		if !strings.Contains(r.out, "\n"+o.Name+" ") {
			t.Errorf("%s has no line in\n%s", o.Name, r.out)
		}
	}
}

// A liar is a device that runs other launches in place of those of its caller.
type liar struct {
	driver.Device
	lie    func(kernel string, n int, args []any) (string, int, []any)
	launch int // number of launches; lies begin with the one numbered from
	from   int
	lied   bool
}

type lyingQueue struct {
	driver.Queue
	l *liar
}

func (l *liar) NewQueue(timed bool) (driver.Queue, error) {
	q, err := l.Device.NewQueue(timed)
	return lyingQueue{q, l}, err
}

func (q lyingQueue) Launch(kernel string, n int, args ...any) error {
	if q.l.launch++; q.l.launch <= q.l.from {
		return q.Queue.Launch(kernel, n, args...)
	}
	other, m, changed := q.l.lie(kernel, n, args)
	q.l.lied = q.l.lied || other != kernel || m != n || !slices.Equal(args, changed)
	return q.Queue.Launch(other, m, changed...)
}

// set returns args with another value of the argument with index i.
func set(args []any, i int, value any) []any {
	args = slices.Clone(args)
	args[i] = value
	return args
}

// TestWrong plants errors in each kernel, and checks that each is reported with the kernel's name,
// that the exit status says so, and that the other kernels are measured.
func TestWrong(t *testing.T) {
	instead := map[string]string{
		"k_bench_mul": "k_bench_add", "k_bench_add": "k_bench_sub", "k_bench_sub": "k_bench_mul",
		"k_bench_sqr": "k_bench_inv", "k_bench_inv": "k_bench_sqr",
		"k_bench_mul_chain": "k_bench_add_chain", "k_bench_add_chain": "k_bench_mul_chain",
		"k_bench_gej_chain": "k_bench_sqr_chain", "k_bench_gej_double": "k_bench_gej_affine",
		"k_bench_gej_affine": "k_bench_sqr",
	}
	for _, c := range []struct {
		name string
		from int
		lie  func(kernel string, n int, args []any) (string, int, []any)
	}{
		{"the last row is left out", 0, func(kernel string, n int, args []any) (string, int, []any) {
			if kernel == "k_bench_inv_batch" {
				return kernel, n, set(args, 1, args[1].(uint32)-1)
			}
			return kernel, n, set(args, 0, args[0].(uint32)-1)
		}},
		{"another kernel", 0, func(kernel string, n int, args []any) (string, int, []any) {
			if other, ok := instead[kernel]; ok {
				kernel = other
			}
			return kernel, n, args
		}},
		{"an iteration less", 0, func(kernel string, n int, args []any) (string, int, []any) {
			if turns, ok := args[1].(uint32); ok && kernel != "k_bench_inv_batch" {
				args = set(args, 1, turns-1)
			}
			return kernel, n, args
		}},
		{"the timed launches do nothing", 1, func(kernel string, n int, args []any) (string, int, []any) {
			return kernel, n, set(args, 0, uint32(0))
		}},
	} {
		lied := map[string]bool{}
		for _, k := range benchKernels() {
			var l *liar
			_, backends := interpreted(t, func(d driver.Device) driver.Device {
				l = &liar{Device: d, lie: c.lie, from: c.from}
				return l
			})
			r := gpubench(t, t.Context(), backends, "-rows", "3", "-seed", "7", "-budget", "1h", "-only",
				"^"+k.name+"$")
			lied[k.name] = l.lied
			switch {
			case l.lied && (r.status != failed || len(r.report.Operations) > 0 ||
				!strings.HasPrefix(r.errs, "koblitz-gpubench: "+k.name+": "+errResult.Error()) ||
				strings.Count(r.errs, "\n") != 1 || len(r.report.Failures) != 1):
				t.Errorf("%s: %s: status %d, %q", k.name, c.name, r.status, r.errs)
			case !l.lied && r.status != good:
				t.Errorf("%s: status %d, %q", k.name, r.status, r.errs)
			}
		}
		for name := range lied { // each error must be planted somewhere
			if lied[name] {
				delete(lied, name)
			}
		}
		if len(lied) == len(benchKernels()) {
			t.Errorf("%s: in no kernel", c.name)
		}
	}
}

// TestOneWrong checks that a wrong kernel does not keep the others from being measured.
func TestOneWrong(t *testing.T) {
	_, backends := interpreted(t, func(d driver.Device) driver.Device {
		lie := func(kernel string, n int, args []any) (string, int, []any) {
			if kernel == "k_bench_sub" {
				kernel = "k_bench_add"
			}
			return kernel, n, args
		}
		return &liar{Device: d, lie: lie}
	})
	r := gpubench(t, t.Context(), backends, "-rows", "3", "-only", "^field (add|subtract|square)")
	if r.status != failed || len(r.report.Operations) != 2 || len(r.report.Failures) != 1 ||
		!strings.Contains(r.errs, "field subtract: wrong result") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}

// A trigger is a writer that calls a function after the first line about an operation.
type trigger struct {
	buffer bytes.Buffer
	do     func()
}

func (w *trigger) String() string { return w.buffer.String() }

func (w *trigger) Write(b []byte) (int, error) {
	if !bytes.HasPrefix(b, []byte("#")) && w.do != nil {
		w.do()
		w.do = nil
	}
	return w.buffer.Write(b)
}

// TestLost checks that a device that is lost ends the run with one failure, and that what was
// measured before is printed.
func TestLost(t *testing.T) {
	fake, backends := interpreted(t, nil)
	out, errs := &trigger{do: func() { fake.LoseAt(3) }}, new(bytes.Buffer)
	status := run(t.Context(), backends, few, out, errs)
	if status != failed || !strings.Contains(out.String(), "\nfield multiply ") ||
		strings.Contains(out.String(), "\nfield square ") || strings.Count(errs.String(), "\n") != 1 ||
		!strings.Contains(errs.String(), "field square: ") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

// TestInterrupted checks that the program ends after a signal with what it has measured.
func TestInterrupted(t *testing.T) {
	_, backends := interpreted(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	out, errs := &trigger{do: cancel}, new(bytes.Buffer)
	status := run(ctx, backends, few, out, errs)
	if status != interrupted || !strings.Contains(out.String(), "\nfield multiply ") ||
		strings.Contains(out.String(), "\nfield square ") ||
		errs.String() != "koblitz-gpubench: field square: interrupted\n" {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

// A stuck is a device that does not return from one of its functions before the channel is closed.
type stuck struct {
	driver.Device
	load, wait chan bool
}

func (s *stuck) Load(p *driver.Program) error {
	if s.load != nil {
		<-s.load
	}
	return s.Device.Load(p)
}

func (s *stuck) NewQueue(timed bool) (driver.Queue, error) {
	q, err := s.Device.NewQueue(timed)
	return stuckQueue{q, s}, err
}

type stuckQueue struct {
	driver.Queue
	s *stuck
}

func (q stuckQueue) Wait(ctx context.Context) error {
	if q.s.wait != nil {
		<-q.s.wait
	}
	return q.Queue.Wait(ctx)
}

// TestHung checks that the program ends soon after its budget or a signal even if the driver never
// returns: from listing devices, from opening one, from compiling, or from waiting for a kernel.
func TestHung(t *testing.T) {
	const budget = time.Minute
	for _, c := range []struct {
		where string
		args  []string
		hang  func(b []backend, never chan bool)
	}{
		{"listing devices", nil, func(b []backend, never chan bool) {
			b[0].list = func() ([]driver.Info, error) { <-never; return nil, nil }
		}},
		{"listing devices", []string{"-list"}, func(b []backend, never chan bool) {
			b[0].list = func() ([]driver.Info, error) { <-never; return nil, nil }
		}},
		{"opening the device", nil, func(b []backend, never chan bool) {
			b[0].open = func(int) (driver.Device, error) { <-never; return nil, errors.New("late") }
		}},
		{"compiling benchmarks", nil, func(b []backend, never chan bool) {
			open := b[0].open
			b[0].open = func(i int) (driver.Device, error) {
				d, err := open(i)
				return &stuck{Device: d, load: never}, err
			}
		}},
		{"field multiply", nil, func(b []backend, never chan bool) {
			open := b[0].open
			b[0].open = func(i int) (driver.Device, error) {
				d, err := open(i)
				return &stuck{Device: d, wait: never}, err
			}
		}},
	} {
		for _, signal := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				_, backends := interpreted(t, nil)
				never := make(chan bool)
				c.hang(backends, never)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				limit, status := budget+grace, failed
				if signal {
					limit, status = time.Second+grace, interrupted
					time.AfterFunc(time.Second, cancel)
				}
				began := time.Now()
				r := gpubench(t, ctx, backends, slices.Concat(few, c.args, []string{"-budget",
					budget.String()})...)
				took := time.Since(began)
				if r.status != status || took != limit || len(r.report.Failures) != 1 ||
					!strings.HasPrefix(r.errs, "koblitz-gpubench: "+c.where+": "+errHung.Error()) {
					t.Errorf("%s: status %d after %v, %q", c.where, r.status, took, r.errs)
				}
				close(never) // every goroutine must have ended when the function returns
			})
		}
	}
}

// TestTime checks that operations for which no time is left are named, without a failure.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, backends := interpreted(t, nil)
		fake.Pace = time.Second // for a million instructions
		r := gpubench(t, t.Context(), backends, append(few, "-budget", "100ms")...)
		n := len(benchKernels())
		if left := len(r.report.LeftOut); r.status != good || left == 0 || left == n ||
			left+len(r.report.Operations) != n ||
			!strings.Contains(r.out, "# left out: "+benchKernels()[n-1].name+": "+errTime.Error()) {
			t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
		}
	})
}

// TestMemory checks that operations for which the device has no memory are named, without a
// failure, and that the others are measured.
func TestMemory(t *testing.T) {
	fake, backends := interpreted(t, nil)
	fake.Memory = 64 << 10 // the table of G has more
	r := gpubench(t, t.Context(), backends, "-rows", "3", "-only", "k·G|field add")
	if r.status != good || len(r.report.LeftOut) != 1 || len(r.report.Operations) != 2 {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}

// TestUsage checks that a wrong command line is reported.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-nothing": "-nothing", "extra": `"extra"`, "-rows 0": "-rows is 0", "-rows 1048577": "-rows",
		"-only (": "-only", "-budget never": "never",
	} {
		var out, errs bytes.Buffer
		status := run(t.Context(), nil, strings.Fields(args), &out, &errs)
		if status != usage || !strings.Contains(errs.String(), want) || out.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", args, status, &out, &errs)
		}
	}
	var errs bytes.Buffer
	if run(t.Context(), nil, []string{"-help"}, &errs, &errs) != good || errs.Len() == 0 {
		t.Errorf("-help: %q", &errs)
	}
	missing := filepath.Join(t.TempDir(), "missing", "file")
	if run(t.Context(), nil, []string{"-json", missing}, &errs, &errs) != failed {
		t.Error("a file that cannot be written is no error")
	}
}

// TestDevices checks which device is chosen, and the failure if there is none.
func TestDevices(t *testing.T) {
	list := func(err error, names ...string) backend {
		return backend{func() (infos []driver.Info, _ error) {
			for _, name := range names {
				infos = append(infos, driver.Info{Name: name, CPU: strings.HasSuffix(name, "CPU")})
			}
			return infos, err
		}, func(i int) (driver.Device, error) { return nil, errors.New("opened " + names[i]) }}
	}
	none := errors.New("no library")
	for _, c := range []struct {
		args     string
		backends []backend
		want     string
	}{
		{"", nil, "no device for -device auto"},
		{"", []backend{list(none)}, "no device for -device auto; no library"},
		{"-device cuda:1", []backend{list(none, "cuda:0 A")}, "cuda:1; no library; there is cuda:0 A"},
		{"", []backend{list(none), list(nil, "opencl:0 CPU")}, "auto; no library; there is opencl:0 CPU"},
		{"", []backend{list(nil, "", "cuda:1 B"), {list: nil}}, "opened cuda:1 B"}, // lists no more
		{"", []backend{list(none), list(nil, "opencl:0 CPU", "opencl:1 A")}, "opened opencl:1 A"},
		{"-device opencl:0", []backend{list(nil, "cuda:0 A"), list(nil, "opencl:0 CPU")},
			"opened opencl:0 CPU"},
		{"-only nothing", []backend{list(nil, "cuda:0 A")}, "-only"},
	} {
		r := gpubench(t, t.Context(), c.backends, append(strings.Fields(c.args), "-rows", "3")...)
		if r.status != failed || !strings.Contains(r.errs, c.want) || len(r.report.Failures) == 0 {
			t.Errorf("%q: status %d, %q, want %q", c.args, r.status, r.errs, c.want)
		}
	}
	r := gpubench(t, t.Context(), []backend{list(none), list(nil, "cuda:0 A", "", "cuda:2 B"),
		list(nil, "opencl:0 CPU")}, "-list")
	if r.status != good || r.out != "cuda:0 A\ncuda:2 B\nopencl:0 CPU\n" {
		t.Errorf("-list: status %d, %q, %q", r.status, r.out, r.errs)
	}
}

// TestOpenCL runs the whole program on the first OpenCL device, such as PoCL.
func TestOpenCL(t *testing.T) {
	if infos, err := opencl.List(); err != nil || len(infos) == 0 {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	r := gpubench(t, t.Context(), []backend{{opencl.List, opencl.Open}}, "-device", "opencl:0",
		"-rows", "300", "-budget", "1h")
	if r.status != good || len(r.report.Operations) != len(kinds())+len(benchKernels()) {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}
