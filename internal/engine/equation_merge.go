package engine

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// mergeSteps is the maximum number of comparisons that the hash table of merge makes for each
// coordinate, on average. Even for the worst rows, the probability over the random factors that
// these comparisons do not suffice is below 1/8 (docs/batch-soundness.md). For nearly all other
// rows, one comparison per coordinate is enough.
const mergeSteps = 16

// draw sets the factors of the hash table to random numbers. Every call of holds draws new ones: a
// sender who could compute the factors, or learn them from the time of earlier calls, could choose
// coordinates that are all in one list.
func (t *pointTable) draw() {
	var b [len(t.factors) * 8]byte
	rand.Read(b[:])
	ct.DeclassifyBytes(b[:]) // the time of this call may depend on them, and no other call uses them
	for i := range t.factors {
		t.factors[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
}

// merge finds keys and nonces with the same x coordinate. Since all have even y coordinates, these
// are the same point. merge sets the field points to the distinct points whose scalars have full
// length, and the field full to one zero scalar for each of these points. It also sets the fields
// keys, key and nonce. The nonces in points have no y coordinates yet.
//
// Merging equal keys makes the sum shorter. Equal nonces occur only if a sender wants to make the
// sum slow: adding a point to itself takes a doubling. After merging, a point occurs at most twice
// in the sum. If the table uses up its comparisons, some equal points are not merged: the sum is
// still exact.
//
// merge checks stopped once in segmentRows rows, and returns early if it is true.
func (e *equation) merge(stopped func() bool) {
	n := len(e.rows)
	e.points = grow(e.points, n)[:0]
	e.key, e.nonce = grow(e.key, n), grow(e.nonce, n)
	t := &e.known
	t.reset(2 * n)

	for i := range n {
		if i%segmentRows == 0 && stopped() {
			return
		}
		p := &e.rows[i].p
		k := t.find(e, &p.X)
		if *k == unknown {
			*k = int32(len(e.points))
			e.points = append(e.points, *p)
			if q := &e.points[*k]; q.Y.IsOdd().Bool() {
				q.Y.Neg(&q.Y) // A missing y coordinate is zero and stays zero.
			}
		}
		e.key[i] = *k
	}
	e.keys = len(e.points)
	e.shorts = 0
	for i := range e.x {
		if i%segmentRows == 0 && stopped() {
			return
		}
		k := t.find(e, &e.x[i])
		switch {
		case *k == unknown:
			*k = ^int32(i)
			e.nonce[i] = ^e.shorts
			e.shorts++
			continue
		case *k < 0:
			// This is the second row with this nonce. The first row keeps its short term, and all
			// later rows share a full-length term.
			*k = int32(len(e.points))
			e.points = append(e.points, point.Affine{X: e.x[i]})
		}
		e.nonce[i] = *k
	}
	e.full = grow(e.full, len(e.points))
	clear(e.full)
}

// A pointTable is a hash table of the x coordinates of an equation. Coordinates with the same hash
// are in a linked list.
//
// The hash is a sum of products (multiply-shift for vectors: Dietzfelbinger, "Universal hashing and
// k-wise independence via integer arithmetic without primes", STACS 1996). Two different
// coordinates have equal hashes for at most a fraction 2/len(lists) of all choices of the factors.
type pointTable struct {
	factors [8]uint64
	shift   uint
	left    int     // number of comparisons that find may still make
	lists   []int32 // by hash, 1 + the index of the first element of its list, or 0
	next    []int32 // by element, 1 + the index of the next element in its list, or 0 at the end
	// The slice where holds, for each element, the index of its coordinate in the equation's
	// points, or ^i if the coordinate is only that of the nonce of row i.
	where []int32
}

// unknown marks a coordinate that the method find has just added: it is the coordinate's value in
// the field where.
const unknown = math.MinInt32

// reset empties the table and makes room for the given number of coordinates.
func (t *pointTable) reset(coordinates int) {
	t.left = mergeSteps * coordinates
	size := bits.Len(uint(coordinates))
	t.shift = uint(64 - size)
	t.lists = grow(t.lists, 1<<size)
	clear(t.lists)
	t.next, t.where = grow(t.next, coordinates)[:0], grow(t.where, coordinates)[:0]
}

// find returns a pointer to the value of the coordinate x in the field where. If x was not in the
// table, find adds it with the value unknown, which the caller replaces. Once no comparison is
// left, find adds every x.
func (t *pointTable) find(e *equation, x *field.Element) *int32 {
	// Coordinates are canonical, so points are the same only if their words are.
	l := words(x)
	list := &t.lists[t.hash(&l)]
	for k := *list; k != 0 && t.left > 0; k = t.next[k-1] {
		t.left--
		where := &t.where[k-1]
		same := false
		if *where >= 0 {
			same = words(&e.points[*where].X) == l
		} else {
			same = words(&e.x[^*where]) == l
		}
		if same {
			return where
		}
	}
	t.next, t.where = append(t.next, *list), append(t.where, unknown)
	*list = int32(len(t.next))
	return &t.where[len(t.where)-1]
}

// words returns the words of x, the least significant first.
func words(x *field.Element) (l [4]uint64) {
	l[0], l[1], l[2], l[3] = x.Words()
	return l
}

// hash returns the number of the list for the coordinate with the limbs l.
func (t *pointTable) hash(l *[4]uint64) int {
	h := uint64(0)
	for i, limb := range l {
		h += t.factors[2*i]*(limb&math.MaxUint32) + t.factors[2*i+1]*(limb>>32)
	}
	return int(h >> t.shift)
}
