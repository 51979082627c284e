package peer

import (
	"slices"
	"strings"

	"github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/koblitz-go/koblitz/group"
)

// hashes is the family of operations that hash many messages of 32 bytes to points (RFC 9380,
// secp256k1_XMD:SHA-256_SSWU_RO_), with affine results.
const hashes = "hash-to-curve-batch"

// hashTag returns the domain separation tag of hashes to the curve.
func hashTag() []byte { return []byte("koblitz-bench-V01-with-secp256k1_XMD:SHA-256_SSWU_RO_") }

func (b *batches) hashes(n int) Driver {
	points, tag := make([]group.Point, n), hashTag()
	do := func(int) {
		if err := group.BatchHashToCurve(points, b.in.Hash[:n], tag); err != nil {
			panic(err)
		}
	}
	return Driver{Do: do, Timing: Constant, Out: func(int) []byte {
		do(0)
		var all []byte
		for i := range points {
			all = points[i].AppendBytes(all)
		}
		return all
	}}
}

// koblitzHashes adds to d the drivers that hash one message with koblitz, and encode the point,
// which makes it affine.
func koblitzHashes(in *Inputs, d map[string]Driver) {
	var p group.Point
	var last []byte
	tag := hashTag()
	encode := func() []byte { return slices.Clone(last) }
	d["hash-to-curve"] = stores(Constant, func(i int) {
		last = must(p.HashToCurve(in.Hash[i], tag)).AppendBytes(last[:0])
	}, encode)
	d["encode-to-curve"] = stores(Constant, func(i int) {
		last = must(p.EncodeToCurve(in.Hash[i], tag)).AppendBytes(last[:0])
	}, encode)
}

// hashRows adds to d the drivers that hash one message after another with koblitz's function for
// one message.
func hashRows(in *Inputs, d map[string]Driver) {
	var p group.Point
	var last []byte
	tag := hashTag()
	rowByRow(in, d, hashes, "one by one", func(i int) {
		last = must(p.HashToCurve(in.Many.Hash[i], tag)).AppendBytes(last[:0])
	}, func() []byte { return slices.Clone(last) })
}

// gnarkHashes adds to d the drivers that hash one message with gnark. Its results are affine. Its
// map is that of Shallue and van de Woestijne, so its points are not those of RFC 9380's suite.
func gnarkHashes(in *Inputs, d map[string]Driver) {
	const note = "map of Shallue and van de Woestijne: other points"
	var p secp256k1.G1Affine
	tag := hashTag()
	encode := func() []byte { return gnarkCompress(&p) }
	hash := func(msg []byte) { p = must(secp256k1.HashToG1(msg, tag)) }
	d["hash-to-curve"] = stores(Variable, func(i int) { hash(in.Hash[i]) }, encode).noted(note)
	d["encode-to-curve"] = stores(Variable, func(i int) {
		p = must(secp256k1.EncodeToG1(in.Hash[i], tag))
	}, encode).noted(note)
	rowByRow(in, d, hashes, "one by one; "+note, func(i int) { hash(in.Many.Hash[i]) }, encode)
	for op, driver := range d {
		if strings.HasPrefix(op, hashes) || driver.Note == note {
			driver.OwnMap = true
			d[op] = driver
		}
	}
}
