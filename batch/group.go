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
	rows     []engine.Row // of the members, for the equation
	members  []*request   // the leader is the first
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
	if together {
		for _, m := range g.members {
			g.rows = append(g.rows, m.row)
		}
		cost = engine.SpentOnEquation(len(g.rows))
		// Without a context that can be done there is no error.
		if ok, _ := g.equation.Holds(context.Background(), kind, g.rows, 1); ok {
			for _, m := range g.members {
				m.valid = true
			}
			return cost
		}
	}
	for members := g.members; len(members) > 0; {
		block := members[:min(len(members), g.job.Cap())]
		members = members[len(block):]
		g.job.Reset(len(block))
		for i, m := range block {
			g.job.Append(&m.row, i)
		}
		g.job.Run()
		for i, v := range g.job.Verdicts() {
			block[i].valid = v == engine.Valid
		}
	}
	return cost + engine.SpentExactly(len(g.members))
}
