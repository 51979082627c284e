package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// publicKeys is the scheme that multiplies G by public scalars. A row has the scalar a, in [1, n),
// and no point.
//
//layers:allow a constant
var publicKeys = scheme{
	kind: device.PublicKeys, unequal: Infinity,
	parse: func(c *columns, r row, i int) {
		r.reset(0)
		r.need(r.rows.a[r.i].SetNonzeroBytes(at32(&c.Columns[0], i)).Bool(), ScalarRange)
	},
	scalars: func(j *job) (a, b []scalar.Scalar) { return j.rows.a, nil },
	judge:   (*job).findProducts,
}
