package engine

import (
	"errors"

	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/blocks"
)

// A Verdict is what a job says of a row.
type Verdict = device.Verdict

// The verdicts.
const (
	Unchecked = device.Unchecked
	Valid     = device.Valid
	Invalid   = device.Invalid
	Malformed = device.Malformed
)

// A Kind says what is done with the rows of a job. For the zero value, and all that
// are not listed here, nothing is done: the rows stay Unchecked.
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

// A Job is a block of rows as a struct of arrays. It is filled with Append and
// then run, which moves its rows about; what was found is then read with Verdicts
// and Points.
//
// Rows that have a verdict without any arithmetic, or get one on the way, are
// not kept: the rows at hand are always the first ones. They stand in three
// parts, those with a y coordinate to find first, those with a table last.
type Job struct {
	kind     Kind
	rows     [hash.Sixteen]Row // for those who parse
	pending  challenges        // of those
	verdicts []Verdict         // by place in the block

	n     int // rows at hand
	lift  int // of which these are to be lifted
	plain int // and these have no table, the former among them

	place []int32
	p     []point.Affine
	odd   []bool
	high  []bool
	comb  []*vartime.Comb
	x     []field.Element
	a, b  []scalar.Scalar

	lanes *blocks.Lanes // nil if rows are done one by one

	// Scratch.
	ok   []bool
	u, v []scalar.Scalar
	r    []point.Jacobian
}

