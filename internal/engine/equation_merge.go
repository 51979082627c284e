package engine

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
)

// merge finds which keys and nonces have the same x coordinate and so, with their even y,
// are the same point. It sets points to those that get a full scalar, each once, full to
// zeros for them, and keys, key and nonce. The nonces among points have only x yet.
//
// Equal keys make the sum shorter. Equal nonces only occur where a sender wants to make
// the sum slow: a point that meets itself in it has to be doubled. Once they are merged,
// a point can meet itself twice at most.
func (e *Equation) merge() {
	n := e.rows.Len()
	e.points = grow(e.points, n)[:0]
	e.key, e.nonce = grow(e.key, n), grow(e.nonce, n)
	t := &e.known
	t.reset(2*n, &e.seed)

	for i := range n {
		p := &e.rows.p[i]
		k := t.find(e, &p.X)
		if *k == unknown {
			*k = int32(len(e.points))
			e.points = append(e.points, even(p))
		}
		e.key[i] = *k
	}
	e.keys = len(e.points)
	e.shorts = 0
	for i := range e.x {
		k := t.find(e, &e.x[i])
		switch {
		case *k == unknown:
			*k = ^int32(i)
			e.nonce[i] = ^e.shorts
			e.shorts++
			continue
		case *k < 0:
			// The second row with this nonce. The first keeps its short term.
			*k = int32(len(e.points))
			e.points = append(e.points, point.Affine{X: e.x[i]})
		}
		e.nonce[i] = *k
	}
	e.full = grow(e.full, len(e.points))
	clear(e.full)
}

// even returns p or its opposite, the one with an even y coordinate. A y that is not
// known is zero, and stays so.
func even(p *point.Affine) point.Affine {
	q := *p
	if q.Y.IsOdd().Bool() {
		q.Y.Neg(&q.Y)
	}
	return q
}

// A pointTable is a hash table of the x coordinates of an Equation. Coordinates with the
// same hash are in a linked list.
//
// The hash is a sum of products (multiply-shift for vectors: Dietzfelbinger,
// "Universal hashing and k-wise independence via integer arithmetic without
// primes", STACS 1996): whichever two coordinates differ, their hashes are equal
// for at most 2 in len(lists) of the factors. The factors come from the seed, which is a
// hash of all rows, so a sender cannot choose coordinates that collide, though about half
// of all numbers are coordinates, and a key need not have a known secret.
type pointTable struct {
	factors [8]uint64
	shift   uint
	lists   []int32 // their first elements, from 1 on; 0 ends a list
	next    []int32
	// where is in points if it is not negative, or ^i for the nonce of row i.
	where []int32
}

// unknown is the place of a coordinate that was not in the table before.
const unknown = math.MinInt32

// tableCounter is the counter of hash.Expand for the factors. It is far above those of
// the coefficients.
const tableCounter = 1 << 63

// reset empties the table and makes room for the given number of coordinates.
func (t *pointTable) reset(most int, seed *[32]byte) {
	var digests [hash.Sixteen][32]byte
	hash.Expand(&digests, seed, tableCounter)
	for i := range t.factors {
		t.factors[i] = binary.LittleEndian.Uint64(digests[i/4][8*(i%4):])
	}
	size := bits.Len(uint(most))
	t.shift = uint(64 - size)
	t.lists = grow(t.lists, 1<<size)
	clear(t.lists)
	t.next, t.where = grow(t.next, most)[:0], grow(t.where, most)[:0]
}

// find returns the place of x. If it is unknown, x is now in the table, and the caller
// sets its place.
func (t *pointTable) find(e *Equation, x *field.Element) *int32 {
	l := x.Limbs()
	list := &t.lists[t.hash(&l)]
	for k := *list; k != 0; k = t.next[k-1] {
		where := &t.where[k-1]
		same := false
		if *where >= 0 {
			same = e.points[*where].X.Limbs() == l
		} else {
			same = e.x[^*where].Limbs() == l
		}
		if same {
			return where
		}
	}
	t.next, t.where = append(t.next, *list), append(t.where, unknown)
	*list = int32(len(t.next))
	return &t.where[len(t.where)-1]
}

// hash returns the number of the list for l.
func (t *pointTable) hash(l *[4]uint64) int {
	h := uint64(0)
	for i, limb := range l {
		h += t.factors[2*i]*(limb&math.MaxUint32) + t.factors[2*i+1]*(limb>>32)
	}
	return int(h >> t.shift)
}
