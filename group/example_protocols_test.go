package group_test

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/group"
)

// hashTag returns a domain separation tag: it names the program, its version and the use.
func hashTag(use string) []byte { return []byte("example.com-V01-" + use) }

// challenge hashes the points of a proof to a scalar, as Fiat and Shamir make a proof
// non-interactive. All points of the statement and all commitments must be hashed.
func challenge(use string, points ...*group.Point) *group.Scalar {
	var transcript []byte
	for _, p := range points {
		transcript = p.AppendBytes(transcript)
	}
	e, err := new(group.Scalar).HashToScalar(transcript, hashTag(use))
	if err != nil {
		panic(err) // the tag is not empty
	}
	return e
}

// A Pedersen commitment C = v·G + r·H hides v, and binds to it, because no one knows the logarithm
// of H. The proof shows that the prover knows v and r.
func Example_pedersen() {
	g := new(group.Point).SetGenerator()
	h := new(group.Point).SetNamedGenerator("example.com blinding")
	bases := []*group.Point{g, h}

	// The prover commits to v = 42.
	v, r := new(group.Scalar).SetUint64(42), group.RandomScalar()
	c, err := new(group.Point).MultiScalarMult([]*group.Scalar{v, r}, bases)
	if err != nil {
		panic(err)
	}

	// The proof is (R, s, t) with R = a·G + b·H, s = a + e·v and t = b + e·r.
	a, b := group.RandomScalar(), group.RandomScalar()
	commitment, err := new(group.Point).MultiScalarMult([]*group.Scalar{a, b}, bases)
	if err != nil {
		panic(err)
	}
	e := challenge("pedersen", h, c, commitment)
	s := new(group.Scalar).Mul(e, v)
	s.Add(s, a)
	t := new(group.Scalar).Mul(e, r)
	t.Add(t, b)

	// The verifier checks that s·G + t·H − e·C = R.
	e = challenge("pedersen", h, c, commitment)
	sum := new(group.Point).DoubleScalarBaseMultVartime(s, t, h)
	sum.Sub(sum, new(group.Point).ScalarMultVartime(e, c))
	fmt.Println(sum.Equal(commitment))
	// Output: true
}

// A Schnorr proof of knowledge of the discrete logarithm x of X, made non-interactive by a hash.
// The prover knows x and r and multiplies in constant time. The verifier knows no secrets.
func Example_proofOfKnowledge() {
	x, r := group.RandomScalar(), group.RandomScalar()
	public := new(group.Point).ScalarBaseMult(x)
	commitment := new(group.Point).ScalarBaseMult(r)
	e := challenge("knowledge", public, commitment)
	response := new(group.Scalar).Mul(e, x)
	response.Add(response, r)

	// The proof is (commitment, response). The commitment must equal response·G − e·X.
	e = challenge("knowledge", public, commitment)
	check := new(group.Point).DoubleScalarBaseMultVartime(response, e.Negate(e), public)
	fmt.Println(check.Equal(commitment))
	// Output: true
}

// Shamir's sharing: any three of five shares give the secret, and two tell nothing about it. A
// share is the value of a random polynomial of degree two, whose value at 0 is the secret.
func Example_shamir() {
	secret := group.RandomScalar()
	coefficients := []*group.Scalar{secret, group.RandomScalar(), group.RandomScalar()}
	shares := make([]*group.Scalar, 5)
	for i := range shares {
		x := new(group.Scalar).SetUint64(uint64(i + 1)) // never 0: that share is the secret
		shares[i] = new(group.Scalar)
		for _, c := range slices.Backward(coefficients) {
			shares[i].Mul(shares[i], x).Add(shares[i], c)
		}
	}

	// The holders of shares 0, 2 and 4 recover the secret.
	holders := []int{0, 2, 4}
	var identifiers []*group.Scalar
	for _, i := range holders {
		identifiers = append(identifiers, new(group.Scalar).SetUint64(uint64(i+1)))
	}
	lagrange, err := group.Lagrange(identifiers)
	if err != nil {
		panic(err) // an identifier is 0 or equal to another
	}
	recovered, term := new(group.Scalar), new(group.Scalar)
	for j, i := range holders {
		recovered.Add(recovered, term.Mul(lagrange[j], shares[i]))
	}
	fmt.Println(recovered.Equal(secret))
	// Output: true
}
