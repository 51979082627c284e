package launch

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/device"
)

// A Team is several Engines that share the rows of calls. It implements device.Engine. If one
// member fails, is lost or calls its hook, the others are not affected: they carry out the rows
// that it leaves undone.
type Team struct{ members []*Engine }

// NewTeam returns a Team of the given Engines, at least one. Closing the Team closes them.
func NewTeam(members []*Engine) *Team { return &Team{members} }

// Accepts reports whether one of the members accepts a call.
func (t *Team) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return slices.ContainsFunc(t.members, func(e *Engine) bool { return e.Accepts(k, r, rows) })
}

// Run carries out a call. Members take rows of the call as they become free, so a fast member takes
// more rows than a slow one, and all end at about the same time. If a member fails, the others
// carry out its rows. If all members that could carry out the call fail, Run returns their errors.
func (t *Team) Run(ctx context.Context, c *device.Call) error {
	w := newWork(c)
	if w == nil {
		return ErrKind
	}
	if c.Rows == 0 {
		return nil
	}
	ctx = Remember(ctx)
	var failed []*Engine
	var failure error
	for w.left() > 0 {
		crew := t.crew(c, w.left(), failed)
		if len(crew) == 0 {
			return errors.Join(failure, t.stopped())
		}
		errs := share(ctx, crew, w)
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, err := range errs {
			if err != nil {
				failed = append(failed, crew[i])
				failure = errors.Join(failure, err)
			}
		}
	}
	w.finish()
	return nil
}

// share has the members of crew carry out the rows of w that are left, and returns an error, or
// nil, for each member.
func share(ctx context.Context, crew []*Engine, w *work) []error {
	defer w.begin(ctx, crew)()
	errs, did := make([]error, len(crew)), make([]bool, len(crew))
	var all sync.WaitGroup
	for i, e := range crew[1:] {
		all.Go(func() { did[1+i], errs[1+i] = w.by(ctx, e, 1+i) })
	}
	did[0], errs[0] = w.by(ctx, crew[0], 0)
	all.Wait()
	for i, e := range crew {
		if did[i] || errs[i] != nil {
			errs[i] = e.judge(ctx, errs[i])
		}
	}
	return errs
}

// crew returns the members that should carry out the given number of rows of a call. It leaves out
// those that have failed in this call. It returns as many members as possible for which an equal
// part of the rows is enough to be faster than the host, and prefers those with the most free
// slots. If the rows are too few for any member, it returns one member.
func (t *Team) crew(c *device.Call, rows int, failed []*Engine) []*Engine {
	live := t.live(failed)
	pays := slices.DeleteFunc(slices.Clone(live), func(e *Engine) bool {
		return !e.Accepts(c.Kind, c.Rules, c.Rows)
	})
	if len(pays) == 0 && len(failed) == 0 {
		return live[:min(len(live), 1)]
	}
	for n := len(pays); n > 1; n-- {
		crew := slices.DeleteFunc(slices.Clone(pays), func(e *Engine) bool {
			return e.least(c.Kind) > rows/n
		})
		if len(crew) >= n {
			return crew[:n]
		}
	}
	return pays[:min(len(pays), 1)]
}

// live returns the members that take calls and are not in failed, those with the most free slots
// first.
func (t *Team) live(failed []*Engine) []*Engine {
	live := slices.DeleteFunc(slices.Clone(t.members), func(e *Engine) bool {
		return e.stopped() != nil || slices.Contains(failed, e)
	})
	free := make(map[*Engine]int, len(live))
	for _, e := range live {
		free[e] = len(e.free)
	}
	slices.SortStableFunc(live, func(a, b *Engine) int { return free[b] - free[a] })
	return live
}

// least returns the least number of rows of a kind for which the device takes less time than the
// host.
func (e *Engine) least(k device.Kind) int {
	if n, ok := e.crossover[k]; ok {
		return n
	}
	return math.MaxInt
}

// stopped returns the reasons why the members take no calls, or nil if at least one member takes
// calls.
func (t *Team) stopped() (err error) {
	for _, e := range t.members {
		reason := e.stopped()
		if reason == nil {
			return nil
		}
		err = errors.Join(err, reason)
	}
	return err
}

// Close closes the members, all at the same time.
func (t *Team) Close() error {
	errs := make([]error, len(t.members))
	var all sync.WaitGroup
	for i, e := range t.members {
		all.Go(func() { errs[i] = e.Close() })
	}
	all.Wait()
	return errors.Join(errs...)
}
