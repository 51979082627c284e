package interp

import (
	"fmt"
	"math/big"
	"slices"
)

// A Range is the set of integers from Lo to Hi, both included.
type Range struct{ Lo, Hi *big.Int }

// Below returns the range of the integers x with 0 ≤ x < 2^bits.
func Below(bits uint) Range {
	hi := new(big.Int).Lsh(big.NewInt(1), bits)
	return Range{new(big.Int), hi.Sub(hi, big.NewInt(1))}
}

// UpTo returns the range of the integers from 0 to x, both included.
func UpTo(x uint64) Range { return Range{new(big.Int), new(big.Int).SetUint64(x)} }

// Within reports whether every integer of r is also in s.
func (r Range) Within(s Range) bool { return r.Lo.Cmp(s.Lo) >= 0 && r.Hi.Cmp(s.Hi) <= 0 }

func (r Range) String() string { return fmt.Sprintf("[%#x, %#x]", r.Lo, r.Hi) }

// Ranges follows a lane kernel for all inputs at once. For every vector it keeps a [Range] that
// contains each of the vector's lanes, for all inputs within their declared ranges. A vector in
// memory has eight lanes of 64 bits. A register has as many lanes as the widest register that the
// program names; if these are fewer than eight, the register holds a part of a vector.
//
// A run stops with a [Fault] at an instruction that
//
//   - adds or subtracts, if the result may leave the signed 64-bit integers;
//   - shifts to the right without sign, if the operand may be negative. Exception: the next two
//     steps extend the sign; see signShift;
//   - multiplies, if a factor may be negative or may have more bits than the multiplier reads (52
//     for IFMA). Exception: if the bits above these have been shifted out of the factor (carried),
//     the multiplier is meant to ignore them;
//   - computes with double-precision numbers, except to convert an integer below 2^52 or to compute
//     a half of a product; see FusedMultiplyAdd;
//   - adds, subtracts, compares or shifts a number whose upper bits were carried but are still
//     present;
//   - masks off bits that have not been carried;
//   - combines lanes that hold different limbs or words, or that belong to different positions of a
//     vector.
//
// At the end of the run, every part that was shifted out must have been added, multiplied, tested
// or stored in a result. If one half of a long product was added, the other half must have been
// added too. A shift to the left, or a move from words to limbs, can drop bits; another instruction
// must then have shifted out these bits.
//
// If the range of a number does not suffice for a proof, Ranges replaces the number by the sum from
// which it was computed; see bound. This proves, for example, that the limbs of a non-negative
// difference are not negative after carrying, and that the words of a number form a value below p.
// For a loop, the state at the end of a round must be the same in two successive rounds, and
// therefore in all later rounds. Exception: a loop that runs equally often for all arguments, such
// as one over the two halves of each vector, is followed round by round. To recognise such loops,
// Ranges makes everything secret that is no address in memory, and allows jumps on secrets.
//
// Ranges compares the actual contents of the run's vector registers with all ranges, also for
// mutants of kernels, so that it finds a wrong rule.
//
// A kernel may also hold different numbers in the lanes of a register, and move them from lane to
// lane; see [Ranges.Apart].
//
// Poison is a value on which no result may depend, such as the contents of scratch memory when the
// run begins.
//
// The proof assumes only the following:
//
//   - Arguments and memory hold the values that Hold and similar methods declare.
//   - Addresses and the path through the kernel are those of a run with actual arguments. This
//     determines which rows and vectors are read and written, and whether a stored one is read
//     again. References, the numbers from which addresses are computed, are not followed, and may
//     be combined with other numbers only in masks. All rows of a region have the same bound.
type Ranges struct {
	machine   *Machine
	arch      *Architecture
	lanes     int      // number of lanes of a register
	vec       [][]Lane // lanes of each vector register
	written   int      // vector register that the last instruction wrote; -1: none
	base      int      // lane of the vectors at which this instruction's operands begin; see alike
	apart     bool     // each lane is followed as a number of its own; see Apart
	lane      int      // lane that the rule of an instruction works on, if apart is set
	mask      []maskState
	memory    map[uint64]Lane
	constants map[uint64]*Number // words of read-only data
	kinds     []kind
	results   []*Region
	columns   map[[8]*row]*row
	checked   map[[4]*Number]bool // rows that were stored and checked
	reference *Number             // stands in vectors for every reference
	poison    *Number             // stands in vectors for every value on which no result may depend
	ids       int
	round     int // largest id of any number at the beginning of the current round of the loop
	splits    map[place]*split
	pending   map[*Number]string  // parts that were shifted out but not used yet
	dropped   map[*Number]dropped // numbers with dropped bits that must be shifted out
	// halves holds, for each product, the texts of the instructions that added its low and its high
	// half. The key is the ids of the two factors. In floating point, the key is twice the id of
	// the high half (h in ranges_doubles.go) until an instruction computes the low half.
	halves  map[[2]int][2]string
	rounds  map[int][]string // for each jump back: the states at the ends of its rounds
	Factors int              // number of checked multiplications
	Largest Range            // smallest and largest possible sums of the kernel
	// Trace, if set, is called for every number that an instruction writes. s is the number's range
	// at that time.
	Trace func(i *Inst, s Range)
}

