//ct:unrun-portable for vector lanes, which the other build has

package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// MaxRows is the maximum number of rows that share inversions. With 1,024 rows a multiplication of
// G would take 3 % less time, but the working memory would not fit in many second-level caches.
const MaxRows = 512

// Many is the working memory for the multiplication of many points by secrets. Where the CPU has
// the instructions, it computes eight rows at a time in the lanes of vector registers (package
// lanes), and rows share inversions. No row is computed again, and nothing but the results depends
// on the secrets.
//
// A Many holds secrets: its owner must call Wipe after use. Its methods leave secrets on the stack,
// so callers run them inside secret.DoDeep, unless all arguments are public. Only one goroutine at
// a time may use a Many. The zero value is ready for use, and does not use lanes.
type Many struct {
	bases, points int // SecretBases and SecretPoints of the profile, or 0 without lanes

	groups  []manyGroup
	values  []lanes.Element     // elements to be inverted, one for each group
	scratch []lanes.Element     // longer than values by 2, for invert
	base    [10][4]lanes.Vector // a block of baseTable
	tables  *manyTables
	single  *[singleRows]singleRow
}

// A manyGroup is a group of at most eight rows, one in each lane.
type manyGroup struct {
	bits        [5]lanes.Vector // digits of the scalars
	mask        lanes.Mask      // lanes whose sum must be negated, or is infinity
	sum, addend lanes.Affine
}

// NewMany returns memory for calls with the given number of rows. Calls may have more rows: then
// blocks of rows share inversions. With lanes the memory takes about 34 KB, and 290 bytes for each
// of at most MaxRows rows.
func NewMany(rows int) *Many {
	if !lanes.Available() {
		return new(Many)
	}
	p := profile.Current()
	return newMany(rows, p.SecretBases, p.SecretPoints)
}

// newMany works like NewMany, with thresholds in place of SecretBases and SecretPoints of the
// profile.
func newMany(rows, bases, points int) *Many {
	m := &Many{bases: bases, points: points}
	if !reaches(rows, bases) && !reaches(rows, points) {
		return new(Many) // without memory for lanes
	}
	groups := lanes.Groups(min(rows, MaxRows))
	m.groups = make([]manyGroup, groups)
	m.values = make([]lanes.Element, groups)
	m.scratch = make([]lanes.Element, groups+2)
	m.tables = new(manyTables)
	return m
}

// reaches reports whether the number of rows is at least a threshold of the profile. A threshold of
// 0 is never reached.
func reaches(rows, threshold int) bool { return threshold > 0 && rows >= threshold }

// Wipe overwrites all secrets in m.
//
//go:noinline
func (m *Many) Wipe() {
	clear(m.groups)
	clear(m.values)
	clear(m.scratch)
	if m.tables != nil {
		*m.tables = manyTables{}
	}
	if m.single != nil {
		*m.single = [singleRows]singleRow{}
	}
}

// block returns the number of rows of the next block if the given number of rows remain.
func (m *Many) block(rows int) int { return min(rows, len(m.groups)*lanes.Width) }

// lane returns the value for lane j of group g. A lane without a row gets the value of the last
// row.
func lane[T any](rows []T, g, j int) *T { return &rows[min(g*lanes.Width+j, len(rows)-1)] }

// ScalarBaseMult sets r[i] = k[i]·G, with canonical coordinates. No k[i] may be zero. The time
// depends only on the number of rows.
func (m *Many) ScalarBaseMult(r []point.Affine, k []scalar.Scalar) {
	if !reaches(len(r), m.bases) {
		m.singly(r, func(i int, p *point.Jacobian) { ScalarBaseMult(p, &k[i]) })
		return
	}
	for len(r) > 0 {
		n := m.block(len(r))
		m.multiplyBase(r[:n], k[:n])
		r, k = r[n:], k[n:]
	}
}

