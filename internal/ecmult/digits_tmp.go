package ecmult

import "github.com/koblitz-go/koblitz/internal/lanes"

func readDigits(p *lanes.Affine, table []lanes.Affine, words *[3]lanes.Vector, shift, width int) {
	for j := range lanes.Width {
		v := [5]uint64{words[0].At(j), words[1].At(j), words[2].At(j)}
		n, i := oddDigit(window(&v, uint(shift), uint(width)), uint(width))
		for l := range p.X {
			p.X[l].Set(j, table[i].X[l].At(j))
			p.Y[l].Set(j, table[i].Y[l].At(j))
		}
		m := lanes.None()
		m.Put(j, uint64(n))
		p.CondNeg(m, p)
	}
}
func readShared(p *lanes.Affine, table *sharedBlock, words *[5]lanes.Vector, shift, width int) {
	for j := range lanes.Width {
		var v [5]uint64
		for i := range v {
			v[i] = words[i].At(j)
		}
		n, i := oddDigit(window(&v, uint(shift), uint(width)), uint(width))
		for l := range p.X {
			p.X[l].Set(j, table[l][i/8][i%8])
			p.Y[l].Set(j, table[l+5][i/8][i%8])
		}
		m := lanes.None()
		m.Put(j, uint64(n))
		p.CondNeg(m, p)
	}
}
