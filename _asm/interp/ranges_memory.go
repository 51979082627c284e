package interp

import "math/big"

// A Lane is one lane of a register or 64 bits of memory, and holds the number n. If the number is a
// lane of a vector, position is its index in the vector, from 0 to 7. Otherwise position is one of
// the constants below.
type Lane struct {
	n        *Number
	position int
}

const (
	alone      = -1 // the number belongs to no vector
	everywhere = -2 // the number is the same in all lanes of a vector
	// anyPart − k is the position of lane k of a register of fewer than eight lanes, if its number
	// may be combined with any part of a vector.
	anyPart = -3
)

// A row is a number in four 64-bit words of memory, least significant word first. largest is the
// largest value that the number may have.
type row struct {
	words   [4]*Number
	largest *big.Int
}

// A kind describes what a region of memory holds during the whole run.
type kind struct {
	region     *Region
	references bool
	rows       *big.Int           // bound of the numbers in rows; nil: the region has no rows
	limbs      func(at int) Range // range of the lanes of the region's k-th vector, with at = k
}

// Hold declares that each of the eight lanes of the 64 bytes at address is in s when the run
// begins.
func (r *Ranges) Hold(address uint64, s Range) {
	var n *Number
	for k := range 8 {
		if k%r.lanes == 0 {
			n = r.fresh(s)
		}
		r.memory[address+uint64(8*k)] = Lane{n, k}
	}
}

// HoldArgument declares that the numeric argument at the given offset in the argument area is in s.
func (r *Ranges) HoldArgument(offset int, s Range) {
	r.memory[r.machine.args.base+uint64(offset)] = Lane{r.fresh(s), alone}
}

// HoldPoison declares that the 64 bytes at address hold poison when the run begins. Poison is a
// value on which no result may depend.
func (r *Ranges) HoldPoison(address uint64) {
	for k := range uint64(8) {
		r.memory[address+8*k] = Lane{r.poison, alone}
	}
}

// Vectors declares that the k-th vector of a region is in the range limbs(k) during the whole run.
// The run stops if a vector is stored there that is not in that range, or that still contains bits
// which were also carried to another vector.
func (r *Ranges) Vectors(region *Region, limbs func(k int) Range) {
	r.kinds = append(r.kinds, kind{region: region, limbs: limbs})
}

// Rows declares that every four words of a region hold a number less than limit, which is at
// most 2^256. Ranges knows nothing else about the rows.
func (r *Ranges) Rows(region *Region, limit *big.Int) {
	r.kinds = append(r.kinds, kind{region: region, rows: limit})
}

// References declares that a region holds references: numbers from which addresses are computed.
// They have the values of the actual run.
func (r *Ranges) References(region *Region) {
	r.kinds = append(r.kinds, kind{region: region, references: true})
}

// Results declares that a region holds results. A run fails if a part that was shifted out of a
// number is never used; a part that is in this region at the end of the run counts as used.
func (r *Ranges) Results(region *Region) { r.results = append(r.results, region) }

// kindOf returns the kind of the region that contains address a, or nil if none was declared.
func (r *Ranges) kindOf(a uint64) *kind {
	for k := range r.kinds {
		if x := r.kinds[k].region; a-x.base < uint64(len(x.data)) {
			return &r.kinds[k]
		}
	}
	return nil
}

// load returns the contents of n words of memory at address a. Two loads of the same row return two
// unrelated numbers.
func (r *Ranges) load(a uint64, n int) []Lane {
	out := make([]Lane, n)
	var x *row
	for i := range out {
		l, ok := r.memory[a]
		if k := r.kindOf(a); !ok && k != nil {
			at := a - k.region.base
			switch {
			case k.references:
				l = Lane{r.reference, alone}
			case k.rows != nil:
				if x == nil || at%32 == 0 {
					x = r.row(k.rows)
				}
				l = Lane{x.words[at%32/8], alone}
			default:
				r.Hold(a-at%64, k.limbs(int(at/64)))
				l = r.memory[a]
			}
		} else if !ok {
			l = r.static(a)
		}
		out[i] = l
		a += 8
	}
	return out
}