// A maskState identifies the contents of a mask register, or of a mask in a vector register, by its
// id. If over is not nil, the mask selects exactly the lanes in which the upper part of over is not
// 0.
type maskState struct {
	id   int
	over *split
}

// A dropped records that the instruction with the given text dropped the upper bits of a number.
// The field at is the place of the lowest dropped bit. Another instruction must shift out the
// dropped bits.
type dropped struct {
	at   place
	text string
}

// Follow makes the runs of m track ranges until the function stop is called. Hold and similar
// methods of r declare the ranges of memory.
func (m *Machine) Follow() (r *Ranges, stop func()) {
	a := m.prog.Arch
	r = &Ranges{
		machine: m, arch: a, lanes: m.prog.lanes(),
		vec: make([][]Lane, a.Vectors), written: -1,
		mask:   make([]maskState, a.Masks),
		memory: map[uint64]Lane{}, constants: map[uint64]*Number{},
		columns: map[[8]*row]*row{}, checked: map[[4]*Number]bool{},
		reference: &Number{}, poison: &Number{},
		splits: map[place]*split{}, pending: map[*Number]string{}, dropped: map[*Number]dropped{},
		halves: map[[2]int][2]string{}, rounds: map[int][]string{}, Largest: UpTo(0),
	}
	for k := range r.vec {
		r.vec[k] = make([]Lane, a.Lanes)
	}
	m.watch = r.step
	return r, func() { m.watch = nil }
}

// At returns the range of the 64 bytes of memory at address after the run. It tries to prove that
// this range is within s. clean is false if a lane may still contain upper bits of a limb although
// they were also carried, that is, added to the limb above, so that the lane must not be used as a
// number before a mask clears them.
func (r *Ranges) At(address uint64, s Range) (bounds Range, clean bool) {
	clean = true
	for k := 0; k < 8; k += r.lanes {
		n := r.vector(address, k)
		if n == nil {
			return Range{}, false
		}
		r.within(n, s)
		bounds = union(bounds, n.Range)
		clean = clean && r.clean(n)
	}
	return bounds, clean
}

// Sum returns a range that contains every number whose limbs are in consecutive vectors starting at
// address. The weight of each limb is 2^bits times that of the limb before.
func (r *Ranges) Sum(address uint64, limbs int, bits uint) (bounds Range) {
	for k := 0; k < 8; k += r.lanes {
		f := sumOf()
		for limb := range limbs {
			f.plus(r.vector(address+uint64(64*limb), k), bits*uint(limb))
		}
		bounds = union(bounds, r.bound(f, map[int]bool{}))
	}
	return bounds
}

// IsPoison reports whether the word of memory at address holds poison.
func (r *Ranges) IsPoison(address uint64) bool { return r.memory[address].n == r.poison }

