package peer

import (
	"context"
	"fmt"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fr"
	dcrec "github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
)

// baseMul is the family of operations that multiply the base point G by many public scalars, with
// affine results. The scalars are the private keys of the rows, so the results are the rows' public
// keys.
const baseMul = "base-mul-batch"

func (b *batches) baseMul(n int) Driver {
	rows := batch.ScalarRows{Scalars: batch.Packed(slices.Concat(b.in.Secret[:n]...), 32)}
	return b.pointsOf(n, func() (int, error) {
		return rows.PublicKeysVartime(context.Background(), b.points[:65*n], b.verdicts[:n],
			oneThread)
	})
}

// baseMulRows adds to d the drivers that multiply G by one scalar after another with koblitz's
// functions for a single scalar.
func baseMulRows(in *Inputs, d map[string]Driver) {
	scalars := make([]group.Scalar, len(in.Many.Secret))
	for i, s := range in.Many.Secret {
		must(scalars[i].SetBytes(s))
	}
	var p group.Point
	var last []byte
	rowByRow(in, d, baseMul, "one by one", func(i int) {
		last = p.ScalarBaseMultVartime(&scalars[i]).AppendBytes(last[:0])
	}, func() []byte { return slices.Clone(last) })
}

// gnarkBaseMul adds to d the drivers that call gnark's multiplication of one point by many scalars.
// gnark may use only one thread, like every peer.
func gnarkBaseMul(in *Inputs, d map[string]Driver) {
	_, g := secp256k1.Generators()
	scalars := make([]fr.Element, len(in.Many.Secret))
	for i, s := range in.Many.Secret {
		scalars[i].SetBytes(s)
	}
	for _, n := range sizes(in, baseMul) {
		do := func() []secp256k1.G1Affine {
			return secp256k1.BatchScalarMultiplicationG1(&g, scalars[:n])
		}
		d[fmt.Sprintf("%s-%d", baseMul, n)] = Driver{Do: func(int) { do() }, Out: func(int) []byte {
			var all []byte
			for _, p := range do() {
				all = append(all, gnarkCompress(&p)...)
			}
			return all
		}}
	}
}

func dcrecBaseMul(in *Inputs, d map[string]Driver) {
	scalars := make([]dcrec.ModNScalar, len(in.Many.Secret))
	for i, s := range in.Many.Secret {
		scalars[i] = dcrScalar(s)
	}
	var r dcrec.JacobianPoint
	rowByRow(in, d, baseMul, "one by one", func(i int) {
		dcrec.ScalarBaseMultNonConst(&scalars[i], &r)
		r.ToAffine()
	}, func() []byte { return dcrCompress(r) })
}
