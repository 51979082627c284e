package peer

import (
	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fr"
)

func gnarkScalar(b []byte) (x fr.Element) { x.SetBytes(b); return x }

func gnarkPoint(xy []byte) (p secp256k1.G1Affine) {
	p.X.SetBytes(xy[:32])
	p.Y.SetBytes(xy[32:])
	return p
}

func gnarkCompress(p *secp256k1.G1Affine) []byte {
	x, y := p.X.Bytes(), p.Y.Bytes()
	return append([]byte{2 + y[31]&1}, x[:]...)
}

// NewGnark returns a peer that calls gnark-crypto's sums.
func NewGnark(in *Inputs) *Peer {
	d := map[string]Driver{}
	points, scalars := each(in.Points, gnarkPoint), each(in.Scalars, gnarkScalar)
	sums(in, d, func(n int) *secp256k1.G1Affine {
		var p secp256k1.G1Jac
		must(p.MultiExp(points[:n], scalars[:n], ecc.MultiExpConfig{NbTasks: 1}))
		return new(secp256k1.G1Affine).FromJacobian(&p)
	}, gnarkCompress)
	version := moduleVersion("github.com/consensys/gnark-crypto")
	return &Peer{Name: "gnark", Version: version, Drivers: d}
}
