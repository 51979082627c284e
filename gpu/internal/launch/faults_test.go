package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestFaults checks that when any driver function fails at any point of a call, Run returns that
// error, Options.Hook is called with the error, and the next call succeeds.
func TestFaults(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.spoil(); err != nil {
		t.Fatal(err)
	}
	want := s.call(device.ECDSA, 5*driver.Group)
	if err := cpu.Do(t.Context(), want, nil); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"write", "launch", "read", "wait"} {
		for after := range int64(4) {
			f := &fake{}
			var told []error
			e := start(t, f, Options{Memory: small(), Hook: func(err error) { told = append(told, err) }})
			var count atomic.Int64
			f.set(func() {
				f.call = func(called string) error {
					if called == what && count.Add(1) == after+1 {
						return errFake
					}
					return nil
				}
			})
			c := s.call(device.ECDSA, 5*driver.Group)
			if err := e.Run(t.Context(), c); !errors.Is(err, errFake) {
				t.Errorf("%s %d: %v", what, after, err)
			}
			if len(told) != 1 || !errors.Is(told[0], errFake) || errors.Is(told[0], ErrLost) {
				t.Errorf("%s %d: the hook was told %v", what, after, told)
			}
			if err := e.Run(t.Context(), c); err != nil {
				t.Errorf("%s %d: %v in the next call", what, after, err)
			}
			if !slices.Equal(c.Verdicts, want.Verdicts) {
				t.Errorf("%s %d: other verdicts in the next call", what, after)
			}
		}
	}
}

// TestKernelFails checks that if a kernel fails, Run returns the error that the queue's Wait
// reports.
func TestKernelFails(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	f.set(func() { f.err = errFake })
	if err := e.Run(t.Context(), hostileSets()[0].Call()); !errors.Is(err, errFake) {
		t.Error(err)
	}
}

// TestLostAtOnce checks that a device gets no more calls after a single error which says that it is
// lost.
func TestLostAtOnce(t *testing.T) {
	for _, what := range []string{"write", "launch", "read", "wait"} {
		f := &fake{}
		var told []error
		e := start(t, f, Options{Memory: small(), Hook: func(err error) { told = append(told, err) }})
		f.set(func() {
			f.call = func(called string) error {
				if called == what {
					return fmt.Errorf("fails: %w", driver.ErrLost)
				}
				return nil
			}
		})
		if err := e.Run(t.Context(), hostileSets()[0].Call()); !errors.Is(err, driver.ErrLost) {
			t.Errorf("%s: %v", what, err)
		}
		if len(told) != 1 || !errors.Is(told[0], ErrLost) || !errors.Is(told[0], driver.ErrLost) ||
			e.Accepts(device.ECDSA, 0, 1) {
			t.Errorf("%s: the hook was told %v", what, told)
		}
		f.set(func() { f.call = nil }) // let the device be closed
	}
}

// TestLost checks that a device that fails several times in succession gets no more calls, and that
// a device whose failures are not successive is kept.
func TestLost(t *testing.T) {
	f := &fake{}
	var told []error
	e := start(t, f, Options{Memory: small(), Hook: func(err error) { told = append(told, err) }})
	set := hostileSets()[0]
	for round := range 3 * maxFaults {
		f.set(func() {
			f.call = nil
			if round%maxFaults != 0 {
				f.call = func(string) error { return errFake }
			}
		})
		if err := e.Run(t.Context(), set.Call()); errors.Is(err, ErrLost) {
			t.Fatalf("lost in round %d", round)
		}
	}
	for _, err := range told {
		if errors.Is(err, ErrLost) {
			t.Error(err)
		}
	}
	if !e.Accepts(device.ECDSA, 0, 1) {
		t.Fatal("the device is not asked again")
	}
	told = nil
	if err := e.Run(t.Context(), set.Call()); !errors.Is(err, errFake) {
		t.Error(err)
	}
	if len(told) != 1 || !errors.Is(told[0], ErrLost) || !errors.Is(told[0], errFake) ||
		e.Accepts(device.ECDSA, 0, 1) {
		t.Errorf("the hook was told %v, pays: %v", told, e.Accepts(device.ECDSA, 0, 1))
	}
	if err := e.Run(t.Context(), set.Call()); !errors.Is(err, ErrLost) || len(told) != 1 {
		t.Error(err, told)
	}
	f.set(func() { f.call = nil }) // let the device be closed
}

