package interp

import "slices"

// WidthMask returns 2^bits − 1, the mask of the lowest bits.
func WidthMask(bits uint) uint64 { return 1<<bits - 1 }

// ReadReg returns the given number of bits of a general register, starting at the byte with the
// given offset. index is the number of the register. Each of the bytes read must hold a value.
func (m *Machine) ReadReg(index int, offset, bits uint) Word {
	r := &m.Reg[index]
	bytes := uint8(1<<(bits/8)-1) << offset
	if r.Defined&bytes != bytes {
		m.Fault("reads register %s, which holds no value", m.prog.Arch.Registers[index])
	}
	return Word{r.V >> (8 * offset) & WidthMask(bits), r.Secret&bytes != 0}
}

// WriteReg sets the given number of bits of a general register, starting at the byte with the given
// offset. index is the number of the register. A write of 32 bits clears the upper half, as on
// amd64 and arm64.
func (m *Machine) WriteReg(index int, offset, bits uint, w Word) {
	if why := m.prog.reserved[index]; why != "" {
		m.Fault("%s", why)
	}
	if bits == 32 {
		bits, w.V = 64, w.V&WidthMask(32)
	}
	r := &m.Reg[index]
	bytes := uint8(1<<(bits/8)-1) << offset
	r.V = r.V&^(WidthMask(bits)<<(8*offset)) | w.V&WidthMask(bits)<<(8*offset)
	r.Defined |= bytes
	r.Secret &^= bytes
	if w.Secret {
		r.Secret |= bytes
	}
}

// Get returns the value of operand o with the width of the instruction.
func (m *Machine) Get(i *Inst, o *Operand) Word { return m.GetBits(o, i.Bits) }

// GetBits returns the value of operand o with the given width.
func (m *Machine) GetBits(o *Operand, bits uint) Word {
	switch o.Kind {
	case General:
		return m.ReadReg(o.Index, o.At, bits)
	case Immediate:
		return Word{V: o.Imm & WidthMask(bits)}
	case Memory:
		return m.Load(m.Address(o), bits)
	}
	m.Fault("operand %s cannot be read here", o.Text)
	return Word{}
}

// Set writes w to operand o with the width of the instruction.
func (m *Machine) Set(i *Inst, o *Operand, w Word) { m.SetBits(o, i.Bits, w) }

// SetBits writes w to operand o with the given width.
func (m *Machine) SetBits(o *Operand, bits uint, w Word) {
	switch o.Kind {
	case General:
		m.WriteReg(o.Index, o.At, bits, w)
	case Memory:
		m.Store(m.Address(o), bits, w)
	default:
		m.Fault("operand %s cannot be written", o.Text)
	}
}

// ReadVec returns the low n lanes of a vector register. If the program has not written all of these
// lanes, the run fails. The other lanes of the returned vector are 0.
func (m *Machine) ReadVec(o *Operand, n int) (r Vector) {
	x := &m.Vec[o.Index]
	want := uint8(1<<n - 1)
	if x.Defined&want != want {
		m.Fault("reads %s, which holds no value", o.Text)
	}
	copy(r.V[:n], x.V[:n])
	r.Secret = x.Secret & want
	r.Defined = 0xff
	return r
}

// LoadVec returns a vector with n lanes from memory at address a.
func (m *Machine) LoadVec(a uint64, n int) Vector {
	r := Vector{Defined: 0xff}
	for k := range n {
		w := m.Load(a+uint64(8*k), 64)
		r.V[k] = w.V
		if w.Secret {
			r.Secret |= 1 << k
		}
	}
	return r
}

// StoreVec writes the low n lanes of r to memory at address a. It writes only the lanes whose bits
// are set in chosen, a mask. If hidden is set, the mask is secret, and StoreVec stops the run of a
// constant-time kernel.
func (m *Machine) StoreVec(a uint64, r *Vector, n int, chosen uint8, hidden bool) {
	if hidden && m.ConstantTime {
		m.Fault("stores lanes that a secret selects")
	}
	for k := range n {
		if chosen>>k&1 == 1 {
			m.Store(a+uint64(8*k), 64, Word{r.V[k], r.Secret>>k&1 == 1})
		}
	}
}

