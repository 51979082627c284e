package engine

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
)

// A Job holds the memory in which one goroutine processes blocks of rows, one after another,
// without equations. Run processes a block; then Verdicts and Points return its results.
type Job struct {
	scheme *scheme // if nil, Run does nothing: rows keep their verdicts from parsing
	room   Rows    // memory for blocks that a source parses or copies for this job
	window Rows    // a block that is part of the source's rows

	verdicts []Verdict      // the verdicts of the block
	reasons  []Reason       // the reasons of its rows that are not valid
	rows     Rows           // the rows to compute: the whole block, or kept
	kept     Rows           // copies of the rows of the block without a verdict
	list     []int          // for each row in rows, its index in the block
	plain    int            // number of rows whose key has no table; they come first in rows
	found    []point.Affine // for each row in rows, the point that the scheme finds

	lanes *lanewise.Lanes // nil if there are no lanes; see backend.go

	// These slices are scratch memory, with one element for each row of the block.
	odd, ok    []bool
	q          []point.Affine
	r          []point.Jacobian
	u, v, s, t []scalar.Scalar
}

// NewJob returns a job for blocks of at most limit rows. The job takes some 700 bytes a row. With a
// lanewise.Lanes it takes about 3 KB a row more.
func NewJob(kind Kind, limit int) *Job {
	bools, scalars := make([]bool, 2*limit), make([]scalar.Scalar, 4*limit)
	j := &Job{
		scheme:   schemeOf(kind),
		room:     newRows(limit),
		verdicts: make([]Verdict, limit),
		reasons:  make([]Reason, limit),
		list:     make([]int, limit),
		odd:      bools[:limit],
		ok:       bools[limit:],
		q:        make([]point.Affine, limit),
		r:        make([]point.Jacobian, limit),
		u:        scalars[:limit],
		v:        scalars[limit : 2*limit],
		s:        scalars[2*limit : 3*limit],
		t:        scalars[3*limit:],
	}
	j.needLanes()
	return j
}

// Cap returns the greatest number of rows of a block.
func (j *Job) Cap() int { return cap(j.verdicts) }

// forget drops references that a pooled job must not keep alive: to tables, and to rows of a
// source.
func (j *Job) forget() {
	j.room.forgetTables()
	j.kept.forgetTables()
	j.rows, j.window, j.found = Rows{}, Rows{}, nil
}

// Verdicts returns the verdicts of the block. The next block overwrites them.
func (j *Job) Verdicts() []Verdict { return j.verdicts }

// Reasons returns the reasons of the block's rows. The next block overwrites them.
func (j *Job) Reasons() []Reason { return j.reasons }

// Points calls yield for every point that the job found. row is the index of the point's row in
// the block. The coordinates are canonical. Schemes that verify signatures find no points.
func (j *Job) Points(yield func(row int, p *point.Affine) bool) {
	for i := range j.found {
		row := j.list[i]
		if j.verdicts[row] == Valid && !yield(row, &j.found[i]) {
			return
		}
	}
}

// Run finds the verdict on every row of a block of at most Cap rows. What it stores in rows are
// intermediate results that later calls can use again: challenges, y coordinates of keys, and the
// reasons of rows whose x coordinate no point has.
func (j *Job) Run(rows *Rows) {
	n := rows.Len()
	j.verdicts, j.reasons, j.list, j.found = j.verdicts[:n], j.reasons[:n], j.list[:0], nil
	if j.scheme == nil {
		clear(j.verdicts)
		clear(j.reasons)
		return
	}
	rows.hash(0, n)
	j.lift(rows)
	j.choose(rows)
	if j.scheme.multiplies() {
		a, b := j.scheme.scalars(j)
		j.multiply(a, b)
	}
	j.scheme.judge(j)
}

// lift finds the missing y coordinates of points, and the verdicts of rows whose x coordinate no
// point has.
func (j *Job) lift(rows *Rows) {
	list := j.list
	for i, f := range rows.flags {
		if f&lift != 0 && rows.reasons[i] == NoReason {
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
	chooseBackend(j.lanes, n, profile.Current().Lifts).LiftX(points, j.odd[:n], j.ok[:n])
	for k, i := range list {
		if !all {
			rows.p[i] = points[k]
		}
		rows.flags[i] &^= lift | odd
		if !j.ok[k] {
			rows.reasons[i] = j.scheme.noPoint
		}
	}
}

// choose sets the verdicts that are known, and j.rows to the rows of the block without one, those
// without a table first. It copies them unless all rows of the block are already in that order.
func (j *Job) choose(rows *Rows) {
	tables := 0
	for i, why := range rows.reasons {
		j.verdicts[i], j.reasons[i] = why.Verdict(), why
		switch {
		case why != NoReason:
		case rows.flags[i]&high != 0:
			j.verdicts[i], j.reasons[i] = Invalid, HighS
		case rows.tables != nil && rows.tables[i] != nil:
			tables++
		default:
			j.list = append(j.list, i)
		}
	}
	j.plain = len(j.list)
	for i := 0; tables > 0; i++ {
		if j.verdicts[i] == Unchecked && rows.tables[i] != nil {
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
func (j *Job) divide() (a, b []scalar.Scalar) {
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
func (j *Job) multiply(a, b []scalar.Scalar) {
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
func (j *Job) findProducts() {
	n := j.rows.Len()
	j.found = j.q[:n]
	j.backend(n).ToAffine(j.found, j.ok[:n], j.r[:n])
	for i := range n {
		j.setValid(i, j.ok[i])
	}
}

// setValid sets the verdict of row i of j.rows to Valid or Invalid.
func (j *Job) setValid(i int, valid bool) {
	k := j.list[i]
	if valid {
		j.verdicts[k] = Valid
	} else {
		j.verdicts[k], j.reasons[k] = Invalid, j.scheme.unequal
	}
}

// backend returns the backend that divides, multiplies and converts to affine coordinates for the
// given number of rows.
func (j *Job) backend(rows int) backend {
	return chooseBackend(j.lanes, rows, profile.Current().Rows)
}
