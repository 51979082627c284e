package launch

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A club is a Team whose members have simulated devices. told[i] holds the errors with which the
// hook of member i was called.
type club struct {
	*Team
	fakes []*fake
	told  [][]error
}

// startTeam returns a Team with the given number of fakes, whose launches have 128 rows.
func startTeam(t *testing.T, members int) *club {
	t.Helper()
	return startTeamOf(t, members, small())
}

// startTeamOf returns a Team with the given number of fakes and the given memory limit for each.
func startTeamOf(t *testing.T, members int, memory int64) *club {
	t.Helper()
	c := &club{told: make([][]error, members)}
	var list []*Engine
	for i := range members {
		f := &fake{}
		c.fakes = append(c.fakes, f)
		list = append(list, start(t, f, Options{Memory: memory,
			Hook: func(err error) { c.told[i] = append(c.told[i], err) }}))
	}
	c.Team = NewTeam(list)
	return c
}

// spoiled returns a call on n rows, valid and invalid ones, and a copy of the call with the host's
// answer.
func spoiled(t *testing.T, n int) (call, want *device.Call) {
	t.Helper()
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.spoil(); err != nil {
		t.Fatal(err)
	}
	call, want = s.call(device.Recover, n), s.call(device.Recover, n)
	if err := cpu.Do(t.Context(), want, nil); err != nil {
		t.Fatal(err)
	}
	dirty(call)
	return call, want
}

// same reports whether two calls have the same verdicts and results.
func same(a, b *device.Call) bool {
	return slices.Equal(a.Verdicts, b.Verdicts) && bytes.Equal(a.Results, b.Results)
}

