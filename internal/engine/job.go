package engine

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
)

// A job holds the memory in which one goroutine processes blocks of rows, one after another,
// without equations. The method run processes a block and sets the verdicts of its rows. Then the
// method points returns its results.
type job struct {
	scheme *scheme
	block  Rows // the rows of the block: those that this job has parsed, or a window of a chunk
	parsed Rows // memory for the blocks that this job parses

	rows  Rows           // the rows to compute: the whole block, or kept
	kept  Rows           // copies of the rows of the block without a verdict
	list  []int          // for each row in rows, its index in the block
	plain int            // number of rows whose key has no table; they come first in rows
	found []point.Affine // for each row in rows, the point that the scheme finds

	lanes *lanewise.Lanes // nil if there are no lanes; see backend.go

	// These slices are scratch memory, with one element for each row of the block.
	odd, ok    []bool
	q          []point.Affine
	r          []point.Jacobian
	u, v, s, t []scalar.Scalar
}

// newJob returns a job for blocks of at most limit rows. The job takes some 700 bytes a row. With a
// lanewise.Lanes it takes about 3 KB a row more.
func newJob(s *scheme, limit int) *job {
	bools, scalars := make([]bool, 2*limit), make([]scalar.Scalar, 4*limit)
	j := &job{
		scheme: s,
		parsed: newRows(limit),
		list:   make([]int, limit),
		odd:    bools[:limit],
		ok:     bools[limit:],
		q:      make([]point.Affine, limit),
		r:      make([]point.Jacobian, limit),
		u:      scalars[:limit],
		v:      scalars[limit : 2*limit],
		s:      scalars[2*limit : 3*limit],
		t:      scalars[3*limit:],
	}
	j.needLanes()
	return j
}

// cap returns the greatest number of rows of a block.
func (j *job) cap() int { return len(j.q) }

// forget drops references that a pooled job must not keep alive: to tables, and to rows of a
// source.
func (j *job) forget() {
	j.parsed.forgetTables()
	j.kept.forgetTables()
	j.block, j.rows, j.found = Rows{}, Rows{}, nil
}

// points calls yield for every point that the job found. row is the index of the point's row in
// the block. The coordinates are canonical. Schemes that verify signatures find no points.
func (j *job) points(yield func(row int, p *point.Affine) bool) {
	for i := range j.found {
		row := j.list[i]
		if j.block.verdicts[row] == Valid && !yield(row, &j.found[i]) {
			return
		}
	}
}

// run finds the verdicts of the rows of j.block, at most cap rows, that have none. It also sets the
// missing challenges and y coordinates of the block's rows.
func (j *job) run() {
	j.list, j.found = j.list[:0], nil
	j.block.hash(0, j.block.Len())
	j.lift()
	j.choose()
	if j.scheme.multiplies() {
		a, b := j.scheme.scalars(j)
		j.multiply(a, b)
	}
	j.scheme.judge(j)
}

// lift finds the missing y coordinates of points, and the verdicts of rows whose x coordinate no
// point has.
func (j *job) lift() {
	rows, list := &j.block, j.list
	for i, f := range rows.flags {
		if f&lift != 0 && rows.verdicts[i] == Unchecked {
			list = append(list, i)
		}
	}
	n := len(list)
	if n == 0 {
		return
	}
	points, all := rows.p, n == rows.Len()
	if !all {
		points = j.q[:n]
	}
	for k, i := range list {
		j.odd[k] = rows.flags[i]&odd != 0
		if !all {
			points[k] = rows.p[i]
		}
	}
	lanewise.LiftX(points, j.odd[:n], j.ok[:n])
	for k, i := range list {
		if !all {
			rows.p[i] = points[k]
		}
		rows.flags[i] &^= lift | odd
		if !j.ok[k] {
			rows.refuse(i, j.scheme.noPoint)
		}
	}
}

// choose sets j.rows to the rows of the block without a verdict, those without a table first. It
// copies them unless all rows of the block are already in that order.
func (j *job) choose() {
	rows, tables := &j.block, 0
	for i, v := range rows.verdicts {
		switch {
		case v != Unchecked:
		case rows.flags[i]&high != 0:
			rows.refuse(i, HighS)
		case rows.tables != nil && rows.tables[i] != nil:
			tables++
		default:
			j.list = append(j.list, i)
		}
	}
	j.plain = len(j.list)
	for i := 0; tables > 0; i++ {
		if rows.verdicts[i] == Unchecked && rows.tables[i] != nil {
			j.list = append(j.list, i)
			tables--
		}
	}
	j.rows = *rows
	if n := len(j.list); n < rows.Len() || 0 < j.plain && j.plain < n {
		j.kept.gather(rows, j.list)
		j.rows = j.kept
	}
}

// The methods below are the steps on j.rows, the rows without a verdict.

// divide returns the factors a/d and b/d of each row. No divisor d is zero.
func (j *job) divide() (a, b []scalar.Scalar) {
	r, n := &j.rows, j.rows.Len()
	a, b = j.u[:n], j.v[:n]
	copy(a, r.a)
	copy(b, r.b)
	copy(j.s, r.d[:n])
	j.backend(n).Divide(a, b, j.s[:n], j.t[:n])
	return a, b
}

// multiply sets the products j.r to a·G + b·p for each row, where p is the row's point. If b is
// nil, it sets them to a·G + p in schemes with addsPoint, and to a·G in all others.
func (j *job) multiply(a, b []scalar.Scalar) {
	all, n := j.rows.Len(), j.plain
	switch {
	case b != nil:
	case j.scheme.addsPoint:
		j.backend(all).AddBaseMult(j.r[:all], a, j.rows.p)
		return
	default:
		j.backend(all).ScalarBaseMult(j.r[:all], a)
		return
	}
	if n > 0 {
		j.backend(n).DoubleScalarMult(j.r[:n], a[:n], b[:n], j.rows.p[:n])
	}
	if n < all {
		j.backend(all-n).DoubleScalarMultSplit(j.r[n:all], a[n:], b[n:], j.rows.tables[n:])
	}
}

// findProducts is the function judge of schemes whose result is the product itself: a row is valid
// unless its product is infinity.
func (j *job) findProducts() {
	n := j.rows.Len()
	j.found = j.q[:n]
	j.backend(n).ToAffine(j.found, j.ok[:n], j.r[:n])
	for i := range n {
		j.setValid(i, j.ok[i])
	}
}

// setValid sets the verdict of row i of j.rows to Valid or Invalid.
func (j *job) setValid(i int, valid bool) {
	k := j.list[i]
	if valid {
		j.block.verdicts[k] = Valid
	} else {
		j.block.refuse(k, j.scheme.unequal)
	}
}

// backend returns the backend that divides, multiplies and converts to affine coordinates for the
// given number of rows.
func (j *job) backend(rows int) backend {
	return chooseBackend(j.lanes, rows, profile.Current().Rows)
}
