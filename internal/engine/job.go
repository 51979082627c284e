package engine

import (
	"errors"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/blocks"
)

// A Verdict is what is said of a row.
type Verdict = device.Verdict

// The verdicts.
const (
	Unchecked = device.Unchecked
	Valid     = device.Valid
	Invalid   = device.Invalid
	Malformed = device.Malformed
)

// A Kind says what is done with rows. For the zero value, and all that are not listed
// here, nothing is done: the rows stay Unchecked.
type Kind = device.Kind

// The kinds that rows have verdicts of their own for.
const (
	Schnorr    = device.Schnorr
	ECDSA      = device.ECDSA
	Recover    = device.Recover
	Decompress = device.Decompress
	PublicKeys = device.PublicKeys
)

// errKind is the error of a call whose kind is none of the above.
var errKind = errors.New("engine: rows of no kind")

func known(k Kind) bool { return k >= Schnorr && k <= Decompress || k == PublicKeys }

// A Job is the memory in which one goroutine processes blocks of rows, one after
// another, without equations. Run takes a block; Verdicts and Points then tell what
// came of it.
type Job struct {
	kind   Kind
	room   Rows // for blocks whose rows are parsed, or gathered, for this job
	window Rows // a block that lies in other rows

	verdicts []Verdict // of the block
	rows     Rows      // those of the block that are not settled: all of them, or kept
	kept     Rows
	list     []int // the places in the block of rows
	plain    int   // how many of rows have no table; they come first

	lanes *blocks.Lanes // nil if rows are done one by one

	// Scratch, as long as the block.
	odd, ok    []bool
	q          []point.Affine
	r          []point.Jacobian
	u, v, s, t []scalar.Scalar
}

// NewJob returns a job for blocks of at most rows rows. It takes some 700 bytes a
// row, and 3 KB more if there are lanes.
func NewJob(kind Kind, rows int) *Job {
	bools, scalars := make([]bool, 2*rows), make([]scalar.Scalar, 4*rows)
	j := &Job{
		kind:     kind,
		room:     newRows(rows),
		verdicts: make([]Verdict, rows),
		list:     make([]int, rows),
		odd:      bools[:rows],
		ok:       bools[rows:],
		q:        make([]point.Affine, rows),
		r:        make([]point.Jacobian, rows),
		u:        scalars[:rows],
		v:        scalars[rows : 2*rows],
		s:        scalars[2*rows : 3*rows],
		t:        scalars[3*rows:],
	}
	j.needLanes()
	return j
}

// needLanes gives j the memory of lanes if there are lanes, and takes it if there are
// none: the job may be from a pool, and tests forbid lanes.
func (j *Job) needLanes() {
	switch {
	case !useLanes(j.kind, j.Cap()):
		j.lanes = nil
	case j.lanes != nil:
	case j.kind == Decompress:
		j.lanes = blocks.NewLanes(1) // lifting takes no memory for rows
	default:
		j.lanes = blocks.NewLanes(j.Cap())
	}
}

// Cap returns how many rows a block may have.
func (j *Job) Cap() int { return cap(j.verdicts) }

// forget drops what a pool must not keep alive: tables, and the rows of others.
func (j *Job) forget() {
	j.room.forgetTables()
	j.kept.forgetTables()
	j.rows, j.window = Rows{}, Rows{}
}

// Verdicts returns the verdicts of the block, which are overwritten by the next.
func (j *Job) Verdicts() []Verdict { return j.verdicts }

// Points calls yield for every point that recovery or decompression found, with
// its place in the block. The coordinates are canonical.
func (j *Job) Points(yield func(place int, p *point.Affine) bool) {
	points := j.q
	if j.kind == Decompress {
		points = j.rows.p
	}
	for i, place := range j.list {
		if j.verdicts[place] == Valid && !yield(place, &points[i]) {
			return
		}
	}
}

