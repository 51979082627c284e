package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// short returns a memory limit for which a launch has 128 rows, as many as the device can compute
// at the same time (a wave), and a sum has a few rows more.
func short() int64 { return 2*small() - 1 }

// rowsOf returns the number of rows for which f has computed terms of sums and equations.
func (f *fake) rowsOf() int {
	f.sum.mu.Lock()
	defer f.sum.mu.Unlock()
	return f.sum.rows
}

// strangers makes all members forget their measured paces, so that no member takes most of the next
// call.
func (c *club) strangers() {
	for _, e := range c.members {
		e.mu.Lock()
		clear(e.paces)
		e.mu.Unlock()
	}
}

// startTogether makes the first launch of each member, in later calls, wait for the first launches
// of the others.
func (c *club) startTogether() {
	c.strangers()
	var begun sync.WaitGroup
	for _, f := range c.fakes {
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

// A good is a call with one result on valid rows, and the same call with the expected answer.
type good struct{ call, want device.Call }

// newGood returns a call of kind k with n valid rows, and its expected answer.
func newGood(t *testing.T, k device.Kind, n int) *good {
	t.Helper()
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	if k != device.Sum {
		g := &good{*s.call(k, n), *s.call(k, n)}
		g.want.Verdicts[0] = device.Valid
		return g
	}
	points, err := s.points(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := &good{*sumCall(s.scalars, points, n), *sumCall(s.scalars, points, n)}
	if err := cpu.Do(t.Context(), &g.want, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// by has an engine carry out the call, and returns an error if the answer is not the expected one.
func (g *good) by(ctx context.Context, e device.Engine) error {
	dirty(&g.call)
	clear(g.call.Verdicts)
	if err := e.Run(ctx, &g.call); err != nil {
		return err
	}
	if !same(&g.call, &g.want) {
		return fmt.Errorf("kind %d: verdict %d, or another result", g.call.Kind, g.call.Verdicts[0])
	}
	return nil
}

// oneResult returns the kinds of call with one result: all of them with KOBLITZ_DEEP, else some.
func oneResult() []device.Kind {
	if !deep() {
		return []device.Kind{device.Sum, device.AllECDSA}
	}
	return []device.Kind{device.Sum, device.AllECDSA, device.AllSchnorr}
}

// TestPortion checks that portion returns the number of rows with which all members end at the same
// time.
func TestPortion(t *testing.T) {
	now := time.Now()
	in := func(d time.Duration) time.Time { return now.Add(d) }
	const s = time.Second
	for _, c := range []struct {
		what  string
		hands []hand
		rows  int
		want  int
	}{
		{"one of unknown pace", []hand{{}}, 1000, 1000},
		{"one", []hand{{pace: 1, came: true}}, 1000, 1000},
		{"two of unknown pace", []hand{{}, {}}, 1600, 100},
		{"unknown, and one that is known", []hand{{}, {pace: 1}}, 1600, 100},
		{"known, and one that is unknown", []hand{{pace: 1}, {}}, 1600, 800},
		{"known, and one that finds it out", []hand{{pace: 1, came: true}, {came: true}}, 1600, 800},
		{"equal", []hand{{pace: 1}, {pace: 1}, {pace: 1}}, 900, 300},
		{"slow", []hand{{pace: 4}, {pace: 1}}, 1000, 200},
		{"fast", []hand{{pace: 1}, {pace: 4}}, 1000, 800},
		{"the other has its part", []hand{{pace: 4}, {pace: 1, came: true, until: in(800 * s)}}, 200,
			200},
		{"the other is done soon", []hand{{pace: 1}, {pace: 1, came: true, until: in(100 * s)}}, 300,
			200},
		{"the other is done late", []hand{{pace: 1}, {pace: 1, came: true, until: in(500 * s)}}, 300,
			300},
		{"the other is late", []hand{{pace: 1}, {pace: 1, came: true, until: in(-s)}}, 300, 300},
		{"the other has not come again", []hand{{pace: 1, came: true}, {pace: 1}}, 300, 300},
		{"the other is gone", []hand{{pace: 1}, {pace: 1, gone: true}}, 300, 300},
		{"two others", []hand{{pace: 2}, {pace: 1, came: true, until: in(100 * s)},
			{pace: 2, came: true, until: in(10000 * s)}}, 200, 100},
	} {
		if got := portion(c.hands, 0, now, c.rows); got != c.want {
			t.Errorf("%s: %d rows of %d, want %d", c.what, got, c.rows, c.want)
		}
	}
}

// TestPortions checks that each row is taken exactly once, however many rows each member takes.
func TestPortions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		n, least := 1+r.IntN(10000), 1+r.IntN(500)
		d := newDivision(&device.Call{Kind: device.Sum, Rows: n})
		done := d.begin(t.Context(), nil)
		d.hands = make([]hand, 1+r.IntN(4))
		for i := range d.hands {
			d.hands[i].pace = float64(r.IntN(3)) * r.Float64()
		}
		taken, back := make([]bool, n), 3
		for d.left() > 0 {
			i := r.IntN(len(d.hands))
			lo, rows := d.take(i, least)
			if rows < min(least, n) && back == 3 {
				t.Fatalf("%d rows of %d, want at least %d", rows, n, least)
			}
			if r.IntN(3) == 0 && back > 0 {
				back--
				d.giveBack(lo, rows)
				continue
			}
			for k := lo; k < lo+rows; k++ {
				if taken[k] {
					t.Fatalf("row %d is taken twice", k)
				}
				taken[k] = true
			}
		}
		for k, is := range taken {
			if !is {
				t.Fatalf("row %d of %d is not taken", k, n)
			}
		}
		done()
	}
}

// TestLeft checks that a member that has failed is given none of the rows that it gave back.
func TestLeft(t *testing.T) {
	d := newDivision(&device.Call{Kind: device.Sum, Rows: 1000})
	d.hands = make([]hand, 2)
	defer d.work.begin(t.Context(), 2)()
	lo, n := d.take(0, 10)
	d.leave(0, false)
	d.giveBack(lo, n)
	_, first := d.take(1, 10)
	_, second := d.take(1, 10)
	if n != 1000/probes/2 || first != n || second != 1000-n {
		t.Errorf("%d rows come back, and then %d and %d are taken", n, first, second)
	}
}

// TestTeamSums checks that hostile sums and batches have the right results when several goroutines
// call teams of two and three members, whether a member computes its part at once or in several
// steps.
func TestTeamSums(t *testing.T) {
	every := 1
	if !deep() {
		every = 7
	}
	for _, members := range []int{2, 3} {
		c := startTeamOf(t, members, short())
		var calls []func() error
		for i, s := range hostileSums() {
			if (i+members)%every == 0 {
				calls = append(calls, func() error {
					call := s.Call()
					return errors.Join(c.Run(t.Context(), call), s.Check(call))
				})
			}
		}
		for i, b := range hostileBatches() {
			if (i+members)%every == 0 {
				calls = append(calls, func() error {
					call := b.Call()
					if err := c.Run(t.Context(), call); err != nil {
						return err
					}
					want := *call
					want.Verdicts = make([]device.Verdict, 1)
					err := hostile.Do(&want, 1)
					if (want.Verdicts[0] == device.Valid) != (call.Verdicts[0] == device.Valid) {
						err = errors.Join(err, fmt.Errorf("%s: verdict %d", b.What, call.Verdicts[0]))
					}
					return err
				})
			}
		}
		c.startTogether()
		var all sync.WaitGroup
		for _, call := range calls {
			all.Go(func() {
				if err := call(); err != nil {
					t.Errorf("%d members: %v", members, err)
				}
			})
		}
		all.Wait()
		for i, f := range c.fakes {
			if f.rowsOf() == 0 || c.told[i] != nil {
				t.Errorf("%d members: number %d has done %d rows, and its hook was told %v", members, i,
					f.rowsOf(), c.told[i])
			}
		}
	}
}

// TestTeamOnce checks that each row of a long call is computed by exactly one member.
func TestTeamOnce(t *testing.T) {
	for _, k := range oneResult() {
		c := startTeamOf(t, 3, sumLimit())
		c.startTogether()
		before := c.sum()
		const n = 12*driver.Group + 1
		if err := newGood(t, k, n).by(t.Context(), c); err != nil {
			t.Error(err)
		}
		if got := c.sum() - before; got != n {
			t.Errorf("kind %d: %d rows of %d were done", k, got, n)
		}
		none := newGood(t, k, 1).call
		none.Rows = 0
		if err := c.Run(t.Context(), &none); err != nil || none.Verdicts[0] != device.Unchecked {
			t.Errorf("kind %d: no rows: verdict %d, %v", k, none.Verdicts[0], err)
		}
	}
}

// sum returns the number of rows for which the members together have computed terms.
func (c *club) sum() (rows int) {
	for _, f := range c.fakes {
		rows += f.rowsOf()
	}
	return rows
}

// TestTeamPaces checks that members of unequal speed end at the same time, even in the first call.
func TestTeamPaces(t *testing.T) {
	const n = 40 * driver.Group
	for _, k := range oneResult() {
		g := newGood(t, k, n)
		synctest.Test(t, func(t *testing.T) {
			c := startTeamOf(t, 2, short())
			for i, pace := range []time.Duration{time.Millisecond, 4 * time.Millisecond} {
				c.fakes[i].sum.mu.Lock()
				c.fakes[i].sum.pace = pace
				c.fakes[i].sum.mu.Unlock()
			}
			for range 3 {
				begin, rows := time.Now(), c.fakes[0].rowsOf()
				if err := g.by(t.Context(), c); err != nil {
					t.Error(err)
				}
				took, best := time.Since(begin), n*4*time.Millisecond/5
				if took < best || took > best+best/50 {
					t.Errorf("kind %d takes %v, and at best it would be %v", k, took, best)
				}
				if rows = c.fakes[0].rowsOf() - rows; rows < 75*n/100 || rows > 85*n/100 {
					t.Errorf("kind %d: the fast member does %d rows of %d", k, rows, n)
				}
			}
		})
	}
}

// TestTeamShort checks that a call is not divided into parts that are too short to pay, or that
// have fewer rows than a device computes at the same time (a wave).
func TestTeamShort(t *testing.T) {
	c := startTeamOf(t, 2, short())
	wave := c.members[0].wave
	for _, k := range oneResult() {
		for _, test := range []struct {
			least, n int
			divided  bool
		}{
			{1, 1, false}, {1, wave, false}, {1, 2*wave - 1, false}, {1, 2 * wave, true},
			{3 * wave, 6*wave - 1, false}, {3 * wave, 6 * wave, true},
		} {
			for _, e := range c.members {
				e.crossover[k] = test.least
			}
			if test.divided {
				c.startTogether()
			}
			before := [2]int{c.fakes[0].rowsOf(), c.fakes[1].rowsOf()}
			if err := newGood(t, k, test.n).by(t.Context(), c); err != nil {
				t.Error(err)
			}
			least := test.n
			for i, f := range c.fakes {
				f.set(func() { f.before = nil })
				if rows := f.rowsOf() - before[i]; rows > 0 {
					least = min(least, rows)
				}
			}
			if (least < test.n) != test.divided || least < min(max(test.least, wave), test.n) {
				t.Errorf("kind %d: %d rows, which pay from %d on: a member has %d", k, test.n, test.least,
					least)
			}
		}
	}
}

// slow makes every launch of member i take a second of synctest's simulated time.
func (c *club) slow(i int) {
	c.fakes[i].set(func() { c.fakes[i].before = func(string) { time.Sleep(time.Second) } })
}

// TestTeamSumFails checks that when any driver function of one member fails at any point of a call,
// the other member computes all rows of the failed one, only the Options.Hook of the failed member
// is called, and the next call is divided among both again.
func TestTeamSumFails(t *testing.T) {
	for _, k := range oneResult() {
		synctest.Test(t, func(t *testing.T) {
			c := startTeamOf(t, 2, short())
			n := 4*c.members[0].wave + 1
			g := newGood(t, k, n)
			c.slow(1) // so that the first member gets far enough to fail
			for _, what := range []string{"write", "launch", "read", "wait"} {
				after, failed := int64(0), true
				for ; failed; after += 1 + after {
					var count atomic.Int64
					c.fakes[0].set(func() {
						c.fakes[0].call = func(called string) error {
							if called == what && count.Add(1) == after+1 {
								return errFake
							}
							return nil
						}
					})
					rows := c.fakes[1].rowsOf()
					if err := g.by(t.Context(), c); err != nil {
						t.Errorf("%s %d: %v", what, after, err)
					}
					rows = c.fakes[1].rowsOf() - rows
					failed = count.Load() > after
					told := c.told[0]
					if failed != (len(told) == 1 && errors.Is(told[0], errFake)) || c.told[1] != nil {
						t.Errorf("kind %d, %s %d: the hooks were told %v", k, what, after, c.told)
					}
					if failed != (rows == n) {
						t.Errorf("kind %d, %s %d: the other member has done %d rows", k, what, after, rows)
					}
					c.told[0] = nil
					c.fakes[0].set(func() { c.fakes[0].call = nil })
					c.strangers()
					if err := g.by(t.Context(), c); err != nil {
						t.Errorf("after %s %d: %v", what, after, err)
					}
					if crew := c.crew(&g.call, n, nil); len(crew) != 2 {
						t.Errorf("%s %d: %d members in the next call", what, after, len(crew))
					}
					c.strangers()
				}
				if after < 2 {
					t.Errorf("kind %d: %s is called %d times", k, what, after)
				}
			}
		})
	}
}

// TestTeamSumWrong checks that a wrong answer which the host detects in one member's part is an
// error of that member only, and that the other member computes the rows again.
func TestTeamSumWrong(t *testing.T) {
	c := startTeamOf(t, 2, short())
	set := func(kernel string, word int) func(string, []byte) {
		return func(called string, out []byte) {
			if called == kernel {
				out[4*word] = 0x5e
			}
		}
	}
	for what, test := range map[string]struct {
		kind  device.Kind
		wrong func(kernel string, out []byte)
	}{
		"a sum off the curve":        {device.Sum, set("k_sum_fold", 0)},
		"no coordinates":             {device.Sum, set("k_sum_fold", 24)},
		"no state":                   {device.Sum, set("k_sum_terms", 0)},
		"an equation off the curve":  {device.AllSchnorr, set("k_sum_fold", 16)},
		"rows that are not there":    {device.AllECDSA, set("k_equation_add", 10*128)},
		"rows that are not a number": {device.AllECDSA, set("k_equation_add", 12*128+5)},
	} {
		c.startTogether()
		c.fakes[0].sum.set(test.wrong)
		n, rows := 4*c.members[0].wave, c.fakes[1].rowsOf()
		if err := newGood(t, test.kind, n).by(t.Context(), c); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if len(c.told[0]) != 1 || c.told[1] != nil {
			t.Errorf("%s: the hooks were told %v", what, c.told)
		}
		if rows = c.fakes[1].rowsOf() - rows; rows != n {
			t.Errorf("%s: the other member has done %d rows of %d", what, rows, n)
		}
		c.startTogether()
		c.fakes[0].sum.set(nil)
		c.told[0] = nil
		if err := newGood(t, test.kind, n).by(t.Context(), c); err != nil || c.told[0] != nil {
			t.Errorf("after %s: %v, and the hook was told %v", what, err, c.told[0])
		}
	}
}

// TestTeamSumLies checks that packages msm and batch compute a call on the CPU if one member
// wrongly reports the call as bad.
func TestTeamSumLies(t *testing.T) {
	c := startTeamOf(t, 2, short())
	n := 4 * c.members[0].wave
	on := &batch.Options{Device: deviceOf(t, c.Team)}
	c.fakes[0].sum.set(func(kernel string, out []byte) {
		switch kernel {
		case "k_sum_terms": // claims that a term is malformed
			out[0] = 1
		case "k_equation_add": // changes the scalar of G
			out[0] ^= 1
		}
	})
	for _, k := range oneResult() {
		c.startTogether()
		g := newGood(t, k, n)
		if err := g.by(t.Context(), c); err == nil {
			t.Fatalf("kind %d: there is no lie", k)
		}
		c.startTogether()
		err := cpu.Do(t.Context(), &g.call, on)
		if err != nil || g.call.Verdicts[0] != g.want.Verdicts[0] ||
			!bytes.Equal(g.call.Results, g.want.Results) {
			t.Errorf("kind %d: not what the host says, %v", k, err)
		}
	}
}

// TestTeamSumHangs checks that when one member hangs, the other computes its parts once the time
// limit has passed.
func TestTeamSumHangs(t *testing.T) {
	for _, k := range oneResult() {
		synctest.Test(t, func(t *testing.T) {
			c := startTeamOf(t, 2, short())
			c.slow(1)
			release := make(chan bool)
			c.fakes[0].set(func() { c.fakes[0].before = func(string) { <-release } })
			g := newGood(t, k, 4*c.members[0].wave)
			for range 2 {
				if err := g.by(t.Context(), c); err != nil {
					t.Error(err)
				}
				if len(c.told[0]) != 1 || !errors.Is(c.told[0][0], ErrTimeout) || c.told[1] != nil {
					t.Errorf("kind %d: the hooks were told %v", k, c.told)
				}
			}
			close(release)
		})
	}
}

// TestTeamSumBad checks that after one member has found that the call is bad, the other starts no
// more parts, and that the outcome of its current part makes no difference.
func TestTeamSumBad(t *testing.T) {
	c := startTeamOf(t, 2, short())
	second := c.members[1]
	for _, k := range oneResult() {
		for _, failure := range []error{errFake, nil} {
			c.strangers()
			// The first member has row 0, which is bad. The second member begins after that, and
			// its first launch waits until the first member is done.
			space := <-second.spaces
			begun := sync.OnceFunc(func() { second.spaces <- space })
			found := make(chan bool)
			done := sync.OnceFunc(func() { close(found) })
			c.fakes[0].set(func() {
				c.fakes[0].before = func(kernel string) {
					begun()
					if kernel == "k_sum_fold" { // the last kernel of a part
						done()
					}
				}
			})
			c.fakes[1].set(func() {
				c.fakes[1].before = func(string) { <-found }
				c.fakes[1].err = failure
			})
			n := 40 * c.members[0].wave
			g := newGood(t, k, n)
			dirty(&g.call)
			g.call.Columns[1].Data[3] ^= 1
			if k != device.Sum {
				fill(g.call.Columns[2].Data[:64], 0xff)
			}
			before, first := c.sum(), c.fakes[0].rowsOf()
			err := c.Run(t.Context(), &g.call)
			if err != nil || g.call.Verdicts[0] != device.Malformed {
				t.Errorf("kind %d: verdict %d, %v", k, g.call.Verdicts[0], err)
			}
			if rows := c.fakes[0].rowsOf() - first; rows > n/probes/2 {
				t.Errorf("kind %d: the first member does %d rows of %d", k, rows, n)
			}
			// The second member may have started one more part, with at most half of the remaining
			// rows.
			if got := c.sum() - before; got > 3*n/4 {
				t.Errorf("kind %d: %d rows of %d were done", k, got, n)
			}
			if k == device.Sum && !bytes.Equal(g.call.Results, make([]byte, 64)) {
				t.Errorf("a sum of bad terms is %x", g.call.Results)
			}
		}
	}
}

// TestTeamSumCancel checks that a call whose context ends returns while launches run, that nothing
// is written afterwards, and that the next call is right.
func TestTeamSumCancel(t *testing.T) {
	for _, k := range oneResult() {
		c := startTeamOf(t, 2, short())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		release := make(chan bool)
		for _, f := range c.fakes {
			f.set(func() {
				f.before = func(string) {
					cancel()
					<-release
				}
			})
		}
		g := newGood(t, k, 4*c.members[0].wave)
		for range 2 {
			if err := g.by(ctx, c); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		close(release)
		for _, e := range c.members {
			e.spaces <- <-e.spaces // a device's space is free once the device is done
		}
		if g.call.Verdicts[0] != device.Unchecked || k == device.Sum && g.call.Results[0] != 0x77 {
			t.Errorf("kind %d: something was written after the call", k)
		}
		if err := g.by(t.Context(), c); err != nil || c.told[0] != nil || c.told[1] != nil {
			t.Errorf("the next call: %v, and the hooks were told %v", err, c.told)
		}
	}
}

// TestTeamSumBusy checks that a call does not wait for a member whose memory for sums is in use.
func TestTeamSumBusy(t *testing.T) {
	c := startTeamOf(t, 2, short())
	for _, e := range c.members {
		s := <-e.spaces
		for _, k := range oneResult() {
			if err := newGood(t, k, 4*e.wave).by(t.Context(), c); err != nil {
				t.Error(err)
			}
		}
		// A call that turns out to be bad does not wait for the busy member either.
		bad := newGood(t, device.Sum, 4*e.wave)
		bad.call.Columns[1].Data[3] ^= 1
		if err := c.Run(t.Context(), &bad.call); err != nil ||
			bad.call.Verdicts[0] != device.Malformed {
			t.Errorf("verdict %d, %v", bad.call.Verdicts[0], err)
		}
		e.spaces <- s
	}
	if c.told[0] != nil || c.told[1] != nil {
		t.Errorf("the hooks were told %v", c.told)
	}
}

// TestTeamSumNone checks that if all members fail, the error of the call wraps all their errors.
func TestTeamSumNone(t *testing.T) {
	c := startTeamOf(t, 3, short())
	errs := []error{errors.New("first"), errors.New("second"), errors.New("third")}
	for i, f := range c.fakes {
		f.set(func() { f.err = errs[i] })
	}
	for _, k := range []device.Kind{device.Sum, device.AllECDSA, device.AllSchnorr}[:maxFaults] {
		c.startTogether()
		g := newGood(t, k, 6*c.members[0].wave)
		err := g.by(t.Context(), c)
		for _, want := range errs {
			if !errors.Is(err, want) || g.call.Verdicts[0] != device.Unchecked {
				t.Errorf("kind %d: verdict %d, %v", k, g.call.Verdicts[0], err)
			}
		}
	}
	if c.Accepts(device.Sum, 0, 1<<20) {
		t.Error("the team accepts a call, but all its members are lost")
	}
}
