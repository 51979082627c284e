package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A laneTerm is a product of a scalar and a point in each lane: digits of both halves of the
// scalars, and tables of multiples of the points. All tables have the same window and stride.
//
// The digits are odd, hence never zero: see lanes.SplitOdd. A digit of w bits is an odd number
// below 2^w in magnitude, and a subtable for it has 2^(w−1) entries. A wNAF digit for the same
// table has w + 1 bits.
type laneTerm struct {
	window, windows int // bits of a digit, and number of digits
	stride          int // positions that share a subtable
	digits          [2][3]lanes.Vector
	tables          [lanes.Width]string
}

// set sets the digits to those of the scalars k. Lanes without a scalar get the digits of zero.
// tables has a table for each of the first lanes; the last one is that of all further lanes.
func (t *laneTerm) set(k []scalar.Scalar, tables ...*vartime.SplitTable) {
	window, stride := tables[0].Shape()
	t.window, t.stride = int(window)-1, int(stride)
	t.windows = (lanes.MinSplitBits + t.window - 1) / t.window
	for j := range t.tables {
		t.tables[j] = tables[min(j, len(tables)-1)].Table()
	}
	var all [lanes.Width]scalar.Scalar
	copy(all[:], k)
	lanes.SplitOdd(&t.digits[0], &t.digits[1], &all, uint(t.window*t.windows))
}

// lookup sets q, in each lane, to the multiple for the digit in window i of the given half, which
// remains to be doubled i·window mod stride times.
func (t *laneTerm) lookup(q *lanes.Affine, half, i int) {
	at := i * t.window
	lookupPacked(q, &t.tables, &t.digits[half], at, t.window, at/t.stride<<(t.window-1))
}

// prefetch loads into the cache all entries that lookups will read. They are in distant caches, and
// it is faster to load them all at the same time.
func (t *laneTerm) prefetch() {
	for half := range t.digits {
		for i := range t.windows {
			at := i * t.window
			prefetchPacked(&t.tables, &t.digits[half], at, t.window, at/t.stride<<(t.window-1))
		}
	}
}
