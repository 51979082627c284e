package batch

import (
	"github.com/koblitz-go/koblitz/internal/vartime/blocks"
)

// lift sets w.p to the keys of the rows from lo to hi, and w.ok to whether they could be decoded. A
// key that could not be decoded is replaced by G.
func (w *secretWorker) lift(c *Column, lo, hi int) {
	n := hi - lo
	for i := range n {
		b := c.row(lo + i)
		w.ok[i], w.odd[i] = true, false
		if len(b) == 33 {
			w.ok[i], w.odd[i] = b[0]&^1 == 2, b[0] == 3
			b = b[1:]
		}
		inField := w.p[i].X.SetBytes((*[32]byte)(b)).Bool()
		w.ok[i] = w.ok[i] && inField
	}
	onCurve := make([]bool, n)
	blocks.LiftX(w.p[:n], w.odd[:n], onCurve)
	for i := range n {
		if w.ok[i] = w.ok[i] && onCurve[i]; !w.ok[i] {
			w.p[i].SetGenerator()
		}
	}
}
