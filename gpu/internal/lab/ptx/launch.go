package ptx

import (
	"bytes"
	"fmt"
	"math"
)

// Limits for launches. They are those of devices of compute capability 7.5 and later.
const (
	maxItems  = 1024
	maxShared = 227 << 10
	maxLocal  = 512 << 10
	maxDepth  = 256
)

// A Launch holds the parameters of a launch.
type Launch struct {
	Groups uint32 // number of groups
	Items  uint32 // number of work items of a group
	Params []byte // block of parameters, of the kernel's ParamSize bytes, which Run does not check
	Limit  uint64 // most instructions and checks of one work item, or 0 for 2^40
}

// Run runs a kernel of m, which accesses mem, and returns the numbers of executed instructions. If
// it returns an error, the stores before the error remain.
func (m *Module) Run(mem *Memory, k *Kernel, l Launch) (Counts, error) {
	if l.Limit == 0 {
		l.Limit = 1 << 40
	}
	if err := m.check(k, l); err != nil {
		return Counts{}, err
	}
	g := &group{m: m, mem: mem, kernel: k, launch: l, items: make([]*item, l.Items),
		shared: window{data: make([]byte, m.sharedLen)}}
	g.span.launch = mem.clock + 1
	var err error
	for g.id = 0; g.id < l.Groups && err == nil; g.id++ {
		err = g.run()
	}
	return Counts{g.counts[classOther] + g.counts[classProduct], g.counts[classProduct]}, err
}

// Call runs a kernel in a new memory, and returns the numbers of executed instructions. Its
// arguments are numbers, of type uint64, and bytes, which are in the memory while the kernel runs.
// l.Params is ignored.
func (m *Module) Call(name string, l Launch, args ...any) (c Counts, err error) {
	k, err := m.Kernel(name)
	if err != nil {
		return c, err
	}
	if len(args) != len(k.Params) {
		return c, fmt.Errorf("ptx: %s: %d arguments instead of %d", name, len(args), len(k.Params))
	}
	mem := NewMemory(1 << 24)
	l.Params = make([]byte, k.ParamSize)
	for i, p := range k.Params {
		value, _ := args[i].(uint64)
		if own, ok := args[i].([]byte); ok {
			if value, err = mem.Alloc(len(own)); err != nil {
				return c, err
			}
			b := mem.window(value).data
			copy(b, own)
			defer func() { copy(own, b) }()
		}
		put(l.Params[p.Offset:][:p.Size], value)
	}
	return m.Run(mem, k, l)
}

func (m *Module) check(k *Kernel, l Launch) error {
	if l.Items == 0 || l.Items > maxItems || l.Groups == 0 || l.Groups > math.MaxInt32 {
		return fmt.Errorf("ptx: %s: %d groups of %d items", k.Name, l.Groups, l.Items)
	}
	if most := k.fn.most; most != 0 && uint64(l.Items) > most {
		return fmt.Errorf("ptx: %s: groups of %d items instead of %d", k.Name, l.Items, most)
	}
	if m.sharedLen > maxShared {
		return fmt.Errorf("ptx: %s: %d bytes of shared memory", k.Name, m.sharedLen)
	}
	return nil
}

// A group runs the work items of one group.
type group struct {
	m      *Module
	mem    *Memory
	kernel *Kernel
	launch Launch
	id     uint32
	shared window
	span   span
	counts [numClasses]uint64 // numbers of executed instrs since the launch began
	items  []*item            // work items that wait at a barrier; nil for those that ended
}

// run runs every work item up to its next barrier, and repeats this until all work items have
// ended.
func (g *group) run() error {
	g.tick()
	g.span.group = g.span.now
	for i := range g.items {
		g.items[i] = &item{g: g, index: int32(i), left: g.launch.Limit}
	}
	for {
		var waiting *item
		gone := false // whether a work item of the group has ended
		for i, it := range g.items {
			if it == nil {
				gone = true
				continue
			}
			wait, err := it.run()
			if err != nil {
				return err
			}
			if !wait {
				gone = true
				g.items[i] = nil
				continue
			}
			if waiting != nil && !waiting.sameBarrier(it) {
				return it.fault("a barrier at which another work item does not wait, as " +
					itoa(int(waiting.index)) + " does in line " + itoa(waiting.line()))
			}
			waiting = it
		}
		if waiting == nil {
			return nil
		}
		if gone {
			return waiting.fault("a barrier that not every work item reaches")
		}
		g.tick()
	}
}

