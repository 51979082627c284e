package engine

import "github.com/koblitz-go/koblitz/internal/scalar"

// publicKeys is the scheme that multiplies G by public scalars. A row has the scalar a, and no
// point.
//
//layers:allow a constant
var publicKeys = scheme{
	kind: PublicKeys, noPoint: KeyNotOnCurve,
	parse:   func(s *columns, r Row, i int) { r.SetScalar(at32(&s.call.Columns[0], i)) },
	scalars: func(j *Job) (a, b []scalar.Scalar) { return j.rows.a, nil },
	judge:   (*Job).findProducts,
}

// SetScalar sets the scalar that multiplies G: 32 bytes, big-endian. The row is malformed if the
// scalar is not in [1, n). The time depends on the scalar.
func (r Row) SetScalar(b *[32]byte) {
	r.reset(0)
	r.need(r.rows.a[r.i].SetNonzeroBytes(b).Bool(), ScalarRange)
}
