package launch

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestWork checks that each row can be taken until it is done, and not after that, even if rows are
// given back, whether members take launches or portions. The context ends as soon as no rows are
// left.
func TestWork(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 127, 128, 129, 1000, 50000} {
		for engines := 1; engines < 5; engines++ {
			for _, kind := range []device.Kind{device.ECDSA, device.Sum} {
				checkWork(t, r, newWork(&device.Call{Kind: kind, Rows: n}), engines)
			}
		}
	}
}

func checkWork(t *testing.T, r *rand.Rand, w *work, engines int) {
	t.Helper()
	kept := make([]int, w.rows)
	for w.left() > 0 {
		done := w.begin(t.Context(), nil)
		w.hands = make([]hand, engines)
		for i := range w.hands {
			w.hands[i].pace = float64(r.IntN(3)) * r.Float64()
		}
		var back []span
		ended := false
		for w.left() > 0 {
			most, before := driver.Group*(1+r.IntN(8)), w.left()
			least := r.IntN(most)
			var lo, got int
			if w.program != nil {
				if lo, got = w.take(least, most); got > most || got > max(least,
					before/engines+driver.Group) {
					t.Errorf("%d of %d rows were taken, from %d to %d", got, before, least, most)
				}
			} else {
				lo, got = w.takePart(r.IntN(engines), least)
			}
			ended = ended || before == got
			if got < 1 || w.left() != before-got || (w.ctx.Err() != nil) != ended {
				t.Fatalf("of %d rows %d were taken, %d are left, and the context: %v", before, got,
					w.left(), w.ctx.Err())
			}
			switch r.IntN(4) {
			case 0:
				w.giveBack(span{lo, got})
			case 1:
				back = append(back, span{lo, got})
			default:
				for i := range got {
					kept[lo+i]++
				}
			}
		}
		if lo, got := w.take(100, 1000); lo != 0 || got != 0 {
			t.Errorf("%d rows from %d on when none are left", got, lo)
		}
		w.giveBack(back...)
		done()
	}
	if slices.ContainsFunc(kept, func(times int) bool { return times != 1 }) {
		t.Errorf("%d rows, %d engines: not each once", len(kept), engines)
	}
}

// TestParts checks that a single Engine takes as many rows as fit into a launch, and that several
// Engines divide the last rows among them, unless the parts would be too short for a launch.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		rows, engines int
		want          []int
	}{
		{2000, 1, []int{1024, 976}},
		{3000, 2, []int{1024, 1024, 512, 440}},
		{3000, 3, []int{1024, 768, 512, 512, 184}},
		{100, 4, []int{100}},
	} {
		w := newWork(&device.Call{Kind: device.ECDSA, Rows: c.rows})
		done := w.begin(t.Context(), make([]*Engine, c.engines))
		var got []int
		for w.left() > 0 {
			_, n := w.take(512, 1024)
			got = append(got, n)
		}
		done()
		if !slices.Equal(got, c.want) {
			t.Errorf("%d rows by %d: %d, want %d", c.rows, c.engines, got, c.want)
		}
	}
}

// TestPortion checks that portion returns the number of rows with which all members end at the same
// time, and all rows to a member that comes again.
func TestPortion(t *testing.T) {
	for _, c := range []struct {
		what  string
		hands []hand
		want  int
	}{
		{"one", []hand{{}}, 1200},
		{"one that comes again", []hand{{pace: 1, came: true}}, 1200},
		{"two of unknown pace", []hand{{}, {}}, 600},
		{"known, and one that is unknown", []hand{{pace: 1}, {}}, 600},
		{"equal", []hand{{pace: 1}, {pace: 1}, {pace: 1}}, 400},
		{"slow", []hand{{pace: 3}, {pace: 1}}, 300},
		{"fast", []hand{{pace: 1}, {pace: 3}}, 900},
		{"the other has its part", []hand{{pace: 3}, {pace: 1, came: true}}, 1200},
		{"the other has not come", []hand{{pace: 1, came: true}, {pace: 1}}, 1200},
	} {
		if got := portion(c.hands, 0, 1200); got != c.want {
			t.Errorf("%s: %d rows of 1200, want %d", c.what, got, c.want)
		}
	}
}

// rows returns the number of rows for which each member has computed terms of sums and equations.
func (c *club) rows() (rows [3]int) {
	for i, f := range c.fakes {
		f.sum.mu.Lock()
		rows[i] = f.sum.rows
		f.sum.mu.Unlock()
	}
	return rows
}