// TestTeam checks that calls of several goroutines on hostile rows of all kinds get the host's
// verdicts, and that every member carries out a part.
func TestTeam(t *testing.T) {
	c := startTeam(t, 3)
	var begun sync.WaitGroup // counts members without a launch; every first launch waits for it
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
	var all sync.WaitGroup
	for range 3 {
		for _, set := range hostileSets() {
			all.Go(func() {
				call := set.Call()
				dirty(call)
				if err := c.Run(t.Context(), call); err != nil {
					t.Error(err)
				}
				if err := set.Check(call); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for i, told := range c.told {
		if told != nil {
			t.Errorf("the hook of member %d was told %v", i, told)
		}
	}
	if err := c.Run(t.Context(), &device.Call{Kind: device.ECDSA}); err != nil {
		t.Error(err)
	}
}

// TestSpeeds checks that while a slow member carries out two launches, a fast member carries out
// all the others.
func TestSpeeds(t *testing.T) {
	const launches = 30
	c := startTeam(t, 2)
	var slow, fast atomic.Int64
	begun, done := make(chan bool), make(chan bool)
	c.fakes[0].set(func() {
		c.fakes[0].before = func(string) {
			if slow.Add(1) == 2 {
				close(begun)
			}
			<-done
		}
	})
	c.fakes[1].set(func() {
		c.fakes[1].before = func(string) {
			<-begun
			if fast.Add(1) == launches-2 {
				close(done)
			}
		}
	})
	call, want := spoiled(t, launches*driver.Group)
	if err := c.Run(t.Context(), call); err != nil {
		t.Error(err)
	}
	if !same(call, want) {
		t.Error("other verdicts or results")
	}
	if slow.Load() != 2 || fast.Load() != launches-2 {
		t.Errorf("%d launches of the slow member, %d of the fast one", slow.Load(), fast.Load())
	}
}

// TestMemberFails checks that when any driver function of one member fails at any point of a call,
// the other member carries out the failed one's rows, only the Options.Hook of the failed one is
// called, and both share the next call again.
func TestMemberFails(t *testing.T) {
	for _, what := range []string{"write", "launch", "read", "wait"} {
		for after := range int64(4) {
			c := startTeam(t, 2)
			var count atomic.Int64
			failing := make(chan bool)
			broken := c.fakes[0]
			broken.set(func() {
				broken.call = func(called string) error {
					if called == what && count.Add(1) == after+1 {
						close(failing)
						return errFake
					}
					return nil
				}
			})
			// The second member waits until the first one has started enough work to fail.
			c.fakes[1].set(func() { c.fakes[1].before = func(string) { <-failing } })
			call, want := spoiled(t, 20*driver.Group)
			if err := c.Run(t.Context(), call); err != nil {
				t.Errorf("%s %d: %v", what, after, err)
			}
			if !same(call, want) {
				t.Errorf("%s %d: other verdicts or results", what, after)
			}
			if len(c.told[0]) != 1 || !errors.Is(c.told[0][0], errFake) || c.told[1] != nil {
				t.Errorf("%s %d: the hooks were told %v", what, after, c.told)
			}
			if crew := c.crew(call, call.Rows, nil); len(crew) != 2 {
				t.Errorf("%s %d: %d members in the next call", what, after, len(crew))
			}
		}
	}
}

// TestMemberWrong checks that bytes that a failed launch has written are never used as answers.
func TestMemberWrong(t *testing.T) {
	c := startTeam(t, 2)
	c.fakes[0].set(func() {
		c.fakes[0].after = func(_ string, r *results) {
			fill(r.verdicts, byte(device.Valid))
			fill(r.out, 4)
			r.verdicts[len(r.verdicts)-1] = unwritten
		}
	})
	// The first member starts a launch before the second one has finished any row.
	begun := make(chan bool)
	first := sync.OnceFunc(func() { close(begun) })
	c.fakes[0].set(func() { c.fakes[0].before = func(string) { first() } })
	c.fakes[1].set(func() { c.fakes[1].before = func(string) { <-begun } })
	for range maxFaults {
		call, want := spoiled(t, 10*driver.Group)
		if err := c.Run(t.Context(), call); err != nil || !same(call, want) {
			t.Error("other verdicts or results", err)
		}
	}
	if n := len(c.told[0]); n < 1 || !errors.Is(c.told[0][0], errVerdict) || c.told[1] != nil {
		t.Errorf("the hooks were told %v", c.told)
	}
}

// TestLastFails checks that rows which a failing member gives back, after the other member has
// finished all other rows, are still carried out by the other member.
func TestLastFails(t *testing.T) {
	c := startTeam(t, 2)
	begun, ended, count := make(chan bool), make(chan bool), atomic.Int64{}
	first := sync.OnceFunc(func() { close(begun) })
	c.fakes[0].set(func() {
		c.fakes[0].before = func(string) {
			first()
			<-ended // wait until the other member has done all other rows
		}
		c.fakes[0].err = errFake
	})
	c.fakes[1].set(func() {
		c.fakes[1].before = func(string) {
			<-begun
			if count.Add(1) == 8 {
				close(ended)
			}
		}
	})
	call, want := spoiled(t, 10*driver.Group)
	if err := c.Run(t.Context(), call); err != nil || !same(call, want) {
		t.Error("other verdicts or results", err)
	}
	if count.Load() < 10 || len(c.told[0]) != 1 {
		t.Errorf("%d launches of the second member, the hook was told %v", count.Load(), c.told[0])
	}
}

// TestAllFail checks that if all members fail, the call returns an error, and each hook is called
// with the error of its own member.
func TestAllFail(t *testing.T) {
	c := startTeam(t, 3)
	errs := []error{errors.New("first"), errors.New("second"), errors.New("third")}
	for round := range maxFaults {
		for i, f := range c.fakes {
			f.set(func() { f.err = errs[i] })
		}
		call, _ := spoiled(t, 20*driver.Group)
		err := c.Run(t.Context(), call)
		for i, want := range errs {
			if !errors.Is(err, want) || len(c.told[i]) != round+1 || !errors.Is(c.told[i][round], want) {
				t.Errorf("error %v, the hook was told %v", err, c.told[i])
			}
		}
	}
	call, _ := spoiled(t, 1)
	if err := c.Run(t.Context(), call); !errors.Is(err, ErrLost) || c.Accepts(device.ECDSA, 0, 1000) {
		t.Error("all are lost:", err)
	}
}

// TestMemberHangs checks that when one member hangs, the others carry out its rows once the time
// limit has passed, and that it gets no more calls.
func TestMemberHangs(t *testing.T) {
	hung, good := &fake{}, &fake{}
	told := make(chan error, 10)
	e, err := New(t.Context(), hung, []byte(tableOfTests),
		Options{Memory: small(), Crossover: 1, Hook: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	e.timeout = 20 * time.Millisecond
	var launched atomic.Bool
	release := make(chan bool)
	hung.set(func() {
		hung.before = func(string) {
			launched.Store(true)
			<-release
		}
	})
	team := NewTeam([]*Engine{e, start(t, good, Options{Memory: small()})})
	for !launched.Load() { // until the member has taken rows of some call
		call, want := spoiled(t, 20*driver.Group)
		if err := team.Run(t.Context(), call); err != nil || !same(call, want) {
			t.Fatal("other verdicts or results", err)
		}
	}
	if err := <-told; !errors.Is(err, ErrLost) || !errors.Is(err, ErrTimeout) || len(told) > 0 {
		t.Error(err)
	}
	call, want := spoiled(t, 20*driver.Group)
	if crew := team.crew(call, call.Rows, nil); len(crew) != 1 || crew[0] == e {
		t.Error("a member that hangs is asked again")
	}
	if err := team.Run(t.Context(), call); err != nil || !same(call, want) || len(told) > 0 {
		t.Error("other verdicts or results", err)
	}
	if !team.Accepts(device.ECDSA, 0, 1) {
		t.Error("the member that is left does not pay")
	}
	if err := team.Close(); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	close(release)
}

// TestMemberLies checks that package batch detects wrong verdicts of one member, and then carries
// out the call itself.
func TestMemberLies(t *testing.T) {
	for what, lie := range map[string]func(r *results){
		"good is bad":       func(r *results) { r.change(device.Valid, device.Invalid) },
		"good is malformed": func(r *results) { r.change(device.Valid, device.Malformed) },
		"all is good":       func(r *results) { fill(r.verdicts, byte(device.Valid)) },
	} {
		c := startTeam(t, 2)
		on := deviceOf(t, c.Team)
		begun := make(chan bool)
		first := sync.OnceFunc(func() { close(begun) })
		c.fakes[0].set(func() {
			c.fakes[0].before = func(string) { first() }
			c.fakes[0].after = func(_ string, r *results) { lie(r) }
		})
		c.fakes[1].set(func() { c.fakes[1].before = func(string) { <-begun } })
		call, want := spoiled(t, 20*driver.Group)
		err := cpu.Do(t.Context(), call, &batch.Options{Device: on})
		if err != nil || !same(call, want) {
			t.Errorf("%s: other verdicts or results, %v", what, err)
		}
	}
}

// TestTeamCancel checks that a call whose context ends returns while launches run, and that nothing
// is written to it afterwards.
func TestTeamCancel(t *testing.T) {
	c := startTeam(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
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
	call, _ := spoiled(t, 20*driver.Group)
	for range 2 {
		if err := c.Run(ctx, call); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	close(release)
	for _, e := range c.members {
		for range maxSlots { // all slots are free once the device is done
			defer func(s *slot) { e.put(s) }(<-e.free)
		}
	}
	if slices.ContainsFunc(call.Verdicts, func(v device.Verdict) bool { return v != 0 }) ||
		!bytes.Equal(call.Results, bytes.Repeat([]byte{0x77}, len(call.Results))) {
		t.Error("something was written after the call")
	}
	if c.told[0] != nil || c.told[1] != nil {
		t.Error("a context that ended is held against the members", c.told)
	}
}

// TestBusy checks that a call does not wait for a member whose slots are all in use.
func TestBusy(t *testing.T) {
	c := startTeam(t, 2)
	e := c.members[0]
	for range maxSlots {
		defer e.put(<-e.free)
	}
	call, want := spoiled(t, 20*driver.Group)
	if err := c.Run(t.Context(), call); err != nil || !same(call, want) {
		t.Error("other verdicts or results", err)
	}
	if crew := c.crew(call, driver.Group, nil); crew[0] != c.members[1] {
		t.Error("the member that is free is not the first")
	}
}

// TestIdle checks that a call in which a member has no part does not reset the count of that
// member's successive failures.
func TestIdle(t *testing.T) {
	c := startTeam(t, 2)
	e := c.members[0]
	for range maxFaults {
		begun := make(chan bool)
		first := sync.OnceFunc(func() { close(begun) })
		c.fakes[0].set(func() {
			c.fakes[0].before = func(string) { first() }
			c.fakes[0].err = errFake
		})
		c.fakes[1].set(func() { c.fakes[1].before = func(string) { <-begun } })
		call, want := spoiled(t, 10*driver.Group)
		if err := c.Run(t.Context(), call); err != nil || !same(call, want) {
			t.Error("other verdicts or results", err)
		}
		if e.stopped() != nil {
			break
		}
		var slots []*slot
		for range maxSlots {
			slots = append(slots, <-e.free)
		}
		if err := c.Run(t.Context(), call); err != nil || !same(call, want) {
			t.Error("other verdicts or results", err)
		}
		for _, s := range slots {
			e.put(s)
		}
	}
	if !errors.Is(e.stopped(), ErrLost) || len(c.told[0]) != maxFaults {
		t.Errorf("the member is not lost: the hook was told %v", c.told[0])
	}
}

// TestCrew checks that a call is shared by the members on which it is faster than on the host.
func TestCrew(t *testing.T) {
	c := startTeam(t, 3)
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
	if c.Accepts(device.ECDSA, 0, 99) || !c.Accepts(device.ECDSA, 0, 100) ||
		!c.Accepts(device.Schnorr, 0, 5) || c.Accepts(device.PublicKeys, 0, 1<<20) {
		t.Error("the team pays wrongly")
	}
	one.lose(errFake)
	if c.Accepts(device.ECDSA, 0, 99) || !c.Accepts(device.ECDSA, 0, 100) {
		t.Error("without one member the team pays wrongly")
	}
	if crew := c.crew(&device.Call{Kind: device.PublicKeys, Rows: 1}, 1, nil); len(crew) != 1 ||
		crew[0] == one {
		t.Error("a member that is lost is asked")
	}
	two.lose(errFake)
	if c.Accepts(device.ECDSA, 0, 999) || !c.Accepts(device.ECDSA, 0, 1000) {
		t.Error("without two members the team pays wrongly")
	}
}

// TestWhole checks that a call of a kind without a program is an error of the Team, and that the
// Options.Hook of no member is called for it.
func TestWhole(t *testing.T) {
	c := startTeam(t, 2)
	call := &device.Call{Kind: 99, Rows: 1, Verdicts: make([]device.Verdict, 1)}
	if err := c.Run(t.Context(), call); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
	if c.told[0] != nil || c.told[1] != nil {
		t.Error(c.told)
	}
}

// TestTeamClose checks that Close closes all members, once.
func TestTeamClose(t *testing.T) {
	c := startTeam(t, 2)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Close(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	call, _ := spoiled(t, 1)
	err := c.Run(t.Context(), call)
	if !errors.Is(err, ErrClosed) || c.Accepts(device.ECDSA, 0, 1000) {
		t.Error(err)
	}
}