// TestUnwritten checks that a launch that writes no verdicts, or writes bytes that are not
// verdicts, is an error.
func TestUnwritten(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	set := hostileSets()[0]
	f.set(func() { f.skip = true })
	if err := e.Run(t.Context(), set.Call()); !errors.Is(err, errVerdict) {
		t.Error(err)
	}
	f.set(func() {
		f.skip = false
		f.after = func(_ string, r *results) { r.verdicts[len(r.verdicts)-1] = 4 }
	})
	if err := e.Run(t.Context(), set.Call()); !errors.Is(err, errVerdict) {
		t.Error(err)
	}
}

// TestOut checks that the result of a row that is not Valid is all zeros, even if the device has
// written other bytes.
func TestOut(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	f.set(func() {
		f.after = func(_ string, r *results) {
			size := len(r.out) / len(r.verdicts)
			for i, v := range r.verdicts {
				if v != byte(device.Valid) && r.out != nil {
					r.out[(i+1)*size-1] = 1
				}
			}
		}
	})
	for _, set := range hostileSets() {
		c := set.Call()
		dirty(c)
		if err := e.Run(t.Context(), c); err != nil {
			t.Error(err)
		}
		if err := set.Check(c); err != nil {
			t.Error(err)
		}
	}
}

// TestAnswers checks that a device that gives any wrong answer is not opened, and all its memory is
// freed.
func TestAnswers(t *testing.T) {
	faults := map[string]func(kernel string, r *results){
		"a good row is bad": func(_ string, r *results) {
			r.change(device.Valid, device.Invalid)
		},
		"a bad row is good": func(kernel string, r *results) {
			from := device.Invalid
			if kernel == "k_decompress" || kernel == "k_pubkeys" {
				from = device.Malformed
			}
			r.change(from, device.Valid)
		},
		"a malformed row is bad": func(_ string, r *results) {
			r.change(device.Malformed, device.Invalid)
		},
		"a row is left": func(_ string, r *results) {
			r.verdicts[len(r.verdicts)-1] = byte(device.Unchecked)
		},
		"another key": func(_ string, r *results) {
			if r.out == nil { // the kind has no results: change a verdict
				r.change(device.Valid, device.Invalid)
				return
			}
			r.out[1] ^= 1 // change a result: the first row is valid
		},
	}
	for _, k := range kinds() {
		p, _ := programOf(k)
		for what, fault := range faults {
			f := &fake{after: func(kernel string, r *results) {
				if kernel == p.kernel {
					fault(kernel, r)
				}
			}}
			memory := small()
			if p.set { // these kernels run only with memory for tables
				memory = setMemory
			}
			_, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: memory})
			if !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), p.kernel) {
				t.Errorf("%s, %s: %v", p.kernel, what, err)
			}
			f.leaks(t)
		}
	}
}

// change replaces the last verdict that equals old by replacement.
func (r *results) change(old, replacement device.Verdict) {
	for i := len(r.verdicts) - 1; i >= 0; i-- {
		if r.verdicts[i] == byte(old) {
			r.verdicts[i] = byte(replacement)
			return
		}
	}
}

// TestFlags checks that a device that ignores a flag is not opened.
func TestFlags(t *testing.T) {
	for what, apply := range map[string]func(c *device.Call) bool{
		"LowS":   func(c *device.Call) bool { return c.Rules&device.LowS != 0 },
		"Hashed": func(c *device.Call) bool { return c.Rules&device.Hashed != 0 },
		"ids":    func(c *device.Call) bool { return c.Columns[3].Data != nil },
	} {
		f := &fake{}
		f.after = func(kernel string, r *results) {
			if !apply(r.call) {
				return
			}
			without := *r.call
			without.Rules, without.Columns[3].Data = 0, nil
			if err := cpu.Do(context.Background(), &without, nil); err != nil {
				t.Error(err)
			}
			for i, v := range without.Verdicts {
				r.verdicts[i] = byte(v)
			}
		}
		_, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: small()})
		if !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v", what, err)
		}
		f.leaks(t)
	}
}

