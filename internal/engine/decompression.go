package engine

import "github.com/koblitz-go/koblitz/device"

// decompression is the scheme that finds the y coordinates of compressed keys. A row has a point to
// lift, and no scalar to multiply by.
//
//layers:allow a constant
var decompression = scheme{
	kind: device.Decompress, noPoint: KeyNotOnCurve,
	parse: func(c *columns, r *row, i int) { r.setCompressedKey(at33(&c.Columns[0], i)) },
	judge: func(j *job) {
		for _, r := range j.rows {
			j.setValid(r, true)
		}
	},
}