// TestTeamFaults checks every driver call of one member in a call of each class: if it fails, the
// other member computes the rows, only the hook of the failed member is called, and both share the
// next call again.
func TestTeamFaults(t *testing.T) {
	for _, q := range questions(t, 20*driver.Group) {
		if q.call.Keys != nil { // as other rows, with tables of its own for each member
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			c := startTeam(t, 2, short())
			slow := func() { // so that the first member gets far enough to fail
				c.fakes[1].set(func() { c.fakes[1].before = func(string) { time.Sleep(time.Second) } })
			}
			for k, failed := int64(1), true; failed; k += 1 + k/4 {
				slow()
				c.told[0] = nil
				for _, e := range c.members {
					e.forget()
				}
				fails := c.fakes[0].failAt(k, errFake)
				err := q.by(t.Context(), c)
				failed = fails()
				if told := c.told[0]; err != nil || failed != (len(told) == 1 && errors.Is(told[0], errFake)) ||
					c.told[1] != nil {
					t.Errorf("kind %d, call %d: %v, the hooks were told %v", q.call.Kind, k, err, c.told)
				}
				c.fakes[0].set(func() { c.fakes[0].call = nil })
				for _, e := range c.members {
					e.idle(t)
				}
				if crew := c.crew(q.call, q.call.Rows, nil); len(crew) != 2 {
					t.Errorf("call %d: %d members in the next call", k, len(crew))
				}
				if err := q.by(t.Context(), c); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestTeamOnce checks that each row of a long call is computed by exactly one member, that a call
// is not divided into parts that are too short to pay or to keep a device busy, and that members of
// unequal speed end at the same time once their paces are known.
func TestTeamOnce(t *testing.T) {
	for _, k := range []device.Kind{device.Sum, device.AllECDSA} {
		synctest.Test(t, func(t *testing.T) {
			c := startTeam(t, 2, short())
			wave := c.members[0].wave
			for i, pace := range []time.Duration{time.Millisecond, 4 * time.Millisecond} {
				c.fakes[i].sum.mu.Lock()
				c.fakes[i].sum.pace = pace
				c.fakes[i].sum.mu.Unlock()
			}
			for _, test := range []struct {
				least, n int
				divided  bool
			}{
				{1, 1, false}, {1, 2*wave - 1, false}, {1, 2 * wave, true}, {3 * wave, 6*wave - 1, false},
				{3 * wave, 6 * wave, true}, {1, 40 * wave, true}, {1, 40*wave + 1, true},
			} {
				q := newQuestion(t, k, test.n, false)
				for _, e := range c.members {
					if e.crossover[k] = test.least; test.n <= 40*wave { // the last call knows the paces
						e.mu.Lock()
						clear(e.paces)
						e.mu.Unlock()
					}
				}
				begin, before := time.Now(), c.rows()
				if err := q.by(t.Context(), c); err != nil {
					t.Error(err)
				}
				took, rows := time.Since(begin), c.rows()
				for i := range rows {
					rows[i] -= before[i]
				}
				least := slices.Min(rows[:2])
				if rows[0]+rows[1] != test.n || (least > 0) != test.divided ||
					least > 0 && least < max(test.least, wave) {
					t.Errorf("kind %d: %d rows, which pay from %d on: members do %d", k, test.n, test.least,
						rows[:2])
				}
				best := time.Duration(test.n) * 4 * time.Millisecond / 5
				if test.n > 40*wave && (took < best-best/50 || took > best+best/20) {
					t.Errorf("kind %d takes %v, and at best it would be %v", k, took, best)
				}
			}
		})
	}
}

// TestTeamBad checks that after one member has found that the call is bad, the other starts no more
// parts, and that the outcome of its current part makes no difference.
func TestTeamBad(t *testing.T) {
	c := startTeam(t, 2, short())
	for _, k := range []device.Kind{device.Sum, device.AllECDSA} {
		for _, failure := range []error{errFake, nil} {
			// The first member has row 0, which is bad. The second member begins after that, and its
			// first launch waits until the first member is done.
			second := c.members[1]
			space := <-second.spaces
			begun := sync.OnceFunc(func() { second.spaces <- space })
			found := make(chan bool)
			done := sync.OnceFunc(func() { close(found) })
			c.fakes[0].set(func() {
				c.fakes[0].before = func(kernel string) {
					if begun(); kernel == "k_sum_fold" { // the last kernel of a part
						done()
					}
				}
			})
			c.fakes[1].set(func() { c.fakes[1].before, c.fakes[1].err = func(string) { <-found }, failure })
			q := newQuestion(t, k, 40*c.members[0].wave, false)
			q.call.Columns[1].Data[3] ^= 1
			if k != device.Sum {
				fill(q.call.Columns[2].Data[:64], 0xff)
			}
			call := q.fresh()
			if err := c.Run(t.Context(), call); err != nil || call.Verdicts[0] != device.Malformed ||
				!bytes.Equal(call.Results, make([]byte, len(call.Results))) {
				t.Errorf("kind %d: verdict %d, %v", k, call.Verdicts[0], err)
			}
		}
	}
	// A call does not wait for a member that is busy with another call, and ends with the first part
	// that makes it bad.
	for _, k := range []device.Kind{device.Sum, device.AllECDSA} {
		c := startTeam(t, 2, short()) // paces are unknown, so the first part is half of the rows
		before, bad := c.rows(), newQuestion(t, k, 40*c.members[0].wave, false)
		fill(bad.call.Columns[1].Data[:32], 0xff)
		s := <-c.members[1].spaces
		err := c.Run(t.Context(), bad.fresh())
		c.members[1].spaces <- s
		if after := c.rows(); err != nil || after[1] != before[1] ||
			after[0]-before[0] > bad.call.Rows/2 {
			t.Errorf("%v, %d rows by the two members, %d before", err, after, before)
		}
	}
}

// TestAllFail checks that if all members fail, the call returns all errors, and each hook is called
// with the error of its own member.
func TestAllFail(t *testing.T) {
	c := startTeam(t, 3, short())
	errs := []error{errors.New("first"), errors.New("second"), errors.New("third")}
	for round, k := range []device.Kind{device.ECDSA, device.Sum, device.AllSchnorr}[:maxFaults] {
		q := newQuestion(t, k, 20*driver.Group, false)
		c.startTogether()
		for i, f := range c.fakes {
			f.set(func() { f.err = errs[i] })
		}
		call := q.fresh()
		err := c.Run(t.Context(), call)
		for i, want := range errs {
			if !errors.Is(err, want) || len(c.told[i]) != round+1 || !errors.Is(c.told[i][round], want) ||
				!untouched(call) {
				t.Errorf("error %v, the hook was told %v", err, c.told[i])
			}
		}
	}
	err := newQuestion(t, device.ECDSA, 1, false).by(t.Context(), c)
	if !errors.Is(err, ErrLost) || c.Accepts(device.ECDSA, 0, 1000) {
		t.Error("all are lost:", err)
	}
}

// TestBusy checks that a call does not wait for a member whose slots are all in use, and that this
// member's count of successive failures is not reset.
func TestBusy(t *testing.T) {
	c := startTeam(t, 2, small())
	e := c.members[0]
	q := newQuestion(t, device.Recover, 20*driver.Group, true)
	for range maxFaults - 1 {
		c.startTogether()
		c.fakes[0].set(func() { c.fakes[0].err = errFake })
		if err := q.by(t.Context(), c); err != nil {
			t.Error(err)
		}
		e.idle(t)
		var slots []*slot
		for range maxSlots {
			slots = append(slots, <-e.free)
		}
		c.fakes[1].set(func() { c.fakes[1].before = nil })
		if err := q.by(t.Context(), c); err != nil {
			t.Error(err)
		}
		if crew := c.crew(q.call, driver.Group, nil); crew[0] != c.members[1] {
			t.Error("the member that is free is not the first")
		}
		for _, s := range slots {
			e.put(s)
		}
	}
	c.startTogether()
	if err := q.by(t.Context(), c); err != nil || !errors.Is(e.stopped(), ErrLost) {
		t.Errorf("%v, the member is not lost: the hook was told %v", err, c.told[0])
	}
}

// TestCrew checks that a call is shared by the members on which it is faster than on the host.
func TestCrew(t *testing.T) {
	c := startTeam(t, 3, small())
	for i, least := range []int{100, 100, 1000} {
		c.members[i].crossover = map[device.Kind]int{device.ECDSA: least}
	}
	c.members[2].crossover[device.Schnorr] = 5
	one, two, three := c.members[0], c.members[1], c.members[2]
	for _, test := range []struct {
		kind   device.Kind
		rows   int
		failed []*Engine
		want   []*Engine
	}{
		{device.ECDSA, 199, nil, []*Engine{one}},
		{device.ECDSA, 200, nil, []*Engine{one, two}},
		{device.ECDSA, 2999, nil, []*Engine{one, two}},
		{device.ECDSA, 3000, nil, []*Engine{one, two, three}},
		{device.ECDSA, 200, []*Engine{one}, []*Engine{two}},
		{device.ECDSA, 200, []*Engine{one, two}, nil},
		{device.ECDSA, 2000, []*Engine{one}, []*Engine{two, three}},
		{device.Schnorr, 3000, nil, []*Engine{three}},
		// A call that is not faster than the host on any member is carried out by one member.
		{device.ECDSA, 1, nil, []*Engine{one}},
		{device.PublicKeys, 3000, nil, []*Engine{one}},
		{device.PublicKeys, 3000, []*Engine{one}, nil},
	} {
		got := c.crew(&device.Call{Kind: test.kind, Rows: test.rows}, test.rows, test.failed)
		if !slices.Equal(got, test.want) {
			t.Errorf("%d rows of kind %d: %d members", test.rows, test.kind, len(got))
		}
	}
	for i, least := range []int{100, 100, 1000} {
		if c.Accepts(device.ECDSA, 0, least-1) || !c.Accepts(device.ECDSA, 0, least) ||
			!c.Accepts(device.Schnorr, 0, 5) || c.Accepts(device.PublicKeys, 0, 1<<20) {
			t.Errorf("without %d members the team pays wrongly", i)
		}
		if i < 2 {
			c.members[i].lose(errFake)
		}
	}
	if crew := c.crew(&device.Call{Kind: device.PublicKeys, Rows: 1}, 1, nil); len(crew) != 1 ||
		crew[0] != three {
		t.Error("a member that is lost is asked")
	}
}
