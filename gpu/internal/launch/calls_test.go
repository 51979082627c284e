package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// deep reports whether KOBLITZ_DEEP is set, as in acceptance. Tests then try many cases, not just
// a few.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// A question is a call and the CPU's answer.
type question struct{ call, want *device.Call }

// newQuestion returns a call of kind k on n rows. If bad is set, some of them are not valid.
func newQuestion(t *testing.T, k device.Kind, n int, bad bool) *question {
	t.Helper()
	s, err := NewSample(t.Context(), 16)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Call(k, n)
	for i := 0; bad && i < n; i++ {
		switch col := c.Columns[0]; i % 5 {
		case 1:
			col.Data[i*col.Stride+5] ^= 1
		case 3:
			fill(col.Data[i*col.Stride:][:col.Stride], 0xff)
		}
	}
	return &question{c, answer(t, c)}
}

// answer returns c with the CPU's answer.
func answer(t *testing.T, c *device.Call) *device.Call {
	t.Helper()
	want := *c
	want.Verdicts, want.Results = make([]device.Verdict, len(c.Verdicts)), bytes.Clone(c.Results)
	if err := cpu.Do(t.Context(), &want, nil); err != nil {
		t.Fatal(err)
	}
	return &want
}

// fresh returns the call with verdicts and results as they are before a call.
func (q *question) fresh() *device.Call {
	c := *q.call
	c.Verdicts = make([]device.Verdict, len(c.Verdicts))
	c.Results = bytes.Repeat([]byte{0x77}, len(c.Results))
	return &c
}

// check returns an error unless c has the CPU's answer.
func (q *question) check(c *device.Call) error {
	if !slices.Equal(c.Verdicts, q.want.Verdicts) || !bytes.Equal(c.Results, q.want.Results) {
		return fmt.Errorf("kind %d: other verdicts or results", c.Kind)
	}
	return nil
}

// by returns an error unless an engine answers as the CPU does.
func (q *question) by(ctx context.Context, e device.Engine) error {
	c := q.fresh()
	if err := e.Run(ctx, c); err != nil {
		return err
	}
	return q.check(c)
}

// untouched reports whether nothing was written to c since it was fresh.
func untouched(c *device.Call) bool {
	return slices.Max(c.Verdicts) == device.Unchecked &&
		bytes.Equal(c.Results, bytes.Repeat([]byte{0x77}, len(c.Results)))
}

// questions returns a call of each class: rows, rows with prepared keys, a sum and an equation.
// Calls of rows take n rows, others some hundred.
func questions(t *testing.T, n int) []*question {
	t.Helper()
	return []*question{newQuestion(t, device.Recover, n, true),
		newQuestion(t, device.PreparedECDSA, n, true),
		newQuestion(t, device.Sum, 5*driver.Group, false),
		newQuestion(t, device.AllECDSA, 5*driver.Group, false)}
}

// until waits until f returns true. After a minute it fails the test with the given message.
func until(t *testing.T, message string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(message)
		}
	}
}

// idle waits until the device is done with all slots and the memory of sums.
func (e *Engine) idle(t *testing.T) {
	t.Helper()
	until(t, "slots are missing", func() bool { return len(e.free) == e.slots && len(e.spaces) == 1 })
}

// forget makes the Engine forget all that it has made for calls: tables of keys, the memory for
// sums and their program, and measured paces.
func (e *Engine) forget() {
	e.freeKeys()
	e.keys.rows, e.keys.least = 0, 0
	s := <-e.spaces
	s.memory.Free()
	s.loaded = false
	f := e.dev.(*fake)
	f.set(func() { f.programs = f.programs[:1] })
	e.spaces <- s
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.paces)
}