// tick advances the clock of memory, which the detection of races uses.
func (g *group) tick() {
	g.mem.clock++
	g.span.now = g.mem.clock
}

// special returns the value of the named special register.
func (it *item) special(name string) uint64 {
	switch name {
	case "%tid.x":
		return uint64(it.index)
	case "%ntid.x":
		return uint64(it.g.launch.Items)
	case "%ctaid.x":
		return uint64(it.g.id)
	}
	return uint64(it.g.launch.Groups) // %nctaid.x
}

// A frame is the state of a function call.
type frame struct {
	fn     *function
	slots  []uint64
	known  []bool // for each checked register, whether it is defined
	params []byte
	pc     int
	base   uint64 // offset of the function's local memory
	call   *varCall
}

// enter calls fn, and returns the new frame. It returns false if there are too many frames or they
// need too much local memory.
func (it *item) enter(fn *function) (*frame, bool) {
	base := alignUp(len(it.local), 16)
	if len(it.frames) >= maxDepth || base+fn.localLen > maxLocal {
		return nil, false
	}
	f := &frame{fn: fn, slots: make([]uint64, fn.slots), known: make([]bool, len(fn.registers)),
		params: make([]byte, fn.paramLen), base: uint64(base)}
	copy(f.slots[len(fn.registers):], fn.values)
	own := bytes.Repeat([]byte{unwritten}, base+fn.localLen-len(it.local))
	it.local = append(it.local, own...)
	for _, s := range fn.specials {
		if s.name == specialLocal {
			f.slots[s.slot] = spaceBase + f.base + s.add
		} else {
			f.slots[s.slot] = it.special(s.name)
		}
	}
	it.frames = append(it.frames, f)
	return f, true
}

// leave ends the innermost function call. It returns the caller's frame, or nil if there is none.
func (it *item) leave() *frame {
	depth := len(it.frames) - 1
	f := it.frames[depth]
	it.frames = it.frames[:depth]
	if depth == 0 {
		return nil
	}
	below := it.frames[depth-1]
	it.local = it.local[:int(below.base)+below.fn.localLen]
	for i, v := range f.fn.rets {
		copy(below.params[f.call.rets[i].addr:][:v.size], f.params[v.addr:])
	}
	return below
}

// pass copies the arguments of a call to the callee's parameters.
func pass(from, to *frame, c *varCall) {
	to.call = c
	for i, v := range to.fn.params {
		copy(to.params[v.addr:][:v.size], from.params[c.args[i].addr:])
	}
}

// An item is a work item.
type item struct {
	g       *group
	index   int32
	frames  []*frame // the innermost call is last
	local   []byte
	left    uint64 // instructions left until the limit
	barrier uint64 // number of the barrier at which the item waits
}

// sameBarrier reports whether two work items wait at the same barrier instruction with equal call
// stacks.
func (it *item) sameBarrier(other *item) bool {
	if it.barrier != other.barrier || len(it.frames) != len(other.frames) {
		return false
	}
	for i := range it.frames {
		a, b := it.frames[i], other.frames[i]
		if a.fn != b.fn || a.pc != b.pc {
			return false
		}
	}
	return true
}

// line returns the line, in the PTX text, of the last executed instruction.
func (it *item) line() int {
	if len(it.frames) == 0 {
		return it.g.kernel.fn.line
	}
	f := it.frames[len(it.frames)-1]
	return int(f.fn.lines[max(f.pc, 1)-1])
}

// fault returns an error of the program, with its place in the text and the work item.
func (it *item) fault(what string) error {
	fn := it.g.kernel.fn
	if n := len(it.frames); n > 0 {
		fn = it.frames[n-1].fn
	}
	return fmt.Errorf("ptx: %s: line %d (in %s), group %d, item %d: %s", it.g.kernel.Name, it.line(),
		fn.name, it.g.id, it.index, what)
}