// ReadMask returns the value of a mask register. The run stops if the register holds no value.
func (m *Machine) ReadMask(o *Operand) Word {
	k := &m.Mask[o.Index]
	if !k.Defined {
		m.Fault("reads %s, which holds no value", o.Text)
	}
	return Word{k.V, k.Secret}
}

// GetFlag returns the value of a flag. The run stops if the flag holds no value.
func (m *Machine) GetFlag(f int) Word {
	x := &m.Flag[f]
	if !x.Defined {
		m.Fault("reads %s, which is undefined here", m.prog.Arch.Flags[f])
	}
	return Word{x.V, x.Secret}
}

// SetFlag sets the flag f to v.
func (m *Machine) SetFlag(f int, v bool, secret bool) {
	x := &m.Flag[f]
	x.V, x.Defined, x.Secret = 0, true, secret
	if v {
		x.V = 1
	}
}

// Forget marks the flags fs as holding no value.
func (m *Machine) Forget(fs ...int) {
	for _, f := range fs {
		m.Flag[f] = Bits{}
	}
}

// Jump continues the run at the jump's target.
func (m *Machine) Jump(i *Inst) {
	if i.Target < 0 {
		m.Fault("no such label")
	}
	if i.Target == m.pc {
		m.Fault("jumps to itself")
	}
	m.pc = i.Target
}

// Branch runs a conditional jump. taken says whether the condition holds, and secret whether this
// depends on secrets.
func (m *Machine) Branch(i *Inst, taken, secret bool) {
	if secret && m.ConstantTime {
		m.Fault("jumps on a secret")
	}
	if m.Turn != nil {
		taken = m.Turn(i, taken)
	}
	if taken {
		m.Jump(i)
	}
}

// Prefetch records the address of a prefetch. The run stops if the address depends on a secret.
func (m *Machine) Prefetch(o *Operand) { m.Prefetched = append(m.Prefetched, m.Address(o)) }

// Return checks what the calling convention requires of a function at its return, and ends the run.
func (m *Machine) Return() {
	if rule := m.prog.Arch.Return; rule != nil {
		rule(m)
	}
	if m.Clears != nil {
		m.cleared()
	}
	for k, v := range m.Vec {
		if m.ConstantTime && v.Secret != 0 {
			m.Fault("leaves a secret in vector register %d", k)
		}
	}
	for _, r := range m.prog.Results {
		for k := r.From; k < r.To; k++ {
			if m.args.state[k]&defined == 0 {
				m.Fault("result byte %d of the arguments is not set", k)
			}
		}
	}
	m.halted = true
}

// fill puts a secret into every register that m.Clears selects.
func (m *Machine) fill() {
	for k := range m.Reg {
		if !slices.Contains(m.prog.Arch.Kept, k) {
			m.Reg[k] = Register{V: 0x5ec2_e700_0000_0001 * uint64(k+1), Defined: 0xff, Secret: 0xff}
		}
	}
	for k := range m.Clears.Vectors {
		v := &m.Vec[k]
		for lane := range m.Clears.Lanes {
			v.V[lane] = 0x5ec2_e7ff_0000_0001 * uint64(8*k+lane+1)
			v.Defined |= 1 << lane
			v.Secret |= 1 << lane
		}
	}
	if m.Clears.Masks {
		for k := range m.Mask {
			m.Mask[k] = Bits{V: 0x5ec2_e7ff_0000_0001 * uint64(k+1), Defined: true, Secret: true}
		}
	}
}

// cleared stops the run if a register that m.Clears selects is not zero.
func (m *Machine) cleared() {
	for k, r := range m.Reg {
		if !slices.Contains(m.prog.Arch.Kept, k) && (r.V != 0 || r.Secret != 0) {
			m.Fault("does not clear register %s", m.prog.Arch.Registers[k])
		}
	}
	for k := range m.Clears.Vectors {
		for lane := range m.Clears.Lanes {
			if v := &m.Vec[k]; v.V[lane] != 0 || v.Secret>>lane&1 != 0 {
				m.Fault("does not clear lane %d of vector register %d", lane, k)
			}
		}
	}
	if m.Clears.Masks {
		for k, mask := range m.Mask {
			if mask.V != 0 || mask.Secret {
				m.Fault("does not clear mask register %d", k)
			}
		}
	}
}
