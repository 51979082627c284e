package interp

import (
	"fmt"
	"math/big"
	"slices"
)

// A Range is the set of integers from Lo to Hi, both included.
type Range struct{ Lo, Hi *big.Int }

// Below returns the range of numbers that are not negative and below 2^bits.
func Below(bits uint) Range {
	hi := new(big.Int).Lsh(big.NewInt(1), bits)
	return Range{new(big.Int), hi.Sub(hi, big.NewInt(1))}
}

// UpTo returns the range from 0 to x.
func UpTo(x uint64) Range { return Range{new(big.Int), new(big.Int).SetUint64(x)} }

// Within returns whether all of r is in s.
func (r Range) Within(s Range) bool { return r.Lo.Cmp(s.Lo) >= 0 && r.Hi.Cmp(s.Hi) <= 0 }

func (r Range) String() string { return fmt.Sprintf("[%#x, %#x]", r.Lo, r.Hi) }

// Ranges follows a kernel on lanes for all inputs at once: of every vector it
// knows a range that holds every lane of it, whatever the arguments hold within
// theirs. A vector in memory has eight lanes of 64 bits; a register has as many as the
// architecture says, and holds a part of a vector if those are fewer.
//
// A run stops with a [Fault] at an instruction
//
//   - whose sum or difference may leave the signed 64 bits;
//   - that shifts what may be negative to the right as if it could not be;
//   - that multiplies a factor which may be negative or has more bits than the
//     multiplier reads (52 of IFMA), unless what stands above those has been shifted
//     out of it (carried), so that the multiplier is meant to ignore it;
//   - that adds, subtracts, compares or shifts such a carried number once more, or
//     cuts bits off that have not been carried;
//   - that computes with lanes of which one holds another limb or word than the
//     others, or what was computed for another lane.
//
// At the end, every part that was shifted out must have been added, multiplied,
// tested or stored in a result, for every product that is longer than a half both
// halves must have been added, and bits that a shift to the left or a move from word to limb has
// left out must have been shifted out.
//
// Where the range of a number is not enough for that, those of the numbers are tried
// of which it is a sum: so the limbs of a difference that is not negative are seen
// not to be once they are carried, and the words of a number to be below p. See
// bound. For a loop, what is known at its end must be the same in two rounds, and so
// in all that follow.
//
// What the vector registers of the run hold is compared with all ranges, so that a
// rule that is wrong is found, in mutants of kernels as well.
//
// Taken on trust is only what comes from outside:
//
//   - Arguments and memory are what Hold and the like say.
//   - Addresses and the path are those of a run with actual arguments, so which row
//     or vector is read and written, and whether one that is written is read later.
//     References, the numbers from which addresses come, are not followed, and may
//     meet others only in masks; rows are all the same.
type Ranges struct {
	machine   *Machine
	arch      *Architecture
	vec       [][]Lane // of the registers
	written   int      // the register that the last instruction wrote; -1: none
	base      int      // lane of a vector that is the first of this instruction's; see alike
	mask      []tested
	memory    map[uint64]Lane
	kinds     []kind
	results   []*Region
	columns   map[[8]*row]*row
	checked   map[[4]*Number]bool // rows that were stored
	reference *Number             // stands for all references
	nothing   *Number             // stands for all that nothing may depend on
	ids       int
	round     int // the last number before the round
	splits    map[place]*split
	pending   map[*Number]string // parts that were shifted out, until they are used
	owed      map[*Number]owed   // numbers without bits that must be shifted out of others
	lows      map[[2]int]string
	highs     map[[2]int]string
	rounds    map[int][]string // states at a jump back
	Factors   int              // multiplications that were checked
	Largest   Range            // of all sums
	// Trace, if set, is called for every number that an instruction writes, with the
	// range that is known of it then.
	Trace func(i *Inst, s Range)
}

// tested is what is known of a mask: its number, and which upper part, if any, is
// not 0 just in its lanes.
type tested struct {
	id   int
	over *split
}

// An owed is a part of a number that an instruction left out: another instruction must
// shift out what stands from the place up.
type owed struct {
	at   place
	text string
}

// Follow makes runs of m follow ranges, until stop is called. What memory holds is
// said with Hold and other functions.
func (m *Machine) Follow() (r *Ranges, stop func()) {
	a := m.prog.Arch
	r = &Ranges{
		machine: m, arch: a, vec: make([][]Lane, a.Vectors), written: -1, mask: make([]tested, a.Masks),
		memory: map[uint64]Lane{}, columns: map[[8]*row]*row{}, checked: map[[4]*Number]bool{},
		reference: &Number{}, nothing: &Number{},
		splits: map[place]*split{}, pending: map[*Number]string{}, owed: map[*Number]owed{},
		lows: map[[2]int]string{}, highs: map[[2]int]string{}, rounds: map[int][]string{},
		Largest: UpTo(0),
	}
	for k := range r.vec {
		r.vec[k] = make([]Lane, a.Lanes)
	}
	m.watch = r.step
	return r, func() { m.watch = nil }
}