// startTogether makes the first launch of each member, in later calls, wait for the first launches
// of the others.
func (c *club) startTogether() {
	var begun sync.WaitGroup
	for i, f := range c.fakes {
		c.members[i].mu.Lock()
		clear(c.members[i].paces)
		c.members[i].mu.Unlock()
		begun.Add(1)
		first := sync.OnceFunc(begun.Done)
		f.set(func() {
			f.before = func(string) {
				first()
				begun.Wait()
			}
		})
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

// A check is a hostile call and the function that checks its answer.
type check struct {
	call  *device.Call
	check func(c *device.Call) error
}

// hostileCalls returns hostile calls of all kinds. It makes them on the first call.
var hostileCalls = sync.OnceValue(func() (list []check) {
	for _, s := range hostile.Sets(1) {
		list = append(list, check{s.Call(), s.Check})
	}
	for _, n := range []int{1, 3*driver.Group + 1} {
		for _, s := range hostile.Sums(n) {
			list = append(list, check{s.Call(), s.Check})
		}
	}
	for _, n := range []int{2, 2*driver.Group + 1} {
		for i, b := range hostile.Batches(n) {
			if n > 2 && i%3 != 0 && !deep() {
				continue
			}
			want := *b.Call()
			if err := hostile.Do(&want, 1); err != nil {
				panic(err)
			}
			list = append(list, check{b.Call(), func(c *device.Call) error {
				if (c.Verdicts[0] == device.Valid) != (want.Verdicts[0] == device.Valid) {
					return fmt.Errorf("%s: verdict %d", b.What, c.Verdicts[0])
				}
				return nil
			}})
		}
	}
	return list
})

// TestRun checks that hostile calls of all kinds get the CPU's answers, with any strides, whether a
// call takes one launch or many, when several goroutines call an Engine or a Team. Calls copy only
// from and to host memory that was allocated by the device.
func TestRun(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []*club{
		startTeam(t, 1, 0), startTeam(t, 1, sumLimit()/4), startTeam(t, 3, short()),
	} {
		c.startTogether()
		plain := 0
		for _, f := range c.fakes {
			f.set(func() { f.plain = 0 })
		}
		var all sync.WaitGroup
		for _, h := range hostileCalls() {
			call := *h.call
			call.Verdicts = make([]device.Verdict, len(call.Verdicts))
			call.Results = bytes.Repeat([]byte{0x77}, len(call.Results))
			spread(r, &call)
			if equationKinds[call.Kind] != 0 { // the device gets random numbers from Go's memory
				plain++
			}
			all.Go(func() {
				if err := errors.Join(c.Run(t.Context(), &call), h.check(&call)); err != nil {
					t.Errorf("%d members: %v", len(c.members), err)
				}
			})
		}
		all.Wait()
		for i, f := range c.fakes {
			if c.told[i] != nil || f.sum.rows == 0 || len(c.fakes) == 1 && f.plain > 20*plain {
				t.Errorf("member %d of %d: the hook was told %v, %d rows, %d copies of other memory", i,
					len(c.fakes), c.told[i], f.sum.rows, f.plain)
			}
		}
	}
}

// TestSizes checks that calls get the right verdicts when their number of rows is near the size of
// a launch, and when a column has one value for all rows. A call of rows copies no memory that the
// device did not allocate.
func TestSizes(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	f.set(func() { f.plain = 0 })
	for _, n := range []int{1, 2, 127, 128, 129, 255, 256, 257, 384, 641} {
		q := newQuestion(t, device.ECDSA, n, true)
		q.call.Columns[1].Stride = 0
		q.want = answer(t, q.call)
		if err := q.by(t.Context(), e); err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
	}
	if f.plain != 0 {
		t.Errorf("%d copies from or to other memory", f.plain)
	}
	for k := range equationKinds {
		none := &device.Call{Kind: k, Verdicts: make([]device.Verdict, 1)}
		none.Columns[3].Data = []byte{1}
		if err := e.Run(t.Context(), none); err != nil || none.Verdicts[0] != device.Unchecked {
			t.Errorf("no rows: verdict %d, %v", none.Verdicts[0], err)
		}
	}
}

// TestKinds checks that Accepts and Run refuse kinds without a program, rules that the kernels of a
// kind do not implement, equations without recovery ids, and too few rows. That is no fault of the
// device.
func TestKinds(t *testing.T) {
	var told []error
	e := start(t, &fake{}, Options{Crossover: 100, Hook: func(err error) { told = append(told, err) }})
	team := NewTeam([]*Engine{e})
	rules := map[device.Kind]device.Rules{
		device.Schnorr: device.Hashed, device.AllSchnorr: device.Hashed,
		device.ECDSA: device.LowS, device.AllECDSA: device.LowS, device.PreparedECDSA: device.LowS,
		device.Recover: device.LowS, device.RecoverAddress: device.LowS,
	}
	for k := range device.Kind(20) {
		_, known := programOf(k)
		known = known || k == device.Sum || equationKinds[k] != 0
		for _, r := range []device.Rules{0, device.LowS, device.Hashed, device.Uncompressed, 1 << 31} {
			want := known && (r == 0 || r == rules[k])
			if e.Accepts(k, r, 100) != want || e.Accepts(k, r, 99) || team.Accepts(k, r, 100) != want {
				t.Errorf("%v with the rule %#x: accepted or refused wrongly", k, uint32(r))
			}
			c := &device.Call{Kind: k, Rules: r, Rows: 1, Verdicts: make([]device.Verdict, 1)}
			if want && k != device.AllECDSA { // the call lacks a column for that
				continue
			}
			for _, by := range []device.Engine{e, team} {
				if err := by.Run(t.Context(), c); !errors.Is(err, ErrKind) || c.Verdicts[0] != 0 {
					t.Errorf("%v with the rule %#x: %v", k, uint32(r), err)
				}
			}
		}
	}
	if len(kinds()) != 8 || told != nil {
		t.Error(kinds(), told)
	}
}

// TestTwoInFlight checks that a call with many launches has two of them under way and never more,
// and that several calls use all slots.
func TestTwoInFlight(t *testing.T) {
	q := newQuestion(t, device.PublicKeys, 10*driver.Group, true)
	for calls, want := range map[int]int{1: 2, 6: maxSlots} {
		f := &fake{}
		e := start(t, f, Options{Memory: small()})
		full := make(chan bool)
		var once sync.Once
		f.set(func() {
			f.most = 0
			f.before = func(string) { // launches wait until as many run as should
				f.mu.Lock()
				all := f.busy == want
				f.mu.Unlock()
				if all {
					once.Do(func() { close(full) })
				}
				<-full
			}
		})
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				if err := q.by(t.Context(), e); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if f.most != want || len(e.free) != maxSlots {
			t.Errorf("%d launches at a time, and %d slots are free", f.most, len(e.free))
		}
	}
}

// TestSumQueues checks that a launch that writes to the memory of terms waits until earlier
// launches of other queues are done, while columns are copied at the same time.
func TestSumQueues(t *testing.T) {
	for _, kind := range []device.Kind{device.Sum, device.AllSchnorr} {
		f := &fake{}
		e := start(t, f, Options{})
		q := newQuestion(t, kind, 5*e.rows, false)
		var events []string
		f.set(func() { f.call = func(what string) error { events = append(events, what); return nil } })
		if err := q.by(t.Context(), e); err != nil {
			t.Error(err)
		}
		launched, written, copied := false, false, 0
		for i, what := range events {
			switch what {
			case "launch":
				if launched && written {
					t.Errorf("kind %d: launch %d does not wait for the one before: %q", kind, i, events)
				}
				launched, written = true, false
			case "write":
				if launched && !written {
					copied++
				}
				written = true
			case "wait":
				launched = false
			}
		}
		if copied < 3 {
			t.Errorf("kind %d: %d copies during launches: %q", kind, copied, events)
		}
	}
}
