package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/internal/opencl"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// deep reports whether KOBLITZ_DEEP is set, as in acceptance. Tests then try many cases, not just
// a few.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// hostileSets returns hostile rows of all kinds. It makes them on the first call.
var hostileSets = sync.OnceValue(func() []hostile.Set {
	if !deep() {
		return hostile.Sets(2)
	}
	return hostile.Sets(12)
})

// A counted is an engine that counts the rows of its calls, the rows with a verdict other than
// Unchecked, and the calls that fail. device is the Device that wraps it.
type counted struct {
	device.Engine
	device                *device.Device
	rows, decided, failed atomic.Int64
}

// newCounted returns a counted engine. The known calls of device.New are not counted.
func newCounted(t *testing.T, e device.Engine) *counted {
	t.Helper()
	c := &counted{Engine: e}
	var err error
	if c.device, err = device.New(c); err != nil {
		t.Error(err)
	}
	return c
}

// Accepts returns false until device is set, so that device.New makes no calls.
func (c *counted) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return c.device != nil && c.Engine.Accepts(k, r, rows)
}

func (c *counted) Run(ctx context.Context, call *device.Call) error {
	err := c.Engine.Run(ctx, call)
	if err != nil {
		c.failed.Add(1)
	}
	c.rows.Add(int64(call.Rows))
	for _, v := range call.Verdicts {
		if v != device.Unchecked {
			c.decided.Add(1)
		}
	}
	return err
}

// openCL opens the first OpenCL device, which may be a CPU.
func openCL(t *testing.T, opts ...Option) *device.Device {
	t.Helper()
	d, err := Open(append(opts, Named("opencl:0"), patient())...)
	if errors.Is(err, ErrNone) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Close(d); err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
	return d
}

// patient returns an option with which a launch may take as long as a busy host makes it.
func patient() Option { return LaunchTimeout(time.Hour) }

// run carries out the rows of a set with package batch, and returns the verdicts and results.
func run(t *testing.T, set *hostile.Set, d *device.Device) ([]device.Verdict, []byte) {
	t.Helper()
	c := set.Call()
	if err := cpu.Do(t.Context(), c, &batch.Options{Device: d}); err != nil {
		t.Error(err)
	}
	return c.Verdicts, c.Results
}

// compare carries out sets of rows on a device, each set in its own goroutine, and compares the
// answers with the host's. It runs each set on the device's engine, where only special rows may be
// left Unchecked, and through package batch.
func compare(t *testing.T, what string, d *device.Device, sets []hostile.Set) {
	t.Helper()
	e := d.Engine()
	var all sync.WaitGroup
	defer all.Wait()
	for _, set := range sets {
		all.Go(func() {
			c := set.Call()
			if err := e.Run(t.Context(), c); err != nil {
				t.Error(err)
			}
			if err := set.Check(c); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		})
		if set.Rules == device.Hashed { // package batch has no function that takes challenges
			continue
		}
		all.Go(func() {
			count := newCounted(t, e)
			verdicts, out := run(t, &set, count.device)
			want, keys := run(t, &set, nil)
			if !slices.Equal(verdicts, want) || !bytes.Equal(out, keys) {
				t.Errorf("%s: %v, rules %#x: not what the host says", what, set.Kind, uint32(set.Rules))
			}
			if count.failed.Load() > 0 || count.rows.Load() != int64(len(set.Rows)) ||
				count.decided.Load() < int64(len(set.Rows))/2 {
				t.Errorf("%s: kind %d: of %d rows the device was asked about %d, and decided %d",
					what, set.Kind, len(set.Rows), count.rows.Load(), count.decided.Load())
			}
		})
	}
}

// TestRows checks that an OpenCL device gives valid and hostile rows of all kinds the host's
// verdicts and keys, in one launch and in several.
func TestRows(t *testing.T) {
	sets := hostileSets()
	failed := OnError(func(err error) { t.Error(err) })
	compare(t, "one launch", openCL(t, From(1), failed), sets)
	compare(t, "many", openCL(t, From(1), failed, MemoryLimit(120000)), sets)
}