// At returns the range of 64 bytes of memory after the run, and whether limbs are
// clean: nothing has been carried out of them that is still there. It is within s
// if it can be shown to be.
func (r *Ranges) At(address uint64, s Range) (is Range, clean bool) {
	clean = true
	for k := 0; k < 8; k += r.arch.Lanes {
		n := r.vector(address, k)
		if n == nil {
			return Range{}, false
		}
		r.within(n, s)
		if is.Lo == nil {
			is = n.Range
		}
		is = union(is, n.Range)
		clean = clean && r.clean(n)
	}
	return is, clean
}

// Sum returns a range of the numbers whose limbs are vectors from an address on. A limb
// is worth 2^bits of the one before.
func (r *Ranges) Sum(address uint64, limbs int, bits uint) (is Range) {
	for k := 0; k < 8; k += r.arch.Lanes {
		f := sumOf()
		for limb := range limbs {
			f.plus(r.vector(address+uint64(64*limb), k), bits*uint(limb))
		}
		s := r.bound(f, map[int]bool{})
		if is.Lo == nil {
			is = s
		}
		is = union(is, s)
	}
	return is
}

// Lost returns whether nothing is known of a word of memory.
func (r *Ranges) Lost(address uint64) bool { return r.memory[address].n == r.nothing }

// vector returns the number in 64 bytes of memory, in as many lanes as a register has
// from lane first on; nil if there is none.
func (r *Ranges) vector(address uint64, first int) *Number {
	n := r.memory[address+uint64(8*first)].n
	for k := first; k < first+r.arch.Lanes; k++ {
		l := r.memory[address+uint64(8*k)]
		if l.n != n || l.of != k && l.of != everywhere {
			return nil
		}
	}
	return n
}

func (r *Ranges) fresh(s Range) *Number {
	r.ids++
	return &Number{Range: s, id: r.ids}
}

// sum returns a number that is a form, in a range that its parts show.
func (r *Ranges) sum(s Range, f *form) *Number {
	n := r.fresh(s)
	n.equal[0] = f
	return n
}

// Fault stops the run.
func (r *Ranges) Fault(format string, args ...any) { r.machine.Fault(format, args...) }

// words are the numbers that 64 bits hold, with a sign.
var words = Range{new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 63)), Below(63).Hi}

// within returns whether n is in s, if need be from what it is the sum of.
func (r *Ranges) within(n *Number, s Range) bool {
	if !n.Within(s) && !n.tried && r.fromThisRound(n) {
		n.tried = true
		n.Range = intersection(n.Range, r.bound(sumOf(n), map[int]bool{}))
	}
	return n.Within(s)
}

// notNegative is the range of all numbers that are not.
var notNegative = Below(1 << 10)

// result is sum for what must not overflow.
func (r *Ranges) result(lo, hi *big.Int, f *form) *Number {
	n := r.sum(Range{lo, hi}, f)
	if !r.within(n, words) {
		r.Fault("a result in %v may overflow", n.Range)
	}
	if n.Hi.Cmp(r.Largest.Hi) > 0 {
		r.Largest.Hi = n.Hi
	}
	if n.Lo.Cmp(r.Largest.Lo) < 0 {
		r.Largest.Lo = n.Lo
	}
	return n
}

// carried returns whether what stands from bit shift up has been shifted out of n.
// Of numbers from before the round it is known for Architecture.Carries, as state has it.
func (r *Ranges) carried(n *Number, shift uint) bool {
	if r.fromThisRound(n) && n.choice != nil && n.choice.over != nil && n.choice.over.shift == shift {
		return true
	}
	s := r.splits[place{n.id, shift}]
	return s != nil && s.carried && (r.fromThisRound(n) || slices.Contains(r.arch.Carries, shift))
}

// fromThisRound returns whether a number came about after the last jump back.
func (r *Ranges) fromThisRound(n *Number) bool { return n.id > r.round }

// clean returns whether nothing that has been carried out of a limb is still there.
func (r *Ranges) clean(n *Number) bool {
	return !r.carried(n, r.arch.FactorBits) || r.within(n, Below(r.arch.FactorBits))
}

// split cuts a number.
func (r *Ranges) split(n *Number, shift uint) *split {
	at := place{n.id, shift}
	if s := r.splits[at]; s != nil {
		return s
	}
	s := &split{of: n, shift: shift}
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

// low returns the lowest bits of a number.
func (r *Ranges) low(n *Number, bits uint) *Number {
	if r.within(n, Below(bits)) {
		return n
	}
	return r.split(n, bits).lower
}
