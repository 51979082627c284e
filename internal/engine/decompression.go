package engine

// decompression is the scheme that finds the y coordinates of compressed keys. A row has a point to
// lift, and no scalar to multiply by.
//
//layers:allow a constant
var decompression = scheme{
	kind: Decompress, noPoint: KeyNotOnCurve,
	parse: func(s *columns, r Row, i int) { r.SetEncodedKey(at33(&s.call.Columns[0], i)[:]) },
	judge: func(j *Job) {
		for i := range j.rows.Len() {
			j.setValid(i, true)
		}
		j.found = j.rows.p
	},
}