// TestOpening checks that New returns the error of any driver function that fails while the device
// is opened, and frees all memory.
func TestOpening(t *testing.T) {
	for _, what := range []string{"Load", "AllocHost", "write", "launch", "read", "wait"} {
		f := &fake{call: func(called string) error {
			if called == what {
				return errFake
			}
			return nil
		}}
		_, err := New(t.Context(), f, []byte(tableOfTests), Options{})
		if !errors.Is(err, errFake) {
			t.Errorf("%s: %v", what, err)
		}
		f.leaks(t)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &fake{}
	if _, err := New(ctx, f, []byte(tableOfTests), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	f.leaks(t)
}

// TestMemory checks that launches use no more memory than the limit and the device allow, and that
// there are fewer slots if the device allows fewer queues.
func TestMemory(t *testing.T) {
	least := driver.Group * rowBytes()
	table := len(tableOfTests)
	const unitRows = launchWaves * unitGroups * driver.Group
	for _, c := range []struct {
		option  int64
		memory  int // bytes of device memory
		queues  int
		units   int
		rows    int
		slots   int
		failure error
	}{
		{rows: unitRows, slots: maxSlots},
		{units: 3, rows: 3 * unitRows, slots: maxSlots},
		{units: 1 << 20, rows: 1 << 18, slots: maxSlots, option: 1 << 40},
		{units: 64, rows: 1 << 16, slots: maxSlots},
		{option: small(), rows: driver.Group, slots: maxSlots},
		{option: small() - 1, rows: driver.Group, slots: maxSlots - 1},
		{option: small() * 2, rows: 2 * driver.Group, slots: maxSlots},
		{option: int64(least), rows: driver.Group, slots: 1},
		{option: int64(least) - 1, failure: ErrMemory},
		{memory: 2*least + table, rows: driver.Group, slots: 2},
		{memory: least + table, rows: driver.Group, slots: 1},
		{memory: least - 1, failure: ErrMemory},
		{memory: least, failure: driver.ErrMemory}, // there is no memory for the table
		{queues: 3, rows: unitRows, slots: 3},
		{queues: 1, rows: driver.Group, slots: 1},
	} {
		f := &fake{memory: c.memory, queues: c.queues, units: c.units}
		if c.rows > 1<<16 { // too large for a test: only compute the sizes
			e := &Engine{dev: sizes{units: c.units}, free: make(chan *slot, maxSlots)}
			if err := e.allocate(c.option); err != nil || e.rows != c.rows || e.slots != c.slots {
				t.Errorf("%+v: %d rows, %d slots, %v", c, e.rows, e.slots, err)
			}
			continue
		}
		e, err := New(t.Context(), f, []byte(tableOfTests),
			Options{Memory: c.option, Crossover: 1})
		if !errors.Is(err, c.failure) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			if wave := min(c.rows, max(c.units, 1)*unitGroups*driver.Group); e.rows != c.rows ||
				e.slots != c.slots || e.wave != wave {
				t.Errorf("%+v: %d rows, %d slots, waves of %d", c, e.rows, e.slots, e.wave)
			}
			if c.option > 0 && (f.peak > (1+sumMemory)*int(c.option)+table || f.peakHost > int(c.option)) {
				t.Errorf("%+v: %d bytes, %d of the host", c, f.peak, f.peakHost)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
		f.leaks(t)
	}
}

// TestCrossover checks that the crossover is the least number of rows for which the device is
// faster, and is 0, which means never, if there is no such number.
func TestCrossover(t *testing.T) {
	const row = time.Microsecond // the host's time for a row
	for _, c := range []struct {
		what string
		dev  func(n int) time.Duration
		want int
		runs int
	}{
		{"at once", func(int) time.Duration { return 10 * row }, 128, 1},
		// The device takes as long as the host for the rows, but the host also verifies 64 of them
		// again, so the device is never faster.
		{"the host's own", func(n int) time.Duration { return time.Duration(n) * row }, 0, 6},
		{"late", func(int) time.Duration { return 1000 * row }, 2048, 5},
		{"just not", func(n int) time.Duration { return time.Duration(n-64) * row }, 0, 6},
		{"just", func(n int) time.Duration { return time.Duration(n-64)*row - 1 }, 128, 1},
		{"never", func(int) time.Duration { return 5000 * row }, 0, 6},
		{"a device that takes too long to find out", func(int) time.Duration { return budget }, 0, 1},
	} {
		runs := 0
		n, err := crossover(4096, hostRows*row, func(n int) (time.Duration, error) {
			runs++
			return c.dev(n), nil
		})
		if n != c.want || err != nil || runs != c.runs {
			t.Errorf("%s: %d after %d, %v", c.what, n, runs, err)
		}
	}
	_, err := crossover(4096, row, func(int) (time.Duration, error) { return 0, errFake })
	if !errors.Is(err, errFake) {
		t.Error(err)
	}
	for n, want := range map[int]int{1: 1, 64: 64, 65: 64, 65536: 64, 65537: 65, 1 << 20: 1024} {
		if got := audited(n); got != want {
			t.Errorf("%d of %d are done again, want %d", got, n, want)
		}
	}
}

// TestMeasure checks that New measures the crossovers that are not stated, and that it returns an
// error if measuring fails.
func TestMeasure(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small(), Crossover: -1})
	for _, k := range kinds() {
		n, there := e.crossover[k]
		if there && n < driver.Group || e.Accepts(k, 0, driver.Group-1) {
			t.Errorf("kind %d pays from %d rows on", k, n)
		}
	}
	f = &fake{}
	var launches atomic.Int64
	f.before = func(string) {
		if launches.Add(1) > 20 { // the known answers take 18 launches; later ones are measurements
			f.set(func() { f.call = func(string) error { return errFake } })
		}
	}
	_, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: small()})
	if !errors.Is(err, errFake) {
		t.Error(err)
	}
	f.leaks(t)
}

