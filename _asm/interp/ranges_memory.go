package interp

import "math/big"

// A Lane is one lane of a register, or 64 bits of memory: a number, and which lane
// of a vector it is of, or one of the following.
type Lane struct {
	n  *Number
	of int
}

const (
	alone      = -1 // it is no vector's
	everywhere = -2 // it is in all lanes of a vector alike
)

// A row is four words of 64 bits in memory that are one number, below 2^256 or what
// its memory says.
type row struct {
	words [4]*Number
	most  *big.Int
}

// A kind says what a region holds throughout the run.
type kind struct {
	region     *Region
	references bool
	rows       *big.Int           // bound of numbers in four words; nil: no rows
	limbs      func(at int) Range // of vectors, by number of the vector
}

// Hold says what range the lanes of 64 bytes of memory have when the run begins.
func (r *Ranges) Hold(address uint64, s Range) {
	n := r.fresh(s)
	for k := range uint64(8) {
		r.memory[address+8*k] = Lane{n, int(k)}
	}
}

// HoldArgument says what range a number has that is an argument, by its offset.
func (r *Ranges) HoldArgument(at int, s Range) {
	r.memory[r.machine.args.base+uint64(at)] = Lane{r.fresh(s), alone}
}

// HoldNothing says that no result may depend on what 64 bytes hold when the run begins.
func (r *Ranges) HoldNothing(address uint64) {
	for k := range uint64(8) {
		r.memory[address+8*k] = Lane{r.nothing, alone}
	}
}

// Vectors says that the k-th vector of a region is always in limbs(k): whatever is
// stored there must be, and is clean.
func (r *Ranges) Vectors(region *Region, limbs func(k int) Range) {
	r.kinds = append(r.kinds, kind{region: region, limbs: limbs})
}

// Rows says that every four words of a region are a number below a bound of at most
// 2^256, and that each stands for all of them.
func (r *Ranges) Rows(region *Region, below *big.Int) {
	r.kinds = append(r.kinds, kind{region: region, rows: below})
}

// References says that a region holds numbers from which addresses are computed:
// they are those of the run.
func (r *Ranges) References(region *Region) {
	r.kinds = append(r.kinds, kind{region: region, references: true})
}

// Results says that a region is a result: what stands there at the end has been
// used.
func (r *Ranges) Results(region *Region) { r.results = append(r.results, region) }

func (r *Ranges) kindOf(a uint64) *kind {
	for k := range r.kinds {
		if x := r.kinds[k].region; a-x.base < uint64(len(x.data)) {
			return &r.kinds[k]
		}
	}
	return nil
}

// load returns what n words of memory hold. Of a row that is loaded twice it is not
// known that it is the same.
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

// static returns a word of read-only data.
func (r *Ranges) static(a uint64) Lane {
	for _, s := range r.machine.statics {
		if a-s.base < uint64(len(s.data)) {
			x := new(big.Int).SetUint64(r.machine.Load(a, 64).V)
			r.memory[a] = Lane{r.fresh(Range{x, x}), alone}
		}
	}
	return r.memory[a]
}

// store writes lanes to memory.
func (r *Ranges) store(a uint64, lanes []Lane) {
	k := r.kindOf(a)
	for i, l := range lanes {
		if l.n == nil {
			r.Fault("stores what is not known")
		}
		r.memory[a+8*uint64(i)] = l
	}
	if k == nil {
		return
	}
	at := a - k.region.base
	for _, l := range lanes {
		if k.references || l.n == r.reference {
			r.Fault("stores references, or where they are")
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
				// Of a row that is loaded again only its bound is known.
				if lanes[i+w].n != r.nothing {
					delete(r.memory, a+8*uint64(i+w))
				}
			}
		}
	default:
		n := r.alike(lanes)
		if r.base != everywhere && at%64 != uint64(8*r.base) {
			r.Fault("stores lanes in the place of others")
		}
		if s := k.limbs(int(at / 64)); n == r.nothing || !r.clean(n) || !r.within(n, s) {
			r.Fault("stores %v where %v is to be, clean", n.Range, s)
		}
		for i := range lanes {
			delete(r.memory, a+8*uint64(i))
		}
	}
}