// ScalarMult sets r[i] = k[i]·p[i], with canonical coordinates. k has a scalar for each row, or one
// for all rows. No scalar may be zero, and every p[i] must be a point of the curve. The time
// depends only on the lengths.
func (m *Many) ScalarMult(r []point.Affine, k []scalar.Scalar, p []point.Affine) {
	// scalars returns the scalars of the rows from lo to hi.
	scalars := func(lo, hi int) []scalar.Scalar {
		if len(k) == 1 {
			return k
		}
		return k[lo:hi]
	}
	inLanes := 0
	if reaches(len(r), m.points) {
		inLanes = len(r)
		// A vector for few rows takes longer than single multiplications.
		if rest := len(r) % lanes.Width; len(r) > rest && !reaches(rest, m.points) {
			inLanes -= rest
		}
	}
	lo := 0
	for lo < inLanes {
		hi := lo + m.block(inLanes-lo)
		m.multiply(r[lo:hi], scalars(lo, hi), p[lo:hi])
		lo = hi
	}
	m.singly(r[lo:], func(i int, q *point.Jacobian) {
		i += lo
		ScalarMult(q, &scalars(i, i+1)[0], &p[i])
	})
}

// Add sets r[i] = p[i] + q[i], with canonical coordinates, or (0, 0) if the sum is infinity. q has
// a point for each row, or one for all rows. q must be points of the curve, and p points of the
// curve or (0, 0), for which r[i] has no meaning. The time depends only on the lengths.
func (m *Many) Add(r, p, q []point.Affine) {
	if !reaches(len(r), m.points) {
		m.singly(r, func(i int, s *point.Jacobian) {
			s.SetAffine(&p[i])
			s.AddMixed(s, &q[min(i, len(q)-1)])
		})
		return
	}
	same := len(q) == 1
	for len(r) > 0 {
		n := m.block(len(r))
		m.add(r[:n], p[:n], q[:min(n, len(q))])
		r, p = r[n:], p[n:]
		if !same {
			q = q[n:]
		}
	}
}

// singly sets each r[i] to the point that f computes, without lanes. Up to singleRows points share
// an inversion. If a point is infinity, r[i] is (0, 0).
func (m *Many) singly(r []point.Affine, f func(i int, p *point.Jacobian)) {
	if m.single == nil && len(r) > 0 {
		m.single = new([singleRows]singleRow)
	}
	for lo := 0; lo < len(r); lo += singleRows {
		rows := m.single[:min(singleRows, len(r)-lo)]
		var one, product, power field.Element
		one.One()
		product.One()
		for i := range rows {
			s := &rows[i]
			f(lo+i, &s.p)
			s.z.Select(s.p.IsInfinity(), &one, &s.p.Z)
			s.before = product
			product.Mul(&product, &s.z)
		}
		product.Invert(&product)
		for i := len(rows) - 1; i >= 0; i-- {
			s, a := &rows[i], &r[lo+i]
			infinite := s.p.IsInfinity()
			s.before.Mul(&s.before, &product) // 1/s.z
			product.Mul(&product, &s.z)
			power.Square(&s.before)
			a.X.Mul(&s.p.X, &power)
			power.Mul(&power, &s.before)
			a.Y.Mul(&s.p.Y, &power)
			a.Select(infinite, &point.Affine{}, a)
			a.Normalize()
		}
	}
}

// singleRows is the maximum number of rows that share an inversion without lanes.
const singleRows = 32

// A singleRow is the memory for one row without lanes.
type singleRow struct {
	p         point.Jacobian
	z, before field.Element // the denominator of p or 1, and the product of those before
}

// invert returns the inverses of the first n elements of m.values. No lane of them may be zero: a
// single zero would make all results wrong. It takes one inversion, and three multiplications per
// element. The time depends only on n. The result is valid until the next call.
func (m *Many) invert(n int) []lanes.Element {
	v, scratch := m.values[:n], m.scratch[:n+2]
	var product lanes.Element
	lanes.Running(scratch, v, &product)
	product.InvertLanes(&product)
	return lanes.Inverses(scratch, v, &product)
}

// setLanes sets a to the points of group g among p.
func setLanes(a *lanes.Affine, p []point.Affine, g int) {
	var points lanes.Packed
	for j := range points {
		q := lane(p, g, j)
		lanes.SetPoint(&points[j], &q.X, &q.Y)
	}
	a.Unpack(&points)
}

// setAffine sets r to the points in the lanes of p, with canonical coordinates. r has at most
// lanes.Width points.
func setAffine(r []point.Affine, p *lanes.Affine) {
	var points lanes.Packed
	p.Pack(&points)
	for j := range r {
		l := &points[j]
		r[j].X.SetLimbs(l[0], l[1], l[2], l[3])
		r[j].Y.SetLimbs(l[4], l[5], l[6], l[7])
	}
}
