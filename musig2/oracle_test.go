package musig2

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// The functions of this file are those of the BIP's text, on math/big.

var curve = reference.Secp256k1()

func tagged(tag string, parts ...[]byte) *big.Int {
	h := new(big.Int).SetBytes(reference.TaggedHash(tag, parts...))
	return h.Mod(h, reference.N())
}

func fill(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

// cbytes returns the encoding of a point, or zeros for infinity.
func cbytes(p reference.Point) []byte {
	if p.IsInfinity() {
		return make([]byte, 33)
	}
	return append([]byte{2 | byte(p.Y.Bit(0))}, fill(p.X)...)
}

// A tweak is a number to be added to an aggregate key.
type tweak struct {
	t     *big.Int
	xOnly bool
}

// oracle returns the partial signature of the first of the signers with the private keys d and the
// nonces k1 and k2, and the x coordinate of the aggregate key.
func oracle(d []*big.Int, k [][2]*big.Int, tweaks []tweak, msg []byte) (s *big.Int, x []byte) {
	n := reference.N()
	var public []reference.Point
	var all []byte
	for _, d := range d {
		public = append(public, curve.ScalarMult(d, curve.G))
		all = append(all, cbytes(public[len(public)-1])...)
	}
	list := reference.TaggedHash("KeyAgg list", all)
	second := slices.IndexFunc(public, func(p reference.Point) bool { return !p.Equal(public[0]) })
	coefficient := func(p reference.Point) *big.Int {
		if second >= 0 && p.Equal(public[second]) {
			return big.NewInt(1)
		}
		return tagged("KeyAgg coefficient", list, cbytes(p))
	}
	var q reference.Point
	for _, p := range public {
		q = curve.Add(q, curve.ScalarMult(coefficient(p), p))
	}
	gacc := big.NewInt(1)
	for _, tw := range tweaks {
		if tw.xOnly && q.Y.Bit(0) == 1 {
			q = curve.Neg(q)
			gacc.Neg(gacc)
		}
		q = curve.Add(q, curve.ScalarMult(tw.t, curve.G))
	}
	var sum [2]reference.Point
	for _, k := range k {
		for i := range sum {
			sum[i] = curve.Add(sum[i], curve.ScalarMult(k[i], curve.G))
		}
	}
	x = fill(q.X)
	b := tagged("MuSig/noncecoef", cbytes(sum[0]), cbytes(sum[1]), x, msg)
	r := curve.Add(sum[0], curve.ScalarMult(b, sum[1]))
	if r.IsInfinity() {
		r = curve.G
	}
	s = new(big.Int).Mul(b, k[0][1])
	s.Add(s, k[0][0])
	if r.Y.Bit(0) == 1 {
		s.Neg(s)
	}
	c := tagged("BIP0340/challenge", fill(r.X), x, msg)
	c.Mul(c, coefficient(public[0])).Mul(c, gacc).Mul(c, d[0])
	if q.Y.Bit(0) == 1 {
		c.Neg(c)
	}
	return s.Add(s, c).Mod(s, n), x
}

// TestOracle compares partial signatures and aggregate keys with those of the oracle, for edge
// values of keys, nonces and tweaks.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	edges := []*big.Int{
		big.NewInt(1), big.NewInt(2), new(big.Int).Sub(reference.N(), big.NewInt(1)), reference.Lambda(),
	}
	number := func() *big.Int { // often an edge value, so that some keys are equal
		if rng.IntN(4) == 0 {
			return edges[rng.IntN(4)]
		}
		return reference.Secret(rng)
	}
	negative := 0
	for range 40 {
		signers := 1 + rng.IntN(4)
		var d []*big.Int
		var k [][2]*big.Int
		var keys []*koblitz.PublicKey
		var nonces []*PublicNonce
		var secret []*SecretNonce
		for i := range signers {
			d, k = append(d, number()), append(k, [2]*big.Int{number(), number()})
			key := reference.Must(koblitz.ParsePrivateKey(fill(d[i]))).PublicKey()
			keys = append(keys, key)
			secret = append(secret, secretNonce(t,
				slices.Concat(fill(k[i][0]), fill(k[i][1]), key.Bytes())))
			nonces = append(nonces, secret[i].PublicNonce())
		}
		key := reference.Must(AggregateKeys(keys...))
		var tweaks []tweak
		for range rng.IntN(4) {
			tw := tweak{number(), rng.IntN(2) == 0}
			if rng.IntN(4) == 0 {
				tw.t = new(big.Int)
			}
			tweaks = append(tweaks, tw)
			if tw.xOnly {
				key = reference.Must(key.TweakAddXOnly(fill(tw.t)))
			} else {
				key = reference.Must(key.TweakAdd(fill(tw.t)))
			}
		}
		negative += int(key.key.Negated)
		msg := make([]byte, rng.IntN(70))
		want, x := oracle(d, k, tweaks, msg)
		s := reference.Must(NewSession(key, reference.Must(AggregateNonces(nonces...)), msg))
		got := reference.Must(s.Sign(secret[0], reference.Must(koblitz.ParsePrivateKey(fill(d[0])))))
		if !slices.Equal(got.Bytes(), fill(want)) || !slices.Equal(key.XOnlyPublicKey().Bytes(), x) {
			t.Errorf("%d signers, %d tweaks: the partial signature is %v, want %x; the key %v, want %x",
				signers, len(tweaks), got, want, key.XOnlyPublicKey(), x)
		}
	}
	if negative == 0 || negative == 40 {
		t.Errorf("gacc is −1 for %d of 40 keys", negative)
	}
}
