package hostile

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Sum is a call of kind Sum and the expected result.
type Sum struct {
	What            string
	Scalars, Points []byte // columns of the call
	Malformed       bool
	Want            [64]byte // expected sum, unless Malformed
}

// Call returns the call.
func (s *Sum) Call() *device.Call {
	c := &device.Call{Kind: device.Sum, Rows: len(s.Scalars) / 32,
		Verdicts: make([]device.Verdict, 1), Results: bytes.Repeat([]byte{0x77}, 64)}
	c.Columns[0] = device.Column{Data: s.Scalars, Stride: 32}
	c.Columns[1] = device.Column{Data: s.Points, Stride: 64}
	return c
}

// Check returns an error unless the verdict and the result of c are the expected ones. c is a call
// that was made by s.Call and carried out by a device.
func (s *Sum) Check(c *device.Call) error {
	verdict, want := device.Valid, s.Want
	if s.Malformed {
		verdict, want = device.Malformed, [64]byte{}
	}
	if c.Verdicts[0] != verdict || !bytes.Equal(c.Results, want[:]) {
		return fmt.Errorf("%s, %d terms: verdict %d, %x, want %d, %x", s.What, c.Rows, c.Verdicts[0],
			c.Results, verdict, want)
	}
	return nil
}

// A known is a point whose discrete logarithm to the base G is known.
type known struct {
	log     *big.Int
	encoded []byte
}

func newKnown(log *big.Int) known {
	log = modulo(log)
	return known{log, encode64(timesG(log))}
}

// encode64 returns both coordinates of a point, or zeros for infinity.
func encode64(a reference.Point) []byte {
	if a.IsInfinity() {
		return make([]byte, 64)
	}
	return slices.Concat(bytes32(a.X), bytes32(a.Y))
}

// add appends the term k·p to s, and adds the discrete logarithm of k·p to total.
func (s *Sum) add(total, k *big.Int, p known) {
	s.Scalars = append(s.Scalars, bytes32(k)...)
	s.Points = append(s.Points, p.encoded...)
	total.Add(total, mul(k, p.log))
}

// Sums returns valid and hostile sums, each with n terms. It returns the same sums every time.
func Sums(n int) (list []Sum) {
	r := rand.New(rand.NewPCG(73, uint64(n)))
	lambda := curve.Lambda
	var points []known
	for range 24 {
		points = append(points, newKnown(scalar(r)))
	}
	one := newKnown(num(1))
	// Points related to G: opposites, images under the endomorphism, and small multiples.
	related := []known{one}
	for _, log := range []*big.Int{num(-1), num(2), num(-2), num(3), lambda, negative(lambda),
		mul(lambda, lambda), new(big.Int).Add(lambda, num(1))} {
		related = append(related, newKnown(log))
	}
	identity := newKnown(new(big.Int))
	top := new(big.Int).Sub(order, num(1))
	half := new(big.Int).Rsh(order, 1)
	edges := []*big.Int{new(big.Int), num(1), num(2), top, half, new(big.Int).Add(half, num(1)),
		lambda, negative(lambda), mul(lambda, lambda), new(big.Int).Lsh(num(1), 127),
		new(big.Int).Lsh(num(1), 128), new(big.Int).Lsh(num(1), 255)}
	// Scalars whose halves have the greatest length, or have equal digits in all windows.
	for _, w := range []uint{4, 8, 13, 16} {
		ones, halves := new(big.Int), new(big.Int)
		for at := uint(0); at < 126; at += w {
			ones.SetBit(ones, int(at), 1)
			halves.SetBit(halves, int(at+w-1), 1)
		}
		edges = append(edges, ones, halves, mul(ones, lambda), negative(halves),
			modulo(new(big.Int).Add(halves, mul(halves, lambda))))
	}

	sum := func(what string, term func(i int) (*big.Int, known)) {
		s, total := Sum{What: what}, new(big.Int)
		for i := range n {
			k, p := term(i)
			s.add(total, k, p)
		}
		copy(s.Want[:], encode64(timesG(total)))
		list = append(list, s)
	}
	sum("random", func(int) (*big.Int, known) { return modulo(uniform(r)), pick(r, points) })
	sum("edges", func(int) (*big.Int, known) { return pick(r, edges), pick(r, related) })
	sum("edges of everything", func(i int) (*big.Int, known) {
		if r.IntN(9) == 0 {
			return scalar(r), identity
		}
		return scalar(r), pick(r, slices.Concat(related, points))
	})
	equal := scalar(r)
	sum("one scalar", func(int) (*big.Int, known) { return equal, pick(r, points) })
	sum("one point", func(int) (*big.Int, known) { return modulo(uniform(r)), one })
	sum("one term", func(int) (*big.Int, known) { return equal, points[0] })
	sum("one bucket", func(int) (*big.Int, known) { return num(1), pick(r, related) })
	sum("n − 1", func(int) (*big.Int, known) { return top, pick(r, points) })
	sum("that cancels", func(i int) (*big.Int, known) {
		k := edges[i/2%len(edges)]
		if i == n-1 && n%2 == 1 {
			return k, identity
		}
		if i%2 == 1 {
			k = negative(k)
		}
		return k, points[i/2%len(points)]
	})
	sum("opposite points", func(i int) (*big.Int, known) { return num(5), related[i%2] })
	sum("zeros", func(int) (*big.Int, known) { return new(big.Int), pick(r, points) })
	sum("identities", func(int) (*big.Int, known) { return scalar(r), identity })
	sum("two buckets", func(i int) (*big.Int, known) {
		return []*big.Int{num(1), new(big.Int).Lsh(num(1), 120)}[i*2/n], pick(r, points)
	})
	return append(list, malformed(r, n, list[0])...)
}

