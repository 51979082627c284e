package engine

// addTweaks is the scheme that adds public tweaks to keys (BIP-32, BIP-341). A row has the key P,
// which is the point p, and the tweak a. Its result is P + a·G.
//
//layers:allow a constant
var addTweaks = scheme{
	kind: AddTweaks, noPoint: KeyNotOnCurve, unequal: Infinity,
	parse:    parseTweak,
	multiply: (*job).addBase,
	judge:    (*job).findProducts,
}

// checkTweaks is the scheme that checks taproot outputs (BIP-341, "Script validation rules"): a row
// is valid if P + a·G, with the row's key P and tweak a, has the x coordinate x and the parity that
// the row's flags hold.
//
// An equation for many rows would take longer (docs/lab/batches.md): it needs a square root for the
// output's y coordinate, and multiplies a point of each row by a random coefficient. Verifying a
// row alone needs neither, and its a·G takes only 26 additions.
//
//layers:allow a constant
var checkTweaks = scheme{
	kind: CheckTweaks, noPoint: KeyNotOnCurve, unequal: WrongOutput, xOnly: true,
	parse: func(c *columns, r *row, i int) {
		parseTweak(c, r, i)
		parity := c.Columns[3].Data[i*c.Columns[3].Stride]
		r.need(parity <= 1 && r.x.SetBytes(at32(&c.Columns[2], i)).Bool(), OutputRange)
		r.id = 1 + parity
	},
	multiply: (*job).addBase,
	judge: func(j *job) {
		j.affine()
		for k, r := range j.rows {
			q := &j.p[k]
			j.setValid(r, j.ok[k] && q.X.Equal(&r.x).Bool() && 1+uint8(q.Y.IsOdd()) == r.id)
		}
	},
}

// parseTweak sets the key, and the tweak: 32 bytes, big-endian. The row is malformed if the tweak
// is not below n. The time depends on the tweak.
func parseTweak(c *columns, r *row, i int) {
	c.setKey(r, i)
	r.need(r.a.SetBytes(at32(&c.Columns[0], i)).Bool(), ScalarRange)
}