// static returns the word of read-only data at address a as a number, the same for equal words.
func (r *Ranges) static(a uint64) Lane {
	for _, s := range r.machine.statics {
		if a-s.base < uint64(len(s.data)) {
			v := r.machine.Load(a, 64).V
			if r.constants[v] == nil {
				x := new(big.Int).SetUint64(v)
				r.constants[v] = r.fresh(Range{x, x})
			}
			r.memory[a] = Lane{r.constants[v], alone}
		}
	}
	return r.memory[a]
}

// store writes lanes to memory at address a, and checks that they are what the region was declared
// to hold.
func (r *Ranges) store(a uint64, lanes []Lane) {
	k := r.kindOf(a)
	for i, l := range lanes {
		if l.n == nil {
			r.Fault("stores an unknown value")
		}
		r.signed(l.n)
		r.memory[a+8*uint64(i)] = l
	}
	if k == nil {
		return
	}
	at := a - k.region.base
	for _, l := range lanes {
		if k.references || l.n == r.reference {
			r.Fault("stores references, or overwrites them")
		}
		r.use(l.n)
	}
	switch {
	case k.rows != nil:
		if at%32 != 0 || len(lanes)%4 != 0 {
			r.Fault("not a whole row")
		}
		for i := 0; i < len(lanes); i += 4 {
			r.checkRow(lanes[i:i+4], k.rows)
			for w := range 4 {
				// Forget the stored words: a later load of this row knows only the bound of the
				// row's number.
				if lanes[i+w].n != r.poison {
					delete(r.memory, a+8*uint64(i+w))
				}
			}
		}
	default:
		n := r.whole(r.alike(lanes))
		if r.base >= 0 && at%64 != uint64(8*r.base) || r.base == anyPart && at%uint64(8*r.lanes) != 0 {
			r.Fault("stores lanes at the positions of others")
		}
		if s := k.limbs(int(at / 64)); n == r.poison || !r.clean(n) || !r.within(n, s) {
			r.Fault("stores %v, want a clean value in %v", n.Range, s)
		}
		for i := range lanes {
			delete(r.memory, a+8*uint64(i))
		}
	}
}

// storeReference tracks the instruction i, which stores a general register to the operand out. That
// is allowed in the frame only, where it leaves a reference.
func (r *Ranges) storeReference(i *Inst, out *Operand) {
	a, frame := r.machine.Address(out), r.machine.frame
	if a-frame.base >= uint64(len(frame.data)) || a%8+uint64(i.Bits)/8 > 8 {
		r.Fault("writes memory whose ranges are not tracked")
	}
	r.memory[a&^7] = Lane{r.reference, alone}
}

// row returns a new row that may hold any number less than limit.
func (r *Ranges) row(limit *big.Int) *row {
	largest := new(big.Int).Sub(limit, big.NewInt(1))
	x := &row{largest: largest}
	whole := r.fresh(Range{new(big.Int), largest})
	top := sumOf(whole)
	for k := range 3 {
		x.words[k] = r.fresh(Below(64))
		top.less(x.words[k], uint(64*k))
	}
	top.shift = 192
	x.words[3] = r.fresh(Range{new(big.Int), new(big.Int).Rsh(whole.Hi, 192)})
	x.words[3].equal[0] = top
	for k, n := range x.words {
		n.row, n.word = x, k
	}
	return x
}

// allPoison reports whether all lanes hold poison. It stops the run if only some of them do.
func (r *Ranges) allPoison(lanes []Lane) bool {
	for _, l := range lanes {
		if (l.n == r.poison) != (lanes[0].n == r.poison) || l.n == r.reference {
			r.Fault("a row of numbers and other values")
		}
	}
	return lanes[0].n == r.poison
}