// uniform returns a random number below 2^256.
func uniform(r *rand.Rand) *big.Int { return new(big.Int).SetBytes(random(r, 32)) }

// malformed returns copies of a valid sum, each with one malformed term.
func malformed(r *rand.Rand, n int, valid Sum) (list []Sum) {
	max := new(big.Int).Sub(new(big.Int).Lsh(num(1), 256), num(1))
	spoil := func(what string, change func(scalar, point []byte)) {
		s := Sum{What: what, Malformed: true, Scalars: bytes.Clone(valid.Scalars),
			Points: bytes.Clone(valid.Points)}
		i := pick(r, []int{0, n - 1, r.IntN(n)})
		change(s.Scalars[32*i:][:32], s.Points[64*i:][:64])
		list = append(list, s)
	}
	for _, k := range []*big.Int{order, max} {
		spoil("a scalar that is too large", func(b, _ []byte) { copy(b, bytes32(k)) })
		spoil("such a scalar of the identity", func(b, q []byte) { copy(b, bytes32(k)); clear(q) })
	}
	spoil("an ordinate changed", func(_, q []byte) { q[63] ^= 1 })
	spoil("an abscissa changed", func(_, q []byte) { q[0] ^= 1 })
	spoil("half an identity", func(_, q []byte) { clear(q[:32]) })
	spoil("the other half", func(_, q []byte) { clear(q[32:]) })
	spoil("a point of zero times the scalar", func(b, q []byte) { clear(b); q[40] ^= 4 })
	// Coordinates that are valid modulo p, but are not below p: there is a point with x = 1.
	small, _ := curve.LiftX(num(1), false)
	spoil("an abscissa of p and more", func(_, q []byte) {
		copy(q, bytes32(new(big.Int).Add(p, num(1))))
		copy(q[32:], bytes32(small.Y))
	})
	spoil("p instead of zeros", func(_, q []byte) { copy(q, bytes32(p)); clear(q[32:]) })
	spoil("p instead of both zeros", func(_, q []byte) {
		copy(q, bytes32(p))
		copy(q[32:], bytes32(p))
	})
	return list
}