// Run comes to a verdict on every row of a block, at most Cap rows, if the job is of a
// kind. In the rows themselves it changes only what they keep for good: challenges, the
// y coordinates of keys, and the verdict of a key that is none.
func (j *Job) Run(rows *Rows) {
	n := rows.Len()
	j.verdicts, j.list = j.verdicts[:n], j.list[:0]
	if !known(j.kind) {
		clear(j.verdicts)
		return
	}
	rows.hash(0, n)
	j.lift(rows)
	copy(j.verdicts, rows.verdicts)
	j.choose(rows)
	if j.kind == Decompress {
		for _, place := range j.list {
			j.verdicts[place] = Valid
		}
		return
	}
	if j.kind == PublicKeys {
		n := j.rows.Len()
		j.by(n).ScalarBaseMult(j.r[:n], j.rows.a)
	} else {
		a, b := j.divide()
		j.multiply(a, b)
	}
	j.judge()
}

// by returns the level for this number of rows.
func (j *Job) by(rows int) primitives {
	if j.lanes == nil || rows < profile.Current().Rows {
		return portable{}
	}
	return j.lanes
}

// lift finds the missing y coordinates, and the verdict of rows that have none.
func (j *Job) lift(rows *Rows) {
	// Without a point, what was to be parsed as a key is none. In recovery the
	// encoding is a good one that no key signed.
	none := Malformed
	if j.kind == Recover {
		none = Invalid
	}
	list := j.list
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
	j.by(n).LiftX(points, j.odd[:n], j.ok[:n])
	for k, i := range list {
		if !all {
			rows.p[i] = points[k]
		}
		rows.flags[i] &^= lift | odd
		if !j.ok[k] {
			rows.verdicts[i] = none
		}
	}
}

// choose sets the rows at hand to those of the block that are not settled, where they
// are if those are all rows in the order that is wanted, and copied if not.
func (j *Job) choose(rows *Rows) {
	tables := 0
	for i, v := range rows.verdicts {
		switch {
		case v != Unchecked:
		case rows.flags[i]&high != 0:
			j.verdicts[i] = Invalid
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

// divide returns the scalars of the multiplication: in ECDSA u1 = z/s and u2 = r/s, in
// recovery −z/r and s/r. No divisor is zero.
func (j *Job) divide() (a, b []scalar.Scalar) {
	r, n := &j.rows, j.rows.Len()
	if j.kind == Schnorr {
		return r.a, r.b
	}
	a, b = j.u[:n], j.v[:n]
	divisors, others := j.s[:n], b
	copy(a, r.a)
	if j.kind == ECDSA {
		copy(divisors, r.b)
	} else {
		copy(b, r.b)
		others = divisors
	}
	for i := range others {
		toScalar(&others[i], &r.x[i])
	}
	j.by(n).Divide(a, b, divisors, j.t[:n])
	return a, b
}

// multiply sets r to a·G + b·p for the rows at hand.
func (j *Job) multiply(a, b []scalar.Scalar) {
	all := j.rows.Len()
	if n := j.plain; n > 0 {
		j.by(n).DoubleScalarMult(j.r[:n], a[:n], b[:n], j.rows.p[:n])
	}
	if n := j.plain; n < all {
		j.by(all-n).DoubleScalarMultSplit(j.r[n:all], a[n:], b[n:], j.rows.tables[n:])
	}
}

// judge compares the points with the signatures, or brings them to affine coordinates.
func (j *Job) judge() {
	n := j.rows.Len()
	if j.kind != ECDSA {
		j.by(n).ToAffine(j.q[:n], j.ok[:n], j.r[:n])
	}
	for i, place := range j.list {
		valid := false
		switch x := &j.rows.x[i]; j.kind {
		case ECDSA:
			var r scalar.Scalar
			toScalar(&r, x)
			valid = vartime.EqualXModN(&j.r[i], &r)
		case Schnorr:
			R := &j.q[i]
			valid = j.ok[i] && R.X.Equal(x).Bool() && !R.Y.IsOdd().Bool()
		case Recover, PublicKeys:
			valid = j.ok[i]
		}
		j.verdicts[place] = Invalid
		if valid {
			j.verdicts[place] = Valid
		}
	}
}
