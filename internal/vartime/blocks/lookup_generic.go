//go:build !amd64 || purego

package blocks

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A laneTables is a table of odd multiples for each lane, entries in ascending
// order and packed as point.PackedSize says.
type laneTables struct {
	words   [lanes.Width][]uint64
	strings [lanes.Width]string
}

// setString sets the table of lane j.
func (t *laneTables) setString(j int, table string) { t.strings[j] = table }

// setWords sets the table of lane j.
func (t *laneTables) setWords(j int, table []uint64) { t.words[j] = table }

// entry sets q to entry i of the table of lane j.
func (t *laneTables) entry(q *point.Affine, j, i int) {
	if t.words[j] == nil {
		q.SetPacked(t.strings[j][i*point.PackedSize:])
		return
	}
	e := t.words[j][i*lanes.RowWords:][:lanes.RowWords]
	q.X.SetLimbs(e[0], e[1], e[2], e[3])
	q.Y.SetLimbs(e[4], e[5], e[6], e[7])
}

// lookup sets every lane of p to the multiple by its digit, which is the window
// of so many bits from bit shift on. The odd multiples begin skip entries into
// the table.
func (t *laneTables) lookup(p *lanes.Affine, digits *[3]lanes.Vector, shift, width, skip int) {
	lookupPortable(p, t, digits, shift, width, skip)
}

// prefetch asks for what lookup will read with the same arguments, where that
// is possible.
func (t *laneTables) prefetch(digits *[3]lanes.Vector, shift, width, skip int) {}

// store sets entry n of the tables of group i.
func (w *Lanes) store(i, n int, q *lanes.Affine) { w.storePortable(i, n, q) }
