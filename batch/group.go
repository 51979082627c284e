package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// A group is what a leader of a line works with: those whose rows it verifies,
// and the memory for it.
type group struct {
	job      *engine.Job
	equation engine.Equation
	rows     []engine.Row // of the members
	members  []*request   // the leader is the first
	pending  pending
}

func newGroup(kind engine.Kind) *group {
	n := engine.Group(kind)
	return &group{job: engine.NewJob(kind, min(n, engine.MaxBlock)), members: make([]*request, 0, n)}
}

// clear removes the members.
func (g *group) clear() {
	clear(g.members)
	g.members, g.rows = g.members[:0], g.rows[:0]
}

// verify sets valid in all members, and returns what that cost in hundredths of
// what a row costs for itself. If together is set, it tries whether one equation
// holds for all of them.
func (g *group) verify(kind engine.Kind, together bool) (cost int64) {
	for _, m := range g.members {
		g.rows = append(g.rows, m.row)
	}
	for i, m := range g.members {
		if !m.hashed {
			g.pending.add(g.rows, i, &m.msg)
		}
	}
	g.pending.flush(g.rows)
	if together {
		cost = engine.SpentOnEquation(len(g.rows))
		// Without a context that can be done there is no error.
		if ok, _ := g.equation.Holds(context.Background(), kind, g.rows, 1); ok {
			for _, m := range g.members {
				m.valid = true
			}
			return cost
		}
	}
	for lo := 0; lo < len(g.rows); lo += g.job.Cap() {
		hi := min(lo+g.job.Cap(), len(g.rows))
		g.job.Reset(hi - lo)
		for i := lo; i < hi; i++ {
			g.job.Append(&g.rows[i], i-lo)
		}
		g.job.Run()
		for i, v := range g.job.Verdicts() {
			g.members[lo+i].valid = v == engine.Valid
		}
	}
	return cost + engine.SpentExactly(len(g.members))
}
