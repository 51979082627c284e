package launch

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// TestLaunchRows checks that launchRows returns the rows of some whole waves, where a wave is the
// rows that a device computes at the same time. If there is no memory for a wave, it must return
// the rows of some whole groups.
func TestLaunchRows(t *testing.T) {
	const wave = unitGroups * driver.Group
	row := int64(maxSlots * rowBytes())
	for _, c := range []struct {
		units  int
		memory int64
		want   int
	}{
		{0, 1 << 40, launchWaves * wave},
		{132, defaultMemory, launchWaves * 132 * wave},
		{1 << 20, 1 << 40, maxRows},
		{132, (launchWaves*132*wave - 1) * row, (launchWaves - 1) * 132 * wave},
		{132, 132*wave*row - 1, 132*wave - driver.Group},
		{132, 1000 * row, 896},
		{1, 1, driver.Group},
	} {
		if got := launchRows(c.units, c.memory); got != c.want {
			t.Errorf("%d units, %d bytes: %d rows, want %d", c.units, c.memory, got, c.want)
		}
	}
	for _, memory := range []int64{0, 1, defaultMemory, math.MaxInt64 - 1, math.MaxInt64} {
		if most := newSpace(memory).most; most < memory/2*2 {
			t.Errorf("%d bytes for sums, where there may be %d for launches", most, memory)
		}
	}
	if kernels.GroupSize != driver.Group {
		t.Error("groups of other sizes")
	}
	if w := widest(); device.KeySize*driver.Group < sums.SumBytes ||
		w[1]*driver.Group < sums.RecordsBytes {
		t.Error("the shortest slot has no room for the answer to a sum or an equation")
	}
}