// vector returns the number that a vector register holds when it is loaded from the 64 bytes of
// memory at address, beginning with the given lane. It returns nil if the lanes of the register
// hold different numbers, or do not hold the lanes of a number in order.
func (r *Ranges) vector(address uint64, lane int) *Number {
	n := r.memory[address+uint64(8*lane)].n
	for k := lane; k < lane+r.lanes; k++ {
		l := r.memory[address+uint64(8*k)]
		if l.n != n || l.position != k && l.position != everywhere && l.position != anyPart-k%r.lanes {
			return nil
		}
	}
	return r.whole(n)
}

// fresh returns a new number. Its range s is the only thing that is known about it.
func (r *Ranges) fresh(s Range) *Number {
	r.ids++
	return &Number{Range: s, id: r.ids}
}

// sum returns a new number that has the range s and the value f, a sum of other numbers.
func (r *Ranges) sum(s Range, f *form) *Number {
	n := r.fresh(s)
	n.equal[0] = f
	return n
}

// Fault stops the run.
func (r *Ranges) Fault(format string, args ...any) { r.machine.Fault(format, args...) }

// words is the range of signed 64-bit integers.
var words = Range{new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 63)), Below(63).Hi}

// within reports whether n is in s. If the known range of n is not within s, the method tries to
// narrow the range with bound.
func (r *Ranges) within(n *Number, s Range) bool {
	if !n.Within(s) && !n.tried && r.fromThisRound(n) {
		n.tried = true
		n.Range = intersection(n.Range, r.bound(sumOf(n), map[int]bool{}))
	}
	return n.Within(s)
}

// notNegative is the range of the integers from 0 to 2^1024 − 1. All non-negative numbers in these
// proofs are below 2^1024.
var notNegative = Below(1 << 10)

// result returns a new number that has the range from lo to hi and the value f, a sum of other
// numbers. It stops the run if the number may overflow the signed 64 bits.
func (r *Ranges) result(lo, hi *big.Int, f *form) *Number {
	n := r.sum(Range{lo, hi}, f)
	if !r.within(n, words) {
		r.Fault("a result in %v may overflow", n.Range)
	}
	r.Largest = union(r.Largest, n.Range)
	return n
}

// carried reports whether the bits of n from bit shift up have been shifted out (carried). For a
// number from before the last jump back, it can report this only if shift is in
// Architecture.Carries, because the method state records carries only at those bits.
func (r *Ranges) carried(n *Number, shift uint) bool {
	if r.fromThisRound(n) && n.choice != nil && n.choice.over != nil && n.choice.over.shift == shift {
		return true
	}
	s := r.splits[place{n.id, shift}]
	return s != nil && s.carried && (r.fromThisRound(n) || slices.Contains(r.arch.Carries, shift))
}

// fromThisRound reports whether n was created after the last jump back of the loop.
func (r *Ranges) fromThisRound(n *Number) bool { return n.id > r.round }

// clean reports whether n is free of upper bits that were carried (added to the limb above) and
// should therefore have been cleared in n.
func (r *Ranges) clean(n *Number) bool {
	return !r.carried(n, r.arch.FactorBits) || r.within(n, Below(r.arch.FactorBits))
}

// split cuts n at bit shift into an upper and a lower part, and returns both.
func (r *Ranges) split(n *Number, shift uint) *split {
	at := place{n.id, shift}
	if s := r.splits[at]; s != nil {
		return s
	}
	s := &split{whole: n, shift: shift}
	s.lower = r.fresh(Below(shift))
	if n.Within(s.lower.Range) {
		s.lower.Range = n.Range
	}
	s.upper = r.fresh(Range{new(big.Int).Rsh(n.Lo, shift), new(big.Int).Rsh(n.Hi, shift)})
	s.upper.equal[0] = sumOf(n).less(s.lower, 0)
	s.upper.equal[0].shift = shift
	s.upper.upperOf, s.lower.lowerOf = s, s
	r.splits[at] = s
	return s
}

// low returns n modulo 2^bits.
func (r *Ranges) low(n *Number, bits uint) *Number {
	if r.within(n, Below(bits)) {
		return n
	}
	return r.split(n, bits).lower
}