// checkRow checks that the four words that are stored as a row hold a number less than limit. The
// words must be the unchanged words of one loaded row, or the words in one lane of four vectors
// that together form a number below limit.
func (r *Ranges) checkRow(words []Lane, limit *big.Int) {
	if r.allPoison(words) {
		return
	}
	if x := words[0].n.row; x != nil && words[0].position == alone {
		for k, l := range words {
			if l.n != x.words[k] || l.position != alone || x.largest.Cmp(limit) >= 0 {
				r.Fault("word %d of a row is of another row, or one that is too great", k)
			}
		}
		return
	}
	var key [4]*Number
	for k, l := range words {
		l.n = r.whole(l.n)
		if l.position == alone || l.position != words[0].position {
			r.Fault("word %d of a row is of another lane", k)
		}
		if !r.within(l.n, Below(64)) {
			r.Fault("word %d of a row is in %v", k, l.n.Range)
		}
		key[k] = l.n
	}
	if r.checked[key] { // already checked for another lane
		return
	}
	r.checked[key] = true
	f := sumOf()
	for k, n := range key {
		f.plus(n, uint(64*k))
	}
	if s := r.bound(f, map[int]bool{}); s.Hi.Cmp(limit) >= 0 {
		r.Fault("a row is up to %#x, not below %#x", s.Hi, limit)
	}
}

// alike returns the number that all lanes of a register hold. The lanes must hold the same number,
// each in its own position of the vector. Or each lane must hold the same word of a row: alike then
// returns the word of a new row that represents them all. All operands of an instruction must hold
// the same positions of vectors.
func (r *Ranges) alike(lanes []Lane) *Number {
	if r.apart {
		return r.known(lanes[r.lane])
	}
	first := lanes[0].n
	special := 0
	for _, l := range lanes {
		if l.n == nil {
			r.Fault("a lane holds an unknown value")
		}
		if l.n == r.reference || l.n == r.poison {
			special++
		}
	}
	if special > 0 {
		for _, l := range lanes {
			if l.n != first {
				r.Fault("references are mixed with numbers")
			}
		}
		return first
	}
	if len(lanes) != r.lanes {
		r.Fault("not a whole vector")
	}
	if first.row != nil && lanes[0].position == alone {
		if r.base == everywhere {
			r.base = anyPart
		}
		return r.column(lanes)
	}
	base := lanes[0].position
	constant := base == alone && r.constants[modWord(first.Lo)] == first
	if base == alone && len(lanes) == 1 {
		base, lanes = everywhere, []Lane{{first, everywhere}}
	}
	for k, l := range lanes {
		if l.n != first || l.position != position(base, k) && !(constant && l.position == alone) {
			r.Fault("lanes hold different numbers, or are at other positions")
		}
	}
	switch {
	case base == everywhere || constant:
	case base == anyPart:
		if r.base == everywhere {
			r.base = base
		}
	case base < 0 || base%r.lanes != 0 || r.base >= 0 && base != r.base:
		r.Fault("lanes hold different numbers, or are at other positions")
	default:
		r.base = base
	}
	return first
}

// position returns the position of lane k of a register whose lane 0 is at the position base.
func position(base, k int) int {
	switch {
	case base == everywhere:
		return base
	case base < everywhere:
		return base - k
	}
	return base + k
}

// column returns a number that represents all lanes of a register. Each lane must hold the same
// word of a row.
func (r *Ranges) column(lanes []Lane) *Number {
	word := lanes[0].n.word
	var key [8]*row
	for k, l := range lanes {
		if l.position != alone || l.n.row == nil || l.n.word != word {
			r.Fault("lanes hold different words of rows")
		}
		key[k] = l.n.row
	}
	x := r.columns[key]
	if x == nil {
		largest := new(big.Int)
		for _, y := range key[:len(lanes)] {
			if y.largest.Cmp(largest) > 0 {
				largest = y.largest
			}
		}
		x = r.row(new(big.Int).Add(largest, big.NewInt(1)))
		r.columns[key] = x
	}
	return x.words[word]
}