// pocls returns a backend with several devices, each of which is PoCL's CPU device described as a
// GPU. If failure is not nil, opening the second device returns it.
func pocls(t *testing.T, devices int, failure error) backend {
	t.Helper()
	infos, err := opencl.List()
	if errors.Is(err, opencl.ErrNone) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	all := make([]driver.Info, devices)
	for i := range all {
		all[i] = infos[0]
		all[i].Name = fmt.Sprintf("opencl:%d %s", i, []string{"first", "second", "third"}[i])
		all[i].CPU = false
	}
	return backend{"opencl", func() ([]driver.Info, error) { return all, nil },
		func(index int) (driver.Device, error) {
			if index == 1 && failure != nil {
				return nil, failure
			}
			return opencl.Open(0)
		}}
}

// TestSeveral checks that calls on several devices have the host's verdicts and keys. A device that
// is named twice is opened once. If one of the devices cannot be opened, All leaves it out, and
// Named makes Open return an error.
func TestSeveral(t *testing.T) {
	failed := OnError(func(err error) { t.Error(err) })
	names := Named("opencl:0", "opencl:1", "opencl:0")
	for _, which := range []Option{names, All()} {
		var opened []string
		d, err := open(t.Context(), []backend{pocls(t, 2, nil)}, kernels.Comb,
			[]Option{which, From(1), patient(), failed, MemoryLimit(120000), OnOpen(func(o Opening) {
				opened = append(opened, o.Device.Name)
				if o.Context <= 0 || o.Compile <= 0 || o.Table <= 0 || o.Answers <= 0 {
					t.Errorf("opening took no time: %+v", o)
				}
			})})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(opened, []string{"opencl:0 first", "opencl:1 second"}) {
			t.Errorf("opened %q", opened)
		}
		compare(t, "two devices", d, hostile.Sets(1))
		if err := Close(d); err != nil {
			t.Error(err)
		}
		if err := Close(d); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	broken := []backend{pocls(t, 2, errBackend)}
	d, err := open(t.Context(), broken, kernels.Comb, []Option{names, From(1), patient(), failed})
	if d != nil || !errors.Is(err, errBackend) || !strings.Contains(err.Error(), "opencl:1 second: ") {
		t.Errorf("by names: %v", err)
	}
	var told error
	d, err = open(t.Context(), broken, kernels.Comb,
		[]Option{All(), From(1), patient(), OnError(func(err error) { told = err })})
	if err != nil || !errors.Is(told, errBackend) ||
		!strings.HasPrefix(told.Error(), "opencl:1 second: ") {
		t.Errorf("all: error %v, the hook was told %v", err, told)
	}
	if err := Close(d); err != nil {
		t.Error(err)
	}
	// If the context ends after some devices have been opened, none is.
	ctx, cancel := context.WithCancel(t.Context())
	d, err = openAll(ctx, []backend{pocls(t, 2, nil)}, kernels.Comb,
		[]Option{All(), From(1), patient(), OnOpen(func(Opening) { cancel() })},
		func(hook func()) { hook() })
	if d != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("the context ends: %v, error %v", d, err)
	}
}

// A fragile is a device that counts its launches, and fails after a given number of them.
type fragile struct {
	driver.Device
	launches *launches
}

type launches struct {
	of    atomic.Int64
	until atomic.Int64 // number of launches after which the device fails, or 0 for never
}

type fragileQueue struct {
	driver.Queue
	launches *launches
}

func (f fragile) NewQueue(timed bool) (driver.Queue, error) {
	q, err := f.Device.NewQueue(timed)
	return fragileQueue{q, f.launches}, err
}

func (q fragileQueue) Launch(kernel string, n int, args ...any) error {
	if of, until := q.launches.of.Add(1), q.launches.until.Load(); until > 0 && of >= until {
		return errBackend
	}
	return q.Queue.Launch(kernel, n, args...)
}