// TestMemory checks that launches use no more memory than the limit and the device allow, that
// there are fewer slots if the device allows fewer queues, and that sums are left to the host if
// there is no memory for them.
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
		sums    bool
		failure error
	}{
		{rows: unitRows, slots: maxSlots, sums: true},
		{units: 3, rows: 3 * unitRows, slots: maxSlots, sums: true},
		{option: small(), rows: driver.Group, slots: maxSlots},
		{option: small() - 1, rows: driver.Group, slots: maxSlots - 1},
		{option: small() * 2, rows: 2 * driver.Group, slots: maxSlots, sums: true},
		{option: int64(least), rows: driver.Group, slots: 1},
		{option: int64(least) - 1, failure: ErrMemory},
		{memory: 2*least + table, rows: driver.Group, slots: 2},
		{memory: least + table, rows: driver.Group, slots: 1},
		{memory: least - 1, failure: ErrMemory},
		{memory: least, failure: driver.ErrMemory}, // there is no memory for the table
		{queues: 3, rows: unitRows, slots: 3, sums: true},
		{queues: 1, rows: driver.Group, slots: 1, sums: true},
	} {
		f := &fake{memory: c.memory, queues: c.queues, units: c.units}
		e, err := New(t.Context(), f, []byte(tableOfTests),
			Options{Memory: c.option, Crossover: 1, Timeout: patience})
		if !errors.Is(err, c.failure) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			wave := min(c.rows, max(c.units, 1)*unitGroups*driver.Group)
			if e.rows != c.rows || e.slots != c.slots || e.wave != wave ||
				e.Accepts(device.Sum, 0, 1) != c.sums || !e.Accepts(device.ECDSA, 0, 1) {
				t.Errorf("%+v: %d rows, %d slots, waves of %d, accepts %v", c, e.rows, e.slots, e.wave,
					e.Crossovers())
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

// TestSumMemory checks that with less memory a sum or an equation is divided into more parts, each
// row is in one of them, the parts after one with a bad row are left out, and the memory of an
// equation does not keep a later sum from getting memory.
func TestSumMemory(t *testing.T) {
	const n = 3*driver.Group + 1
	bytes := func(terms int) int { return int(sums.New(device.Sum, terms).Bytes()) }
	for _, c := range []struct {
		kind         device.Kind
		n            int
		memory       int
		least, parts int
	}{
		{device.Sum, n, bytes(n), 1, 1}, {device.Sum, n, bytes((n + 1) / 2), 2, 2},
		{device.AllECDSA, 10 * driver.Group, 300 << 10, 2, 100},
	} {
		f := &fake{}
		e := start(t, f, Options{})
		e.forget()
		q, parts := newQuestion(t, c.kind, c.n, false), 0
		f.set(func() {
			f.memory = f.used + c.memory
			f.before = func(kernel string) {
				if kernel == "k_sum_add" {
					parts++
				}
			}
		})
		f.sum.rows = 0
		if err := q.by(t.Context(), e); err != nil || f.sum.rows != c.n || parts < c.least ||
			parts > c.parts {
			t.Errorf("%+v: %v, %d rows, %d parts", c, err, f.sum.rows, parts)
		}
		parts = 0
		fill(q.call.Columns[1].Data[:32], 0xff)
		bad := q.fresh()
		err := e.Run(t.Context(), bad)
		if err != nil || bad.Verdicts[0] != device.Malformed || parts != 1 {
			t.Errorf("%+v: %v, verdict %d, %d parts", c, err, bad.Verdicts[0], parts)
		}
		if err := newQuestion(t, device.Sum, driver.Group, false).by(t.Context(), e); err != nil {
			t.Error(err)
		}
	}
}

// TestCrossover checks that the crossover is the least number of rows for which the device is
// faster, and is 0, which means never, if there is no such number.
func TestCrossover(t *testing.T) {
	const row = time.Microsecond // the host's time for a row
	rows := func(n int) time.Duration { return time.Duration(n) * row }
	for _, c := range []struct {
		what string
		dev  func(n int) (time.Duration, error)
		want int
		runs int
	}{
		{"at once", func(int) (time.Duration, error) { return 10 * row, nil }, 128, 1},
		{"late", func(int) (time.Duration, error) { return 1000 * row, nil }, 2048, 5},
		// The host verifies 64 of the rows again.
		{"just not", func(n int) (time.Duration, error) { return rows(n - 64), nil }, 0, 6},
		{"just", func(n int) (time.Duration, error) { return rows(n-64) - 1, nil }, 128, 1},
		{"too long", func(int) (time.Duration, error) { return budget, nil }, 0, 1},
		{"no memory", func(int) (time.Duration, error) { return 0, driver.ErrMemory }, 0, 1},
	} {
		runs := 0
		n, err := crossover(128, 4096, audited, func(n int) (dev, host time.Duration, err error) {
			runs++
			dev, err = c.dev(n)
			return dev, rows(n), err
		})
		if n != c.want || err != nil || runs != c.runs {
			t.Errorf("%s: %d after %d, %v", c.what, n, runs, err)
		}
	}
	for n, want := range map[int]int{1: 1, 64: 64, 65: 64, 65536: 64, 65537: 65, 1 << 20: 1024} {
		if got := audited(n); got != want {
			t.Errorf("%d of %d are done again, want %d", got, n, want)
		}
	}
}

// TestMeasure checks that New measures the crossovers that are not stated, and returns an error if
// measuring fails. It takes crossovers known from another device, unless a crossover is stated.
func TestMeasure(t *testing.T) {
	e := start(t, &fake{}, Options{Memory: small(), Crossover: -1})
	for _, k := range kinds() {
		n, there := e.crossover[k]
		if there && n < driver.Group || e.Accepts(k, 0, driver.Group-1) {
			t.Errorf("kind %d pays from %d rows on", k, n)
		}
	}
	known := map[device.Kind]int{device.ECDSA: 300, device.Sum: 4321}
	seven := map[device.Kind]int{device.Sum: 7, device.AllECDSA: 7, device.AllSchnorr: 7}
	for _, k := range kinds() {
		seven[k] = 7
	}
	for stated, want := range map[int]map[device.Kind]int{-1: known, 7: seven} {
		var launches atomic.Int64
		f := &fake{before: func(string) { launches.Add(1) }}
		e := start(t, f, Options{Crossover: stated, Known: known})
		if got := e.Crossovers(); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		answers := launches.Load() // the known answers, and nothing that is measured
		f = &fake{}
		f.before = func(string) {
			if launches.Add(1) == 2*answers+1 {
				f.set(func() { f.err = errFake })
			}
		}
		err := opened(t, f, Options{Crossover: -1})
		if !errors.Is(err, errFake) {
			t.Errorf("measuring fails: %v", err)
		}
		e.crossover[99] = 1
		if len(known) != 2 {
			t.Error("the map of Options.Known was changed")
		}
	}
}

// TestLoadTime checks that Times.Compile holds the time of loading all programs, and no other step
// does.
func TestLoadTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const compile = 15 * time.Second
		f := &fake{call: func(what string) error {
			if what == "Load" {
				time.Sleep(compile)
			}
			return nil
		}}
		e := start(t, f, Options{Memory: sumLimit()})
		if got := e.Times(); got != (Times{Compile: 2 * compile}) {
			t.Errorf("%+v", got)
		}
	})
}

