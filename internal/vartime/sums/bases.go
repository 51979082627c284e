package sums

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Bases holds multiples of points that are added up many times, with other
// scalars each time.
//
// A half scalar is cut into windows of one width. The windows are dealt to sets,
// window w to set w mod sets, and a set has one group of buckets for all of its
// windows: what is thrown is not P but the table's multiple of it, 2^(width·sets·j)·P.
// So there are fewer buckets to be weighed, which pays for wider windows and so
// for fewer additions, and fewer doublings at the end.
//
// Bases serves one sum at a time; others wait.
type Bases struct {
	count, width, sets, tables int

	mu  sync.Mutex
	sum Sum // its rows begin with the tables, one after the other
}

// maxRows is how many rows have a reference.
const maxRows = 1 << (32 - rowShift)

// basesRow is the size of what a table holds of a point: P and λ·P.
const basesRow = 2 * point.PackedSize

// NewBases returns multiples of points, at most maxBytes of them, or nil if that
// is less than 128 bytes a point. (0, 0) is the identity. The time depends on the
// points.
func NewBases(points []point.Affine, maxBytes int) *Bases {
	b := &Bases{count: len(points)}
	if !b.shape(maxBytes) {
		return nil
	}
	b.fill(points)
	return b
}

// fill makes the tables of points.
func (b *Bases) fill(points []point.Affine) {
	s := &b.sum
	s.Reset(0, 0)
	s.setBase(b.firstFree())
	chain := make([]point.Jacobian, b.tables)
	affine := make([]point.Affine, b.tables)
	for i := range points {
		if points[i] == (point.Affine{}) {
			continue
		}
		chain[0].SetAffine(&points[i])
		for j := 1; j < b.tables; j++ {
			chain[j].DoubleN(&chain[j-1], b.width*b.sets)
		}
		point.BatchToAffineVartime(affine, chain)
		for j := range affine {
			rows := s.rows[firstBase+2*(j*b.count+i):][:2]
			rows[0] = affine[j]
			rows[1].MulBeta(&affine[j])
		}
	}
}

// firstFree returns the number of the first row behind the tables.
func (b *Bases) firstFree() int { return firstBase + 2*b.count*b.tables }

// Size returns the length of the tables in bytes.
func (b *Bases) Size() int { return basesRow * b.count * b.tables }

// Len returns the number of points.
func (b *Bases) Len() int { return b.count }

// shape sets the width, the sets and the tables that cost least, in additions, of
// those that fit in maxBytes. It returns false if none does.
func (b *Bases) shape(maxBytes int) bool {
	const position = 12 // what a position costs at the end: a doubling and an addition, one at a time
	least := -1
	for width := 3; width <= 16; width++ {
		windows := (fullBits + width - 1) / width
		for sets := 1; sets <= windows; sets++ {
			tables := (windows + sets - 1) / sets
			if b.count > 0 && tables > maxBytes/(basesRow*b.count) || firstBase+2*b.count*tables > 1<<24 {
				continue
			}
			cost := 2*b.count*windows + sets<<width + position*sets*width
			if least < 0 || cost < least {
				least = cost
				b.width, b.sets, b.tables = width, sets, tables
			}
		}
	}
	return least >= 0
}

// windows returns the windows of half scalars.
func (b *Bases) windows() (w windows) {
	for pos := 0; pos < fullBits; pos += b.width {
		w.pos[w.count] = uint8(pos)
		w.width[w.count] = uint8(min(b.width, fullBits-pos))
		w.count++
	}
	w.pos[w.count] = fullBits
	return w
}

// Sum sets r to the sum of scalars[i] times point i. There are as many scalars as
// points. It is otherwise as [Sum.Result].
func (b *Bases) Sum(ctx context.Context, r *point.Jacobian, scalars []scalar.Scalar, c *crew.Crew) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count == 0 {
		*r = point.Jacobian{}
		return ctx.Err()
	}
	s := &b.sum
	w := b.windows()
	s.halves = resize(s.halves, 2*b.count)
	perWindow := blocksOf(len(s.halves))
	c.Share(b.count, blockSize/2, func(_, lo, hi int) { b.split(lo, hi, scalars, &w) })

	buckets := b.buckets(&w)
	workers, room := b.deal(c.Workers(), buckets, w.count)
	s.setBase(b.firstFree() + workers*room)
	sums := s.sumsOf(workers)
	t := baseThrowing{ctx: ctx, windows: &w, perWindow: perWindow, buckets: buckets, blocks: crew.NewBlocks(w.count*perWindow, 1)}
	c.Do(func(k int) {
		if k < workers {
			first := b.firstFree() + k*room
			b.run(&t, &s.workers[k], first, first+room, &sums[k])
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	horner(r, sums)
	return nil
}

// buckets returns how many buckets a set has.
func (b *Bases) buckets(w *windows) int {
	if w.width[w.count-1] == w.width[0] { // only then can the last window have more
		return w.buckets(w.count-1) + 1
	}
	return 1<<(b.width-1) + 1
}

// deal returns how many of so many workers take part, and how many rows each needs.
// Each has buckets of its own for all that it throws, and there are no more rows than
// references can name.
func (b *Bases) deal(workers, buckets, windows int) (most, room int) {
	room = 3*buckets*b.sets + 3*min(maxPairs, 2*b.count*windows)
	return min(workers, (maxRows-b.firstFree())/room), room
}

// split sets the half scalars of points lo up to hi.
func (b *Bases) split(lo, hi int, scalars []scalar.Scalar, w *windows) {
	addLo, addHi := w.offset(w.count - 1)
	for i := lo; i < hi; i++ {
		h := b.sum.halves[2*i:][:2]
		if b.sum.rows[firstBase+2*i] == (point.Affine{}) { // the identity
			clear(h)
		} else {
			k1, k2 := scalars[i].Split()
			h[0] = half{k1.Lo, k1.Hi, uint64(k1.Neg)}
			h[1] = half{k2.Lo, k2.Hi, uint64(k2.Neg)}
		}
		recode(h, addLo, addHi)
	}
}

// A baseThrowing is what is to be thrown for one sum. Workers take the blocks of
// half scalars of all windows in turn.
type baseThrowing struct {
	ctx       context.Context
	windows   *windows
	perWindow int // blocks
	buckets   int // of a set
	blocks    *crew.Blocks
}

// run throws blocks while there are some, and sets sums, which are zero, to what
// comes of them. It gives up when the context ends.
func (b *Bases) run(t *baseThrowing, w *worker, first, last int, sums *positionSums) {
	size, p := t.buckets*b.sets, t.windows
	if left := t.blocks.Left(); left < p.count*t.perWindow && left*blockSize < 2*size {
		return // to weigh more buckets would take longer than those who are at it need
	}
	w.start(b.sum.rows, first, last, sumPositions+size+size/2+b.sets)
	for n, end := t.blocks.Take(); n < end; n, end = t.blocks.Take() {
		if t.ctx.Err() != nil {
			return
		}
		i, lo := n/t.perWindow, n%t.perWindow*blockSize
		row := firstBase + i/b.sets*2*b.count + lo
		base := sumPositions + i%b.sets*t.buckets
		halves := b.sum.halves[lo:min(lo+blockSize, 2*b.count)]
		w.accumulateDigits(halves, uint32(row), uint32(base), p.pos[i], p.width[i], i == p.count-1)
		w.enough()
	}
	pos, sizes := make([]uint8, b.sets), make([]int, b.sets)
	for i := range pos {
		pos[i], sizes[i] = uint8(i*b.width), t.buckets
	}
	w.weigh(pos, sizes)
	w.collect(sums)
}
