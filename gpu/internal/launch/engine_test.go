package launch

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// deep reports whether KOBLITZ_DEEP is set, as in acceptance. Tests then try many cases, not just
// a few.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// hostileSets returns hostile rows of all kinds. It makes them on the first call.
var hostileSets = sync.OnceValue(func() []hostile.Set {
	if !deep() {
		return hostile.Sets(1)
	}
	return hostile.Sets(6)
})

// dirty fills the results of a call with bytes, as an earlier call could have left them.
func dirty(c *device.Call) {
	for i := range c.Results {
		c.Results[i] = 0x77
	}
}

// spread moves the values of all columns of a call apart, so that the columns have larger strides.
func spread(r *rand.Rand, c *device.Call) {
	for i, col := range c.Columns {
		if col.Data == nil {
			continue
		}
		gap := r.IntN(20)
		wide := device.Column{Stride: col.Stride + gap}
		for row := range c.Rows {
			wide.Data = append(wide.Data, col.Data[row*col.Stride:][:col.Stride]...)
			if row < c.Rows-1 { // nothing needs to follow the last value
				wide.Data = append(wide.Data, make([]byte, gap)...)
			}
		}
		c.Columns[i] = wide
	}
}

// TestRun checks that hostile rows of all kinds get the host's verdicts, whether a call takes one
// launch or many, and with any strides.
func TestRun(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, memory := range []int64{0, small()} {
		e := start(t, &fake{}, Options{Memory: memory})
		if (memory == 0) != (e.rows > driver.Group) {
			t.Fatalf("%d rows with %d bytes", e.rows, memory)
		}
		for _, set := range hostileSets() {
			c := set.Call()
			spread(r, c)
			dirty(c)
			if err := e.Run(t.Context(), c); err != nil {
				t.Error(err)
			}
			if err := set.Check(c); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSizes checks that calls get the right verdicts when their number of rows is near the size of
// a launch, and when a column has one value for all rows.
func TestSizes(t *testing.T) {
	e := start(t, &fake{}, Options{Memory: small()})
	s, err := newSample(64)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 2, 127, 128, 129, 255, 256, 257, 384, 640, 641} {
		got, want := s.call(device.ECDSA, n), s.call(device.ECDSA, n)
		for _, c := range []*device.Call{got, want} {
			c.Columns[1] = device.Column{Data: s.keys[:33]}
		}
		if err := errors.Join(e.Run(t.Context(), got), cpu.Do(t.Context(), want, nil)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Verdicts, want.Verdicts) {
			t.Errorf("%d rows: other verdicts", n)
		}
		if n > 64 && (want.Verdicts[0] != device.Valid || want.Verdicts[1] == device.Valid) {
			t.Errorf("%d rows: the verdicts are not those of the first key", n)
		}
	}
}

// TestConcurrent checks that calls of many goroutines share a few slots, each queue has one user at
// a time, and launches run at the same time.
func TestConcurrent(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	full := make(chan bool)
	var once sync.Once
	f.set(func() {
		f.most = 0
		f.before = func(string) { // wait until as many launches run as there are slots
			f.mu.Lock()
			every := f.busy == maxSlots
			f.mu.Unlock()
			if every {
				once.Do(func() { close(full) })
			}
			<-full
		}
	})
	sets := hostileSets()
	var all sync.WaitGroup
	for range 3 {
		for _, set := range sets {
			all.Go(func() {
				c := set.Call()
				if err := e.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
				if err := set.Check(c); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if len(e.free) != maxSlots {
		t.Errorf("%d slots of %d are free", len(e.free), maxSlots)
	}
	if f.most != maxSlots {
		t.Errorf("%d launches at a time", f.most)
	}
}

// TestTwoInFlight checks that a call with many launches has two of them under way, and never more.
func TestTwoInFlight(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	both := make(chan bool)
	var once sync.Once
	f.set(func() {
		f.most = 0
		f.before = func(string) { // the first launch waits for the second
			f.mu.Lock()
			second := f.busy == 2
			f.mu.Unlock()
			if second {
				once.Do(func() { close(both) })
			}
			<-both
		}
	})
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(t.Context(), s.call(device.PublicKeys, 10*driver.Group)); err != nil {
		t.Fatal(err)
	}
	if f.most != 2 {
		t.Errorf("%d launches at a time", f.most)
	}
}

// TestKinds checks that kinds without a program are refused by Run, and by Accepts for any number
// of rows.
func TestKinds(t *testing.T) {
	var told []error
	e := start(t, &fake{}, Options{Crossover: 100, Hook: func(err error) { told = append(told, err) }})
	for k := range device.Kind(20) {
		_, known := programOf(k)
		known = known || k == device.Sum || equationKinds[k] != 0
		if e.Accepts(k, 0, 100) != known || e.Accepts(k, 0, 99) || e.Accepts(k, 0, 0) {
			t.Errorf("kind %d pays wrongly", k)
		}
		if known {
			continue
		}
		err := e.Run(t.Context(), &device.Call{Kind: k, Rows: 1, Verdicts: make([]device.Verdict, 1)})
		if !errors.Is(err, ErrKind) {
			t.Errorf("kind %d: %v", k, err)
		}
	}
	if len(kinds()) != 8 || told != nil {
		t.Error(kinds(), told)
	}
}

// TestRules checks that Accepts and Run refuse rules that the kernels of a kind do not implement.
func TestRules(t *testing.T) {
	e := start(t, &fake{}, Options{})
	team := NewTeam([]*Engine{e})
	known := map[device.Kind]device.Rules{
		device.Schnorr: device.Hashed, device.AllSchnorr: device.Hashed,
		device.ECDSA: device.LowS, device.AllECDSA: device.LowS, device.PreparedECDSA: device.LowS,
		device.Recover: device.LowS, device.RecoverAddress: device.LowS,
	}
	for k := device.Schnorr; k <= device.RecoverAddress; k++ {
		for bit := range 32 {
			rule := device.Rules(1) << bit
			want := rule == known[k]
			if e.Accepts(k, rule, 1000) != want || team.Accepts(k, rule, 1000) != want {
				t.Errorf("%v with the rule %#x: accepted or refused wrongly", k, uint32(rule))
			}
			c := &device.Call{Kind: k, Rules: rule, Rows: 1, Verdicts: make([]device.Verdict, 1)}
			if want {
				continue
			}
			if err := e.Run(t.Context(), c); !errors.Is(err, ErrKind) || c.Verdicts[0] != 0 {
				t.Errorf("%v with the rule %#x: %v", k, uint32(rule), err)
			}
		}
	}
}

// TestConstants checks that constants of the kernels and of the engine agree.
func TestConstants(t *testing.T) {
	if kernels.GroupSize != driver.Group {
		t.Error("groups of other sizes")
	}
	for _, k := range kinds() {
		p, _ := programOf(k)
		if !strings.Contains(kernels.Rows().Source, "KERNEL void "+p.kernel+"(") {
			t.Errorf("there is no kernel %s", p.kernel)
		}
	}
}

// TestCancel checks that a call whose context ends returns while its launches run, that it writes
// nothing afterwards, and that its slots are free again when the device is done.
func TestCancel(t *testing.T) {
	f := &fake{}
	var told []error
	e := start(t, f, Options{Memory: small(), Hook: func(err error) { told = append(told, err) }})
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan bool)
	f.set(func() {
		f.before = func(string) {
			cancel()
			<-release
		}
	})
	c := s.call(device.PublicKeys, 10*driver.Group)
	dirty(c)
	if err := e.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := e.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	f.set(func() { f.before = nil })
	for range maxSlots { // the device is done when all slots have been free
		defer func(s *slot) { e.put(s) }(<-e.free)
	}
	if slices.ContainsFunc(c.Verdicts, func(v device.Verdict) bool { return v != device.Unchecked }) ||
		!bytes.Equal(c.Results, bytes.Repeat([]byte{0x77}, len(c.Results))) {
		t.Error("something was written after the call")
	}
	if told != nil || !e.Accepts(device.ECDSA, 0, 1) {
		t.Error("a context that ended is held against the device", told)
	}
}

// TestTimeout checks that a device that hangs is given up: the call returns, Options.Hook is called
// once, later calls fail at once, and calls that wait for a slot return.
func TestTimeout(t *testing.T) {
	f := &fake{}
	told := make(chan error, 10)
	e, err := New(t.Context(), f, []byte(tableOfTests),
		Options{Memory: small(), Crossover: 1, Hook: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	e.timeout = 20 * time.Millisecond
	release := make(chan bool)
	f.set(func() { f.before = func(string) { <-release } })
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 { // more than the number of slots
		all.Go(func() {
			err := e.Run(context.Background(), s.call(device.PublicKeys, 10*driver.Group))
			if !errors.Is(err, ErrTimeout) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := <-told; !errors.Is(err, ErrLost) || !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	if e.Accepts(device.ECDSA, 0, 1) {
		t.Error("a device that hangs accepts calls")
	}
	if err := e.Run(context.Background(), s.call(device.PublicKeys, 1)); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	if err := e.Close(); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	if err := e.Close(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	close(release)
}

// TestClose checks that Close waits for calls under way, and later calls fail.
func TestClose(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	started, release, closed := make(chan bool), make(chan bool), make(chan error)
	var once sync.Once
	f.set(func() {
		f.before = func(string) {
			once.Do(func() { close(started) })
			<-release
		}
	})
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- e.Run(context.Background(), s.call(device.PublicKeys, 10*driver.Group)) }()
	<-started
	go func() { closed <- e.Close() }()
	<-e.stop
	if err := e.Run(t.Context(), s.call(device.PublicKeys, 1)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if e.Accepts(device.PublicKeys, 0, 1000) {
		t.Error("a closed device accepts calls")
	}
	close(release)
	if err := errors.Join(<-done, <-closed); err != nil {
		t.Error(err)
	}
	if err := e.Close(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestCloseLong checks that Close waits for a call with several launches, even if the call takes
// longer than the time limit of a launch, and then closes the device.
func TestCloseLong(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		e, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: small(), Crossover: 1})
		if err != nil {
			t.Fatal(err)
		}
		f.set(func() { f.before = func(string) { time.Sleep(e.timeout * 3 / 4) } })
		done := make(chan error)
		go func() { done <- e.Run(t.Context(), s.call(device.PublicKeys, 10*driver.Group)) }()
		synctest.Wait() // the call has its slots
		closed := make(chan error)
		go func() { closed <- e.Close() }()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		f.leaks(t)
	})
}

// An ending is a context that ends when its Engine stops taking calls.
type ending struct {
	context.Context
	e *Engine
}

func (c ending) Err() error {
	if c.e.stopped() != nil {
		return context.Canceled
	}
	return nil
}

// TestTimeoutAndCancel checks that an Engine calls Options.Hook with ErrTimeout for a device that
// hangs, even if the context of Run ends while the device hangs.
func TestTimeoutAndCancel(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		var told []error
		e, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: small(), Crossover: 1,
			Hook: func(err error) { told = append(told, err) }})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan bool)
		f.set(func() { f.before = func(string) { <-release } })
		e.Run(ending{context.Background(), e}, s.call(device.PublicKeys, 1))
		if len(told) != 1 || !errors.Is(told[0], ErrLost) || !errors.Is(told[0], ErrTimeout) {
			t.Errorf("the hook was told %v", told)
		}
		close(release)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		f.leaks(t)
	})
}
