// Package contract runs kernels in the interpreter. A call has named arguments, and a buffer for
// each pointer argument, as if a Go caller had called the kernel.
package contract

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// A Buffer is the memory that a pointer argument points to.
type Buffer struct {
	Param  string
	Words  int      // size in 64-bit words
	In     []uint64 // contents at entry; nil: the buffer holds no value at entry
	Out    bool     // the kernel may write the buffer, and must do so if In is nil
	Public bool
	// NoParam says that no argument points to this buffer. Another buffer, whose Into names this
	// one, holds offsets into this one. The kernel sees these offsets as pointers. The offsets are
	// words 0, 2, 4, … of that other buffer, or all of its words if Dense is set.
	NoParam bool
	Into    string
	Dense   bool
	// Same is the name of another buffer that has the same memory. The size and the contents of the
	// other buffer apply.
	Same string
}

// A Number is an argument that is passed by value.
type Number struct {
	Param  string
	Value  uint64
	Bytes  int // size in bytes; 0 means 8
	Secret bool
}

// A Call holds the arguments of one call of a kernel, and the check of its results.
type Call struct {
	Name    string // shown in messages
	Buffers []Buffer
	Numbers []Number
	Results []string // names of the results
	// Prefetch is the name of a buffer. For this buffer, Check receives the offsets of all
	// prefetches in the buffer instead of its words.
	Prefetch string
	// Wipes says that the kernel must leave no secret in its frame.
	Wipes bool
	// Clears lists the registers that hold secrets at entry and must be zero at return.
	Clears *interp.Registers
	// Check compares the outputs of the call with the expected results. out has the words of every
	// buffer that the kernel may write, and every result.
	Check func(out Values) error
}

// Values maps the name of each argument to the words of its buffer.
type Values map[string][]uint64

// shape returns a string that describes the call's buffers: their names and sizes, and which of
// them are written or share memory. Calls with the same string can share a machine and its memory.
func (c *Call) shape() string {
	var b strings.Builder
	for _, x := range c.Buffers {
		fmt.Fprintf(&b, "%s %d %v %s,", x.Param, x.Words, x.Out, x.Same)
	}
	return b.String()
}

// A Runner runs calls of one kernel and of its mutants. It reuses the interpreter's machines
// between calls.
type Runner struct {
	program      *interp.Program
	constantTime bool
	machines     map[string]*instance
	offsets      map[string]int
}

type instance struct {
	machine *interp.Machine
	regions map[string]*interp.Region
}

// NewRunner returns a runner for the kernel p.
func NewRunner(p *interp.Program, constantTime bool) *Runner {
	return &Runner{program: p, constantTime: constantTime, machines: map[string]*instance{},
		offsets: map[string]int{}}
}

// Program returns the runner's kernel without a planted error.
func (r *Runner) Program() *interp.Program { return r.program }

func (r *Runner) offset(param string) (int, error) {
	if at, ok := r.offsets[param]; ok {
		return at, nil
	}
	at, err := r.program.Offset(param)
	if err == nil {
		r.offsets[param] = at
	}
	return at, err
}

// instance returns a machine whose memory has the buffers that the call c needs.
func (r *Runner) instance(c *Call) (*instance, error) {
	key := c.shape()
	if x, ok := r.machines[key]; ok {
		return x, nil
	}
	x := &instance{r.program.NewMachine(), map[string]*interp.Region{}}
	x.machine.ConstantTime = r.constantTime
	x.machine.Clears = c.Clears
	for _, b := range c.Buffers {
		if b.Same == "" {
			x.regions[b.Param] = x.machine.NewRegion(b.Param, 8*b.Words, interp.Read)
		}
	}
	for _, b := range c.Buffers {
		if b.Same != "" {
			x.regions[b.Param] = x.regions[b.Same]
			if x.regions[b.Param] == nil {
				return nil, fmt.Errorf("contract: %s is the same as %s, which is no buffer", b.Param, b.Same)
			}
		}
		if b.Out {
			x.regions[b.Param].Allow(interp.Read | interp.Write)
		}
	}
	r.machines[key] = x
	return x, nil
}

// Run makes one call of p, which is the runner's program or a mutant of it.
func (r *Runner) Run(p *interp.Program, c *Call) error {
	x, err := r.instance(c)
	if err != nil {
		return err
	}
	if err := r.load(x, p, c); err != nil {
		return err
	}
	m := x.machine
	if err := m.Run(); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return r.check(x, c)
}

// load puts the program p and the arguments of the call into the machine.
func (r *Runner) load(x *instance, p *interp.Program, c *Call) error {
	m := x.machine
	m.Become(p)
	for _, b := range c.Buffers {
		region := x.regions[b.Param]
		if !b.NoParam {
			at, err := r.offset(b.Param)
			if err != nil {
				return err
			}
			m.SetArg(at, region.Address(), false)
		}
		if b.Same != "" {
			continue
		}
		region.Forget()
		region.FillWords(0, b.In, !b.Public)
		if b.Into != "" {
			step := 2
			if b.Dense {
				step = 1
			}
			for k := 0; k < len(b.In); k += step {
				region.FillWords(8*k, []uint64{x.regions[b.Into].Address() + b.In[k]}, false)
			}
		}
	}
	for _, n := range c.Numbers {
		at, err := r.offset(n.Param)
		if err != nil {
			return err
		}
		m.SetArgBytes(at, n.Value, cmp.Or(n.Bytes, 8), n.Secret)
	}
	return nil
}

// check checks memory, registers and frame after the call.
func (r *Runner) check(x *instance, c *Call) error {
	m := x.machine
	if n := m.SecretsInFrame(); c.Wipes && n > 0 {
		return fmt.Errorf("%s: %d bytes of the frame hold secrets", c.Name, n)
	}
	out := Values{}
	for _, b := range c.Buffers {
		if !b.Out {
			continue
		}
		w, err := x.regions[b.Param].Words(0, x.regions[b.Param].Len()/8)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		out[b.Param] = w
	}
	if c.Prefetch != "" {
		for _, a := range m.Prefetched {
			out[c.Prefetch] = append(out[c.Prefetch], a-x.regions[c.Prefetch].Address())
		}
	}
	for _, name := range c.Results {
		at, err := r.offset(name)
		if err != nil {
			return err
		}
		w, err := m.Result(at)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		out[name] = []uint64{w}
	}
	if err := c.Check(out); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

// Uncovered returns the text of the instructions that no call has reached.
func (r *Runner) Uncovered() []string {
	reached := map[string]int{}
	for _, x := range r.machines {
		for _, text := range x.machine.Uncovered() {
			reached[text]++
		}
	}
	var out []string
	for text, n := range reached {
		if n == len(r.machines) {
			out = append(out, text)
		}
	}
	return out
}

// IsFault reports whether err is a violation of the interpreter's rules. If not, err is a wrong
// result.
func IsFault(err error) bool {
	var f *interp.Fault
	return errors.As(err, &f)
}
