package engine

import "github.com/koblitz-go/koblitz/internal/scalar"

// addTweaks is the scheme that adds public tweaks to keys (BIP-32, BIP-341). A row has the key P,
// which is the point p, and the tweak a. Its result is P + a·G.
//
//layers:allow a constant
var addTweaks = scheme{
	kind: AddTweaks, noPoint: KeyNotOnCurve, unequal: Infinity, addsPoint: true,
	parse: func(c *columns, r row, i int) {
		c.setKey(r, i)
		r.setTweak(at32(&c.Columns[0], i))
	},
	scalars: tweaks,
	judge:   (*job).findProducts,
}

// checkTweaks is the scheme that checks taproot outputs (BIP-341, "Script validation rules"): a row
// is valid if P + a·G, with the row's key P and tweak a, has the x coordinate x and the parity that
// the row's flags hold.
//
// An equation for many rows would take longer (docs/lab/batches.md): it needs a square root for the
// output's y coordinate, and multiplies a point of each row by a random coefficient. In place of
// both, a·G takes 26 additions.
//
//layers:allow a constant
var checkTweaks = scheme{
	kind: CheckTweaks, noPoint: KeyNotOnCurve, unequal: WrongOutput, addsPoint: true,
	xOnly: true,
	parse: func(c *columns, r row, i int) {
		c.setKey(r, i)
		r.setTweak(at32(&c.Columns[0], i))
		parity := c.Columns[3].Data[i*c.Columns[3].Stride]
		if r.need(parity <= 1 && r.rows.x[r.i].SetBytes(at32(&c.Columns[2], i)).Bool(), OutputRange) {
			r.rows.flags[r.i] |= flags(1+parity) << idShift
		}
	},
	scalars: tweaks,
	judge: func(j *job) {
		n := j.rows.Len()
		j.backend(n).ToAffine(j.q[:n], j.ok[:n], j.r[:n])
		for i := range n {
			q, parity := &j.q[i], j.rows.flags[i].id()-1
			j.setValid(i, j.ok[i] && q.X.Equal(&j.rows.x[i]).Bool() && uint8(q.Y.IsOdd()) == parity)
		}
	},
}

func tweaks(j *job) (a, b []scalar.Scalar) { return j.rows.a, nil }

// setTweak sets the tweak: 32 bytes, big-endian. The row is malformed if the tweak is not below n.
// The time depends on the tweak.
func (r row) setTweak(b *[32]byte) {
	r.need(r.rows.a[r.i].SetBytes(b).Bool(), ScalarRange)
}
