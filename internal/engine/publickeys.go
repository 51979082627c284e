package engine

import "github.com/koblitz-go/koblitz/device"

// publicKeys is the scheme that multiplies G by public scalars. A row has the scalar a, in [1, n),
// and no point.
//
//layers:allow a constant
var publicKeys = scheme{
	kind: device.PublicKeys, unequal: Infinity,
	parse: func(c *columns, r *row, i int) {
		r.need(r.a.SetNonzeroBytes(at32(&c.Columns[0], i)).Bool(), ScalarRange)
	},
	multiply: (*job).multiplyBase,
	judge:    (*job).findProducts,
}
