package ptx

import (
	"encoding/binary"
	"fmt"
)

// Limits for launches. They are those of devices of compute capability 7.5 and later.
const (
	maxItems  = 1024
	maxShared = 227 << 10
	maxLocal  = 512 << 10
	maxDepth  = 256
	maxGrid   = 1<<31 - 1
)

// An Image is a Module together with the Memory that its kernels access.
type Image struct {
	m   *Module
	mem *Memory
}

// Load returns an Image of m.
func (m *Module) Load(mem *Memory) *Image { return &Image{m, mem} }

// A Launch holds the parameters of a launch.
type Launch struct {
	Groups [3]uint32 // number of groups in each dimension; 0 in y or z means 1
	Items  [3]uint32 // number of work items of a group in each dimension
	Params []byte    // block of parameters, of the kernel's ParamSize bytes
	Limit  uint64    // most instructions of one work item, or 0 for 2^40
	Counts *Counts   // if not nil, Run adds the executed instructions to it
}

// A Fault is an error of a program at run time.
type Fault struct {
	Kernel   string
	Function string
	Line     int       // line of the text
	Group    [3]uint32 // index of the group; Item is the index of the work item
	Item     [3]uint32
	What     string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("ptx: %s: line %d (in %s), group %v, item %v: %s",
		f.Kernel, f.Line, f.Function, f.Group, f.Item, f.What)
}

// Run runs a kernel and returns the number of executed instructions. If it returns an error, the
// stores before the error remain.
func (img *Image) Run(k *Kernel, l Launch) (uint64, error) {
	for i := range l.Groups {
		if i > 0 && l.Groups[i] == 0 {
			l.Groups[i] = 1
		}
		if i > 0 && l.Items[i] == 0 {
			l.Items[i] = 1
		}
	}
	if l.Limit == 0 {
		l.Limit = 1 << 40
	}
	if err := img.check(k, l); err != nil {
		return 0, err
	}
	g := newGroup(img, k, l)
	g.span.launch = img.mem.clock + 1
	var count uint64
	for z := range l.Groups[2] {
		for y := range l.Groups[1] {
			for x := range l.Groups[0] {
				g.id = [3]uint32{x, y, z}
				err := g.run()
				count += g.count
				g.count = 0
				g.profile.close(img.m)
				if err != nil {
					return count, err
				}
			}
		}
	}
	return count, nil
}

func (img *Image) check(k *Kernel, l Launch) error {
	items := uint64(1)
	for i := range l.Items {
		if l.Items[i] == 0 || l.Items[i] > maxItems || l.Groups[i] == 0 || l.Groups[i] > maxGrid {
			return fmt.Errorf("ptx: %s: %v groups of %v items", k.Name, l.Groups, l.Items)
		}
		items *= uint64(l.Items[i])
	}
	if items > maxItems {
		return fmt.Errorf("ptx: %s: groups of %d items", k.Name, items)
	}
	if want := k.fn.group; want[0] != 0 {
		most := uint64(want[0]) * uint64(want[1]) * uint64(want[2])
		if k.fn.groupMax && items > most || !k.fn.groupMax && l.Items != want {
			return fmt.Errorf("ptx: %s: groups of %v items instead of %v", k.Name, l.Items, want)
		}
	}
	if len(l.Params) != k.ParamSize {
		return fmt.Errorf("ptx: %s: %d bytes of parameters instead of %d",
			k.Name, len(l.Params), k.ParamSize)
	}
	if img.m.sharedLen > maxShared {
		return fmt.Errorf("ptx: %s: %d bytes of shared memory", k.Name, img.m.sharedLen)
	}
	return nil
}

// A group runs the work items of one group.
type group struct {
	img     *Image
	kernel  *Kernel
	launch  Launch
	id      [3]uint32
	shared  sharedMemory
	span    span
	count   uint64 // number of executed instructions
	profile *profile

	items []*item            // work items that wait at a barrier; nil for those that ended
	idle  []*item            // ended items for reuse
	pool  map[int32][]*frame // frames for reuse, by function index
}

func newGroup(img *Image, k *Kernel, l Launch) *group {
	n := l.Items[0] * l.Items[1] * l.Items[2]
	return &group{img: img, kernel: k, launch: l, items: make([]*item, n),
		profile: newProfile(img.m, n, l.Counts), shared: newShared(img.m),
		pool: make(map[int32][]*frame)}
}

// run runs every work item up to its next barrier, and repeats this until all work items have
// ended.
func (g *group) run() error {
	g.shared.reset()
	g.tick()
	g.span.group = g.span.now
	for i := range g.items {
		g.items[i] = g.item(uint32(i))
	}
	for {
		var waiting, ended *item
		for i, it := range g.items {
			if it == nil {
				continue
			}
			wait, err := it.run()
			if err != nil {
				return err
			}
			if !wait {
				ended = it
				g.idle = append(g.idle, it)
				g.items[i] = nil
				continue
			}
			if waiting != nil && !waiting.sameBarrier(it) {
				return it.fault("a barrier at which another work item does not wait, as " +
					fmt.Sprint(waiting.id) + " does in line " + itoa(waiting.line()))
			}
			waiting = it
		}
		if waiting == nil {
			return nil
		}
		if ended != nil || g.gone() {
			return waiting.fault("a barrier that not every work item reaches")
		}
		g.shared.epoch++
		g.tick()
	}
}

