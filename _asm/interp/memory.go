package interp

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A Permission says whether a kernel may read and write a region.
type Permission uint8

const (
	Read Permission = 1 << iota
	Write
)

// These are the state bits that the machine keeps for each byte of memory.
const (
	defined = 1 << iota
	secret
)

// gap is the distance between regions in bytes. It exceeds every offset and index of a kernel, so
// that an access outside one region never falls into another.
const gap = 1 << 24

// A Region is memory that a kernel may access: the target of a pointer argument, the frame, the
// argument area or read-only data. An access to any other address is an error.
type Region struct {
	name  string
	base  uint64
	perm  Permission
	data  []byte
	state []byte
}

// NewRegion adds a region of the given size to the machine's memory. Its bytes hold no value. Its
// address is a multiple of 8, the alignment that Go promises, but not of 16.
func (m *Machine) NewRegion(name string, bytes int, perm Permission) *Region {
	r := &Region{name: name, base: m.next + 8, perm: perm, data: make([]byte, bytes),
		state: make([]byte, bytes)}
	m.next += uint64(bytes) + gap
	m.next &^= 63
	m.regions = append(m.regions, r)
	return r
}

// Address returns the region's lowest address.
func (r *Region) Address() uint64 { return r.base }

// Len returns the region's size in bytes.
func (r *Region) Len() int { return len(r.data) }

// Allow replaces the region's permission by p.
func (r *Region) Allow(p Permission) { r.perm = p }

// Fill copies b to the given offset in the region, and marks the bytes as secret or public.
func (r *Region) Fill(offset int, b []byte, isSecret bool) {
	copy(r.data[offset:], b)
	state := byte(defined)
	if isSecret {
		state |= secret
	}
	for k := range b {
		r.state[offset+k] = state
	}
}

// FillWords copies words to the given offset in the region, in little-endian order, and marks the
// bytes as secret or public.
func (r *Region) FillWords(offset int, words []uint64, isSecret bool) {
	for k, w := range words {
		r.Fill(offset+8*k, binary.LittleEndian.AppendUint64(make([]byte, 0, 8), w), isSecret)
	}
}

// Forget marks all bytes of the region as holding no value.
func (r *Region) Forget() { clear(r.state) }

// Bytes returns the n bytes at the given offset in the region. It returns an error if one of them
// holds no value.
func (r *Region) Bytes(offset, n int) ([]byte, error) {
	for k := offset; k < offset+n; k++ {
		if r.state[k]&defined == 0 {
			return nil, fmt.Errorf("byte %d of %s was never written", k, r.name)
		}
	}
	return slices.Clone(r.data[offset : offset+n]), nil
}

// Words returns the n little-endian 64-bit words at the given offset in the region.
func (r *Region) Words(offset, n int) ([]uint64, error) {
	b, err := r.Bytes(offset, 8*n)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, n)
	for k := range out {
		out[k] = binary.LittleEndian.Uint64(b[8*k:])
	}
	return out, nil
}

// SetArg sets the 8-byte argument at the given offset in the argument area.
func (m *Machine) SetArg(offset int, v uint64, isSecret bool) {
	m.SetArgBytes(offset, v, 8, isSecret)
}

// SetArgBytes sets the argument of n bytes at the given offset in the argument area.
func (m *Machine) SetArgBytes(offset int, v uint64, n int, isSecret bool) {
	m.args.Fill(offset, binary.LittleEndian.AppendUint64(make([]byte, 0, 8), v)[:n], isSecret)
}

// Result returns the result at the given offset in the argument area.
func (m *Machine) Result(offset int) (uint64, error) {
	for _, r := range m.prog.Results {
		if r.From == offset {
			b, err := m.args.Bytes(offset, r.To-r.From)
			if err != nil {
				return 0, err
			}
			return binary.LittleEndian.Uint64(append(b, make([]byte, 8)...)), nil
		}
	}
	return 0, fmt.Errorf("interp: %s has no result at offset %d", m.prog.Name, offset)
}