// A sizes is a device that does nothing but give out memory and queues, without limit.
type sizes struct {
	driver.Device
	units int
}

func (s sizes) Info() driver.Info                { return driver.Info{Units: s.units} }
func (s sizes) Alloc(int) (driver.Buffer, error) { return nil, nil }
func (s sizes) NewQueue() (driver.Queue, error)  { return nil, nil }

func (s sizes) AllocHost(int) (driver.HostMemory, error) { return new(fakeHost), nil }

// TestHook checks that the function Options.Hook may call the Engine, close it, or panic. The
// Engine holds no lock while this function runs.
func TestHook(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	call := func() *device.Call { return s.call(device.PublicKeys, 5*driver.Group) }
	var e *Engine
	for what, hook := range map[string]func(f *fake){
		"a call": func(f *fake) {
			f.set(func() { f.call = nil })
			if err := e.Run(t.Context(), call()); err != nil {
				t.Error(err)
			}
		},
		"Close": func(*fake) {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		},
		"a panic": func(*fake) { panic(errFake) },
	} {
		f := &fake{}
		told := 0
		e = start(t, f, Options{Memory: small(), Hook: func(error) {
			told++
			hook(f)
		}})
		f.set(func() {
			f.call = func(called string) error {
				if called == "launch" {
					return errFake
				}
				return nil
			}
		})
		func() {
			defer func() {
				if r := recover(); (r != nil) != (what == "a panic") {
					t.Errorf("%s: panic %v", what, r)
				}
			}()
			if err := e.Run(t.Context(), call()); !errors.Is(err, errFake) {
				t.Errorf("%s: %v", what, err)
			}
		}()
		if told != 1 {
			t.Errorf("%s: the hook was told %d times", what, told)
		}
		f.set(func() { f.call = nil })
		want := error(nil)
		if what == "Close" {
			want = ErrClosed
		}
		if err := e.Run(t.Context(), call()); !errors.Is(err, want) {
			t.Errorf("%s: %v in the next call", what, err)
		}
	}
}
