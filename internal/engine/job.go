package engine

import (
	"sync"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
)

// A job holds the memory in which one goroutine processes blocks of rows, one after another,
// without equations. The method run processes a block and sets the verdicts of its rows.
type job struct {
	scheme *scheme
	parsed []row  // memory for the blocks that this job parses
	all    []*row // the rows in parsed

	rows  []*row // the rows that the current step computes
	plain int    // number of rows whose key has no table; they come first in rows
	lanes *lanewise.Lanes

	// These slices have one element for each element of rows.
	odd, ok   []bool
	p         []point.Affine // copies of the points, and then the results
	r         []point.Jacobian
	a, b, d   []scalar.Scalar // copies of the numbers
	quotients []scalar.Scalar // scratch memory of divisions
	tables    []*vartime.SplitTable
}

// jobs keeps the jobs of earlier calls. Allocating and collecting their memory would take longer
// than verifying a few dozen rows. It holds public data, like everything in this package. The
// garbage collector empties the pool.
//
//layers:allow a pool of memory for public data
var jobs sync.Pool // of *job

// takeJob returns a job for blocks of at most limit rows. limit is at most BlockRows of the
// profile.
func takeJob(s *scheme, limit int) *job {
	j, _ := jobs.Get().(*job)
	if j == nil || j.cap() < limit {
		// A job for few rows has an eighth of the memory of a large one.
		if limit > lanes.Width {
			limit = profile.Current().BlockRows
		}
		j = newJob(max(limit, lanes.Width))
	}
	j.scheme = s
	return j
}

// keepJob returns a job from takeJob to the pool. It removes the job's references to tables and to
// rows of a chunk, so that the pool does not keep them alive. It does nothing if j is nil.
func keepJob(j *job) {
	if j == nil {
		return
	}
	clear(j.tables)
	clear(j.rows[:cap(j.rows)])
	for i := range j.parsed {
		j.parsed[i].table = nil
	}
	jobs.Put(j)
}

// newJob returns a job for blocks of at most limit rows. The job takes some 560 bytes a row. With a
// lanewise.Lanes it takes about 3 KB a row more.
func newJob(limit int) *job {
	bools, scalars := make([]bool, 2*limit), make([]scalar.Scalar, 4*limit)
	j := &job{
		parsed:    make([]row, limit),
		all:       make([]*row, limit),
		rows:      make([]*row, 0, limit),
		tables:    make([]*vartime.SplitTable, limit),
		odd:       bools[:limit],
		ok:        bools[limit:],
		p:         make([]point.Affine, limit),
		r:         make([]point.Jacobian, limit),
		a:         scalars[:limit],
		b:         scalars[limit : 2*limit],
		d:         scalars[2*limit : 3*limit],
		quotients: scalars[3*limit:],
	}
	for i := range j.all {
		j.all[i] = &j.parsed[i]
	}
	return j
}

// cap returns the greatest number of rows of a block.
func (j *job) cap() int { return len(j.parsed) }

// parse sets the first rows of j.parsed to the rows from lo to hi of c, and returns them.
func (j *job) parse(c *columns, lo, hi int) []*row {
	c.parse(j.parsed[:hi-lo], lo)
	return j.all[:hi-lo]
}

// run finds the verdicts of the rows in the block, at most cap rows, that have none. It also sets
// the missing challenges and y coordinates of the rows, and the points that the scheme finds.
func (j *job) run(block []*row) {
	hashRows(block)
	j.lift(block)
	j.choose(block)
	if j.scheme.multiply != nil {
		j.scheme.multiply(j)
	}
	j.scheme.judge(j)
}