// launches makes f count the launches of each kernel. It returns a function that returns the counts
// since its last call.
func (f *fake) launches() func() map[string]int {
	count := map[string]int{}
	f.set(func() {
		f.before = func(kernel string) { f.set(func() { count[kernel]++ }) }
	})
	return func() map[string]int {
		f.mu.Lock()
		defer f.mu.Unlock()
		was := count
		count = map[string]int{}
		return was
	}
}

// TestKeySets checks that the tables of a set of keys are made once, after enough rows have used
// the set. They must be kept for later calls with the set, until the tables of another set replace
// them.
func TestKeySets(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: setMemory})
	launches := f.launches()
	const enough = keyRows * (sampleKeys + 1)
	for i, c := range []struct {
		other  bool
		kind   device.Kind
		rows   int
		kernel string
		made   int
	}{
		// New checks known answers with this set of keys, so it has already made the set's tables.
		{false, device.PreparedECDSA, 10, "k_prepared_ecdsa", 0},
		{false, device.PreparedSchnorr, 10, "k_prepared_schnorr", 0},
		{true, device.PreparedECDSA, enough - 1, "k_ecdsa", 0},
		{true, device.PreparedSchnorr, 1, "k_prepared_schnorr", 1},
		{true, device.PreparedECDSA, 1, "k_prepared_ecdsa", 0},
		{false, device.PreparedSchnorr, enough - 1, "k_schnorr", 0},
		{false, device.PreparedSchnorr, enough, "k_prepared_schnorr", 1},
	} {
		q := newQuestion(t, c.kind, c.rows, true)
		if c.other {
			q.call.Keys = slices.Concat(q.call.Keys[64:128], q.call.Keys[64:])
		}
		for row, number := range []byte{sampleKeys, 0xff} { // rows without a key
			if row < c.rows-1 {
				fill(q.call.Columns[1].Data[4*row:][:1+3*row], number)
			}
		}
		q.want = answer(t, q.call)
		if err := q.by(t.Context(), e); err != nil {
			t.Error(err)
		}
		got := launches()
		if tables := c.kernel[:6] == "k_prep"; got[c.kernel] == 0 || got["k_keys"] != c.made ||
			(e.keys.set != nil) != tables || e.keys.users.Load() != 0 {
			t.Errorf("call %d: launches %v, tables %v, used by %d", i, got, e.keys.set,
				e.keys.users.Load())
		}
	}
	for _, count := range []int{1, 2, 100, 1 << 20} {
		for bits := kernels.CombLeast; bits <= kernels.KeyMost; bits++ {
			size, less := kernels.CombSize(bits)*int64(count), bits-1
			if bits == kernels.CombLeast {
				less = 0
			}
			if keyBits(count, size) != bits || keyBits(count, size-1) != less || keyBits(0, size) != 0 {
				t.Errorf("%d keys: %d bits in %d bytes", count, keyBits(count, size), size)
			}
		}
	}
}

// TestKeySetInUse checks that the tables of prepared keys are kept as long as the device uses them,
// even after the call has returned, and that calls with other keys run without tables until then,
// as do calls while another holds the tables. Close waits for a call that replaces tables.
func TestKeySetInUse(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: setMemory})
	e.keys.least = 0
	q := newQuestion(t, device.PreparedECDSA, 16, true)
	other := newQuestion(t, device.PreparedECDSA, 16, true)
	other.call.Keys = slices.Concat(other.call.Keys[device.PointSize:])
	other.want = answer(t, other.call)
	tables := e.keys.set.tables.(*fakeBuffer)
	ctx, cancel := context.WithCancel(t.Context())
	release := blocker([]*fake{f}, "k_prepared_ecdsa", cancel)
	if err := q.by(ctx, e); err == nil {
		t.Error("the context has ended, and there is no error")
	}
	if err := other.by(t.Context(), e); err != nil || tables.data == nil || e.keys.users.Load() == 0 {
		t.Errorf("%v, users %d", err, e.keys.users.Load())
	}
	release()
	e.idle(t)
	launches := f.launches()
	if err := other.by(t.Context(), e); err != nil || launches()["k_prepared_ecdsa"] == 0 {
		t.Errorf("%v, and no tables", err)
	}
	set, err := e.useKeys(t.Context(), other.call)
	if set == nil || err != nil {
		t.Fatal(set, err)
	}
	if err := q.by(t.Context(), e); err != nil || launches()["k_ecdsa"] == 0 {
		t.Errorf("%v, and with tables", err)
	}
	e.dropKeys(set)
	if err := e.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	until(t, "slots are there", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.open == 0 })
	time.Sleep(10 * time.Millisecond) // time in which a faulty Close would return too early
	select {
	case err := <-closed:
		t.Errorf("Close has returned: %v", err)
	default:
	}
	e.leave()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
