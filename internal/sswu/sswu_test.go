package sswu

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// The oracle follows RFC 9380 step by step, with math/big. Its isogeny has the constants of
// appendix E.1, so the tests also prove the shorter form in this package.

func hexadecimal(s string) *big.Int { return new(big.Int).SetBytes(reference.Hex(s)) }

var (
	curve = reference.Secp256k1()
	bigP  = reference.P()
	bigA  = hexadecimal("3f8731abdd661adca08a5558f0f5d272e953d363cb6f0e5d405447c01a444533")
	bigB  = big.NewInt(1771)
	bigZ  = big.NewInt(-11)
)

// isogenyMap holds the coefficients of the numerators and denominators of RFC 9380, appendix E.1,
// the constant term first.
var isogenyMap = [4][]string{
	{
		"8e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38daaaaa8c7",
		"07d3d4c80bc321d5b9f315cea7fd44c5d595d2fc0bf63b92dfff1044f17c6581",
		"534c328d23f234e6e2a413deca25caece4506144037c40314ecbd0b53d9dd262",
		"8e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38e38daaaaa88c",
	},
	{
		"d35771193d94918a9ca34ccbb7b640dd86cd409542f8487d9fe6b745781eb49b",
		"edadc6f64383dc1df7c4b2d51b54225406d36b641f5e41bbc52a56612a8c6d14",
		"01",
	},
	{
		"4bda12f684bda12f684bda12f684bda12f684bda12f684bda12f684b8e38e23c",
		"c75e0c32d5cb7c0fa9d0a54b12a0a6d5647ab046d686da6fdffc90fc201d71a3",
		"29a6194691f91a73715209ef6512e576722830a201be2018a765e85a9ecee931",
		"2f684bda12f684bda12f684bda12f684bda12f684bda12f684bda12f38e38d84",
	},
	{
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffff93b",
		"7a06534bb8bdb49fd5e9e6632722c2989467c1bfc8e8d978dfb425d2685c2573",
		"6484aa716545ca2cf3a70c3fa8fe337e0a3d21162f0d6299a7bf8192bfd2a76f",
		"01",
	},
}

// equation returns x³ + A·x + B.
func equation(x *big.Int) *big.Int {
	y := new(big.Int).Mul(x, x)
	y.Add(y, bigA).Mul(y, x).Add(y, bigB)
	return y.Mod(y, bigP)
}

// slowMap is the simplified SWU map (section 6.6.2) followed by the isogeny (appendix E.1).
func slowMap(u *big.Int) reference.Point {
	v := new(big.Int).Mul(u, u)
	v.Mul(v, bigZ)
	t := new(big.Int).Mul(v, v)
	t.Add(t, v).Mod(t, bigP)
	x := new(big.Int)
	if t.Sign() == 0 { // B/(Z·A)
		x.Mul(bigZ, bigA).Mod(x, bigP).ModInverse(x, bigP).Mul(x, bigB)
	} else { // −B/A·(1 + 1/t)
		x.ModInverse(t, bigP).Add(x, big.NewInt(1)).Mul(x, bigB)
		x.Mul(x, new(big.Int).ModInverse(bigA, bigP)).Neg(x)
	}
	x.Mod(x, bigP)
	y := new(big.Int).ModSqrt(equation(x), bigP)
	if y == nil {
		x.Mul(x, v).Mod(x, bigP)
		y = new(big.Int).ModSqrt(equation(x), bigP)
	}
	if y.Bit(0) != new(big.Int).Mod(u, bigP).Bit(0) {
		y.Sub(bigP, y)
	}
	var values [4]*big.Int
	for i, coefficients := range isogenyMap {
		values[i] = new(big.Int)
		for j := len(coefficients) - 1; j >= 0; j-- {
			values[i].Mul(values[i], x).Add(values[i], hexadecimal(coefficients[j]))
		}
	}
	quotient := func(a, b *big.Int) *big.Int {
		q := new(big.Int).ModInverse(new(big.Int).Mod(b, bigP), bigP)
		q.Mul(q, a)
		return q.Mod(q, bigP)
	}
	y.Mul(y, quotient(values[2], values[3])).Mod(y, bigP)
	return reference.Point{X: quotient(values[0], values[1]), Y: y}
}

// slowExpand is expand_message_xmd (section 5.3.1) with SHA-256.
func slowExpand(n int, msg, dst []byte) []byte {
	if len(dst) > 255 {
		long := sha256.Sum256(append([]byte("H2C-OVERSIZE-DST-"), dst...))
		dst = long[:]
	}
	dstPrime := append(bytes.Clone(dst), byte(len(dst)))
	in := append(make([]byte, 64), msg...)
	in = append(in, byte(n>>8), byte(n), 0)
	b0 := sha256.Sum256(append(in, dstPrime...))
	var out []byte
	b := [32]byte{}
	for i := 1; len(out) < n; i++ {
		for j := range b {
			b[j] ^= b0[j]
		}
		b = sha256.Sum256(append(append(bytes.Clone(b[:]), byte(i)), dstPrime...))
		out = append(out, b[:]...)
	}
	return out[:n]
}

func slowHash(msg, dst []byte) reference.Point {
	b := slowExpand(96, msg, dst)
	p := slowMap(new(big.Int).Mod(new(big.Int).SetBytes(b[:48]), bigP))
	return curve.Add(p, slowMap(new(big.Int).Mod(new(big.Int).SetBytes(b[48:]), bigP)))
}