// NewJob returns a job for blocks of at most rows rows. It takes some 450 bytes
// a row, and 3 KB if there are lanes.
func NewJob(kind Kind, rows int) *Job {
	var j *Job
	if rows <= fewRows {
		j = newSmallJob(rows)
	} else {
		j = newLargeJob(rows)
	}
	j.kind = kind
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

func newLargeJob(rows int) *Job {
	flags, s := make([]bool, 3*rows), make([]scalar.Scalar, 4*rows)
	return &Job{
		verdicts: make([]Verdict, rows),
		place:    make([]int32, rows),
		p:        make([]point.Affine, rows),
		odd:      flags[:rows:rows],
		high:     flags[rows : 2*rows : 2*rows],
		comb:     make([]*vartime.Comb, rows),
		x:        make([]field.Element, rows),
		a:        s[:rows:rows],
		b:        s[rows : 2*rows : 2*rows],
		ok:       flags[2*rows:],
		u:        s[2*rows : 3*rows : 3*rows],
		v:        s[3*rows:],
		r:        make([]point.Jacobian, rows),
	}
}

// A smallJob is a job with its arrays, because ten allocations take as long as
// the verification of a row in the lanes.
type smallJob struct {
	Job
	verdicts      [fewRows]Verdict
	place         [fewRows]int32
	p             [fewRows]point.Affine
	odd, high, ok [fewRows]bool
	comb          [fewRows]*vartime.Comb
	x             [fewRows]field.Element
	a, b, u, v    [fewRows]scalar.Scalar
	r             [fewRows]point.Jacobian
}

const fewRows = 8

func newSmallJob(rows int) *Job {
	s := new(smallJob)
	j := &s.Job
	j.verdicts = s.verdicts[:rows:rows]
	j.place, j.p, j.odd, j.high, j.ok = s.place[:rows], s.p[:rows], s.odd[:rows], s.high[:rows], s.ok[:rows]
	j.comb, j.x, j.a, j.b = s.comb[:rows], s.x[:rows], s.a[:rows], s.b[:rows]
	j.u, j.v, j.r = s.u[:rows], s.v[:rows], s.r[:rows]
	return j
}

// Cap returns how many rows there is room for.
func (j *Job) Cap() int { return len(j.p) }

// Reset empties the job for a block of rows rows, at most Cap.
func (j *Job) Reset(rows int) {
	j.n, j.lift, j.plain = 0, 0, 0
	j.verdicts = j.verdicts[:rows]
	clear(j.verdicts)
}

// Append adds the row with the given place in the block. The job keeps a copy.
func (j *Job) Append(r *Row, place int) {
	if r.verdict != Unchecked {
		j.verdicts[place] = r.verdict
		return
	}
	i := j.n
	j.n++
	if r.comb == nil {
		// The first row of each later part makes room by going to its end.
		j.move(i, j.plain)
		i = j.plain
		j.plain++
		if r.lift {
			j.move(i, j.lift)
			i = j.lift
			j.lift++
		}
	}
	j.place[i] = int32(place)
	j.p[i], j.odd[i], j.high[i] = r.p, r.odd, r.high
	j.comb[i], j.x[i], j.a[i], j.b[i] = r.comb, r.x, r.a, r.b
}

// move copies row from to the place to.
func (j *Job) move(to, from int) {
	if to == from {
		return
	}
	j.place[to], j.p[to], j.odd[to], j.high[to] = j.place[from], j.p[from], j.odd[from], j.high[from]
	j.comb[to], j.x[to], j.a[to], j.b[to] = j.comb[from], j.x[from], j.a[from], j.b[from]
}

// Verdicts returns the verdicts of the block, which are overwritten by the next.
func (j *Job) Verdicts() []Verdict { return j.verdicts }

// Points calls yield for every point that recovery or decompression found, with
// its place in the block. The coordinates are canonical.
func (j *Job) Points(yield func(place int, p *point.Affine) bool) {
	for i := range j.n {
		if at := int(j.place[i]); j.verdicts[at] == Valid && !yield(at, &j.p[i]) {
			return
		}
	}
}

// Run comes to a verdict on every row of the block, if the job is of a kind. It
// allocates nothing.
func (j *Job) Run() {
	if !known(j.kind) {
		j.n = 0
		return
	}
	j.liftAll()
	if j.kind == Decompress {
		for _, place := range j.place[:j.n] {
			j.verdicts[place] = Valid
		}
		return
	}
	if j.kind == PublicKeys {
		r := j.r[:j.n]
		j.by(j.n).ScalarBaseMult(r, j.a[:j.n])
		j.by(j.n).ToAffine(j.p[:j.n], j.ok[:j.n], r)
		j.judgeFinite()
		return
	}
	j.divideAll()
	r, a, b := j.r[:j.n], j.a[:j.n], j.b[:j.n]
	if n := j.plain; n > 0 {
		j.by(n).DoubleScalarMult(r[:n], a[:n], b[:n], j.p[:n])
	}
	if n := j.plain; n < j.n {
		j.by(j.n-n).DoubleScalarMultCombs(r[n:], a[n:], b[n:], j.comb[n:j.n])
	}
	switch j.kind {
	case ECDSA:
		j.judgeECDSA()
	case Schnorr:
		j.by(j.n).ToAffine(j.p[:j.n], j.ok[:j.n], r)
		j.judgeSchnorr()
	case Recover:
		j.by(j.n).ToAffine(j.p[:j.n], j.ok[:j.n], r)
		j.judgeFinite()
	}
}

// by returns what does so many rows.
func (j *Job) by(rows int) primitives {
	if j.lanes == nil || rows < profile.Current().Rows {
		return portable{}
	}
	return j.lanes
}

// liftAll finds the missing y coordinates, and drops the rows that have none or
// have a high s that they must not have.
func (j *Job) liftAll() {
	// Without a point, what was to be parsed as a key is none. In recovery the
	// encoding is a good one that no key signed.
	none := Malformed
	if j.kind == Recover {
		none = Invalid
	}
	n := j.lift
	if n > 0 {
		j.by(n).LiftX(j.p[:n], j.odd[:n], j.ok[:n])
	}
	kept, plain := 0, 0
	for i := range j.n {
		switch {
		case i < n && !j.ok[i]:
			j.verdicts[j.place[i]] = none
			continue
		case j.high[i]:
			j.verdicts[j.place[i]] = Invalid
			continue
		}
		j.move(kept, i)
		kept++
		if i < j.plain {
			plain++
		}
	}
	j.n, j.plain = kept, plain
}

// divideAll makes a and b the scalars of the multiplication: in ECDSA u1 = z/s
// and u2 = r/s, in recovery −z/r and s/r. No divisor is zero.
func (j *Job) divideAll() {
	if j.kind == Schnorr {
		return
	}
	u, v, a, b := j.u[:j.n], j.v[:j.n], j.a[:j.n], j.b[:j.n]
	if j.kind == ECDSA {
		copy(u, b)
		for i := range b {
			toScalar(&b[i], &j.x[i])
		}
	} else {
		for i := range u {
			toScalar(&u[i], &j.x[i])
		}
	}
	j.by(j.n).Divide(a, b, u, v)
}

func (j *Job) judge(i int, valid bool) {
	v := Invalid
	if valid {
		v = Valid
	}
	j.verdicts[j.place[i]] = v
}

func (j *Job) judgeECDSA() {
	for i := range j.n {
		var r scalar.Scalar
		toScalar(&r, &j.x[i])
		j.judge(i, vartime.EqualXModN(&j.r[i], &r))
	}
}

func (j *Job) judgeSchnorr() {
	for i := range j.n {
		R := &j.p[i]
		j.judge(i, j.ok[i] && R.X.Equal(&j.x[i]).Bool() && !R.Y.IsOdd().Bool())
	}
}

// judgeFinite is for kinds whose rows are valid if a point came of them.
func (j *Job) judgeFinite() {
	for i := range j.n {
		j.judge(i, j.ok[i])
	}
}
