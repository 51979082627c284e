package inorder

import (
	"fmt"
	"maps"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// A plan holds the parameters of one search for an order.
type plan struct {
	// window is the number of instructions in the list, from the first unplaced one on, among which
	// the search chooses the next one to place.
	window int
	// spare is the number of registers that must stay free when the search places an instruction
	// other than the first unplaced one.
	spare int
	// turn favors instructions that come early in the list. For each place that an instruction is
	// earlier than another, its height counts as greater by turn eighths of a cycle.
	turn int
}

// plans returns all plans that Order tries. No rule is known that predicts the best plan for a
// list.
func plans() (all []plan) {
	for _, window := range []int{1, 24, 40, 60, 110, 300} {
		for spare := range 4 {
			for _, turn := range []int{0, 2, 16} {
				all = append(all, plan{window, spare, turn})
			}
		}
	}
	return all
}

// Order tries several orders of the list text, and takes the one with the fewest cycles. It returns
// the instructions in this order, with virtual registers replaced by registers of the pool, and the
// number of cycles. It returns an error if the list itself names a register of the pool.
func (cpu *CPU) Order(text []interp.Instruction, pool []int) ([]interp.Instruction, int, error) {
	return cpu.order(text, pool, plans())
}

func (cpu *CPU) order(text []interp.Instruction, pool []int, plans []plan) (
	[]interp.Instruction, int, error,
) {
	l, err := cpu.graph(text)
	if err != nil {
		return nil, 0, err
	}
	for k, n := range l.nodes {
		for _, r := range slices.Concat(n.Reads, n.Writes, n.Changes) {
			if slices.Contains(pool, r) {
				return nil, 0, fmt.Errorf("inorder: instruction %d names register %d of the pool", k, r)
			}
		}
	}
	var best []int
	fewest := 0
	for _, p := range plans {
		order, cycles, ok := l.search(p, len(pool))
		if ok && (best == nil || cycles < fewest) {
			best, fewest = l.inPairs(order, len(pool)), cycles
		}
	}
	if best == nil && len(text) > 0 {
		return nil, 0, fmt.Errorf("inorder: the list needs more than %d registers", len(pool))
	}
	out, err := l.assign(best, pool)
	return out, fewest, err
}

// A state is a list with some of its instructions already placed in the new order.
type state struct {
	*list
	waiting []int // by instruction: unplaced instructions that must come before it
	ready   []int // by instruction: first cycle in which it can start
	left    map[int]int
	live    int // number of virtual registers in use

	cycle, started int           // current cycle, and number of instructions that start in it
	busy           map[Pipe]bool // pipes in use in this cycle
	end            int           // last cycle in which a result becomes ready
}

// begin returns the state in which no instruction of the list is placed.
func (l *list) begin() *state {
	s := &state{
		list: l, waiting: make([]int, len(l.nodes)), ready: make([]int, len(l.nodes)),
		left: maps.Clone(l.uses), busy: map[Pipe]bool{},
	}
	for k := range l.nodes {
		s.waiting[k] = l.nodes[k].before
	}
	return s
}

// search places the instructions one by one, following the plan p. Among the instructions that can
// start soonest and find a free register, it takes the one with the longest chain of instructions
// after it (node.height). ok is false if the registers do not suffice.
func (l *list) search(p plan, registers int) (order []int, cycles int, ok bool) {
	s := l.begin()
	placed := make([]bool, len(l.nodes))
	for first := 0; len(order) < len(l.nodes); {
		for placed[first] {
			first++
		}
		best, start, weight := -1, 0, 0
		for k := first; k < min(first+p.window, len(l.nodes)); k++ {
			if placed[k] || s.waiting[k] > 0 {
				continue
			}
			change := s.pressure(k)
			spare := p.spare
			if k == first {
				spare = 0
			}
			if change > 0 && s.live+change > registers-spare {
				continue
			}
			at, w := s.start(k), 8*l.nodes[k].height-p.turn*(k-first)
			if best < 0 || at < start || at == start && w > weight {
				best, start, weight = k, at, w
			}
		}
		if best < 0 {
			return nil, 0, false
		}
		s.place(best, start)
		placed[best] = true
		order = append(order, best)
	}
	return order, max(s.cycle+1, s.end), true
}

// inPairs reorders pairs of instructions that start in the same cycle. An instruction that needs a
// certain pipe goes before one that any pipe can execute, because the latter might otherwise occupy
// that pipe.
func (l *list) inPairs(order []int, registers int) []int {
	s := l.begin()
	for i := 0; i < len(order); i++ {
		k := order[i]
		at := s.start(k)
		if at > s.cycle || s.started == 0 {
			if i+1 < len(order) && l.nodes[k].Pipe == Any {
				next := order[i+1]
				if l.nodes[next].Pipe != Any && s.waiting[next] == 0 && s.start(next) <= at &&
					s.live+s.pressure(next) <= registers {
					order[i], order[i+1] = next, k
					k = next
				}
			}
		}
		s.place(k, s.start(k))
	}
	return order
}

// pressure returns by how much the number of virtual registers in use changes if instruction k is
// placed next.
func (s *state) pressure(k int) (change int) {
	n := &s.nodes[k]
	held := n.held()
	for i, r := range held {
		if slices.Contains(held[:i], r) {
			continue
		}
		own := 0
		for _, q := range held {
			if q == r {
				own++
			}
		}
		if s.left[r] == own {
			change--
		}
	}
	for _, r := range n.Writes {
		if r >= Virtual {
			change++
		}
	}
	return change
}

// start returns the cycle in which instruction k would start if it were placed next. Results become
// ready in the order of the list, as in LLVM's model of an in-order CPU.
func (s *state) start(k int) int {
	n := &s.nodes[k]
	at := max(s.cycle, s.ready[k], s.end-n.Latency)
	if at == s.cycle && (s.started == s.cpu.Width || n.Pipe != Any && s.busy[n.Pipe]) {
		at++
	}
	return at
}

// place appends instruction k to the new order. The instruction starts in the given cycle.
func (s *state) place(k, cycle int) {
	n := &s.nodes[k]
	if cycle > s.cycle {
		s.cycle, s.started = cycle, 0
		clear(s.busy)
	}
	s.started++
	if n.Pipe != Any {
		s.busy[n.Pipe] = true
	}
	s.end = max(s.end, cycle+n.Latency)
	s.live += s.pressure(k)
	for _, r := range n.held() {
		s.left[r]--
	}
	for _, e := range n.after {
		s.waiting[e.to]--
		s.ready[e.to] = max(s.ready[e.to], cycle+e.cycles)
	}
}

// assign returns the instructions in the given order, with virtual registers replaced by registers
// of the pool. A register becomes free at the last instruction that reads it; that instruction may
// already write the register.
func (l *list) assign(order []int, pool []int) ([]interp.Instruction, error) {
	free := slices.Clone(pool)
	slices.Reverse(free)
	at, left := map[int]int{}, maps.Clone(l.uses)
	out := make([]interp.Instruction, 0, len(order))
	for _, k := range order {
		n, x := &l.nodes[k], l.text[k].Clone()
		given := map[int]int{}
		for _, r := range n.held() {
			given[r] = at[r]
			if left[r]--; left[r] == 0 {
				free = append(free, at[r])
			}
		}
		for _, r := range n.Writes {
			if r < Virtual {
				continue
			}
			if len(free) == 0 {
				return nil, fmt.Errorf("inorder: no register for instruction %d", k)
			}
			at[r], free = free[len(free)-1], free[:len(free)-1]
			given[r] = at[r]
		}
		for i := range x.Operands {
			o := &x.Operands[i]
			if r, ok := given[o.Index]; ok && o.Kind == interp.General {
				o.Index = r
			}
			if r, ok := given[o.Base]; ok && o.Kind == interp.Memory {
				o.Base = r
			}
		}
		out = append(out, x)
	}
	return out, nil
}
