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

// prove sets p to a proof for the three points. The caller verifies it.
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
	p.b.Set(challenge(x, y, z, secret.PublicKey(), ay))
	p.c.Add(&a, p.c.Mul(&p.b, k))
	return nil
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