// Address returns the address of a memory operand. It stops the run if the address depends on a
// secret.
func (m *Machine) Address(o *Operand) uint64 {
	w := m.Effective(o)
	if w.Secret && m.ConstantTime {
		at := o.Base
		if at < 0 || m.Reg[at].Secret == 0 {
			at = o.IndexReg
		}
		m.Fault("address from a secret in %s", m.prog.Arch.Registers[at])
	}
	return w.V
}

// Effective returns the address of a memory operand as a number, as LEA computes it. The address
// may be secret, and need not be within a region.
func (m *Machine) Effective(o *Operand) (a Word) {
	switch o.Base {
	case Frame:
		a.V = m.frame.base
	case Arguments:
		a.V = m.args.base
	case Static:
		a.V = m.statics[o.Data].base
		// In position-independent code, an access to read-only data may overwrite the linker's
		// registers.
		for _, k := range m.prog.Arch.Linker {
			m.Reg[k].Defined = 0
		}
	default:
		a = m.ReadReg(o.Base, 0, 64)
	}
	if o.IndexReg >= 0 {
		x := m.ReadReg(o.IndexReg, 0, 64)
		a = Word{a.V + x.V*o.Scale, a.Secret || x.Secret}
	}
	a.V += uint64(o.Disp)
	return a
}

// find returns the region that contains the n bytes at address a, and the offset in the region at
// which they begin. It stops the run if no region with the given permission contains them.
func (m *Machine) find(a uint64, n int, want Permission) (*Region, int) {
	for _, r := range m.regions {
		at := a - r.base
		if at >= uint64(len(r.data)) && (at != uint64(len(r.data)) || n != 0) {
			continue
		}
		if at+uint64(n) > uint64(len(r.data)) {
			m.Fault("%d bytes at offset %d of %s, which has %d", n, at, r.name, len(r.data))
		}
		if want == Write && r == m.args && !m.prog.isResult(int(at), n) {
			m.Fault("writes the arguments at offset %d", at)
		}
		if r.perm&want == 0 && r != m.args {
			m.Fault("may not write %s", r.name)
		}
		return r, int(at)
	}
	for _, r := range m.regions {
		if d := int64(a - r.base); d > -gap/2 && d < int64(len(r.data))+gap/2 {
			m.Fault("%d bytes at offset %d of %s, which has %d", n, d, r.name, len(r.data))
		}
	}
	m.Fault("address %#x is outside all memory", a)
	return nil, 0
}

// bytes returns the n bytes at address a for reading, and reports whether one of them is secret.
func (m *Machine) bytes(a uint64, n int) ([]byte, bool) {
	r, at := m.find(a, n, Read)
	isSecret := false
	for k, s := range r.state[at : at+n] {
		if s&defined == 0 {
			m.Fault("reads byte %d of %s, which holds no value", at+k, r.name)
		}
		isSecret = isSecret || s&secret != 0
	}
	return r.data[at : at+n], isSecret
}

// Load reads 8, 16, 32 or 64 bits of memory at address a. All of the bytes must hold a value.
func (m *Machine) Load(a uint64, bits uint) Word {
	b, s := m.bytes(a, int(bits/8))
	switch bits {
	case 64:
		return Word{binary.LittleEndian.Uint64(b), s}
	case 32:
		return Word{uint64(binary.LittleEndian.Uint32(b)), s}
	case 16:
		return Word{uint64(binary.LittleEndian.Uint16(b)), s}
	}
	return Word{uint64(b[0]), s}
}

// Store writes the lowest 8, 16, 32 or 64 bits of w to memory at address a.
func (m *Machine) Store(a uint64, bits uint, w Word) {
	n := int(bits / 8)
	r, at := m.find(a, n, Write)
	state := byte(defined)
	if w.Secret {
		state |= secret
	}
	for k := range n {
		r.data[at+k] = byte(w.V >> (8 * k))
		r.state[at+k] = state
	}
}
