package batch

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// A group is what a leader of a line works with: those whose rows it verifies,
// and the memory for it.
type group struct {
	rows     engine.Batch // of the members
	members  []*request   // the leader is the first
	verdicts []engine.Verdict
}

func newGroup(kind engine.Kind) *group {
	n := engine.Group(kind)
	return &group{members: make([]*request, 0, n)}
}

// clear removes the members.
func (g *group) clear() {
	clear(g.members)
	g.members = g.members[:0]
	g.rows.Reset()
}

// verify sets valid in all members, and returns what that cost in hundredths of
// what a row costs for itself. If together is set, it tries whether one equation
// holds for all of them.
func (g *group) verify(kind engine.Kind, together bool) (cost int64) {
	// A group is done whole: a context that never ends leaves no row without an
	// answer, and there is no error.
	ctx := context.Background()
	for _, m := range g.members {
		if m.hashed {
			g.rows.Take(&m.row)
		} else {
			g.rows.TakeUnhashed(&m.row, &m.unhashed)
		}
	}
	n := len(g.members)
	if together {
		cost = engine.SpentOnEquation(n)
		if ok, err := g.rows.Together(ctx, kind); ok && err == nil {
			for _, m := range g.members {
				m.valid = true
			}
			return cost
		}
	}
	verdicts := slices.Grow(g.verdicts[:0], n)[:n]
	g.verdicts = verdicts
	err := g.rows.VerifyEach(ctx, kind, verdicts, true, 1)
	for i, m := range g.members {
		m.valid = err == nil && verdicts[i] == engine.Valid
	}
	return cost + engine.SpentExactly(n)
}