// lift finds the missing y coordinates of points, and the verdicts of rows whose x coordinate no
// point has.
func (j *job) lift(block []*row) {
	j.rows = j.rows[:0]
	for _, r := range block {
		if r.lift && r.verdict == Unchecked {
			j.odd[len(j.rows)], j.p[len(j.rows)] = r.odd, r.p
			j.rows = append(j.rows, r)
		}
	}
	n := len(j.rows)
	lanewise.LiftX(j.p[:n], j.odd[:n], j.ok[:n])
	for k, r := range j.rows {
		r.p, r.lift, r.odd = j.p[k], false, false
		r.need(j.ok[k], j.scheme.noPoint)
	}
}

// choose sets j.rows to the rows of the block without a verdict, those without a table first, and
// copies their points and numbers.
func (j *job) choose(block []*row) {
	j.rows = j.rows[:0]
	for _, r := range block {
		if r.need(!r.high, HighS) && r.table == nil {
			j.rows = append(j.rows, r)
		}
	}
	j.plain = len(j.rows)
	for _, r := range block {
		if r.verdict == Unchecked && r.table != nil {
			j.rows = append(j.rows, r)
		}
	}
	for k, r := range j.rows {
		j.p[k], j.a[k], j.b[k], j.d[k], j.tables[k] = r.p, r.a, r.b, r.d, r.table
	}
}

// Each scheme that multiplies has one of the next four methods as its function multiply. They set
// the products j.r of the rows.

// multiplyBase sets the products to a·G.
func (j *job) multiplyBase() {
	j.each(0, len(j.rows), func(b backend, lo, hi int) {
		b.ScalarBaseMult(j.r[lo:hi], j.a[lo:hi])
	})
}

// addBase sets the products to a·G + p.
func (j *job) addBase() {
	j.each(0, len(j.rows), func(b backend, lo, hi int) {
		b.AddBaseMult(j.r[lo:hi], j.a[lo:hi], j.p[lo:hi])
	})
}

// multiply sets the products to a·G + b·p.
func (j *job) multiply() {
	j.each(0, j.plain, func(b backend, lo, hi int) {
		b.DoubleScalarMult(j.r[lo:hi], j.a[lo:hi], j.b[lo:hi], j.p[lo:hi])
	})
	j.each(j.plain, len(j.rows), func(b backend, lo, hi int) {
		b.DoubleScalarMultSplit(j.r[lo:hi], j.a[lo:hi], j.b[lo:hi], j.tables[lo:hi])
	})
}

// divideAndMultiply sets the products to (a/d)·G + (b/d)·p. No divisor d is zero.
func (j *job) divideAndMultiply() {
	n := len(j.rows)
	j.backend(n).Divide(j.a[:n], j.b[:n], j.d[:n], j.quotients[:n])
	j.multiply()
}

// each calls multiply with a backend for all rows from lo to hi, or with two, for some rows each.
func (j *job) each(lo, hi int, multiply func(b backend, lo, hi int)) {
	cut := lo + lanewise.InLanes(hi-lo, lanes.Width, profile.Current().Rows)
	if lo < cut {
		multiply(j.backend(cut-lo), lo, cut)
	}
	if cut < hi {
		multiply(portable{}, cut, hi)
	}
}

// affine sets j.p to the affine coordinates of the products, and j.ok to whether each of them is
// finite.
func (j *job) affine() {
	n := len(j.rows)
	j.backend(n).ToAffine(j.p[:n], j.ok[:n], j.r[:n])
}

// findProducts is the function judge of schemes whose result is the product itself: a row is valid
// unless its product is infinity.
func (j *job) findProducts() {
	j.affine()
	for k, r := range j.rows {
		r.p = j.p[k]
		j.setValid(r, j.ok[k])
	}
}

// setValid sets the verdict of the row r to Valid or Invalid.
func (j *job) setValid(r *row, valid bool) {
	if valid {
		r.verdict = Valid
	} else {
		r.refuse(j.scheme.unequal)
	}
}

// backend returns the backend for the given number of rows.
func (j *job) backend(rows int) backend {
	return chooseBackend(&j.lanes, j.cap(), rows, profile.Current().Rows)
}
