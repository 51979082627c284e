package ptx

import (
	"errors"
	"fmt"
	"math/bits"
)

// run executes instructions until the work item ends or reaches a barrier. The result wait reports
// whether the work item waits at a barrier.
func (it *item) run() (wait bool, err error) {
	var f *frame
	if n := len(it.frames); n > 0 {
		f = it.frames[n-1]
	} else {
		var ok bool
		if f, ok = it.enter(it.g.kernel.fn); !ok {
			return false, it.fault("more local memory than there is")
		}
		copy(f.params, it.g.launch.Params)
	}
	code, r, pc := f.fn.code, f.slots, f.pc
	var carry uint64
	counts := &it.g.counts
	left := it.left
	what := "" // the error to report, or "" for none
	for {
		if left == 0 {
			what = "more instructions than the limit allows"
			break
		}
		left--
		in := &code[pc]
		pc++
		counts[in.class]++
		switch in.op {
		case opJump:
			pc = int(in.x)
		case opJumpIf:
			if r[in.a] != 0 {
				pc = int(in.x)
			}
		case opJumpNot:
			if r[in.a] == 0 {
				pc = int(in.x)
			}
		case opReturn:
			if f = it.leave(); f == nil {
				return false, nil
			}
			code, r, pc = f.fn.code, f.slots, f.pc
		case opCall:
			f.pc = pc
			c := f.fn.calls[in.x]
			next, ok := it.enter(c.callee)
			if !ok {
				what = "too many calls within each other, or more local memory than there is"
				break
			}
			pass(f, next, c)
			f = next
			code, r, pc = f.fn.code, f.slots, 0
		case opBarrier:
			f.pc = pc
			it.barrier = r[in.a]
			it.left = left
			return true, nil

		case opNeed:
			if !f.known[in.a] {
				what = "register " + f.fn.registers[in.a].name + " is not defined"
			}
		case opDefine:
			f.known[in.d] = true
		case opForget:
			f.known[in.d] = false

		case opAddCarry:
			v := r[in.a] + r[in.b] + carry&in.x
			r[in.d], carry = uint64(uint32(v)), v>>32
		case opSubCarry:
			v := r[in.a] - r[in.b] - carry&in.x
			r[in.d], carry = uint64(uint32(v)), v>>63
		case opMadCarry:
			v := uint64(uint32(r[in.a]*r[in.b])) + r[in.c] + carry&in.x
			r[in.d], carry = uint64(uint32(v)), v>>32
		case opMadHighCarry:
			v := r[in.a]*r[in.b]>>32 + r[in.c] + carry&in.x
			r[in.d], carry = uint64(uint32(v)), v>>32

		case opFn:
			r[in.d] = in.fn(r[in.a], r[in.b], r[in.c])
		case opDivide:
			if r[in.b] == 0 {
				what = "a division by zero"
				break
			}
			r[in.d] = r[in.a] / r[in.b]

		case opLoad:
			b, err := it.access(in, r[in.a]+in.x, true, false)
			if err != nil {
				what = err.Error()
				break
			}
			r[in.d] = get(b)
		case opStore:
			b, err := it.access(in, r[in.a]+in.x, false, true)
			if err != nil {
				what = err.Error()
				break
			}
			put(b, r[in.b])
		case opAtomic:
			b, err := it.access(in, r[in.a]+in.x, true, true)
			if err != nil {
				what = err.Error()
				break
			}
			old := get(b)
			put(b, in.fn(old, r[in.b], r[in.c]))
			r[in.d] = old
		default:
			what = "an instruction that the interpreter does not know"
		}
		if what != "" {
			break
		}
	}
	f.pc = pc
	return false, it.fault(what)
}

// base returns the difference between generic addresses and the addresses of a space.
func base(s space) uint64 {
	switch s {
	case spaceShared:
		return sharedWindow
	case spaceLocal:
		return localWindow
	}
	return 0
}

// spaceOf returns the space to which a generic address belongs.
func spaceOf(addr uint64) space {
	switch bits.Len64(addr) {
	case 61:
		return spaceShared
	case 62:
		return spaceLocal
	}
	return spaceGlobal
}

var errAlign = errors.New("an address of the wrong alignment")

// access returns the bytes at addr that an instruction reads or writes, after checking the access.
func (it *item) access(in *instr, addr uint64, read, write bool) ([]byte, error) {
	n := uint64(in.width)
	where := in.where
	if where == spaceGeneric {
		where = spaceOf(addr)
		addr -= base(where)
	}
	if addr&(n-1) != 0 || in.alignment != 0 && addr&uint64(in.alignment-1) != 0 {
		return nil, fmt.Errorf("%w: %#x", errAlign, addr)
	}
	switch where {
	case spaceShared:
		b, err := it.g.sharedAt(addr-spaceBase, n, it.index, read, write)
		return b, at(err, n, where, addr)
	case spaceLocal:
		b, err := it.localAt(addr-spaceBase, n)
		return b, at(err, n, where, addr)
	case spaceParam:
		p := it.frames[len(it.frames)-1].params
		if off := addr - spaceBase; off <= uint64(len(p)) && uint64(len(p))-off >= n {
			return p[off:][:n], nil
		}
		return nil, at(errAddress, n, where, addr)
	}
	b, err := it.g.mem.at(addr, n)
	if err != nil {
		return nil, at(err, n, where, addr)
	}
	w := &it.g.mem.windows[addr>>windowBits]
	err = w.race(it.g.span, addr&windowMask, n, it.index, read, write)
	return b, at(err, n, where, addr)
}

// at adds to an error the size, the space and the address of the access.
func at(err error, n uint64, where space, addr uint64) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%d bytes at %v address %#x: %w", n, where, addr, err)
}

var errLocal = errors.New("an address outside of the local memory of every function")

// localAt returns the n bytes at offset off of local memory. They must belong to a single function
// call.
func (it *item) localAt(off, n uint64) ([]byte, error) {
	for i := len(it.frames) - 1; i >= 0; i-- {
		f := it.frames[i]
		if off >= f.base {
			if off-f.base <= uint64(f.fn.localLen) && uint64(f.fn.localLen)-(off-f.base) >= n {
				return it.local[off : off+n : off+n], nil
			}
			break
		}
	}
	return nil, errLocal
}