// row returns a new number in four words.
func (r *Ranges) row(below *big.Int) *row {
	most := new(big.Int).Sub(below, big.NewInt(1))
	x := &row{most: most}
	whole := r.fresh(Range{new(big.Int), most})
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

// alikeLost returns whether lanes hold nothing; all or none must.
func (r *Ranges) alikeLost(lanes []Lane) bool {
	for _, l := range lanes {
		if (l.n == r.nothing) != (lanes[0].n == r.nothing) || l.n == r.reference {
			r.Fault("a row of different things")
		}
	}
	return lanes[0].n == r.nothing
}

// checkRow checks four words that are stored: lane by lane of one vector each, and
// together below a bound, or those of a row as they were loaded.
func (r *Ranges) checkRow(words []Lane, below *big.Int) {
	if r.alikeLost(words) {
		return
	}
	if x := words[0].n.row; x != nil && words[0].of == alone {
		for k, l := range words {
			if l.n != x.words[k] || l.of != alone || x.most.Cmp(below) >= 0 {
				r.Fault("word %d of a row is of another row, or one that is too great", k)
			}
		}
		return
	}
	var key [4]*Number
	for k, l := range words {
		if l.of == alone || l.of != words[0].of {
			r.Fault("word %d of a row is of another lane", k)
		}
		if !r.within(l.n, Below(64)) {
			r.Fault("word %d of a row is in %v", k, l.n.Range)
		}
		key[k] = l.n
	}
	if r.checked[key] { // in another lane
		return
	}
	r.checked[key] = true
	f := sumOf()
	for k, n := range key {
		f.plus(n, uint(64*k))
	}
	if s := r.bound(f, map[int]bool{}); s.Hi.Cmp(below) >= 0 {
		r.Fault("a row is up to %#x, not below %#x", s.Hi, below)
	}
}

// alike returns the number that all lanes of a register are: the same number, each in
// its own lane, or the same word of eight rows, of which then one stands for all. All
// operands of an instruction must hold the same lanes of vectors.
func (r *Ranges) alike(lanes []Lane) *Number {
	first := lanes[0].n
	special := 0
	for _, l := range lanes {
		if l.n == nil {
			r.Fault("a lane holds what is not known")
		}
		if l.n == r.reference || l.n == r.nothing {
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
	if len(lanes) != r.arch.Lanes {
		r.Fault("not a whole vector")
	}
	if first.row != nil && lanes[0].of == alone {
		return r.column(lanes)
	}
	base := lanes[0].of
	if base == alone && len(lanes) == 1 {
		base, lanes = everywhere, []Lane{{first, everywhere}}
	}
	for k, l := range lanes {
		if l.n != first || l.of != base+k && base != everywhere || l.of != base && base == everywhere {
			r.Fault("lanes hold different numbers, or those of others")
		}
	}
	if base == everywhere {
		return first
	}
	if base%r.arch.Lanes != 0 || r.base != everywhere && base != r.base {
		r.Fault("lanes hold different numbers, or those of others")
	}
	r.base = base
	return first
}

// column returns the word that the lanes of a register have of eight rows.
func (r *Ranges) column(lanes []Lane) *Number {
	word := lanes[0].n.word
	var key [8]*row
	if len(lanes) != len(key) {
		r.Fault("rows in registers of fewer than eight lanes, for which there is no rule")
	}
	for k, l := range lanes {
		if l.of != alone || l.n.row == nil || l.n.word != word {
			r.Fault("lanes hold different words of rows")
		}
		key[k] = l.n.row
	}
	x := r.columns[key]
	if x == nil {
		most := new(big.Int)
		for _, y := range key {
			if y.most.Cmp(most) > 0 {
				most = y.most
			}
		}
		x = r.row(new(big.Int).Add(most, big.NewInt(1)))
		r.columns[key] = x
	}
	return x.words[word]
}
