package engine

import "github.com/koblitz-go/koblitz/internal/swiftec"

// ellswift is the scheme that decodes the x coordinates of BIP-324's encodings. A row has u and t
// in place of the coordinates of a point. Every row is valid.
//
//layers:allow a constant
var ellswift = scheme{
	kind: DecodeEllswift,
	parse: func(c *columns, r *row, i int) {
		b := at64(&c.Columns[0], i)
		r.p.X.SetBytes((*[32]byte)(b[:32]))
		r.p.Y.SetBytes((*[32]byte)(b[32:]))
	},
	judge: func(j *job) {
		found := j.p[:len(j.rows)]
		swiftec.DecodeEach(found, found)
		for k, r := range j.rows {
			r.p = found[k]
			j.setValid(r, true)
		}
	},
}