func slowEncode(msg, dst []byte) reference.Point {
	return slowMap(new(big.Int).Mod(new(big.Int).SetBytes(slowExpand(48, msg, dst)), bigP))
}

// isPoint reports whether p is the point want.
func isPoint(p *point.Jacobian, want reference.Point) bool {
	var a point.Affine
	if finite := a.SetJacobian(p).Bool(); finite == want.IsInfinity() {
		return false
	}
	return want.IsInfinity() || isAffine(&a, want)
}

func isAffine(a *point.Affine, want reference.Point) bool {
	x, y := a.X.Limbs(), a.Y.Limbs()
	return reference.FromWords(x[:]...).Cmp(want.X) == 0 &&
		reference.FromWords(y[:]...).Cmp(want.Y) == 0
}

// edges returns numbers u modulo p, among them all exceptional ones: 0, and the two roots of 1/11,
// where v² + v is 0 although u is not.
func edges(r *rand.Rand) []*big.Int {
	root := new(big.Int).ModSqrt(new(big.Int).ModInverse(big.NewInt(11), bigP), bigP)
	us := []*big.Int{big.NewInt(0), root, new(big.Int).Sub(bigP, root)}
	for i := range int64(4) {
		us = append(us, big.NewInt(i+1), new(big.Int).Sub(bigP, big.NewInt(i+1)))
	}
	for range 9 {
		us = append(us, new(big.Int).Mod(reference.RandInt(r), bigP))
	}
	return us
}

// bytesOf returns two numbers in 48 bytes each. If high is set, it adds the largest multiples of p
// for which the sums fit in 48 bytes.
func bytesOf(u0, u1 *big.Int, high bool) *numbers {
	n := new(numbers)
	for i, u := range []*big.Int{u0, u1} {
		v := new(big.Int).Set(u)
		if high { // the largest number of 384 bits that is u modulo p
			top := new(big.Int).Lsh(big.NewInt(1), 384)
			top.Sub(top, big.NewInt(1)).Sub(top, v)
			top.Div(top, bigP)
			v.Add(v, top.Mul(top, bigP))
		}
		v.FillBytes(n[48*i:][:48])
	}
	return n
}

// TestMap compares the map and the sums of two images with the oracle, for all pairs of edge
// values. Equal numbers need a doubling, and opposite ones give infinity.
func TestMap(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	us := edges(r)
	images := make([]reference.Point, len(us))
	for i, u := range us {
		images[i] = slowMap(u)
		var p point.Jacobian
		bytesOf(u, u, i%2 == 0).mapOne(&p)
		if !isPoint(&p, images[i]) {
			t.Errorf("the image of %x is wrong", u)
		}
	}
	infinite := 0
	for i, u0 := range us {
		for j, u1 := range us {
			var p point.Jacobian
			bytesOf(u0, u1, j%2 == 1).mapTwo(&p)
			want := curve.Add(images[i], images[j])
			if !isPoint(&p, want) {
				t.Errorf("the sum of the images of %x and %x is wrong", u0, u1)
			}
			if want.IsInfinity() {
				infinite++
			}
		}
	}
	if infinite == 0 {
		t.Error("no sum is infinity")
	}
}

// TestMapLanes checks, for all pairs of edge values, that inLanes computes the same sum of two
// images as mapTwo.
func TestMapLanes(t *testing.T) {
	us := edges(rand.New(rand.NewSource(2)))[:16]
	n := len(us) * len(us)
	at := func(i int) *numbers { return bytesOf(us[i/len(us)], us[i%len(us)], i%3 == 0) }
	for _, rows := range []int{n, n - 5, 1} {
		m := new(Many)
		got := make([]point.Affine, rows)
		m.inLanes(got, func(i int) { m.bytes = *at(i) })
		for i := range got {
			var p point.Jacobian
			var want point.Affine
			at(i).mapTwo(&p)
			want.SetJacobian(&p)
			if got[i] != want {
				t.Fatalf("%d rows: row %d is wrong", rows, i)
			}
		}
	}
}

func TestHash(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, size := range []int{0, 1, 31, 32, 33, 63, 64, 65, 200, 5000} {
		for _, dstSize := range []int{1, 16, 254, 255, 256, 1000} {
			msg, dst := make([]byte, size), make([]byte, dstSize)
			r.Read(msg)
			r.Read(dst)
			var p point.Jacobian
			if Hash(&p, msg, dst); !isPoint(&p, slowHash(msg, dst)) {
				t.Errorf("the hash of %d bytes with a tag of %d is wrong", size, dstSize)
			}
			if Encode(&p, msg, dst); !isPoint(&p, slowEncode(msg, dst)) {
				t.Errorf("the encoding of %d bytes with a tag of %d is wrong", size, dstSize)
			}
		}
	}
}

// TestManyHash checks that Many.Hash computes the same point for each message as Hash. Some
// messages are equal.
func TestManyHash(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	dst := []byte("many")
	m := new(Many)
	for _, n := range []int{1, 5, 6, 7, 8, 9, 13, 14, 31, MaxRows - 1, MaxRows} {
		msgs := make([][]byte, n)
		for i := range msgs {
			msgs[i] = fmt.Appendf(nil, "%d", r.Intn(n))
		}
		got := make([]point.Affine, n)
		m.Hash(got, msgs, dst)
		for i := range got {
			var want point.Jacobian
			var a point.Affine
			Hash(&want, msgs[i], dst)
			a.SetJacobian(&want)
			if a != got[i] {
				t.Fatalf("%d messages: number %d is wrong", n, i)
			}
		}
	}
}