// tick advances the clock of memory, which the detection of races uses.
func (g *group) tick() {
	g.img.mem.clock++
	g.span.now = g.img.mem.clock
}

// gone reports whether at least one work item of the group has ended.
func (g *group) gone() bool {
	for _, it := range g.items {
		if it == nil {
			return true
		}
	}
	return false
}

// item returns work item i of the group, at its first instruction.
func (g *group) item(i uint32) *item {
	var it *item
	if n := len(g.idle); n > 0 {
		it, g.idle = g.idle[n-1], g.idle[:n-1]
	} else {
		it = &item{g: g}
	}
	b := g.launch.Items
	it.id = [3]uint32{i % b[0], i / b[0] % b[1], i / b[0] / b[1]}
	it.index = int32(i)
	it.left = g.launch.Limit
	it.started = false
	it.depth, it.localLen = 0, 0
	return it
}

// special returns the value of the named special register.
func (it *item) special(name string) uint64 {
	v := func(a [3]uint32) uint64 { return uint64(a[name[len(name)-1]-'x']) }
	switch name[:len(name)-2] {
	case "%tid":
		return v(it.id)
	case "%ntid":
		return v(it.g.launch.Items)
	case "%ctaid":
		return v(it.g.id)
	case "%nctaid":
		return v(it.g.launch.Groups)
	}
	return uint64(it.index & 31) // %laneid
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

// frame returns a new frame for a call of fn.
func (it *item) frame(fn *function) *frame {
	var f *frame
	g, key := it.g, int32(fn.index)
	if list := g.pool[key]; len(list) > 0 {
		f, g.pool[key] = list[len(list)-1], list[:len(list)-1]
		clear(f.known)
		clear(f.params)
	} else {
		f = &frame{fn: fn, slots: make([]uint64, fn.slots), known: make([]bool, len(fn.registers)),
			params: make([]byte, fn.paramLen)}
		copy(f.slots[len(fn.registers):], fn.values)
	}
	f.pc = 0
	return f
}

// enter calls fn, and returns the new frame. It returns false if there are too many frames or they
// need too much local memory.
func (it *item) enter(fn *function) (*frame, bool) {
	base := alignUp(it.localLen, 16)
	if it.depth >= maxDepth || base+fn.localLen > maxLocal {
		return nil, false
	}
	f := it.frame(fn)
	f.base = uint64(base)
	it.localLen = base + fn.localLen
	for len(it.local) < it.localLen {
		it.local = append(it.local, make([]byte, 4096)...)
	}
	for i := base; i < it.localLen; i++ {
		it.local[i] = unwritten
	}
	for _, s := range fn.specials {
		if s.reg.name == specialLocal {
			f.slots[s.slot] = spaceBase + f.base + s.reg.add
		} else {
			f.slots[s.slot] = it.special(s.reg.name)
		}
	}
	if it.depth == len(it.frames) {
		it.frames = append(it.frames, nil)
	}
	it.frames[it.depth] = f
	it.depth++
	return f, true
}

// leave ends the innermost function call. It returns the caller's frame, or nil if there is none.
func (it *item) leave() *frame {
	it.depth--
	f := it.frames[it.depth]
	it.g.pool[int32(f.fn.index)] = append(it.g.pool[int32(f.fn.index)], f)
	if it.depth == 0 {
		return nil
	}
	below := it.frames[it.depth-1]
	it.localLen = int(below.base) + below.fn.localLen
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
	g        *group
	id       [3]uint32
	index    int32
	frames   []*frame
	depth    int
	local    []byte
	localLen int
	left     uint64 // instructions left until the limit
	started  bool
	barrier  uint64 // number of the barrier at which the item waits
}

// sameBarrier reports whether two work items wait at the same barrier instruction with equal call
// stacks.
func (it *item) sameBarrier(other *item) bool {
	if it.barrier != other.barrier || it.depth != other.depth {
		return false
	}
	for i := range it.depth {
		a, b := it.frames[i], other.frames[i]
		if a.fn != b.fn || a.pc != b.pc {
			return false
		}
	}
	return true
}

// line returns the line, in the PTX text, of the last executed instruction.
func (it *item) line() int {
	if it.depth == 0 {
		return it.g.kernel.fn.line
	}
	f := it.frames[it.depth-1]
	return int(f.fn.lines[max(f.pc, 1)-1])
}

func (it *item) fault(what string) error {
	fn := it.g.kernel.fn
	if it.depth > 0 {
		fn = it.frames[it.depth-1].fn
	}
	return &Fault{it.g.kernel.Name, fn.name, it.line(), it.g.id, it.id, what}
}

// NewParams packs integer arguments of a kernel into a block of parameters.
func (k *Kernel) NewParams(args ...uint64) ([]byte, error) {
	if len(args) != len(k.Params) {
		return nil, fmt.Errorf("ptx: %s: %d arguments instead of %d",
			k.Name, len(args), len(k.Params))
	}
	b := make([]byte, k.ParamSize)
	for i, p := range k.Params {
		var v [8]byte
		binary.LittleEndian.PutUint64(v[:], args[i])
		if p.Size > 8 {
			return nil, fmt.Errorf("ptx: %s: parameter %d has %d bytes", k.Name, i, p.Size)
		}
		copy(b[p.Offset:p.Offset+p.Size], v[:])
	}
	return b, nil
}
