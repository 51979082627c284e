package engine

import "github.com/koblitz-go/koblitz/internal/swiftec"

// ellswift is the scheme that decodes the x coordinates of BIP-324's encodings. A row has u and t
// in place of the coordinates of a point. Every row is valid.
//
//layers:allow a constant
var ellswift = scheme{
	kind: DecodeEllswift,
	parse: func(c *columns, r row, i int) {
		b, p := at64(&c.Columns[0], i), r.reset(0)
		p.X.SetBytes((*[32]byte)(b[:32]))
		p.Y.SetBytes((*[32]byte)(b[32:]))
	},
	judge: func(j *job) {
		n := j.rows.Len()
		j.found = j.q[:n]
		swiftec.DecodeEach(j.found, j.rows.p)
		for i := range n {
			j.setValid(i, true)
		}
	},
}