// fragiles wraps each device of a backend as a fragile one, and returns the counts of their
// launches.
func fragiles(r backend, devices int) (backend, []*launches) {
	whole, all := r.open, make([]*launches, devices)
	for i := range all {
		all[i] = new(launches)
	}
	r.open = func(index int) (driver.Device, error) {
		d, err := whole(index)
		return fragile{d, all[index]}, err
	}
	return r, all
}

// TestSeveralFail checks that when a device fails, the error passed to the function of OnError
// names the device, and calls still have the host's verdicts.
func TestSeveralFail(t *testing.T) {
	pocl, all := fragiles(pocls(t, 2, nil), 2)
	told := make(chan error, 1000)
	d, err := open(t.Context(), []backend{pocl}, kernels.Comb,
		[]Option{All(), From(1), patient(), MemoryLimit(120000),
			OnError(func(err error) { told <- err })})
	if err != nil {
		t.Fatal(err)
	}
	all[0].until.Store(1)
	compare(t, "one device fails", d, hostile.Sets(1))
	if err := Close(d); err != nil {
		t.Error(err)
	}
	close(told)
	n := 0
	for err := range told {
		if n++; !errors.Is(err, errBackend) || !strings.HasPrefix(err.Error(), "opencl:0 first: ") {
			t.Error(err)
		}
	}
	if n == 0 {
		t.Error("the hook was not told")
	}
}

// TestKnownCalls checks that if the device fails in the last known call of device.New, Open returns
// an error, frees everything, and does not call the function of OnError.
func TestKnownCalls(t *testing.T) {
	pocl, all := fragiles(pocls(t, 1, nil), 1)
	options := []Option{From(1), patient(), OnError(func(err error) { t.Error(err) })}
	d, err := open(t.Context(), []backend{pocl}, kernels.Comb, options)
	if err != nil {
		t.Fatal(err)
	}
	launches := all[0].of.Swap(0)
	if err := Close(d); err != nil {
		t.Error(err)
	}
	all[0].until.Store(launches)
	d, err = open(t.Context(), []backend{pocl}, kernels.Comb, options)
	if d != nil || !errors.Is(err, ErrAnswer) || !errors.Is(err, errBackend) {
		t.Errorf("a device that fails in its last launch: %v", err)
	}
}

// TestCUDA checks that the committed PTX gives the CPU's answers on two simulated CUDA devices,
// which interpret it: rows of every kind, sums and equations. Only with KOBLITZ_DEEP, package batch
// makes the calls, too.
func TestCUDA(t *testing.T) {
	fakes := []*cudatest.Driver{cudatest.New(), cudatest.New()}
	infos := []driver.Info{{Name: "cuda:0 first"}, {Name: "cuda:1 second"}}
	cuda := backend{"cuda", func() ([]driver.Info, error) { return infos, nil },
		func(index int) (driver.Device, error) { return fakes[index].API().Open(0) }}
	d, err := open(t.Context(), []backend{cuda}, kernels.Comb,
		[]Option{All(), From(1), patient(), MemoryLimit(1 << 18),
			OnError(func(err error) { t.Error(err) })})
	if err != nil {
		t.Fatal(err)
	}
	if sets := hostile.Sets(1); deep() {
		compare(t, "PTX", d, sets)
	} else {
		for _, set := range sets {
			c := set.Call()
			if err := errors.Join(d.Engine().Run(t.Context(), c), set.Check(c)); err != nil {
				t.Error(err)
			}
		}
	}
	compareSums(t, d, 3)
	compareBatches(t, d, 3)
	err = Close(d)
	for _, fake := range fakes {
		if len(fake.Counted) == 0 {
			t.Error("a device has done nothing")
		}
		err = errors.Join(err, fake.Err(), fake.Leaks())
	}
	if err != nil {
		t.Error(err)
	}
}

// TestMeasured checks that without the option From, Open measures from how many rows on the device
// is faster than the CPU.
func TestMeasured(t *testing.T) {
	e := openCL(t).Engine()
	for k := range device.Kind(20) {
		if e.Accepts(k, 0, 1) {
			t.Errorf("one row of kind %d pays", k)
		}
	}
}
