package amd64

import (
	"math"
	"math/big"
	"slices"
)

// addDoubles adds the instructions on double-precision numbers to the table t. They are not on
// Intel's list of instructions with data-independent time. Their time may depend on whether numbers
// are subnormal, infinite or NaN, so the interpreter stops at such an operand or result.
func addDoubles(t table) {
	one(t, "VSUBPD", 0, 3, eachLane(false, subtractDoubles)).Masked = true
	for name, sign := range map[string]float64{"VFMADD231PD": 1, "VFMSUB231PD": -1} {
		one(t, name, 0, 3, fused(sign)).Masked = true
	}
	one(t, "STMXCSR", 32, 1, func(m *machine, i *inst) { m.Set(i, &i.Op[0], m.GetFlag(mxcsr)) })
	one(t, "LDMXCSR", 32, 1, loadMXCSR)
}

// loadMXCSR runs LDMXCSR. Its operand has 16 bits that must be 0.
func loadMXCSR(m *machine, i *inst) {
	x := m.Get(i, &i.Op[0])
	if x.Secret {
		m.Fault("sets MXCSR to a secret")
	}
	if x.V>>16 != 0 {
		m.Fault("sets MXCSR to %#x", x.V)
	}
	m.Flag[mxcsr] = bit{V: x.V, Defined: true}
}

// ordinary returns the double-precision number with the bits v. It stops the run unless that number
// is 0 or normal.
func ordinary(m *machine, v uint64) float64 {
	x := math.Float64frombits(v)
	if e := v >> 52 & 0x7ff; e == 0x7ff || e == 0 && x != 0 {
		m.Fault("computes with %v, which may take more time than other numbers", x)
	}
	return x
}

// subtractDoubles computes a lane of VSUBPD. The difference must be exact, so that the rounding
// mode matters only for the sign of 0.
func subtractDoubles(m *machine, _ *inst, v []uint64) uint64 {
	x, y := ordinary(m, v[0]), ordinary(m, v[1])
	d := x - y
	back := d - x
	if x-(d-back) != y+back { // by Knuth's formula, x − y has a rounding error
		m.Fault("%v − %v is rounded", x, y)
	}
	if x == y && math.Signbit(x) == math.Signbit(y) && m.Flag[mxcsr].V>>13&3 == 1 {
		d = math.Copysign(0, -1) // toward −∞
	}
	return math.Float64bits(ordinary(m, math.Float64bits(d)))
}

// fused returns the function for an instruction that computes each lane of its destination as a·b +
// sign·d, where d is the destination's old lane, and rounds toward zero. Without the suffix RZ_SAE,
// MXCSR must say so; the instruction may then change the status bits of MXCSR.
func fused(sign float64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		if !slices.Contains(i.Suffixes, "RZ_SAE") {
			if m.Flag[mxcsr].V&^status != towardZero {
				m.Fault("the rounding mode is that of MXCSR, which is %#x", m.Flag[mxcsr].V)
			}
			m.Flag[mxcsr].Defined = false
		}
		eachLane(true, func(m *machine, _ *inst, v []uint64) uint64 {
			x, y, z := ordinary(m, v[0]), ordinary(m, v[1]), ordinary(m, v[2])
			return math.Float64bits(ordinary(m, math.Float64bits(fusedTowardZero(x, y, sign*z))))
		})(m, i)
	}
}

// fusedTowardZero returns x·y + z, rounded toward zero.
func fusedTowardZero(x, y, z float64) float64 {
	r := math.FMA(x, y, z)
	if z > 0 && z/2 <= r && r <= 2*z {
		// r is x·y + z, rounded to the nearest number. z − r is exact (Sterbenz' lemma), so the
		// following FMA has the sign of x·y + z − r, even if that value is too small for a
		// double-precision number. If it is negative, r was rounded up, and the next number toward
		// 0 is the result.
		if math.Signbit(math.FMA(x, y, z-r)) {
			r = math.Nextafter(r, 0)
		}
		return r
	}
	// The exponents of double-precision numbers are below 1,100 in absolute value, so a float of
	// 4,400 bits holds this sum exactly.
	sum := new(big.Float).SetPrec(4400).SetMode(big.ToZero)
	sum.Mul(big.NewFloat(x), big.NewFloat(y))
	sum.Add(sum, big.NewFloat(z))
	r, _ = sum.SetPrec(53).Float64()
	return r
}
