package adaptor

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A proof shows that X = k·G and Z = k·Y have the same k: the challenge b and the response c of
// dlcspecs, "Proof of Discrete Logarithm Equality". Package dleq has the proofs of BIP-374, which
// hash other inputs.
type proof struct{ b, c group.Scalar }

const proofSize = 2 * group.ScalarSize

// prove sets p to a proof for the three points.
func (p *proof) prove(k *group.Scalar, x, y, z *koblitz.PublicKey) error {
	secret, err := nonce("DLEQ/non", k, x.Bytes(), y.Bytes(), z.Bytes())
	if err != nil {
		return err
	}
	defer secret.Zeroize()
	var a group.Scalar
	defer a.Zeroize()
	if _, err := a.SetPrivateKey(secret); err != nil {
		return err
	}
	ay, err := times(&a, y)
	if err != nil {
		return err
	}
	ag := secret.PublicKey()
	p.b.Set(challenge(x, y, z, ag, ay))
	p.c.Add(&a, p.c.Mul(&p.b, k))

	if !p.holds(x, y, z, ag, ay) {
		p.c.Zeroize()
		return errFault
	}
	return nil
}

// holds reports whether p is valid for the three points with the commitments a·G and a·Y. The
// response of a new proof is secret until then, because a fault could have made it: the time does
// not depend on the response.
func (p *proof) holds(x, y, z, ag, ay *koblitz.PublicKey) bool {
	var left, right, point group.Point
	_, err := point.SetPublicKey(y)
	return err == nil && challenge(x, y, z, ag, ay).Equal(&p.b) &&
		left.ScalarBaseMult(&p.c).Equal(p.response(&right, ag, x)) &&
		left.ScalarMult(&p.c, &point).Equal(p.response(&right, ay, z))
}

// challenge returns the hash of the statement and the commitments.
func challenge(points ...*koblitz.PublicKey) *group.Scalar {
	var input []byte
	for _, p := range points {
		input = p.AppendBytes(input)
	}
	digest := schnorr.TaggedHash("DLEQ", input)
	return modn.Reduce(new(group.Scalar), &digest)
}

// response sets r to commitment + b·p, and returns r. If a key holds no key, r is the identity.
func (p *proof) response(r *group.Point, commitment, point *koblitz.PublicKey) *group.Point {
	var product group.Point
	_, errR := r.SetPublicKey(commitment)
	_, errP := product.SetPublicKey(point)
	if errR != nil || errP != nil {
		return r.SetIdentity()
	}
	return r.Add(r, product.ScalarMultVartime(&p.b, &product))
}

// verify reports whether p is valid for the three points. It returns false if one holds no key.
func (p *proof) verify(x, y, z *koblitz.PublicKey) bool {
	var px, py, pz, ag, ay group.Point
	_, errX := px.SetPublicKey(x)
	_, errY := py.SetPublicKey(y)
	_, errZ := pz.SetPublicKey(z)
	if errX != nil || errY != nil || errZ != nil {
		return false
	}
	var minusB group.Scalar
	minusB.Negate(&p.b)
	ag.DoubleScalarBaseMultVartime(&p.c, &minusB, &px)
	ay.ScalarMultVartime(&p.c, &py)
	ay.Add(&ay, pz.ScalarMultVartime(&minusB, &pz))
	keyG, errG := ag.PublicKey()
	keyY, errY := ay.PublicKey()
	return errG == nil && errY == nil && challenge(x, y, z, keyG, keyY).Equal(&p.b)
}

// parse decodes a proof of 64 bytes.
func (p *proof) parse(b []byte) error {
	if _, err := p.b.SetBytes(b[:32]); err != nil {
		return fmt.Errorf("adaptor: proof: b: %w", err)
	}
	if _, err := p.c.SetBytes(b[32:]); err != nil {
		return fmt.Errorf("adaptor: proof: c: %w", err)
	}
	return nil
}

func (p *proof) append(dst []byte) []byte { return p.c.AppendBytes(p.b.AppendBytes(dst)) }
