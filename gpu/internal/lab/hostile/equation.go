package hostile

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// Terms are the terms of a row in an equation for many rows, computed by the oracle. If the row is
// Valid, the sum of points
//
//	Base·G + Scalars[0]·Points[0] + Scalars[1]·Points[1]
//
// is the point at infinity. Rows with other verdicts have no terms. A row is Unchecked if its
// recovery id selects no point.
type Terms struct {
	Verdict device.Verdict
	Base    *big.Int
	Points  [2]reference.Point // the key and the nonce point
	Scalars [2]*big.Int
}

// Equation returns the terms of each row of s in the equation with the given seed. The rows of s
// are BIP-340 rows, or ECDSA rows with recovery ids.
func (s *Set) Equation(seed []byte) (list []Terms) {
	for i, row := range s.Rows {
		t := s.schnorrTerms
		if s.Kind == device.ECDSA {
			t = s.ecdsaTerms
		}
		list = append(list, t(row.Fields, coefficient(seed, i)))
	}
	return list
}

// coefficient returns the coefficient by which the equation multiplies a row. It has the form u +
// v·λ, where u and v are signed numbers of 64 bits from a hash of the seed and the row.
func coefficient(seed []byte, row int) *big.Int {
	h := sha256.Sum256(binary.BigEndian.AppendUint32(slices.Clone(seed), uint32(row)))
	u, v := int64(binary.BigEndian.Uint64(h[:])), int64(binary.BigEndian.Uint64(h[8:]))
	return modulo(new(big.Int).Add(num(u), new(big.Int).Mul(num(v), reference.Lambda())))
}

// schnorrTerms returns the terms of z·(s·G − e·P − R), for the row with the given fields.
func (s *Set) schnorrTerms(fields [][]byte, z *big.Int) Terms {
	msg, key, r := fields[0], fields[1], fields[2][:32]
	a := new(big.Int).SetBytes(fields[2][32:])
	P, ok := parse(key)
	if !ok || new(big.Int).SetBytes(r).Cmp(p) >= 0 || a.Cmp(order) >= 0 {
		return Terms{Verdict: device.Malformed}
	}
	R, ok := parse(r)
	if !ok {
		return Terms{Verdict: device.Invalid}
	}
	e := modulo(new(big.Int).SetBytes(msg))
	if s.Rules&device.Hashed == 0 {
		e = challenge(r, key, msg)
	}
	return Terms{device.Valid, mul(z, a), [2]reference.Point{P, R},
		[2]*big.Int{negative(mul(z, e)), negative(z)}}
}

// ecdsaTerms returns the terms of z·(h·G + r·P − s·R) for the row with the given fields, where R is
// the point that the recovery id selects.
func (s *Set) ecdsaTerms(fields [][]byte, z *big.Int) Terms {
	key, id := fields[1], fields[3][0]
	r, q := new(big.Int).SetBytes(fields[2][:32]), new(big.Int).SetBytes(fields[2][32:])
	P, ok := parse(key)
	for _, x := range []*big.Int{r, q} {
		ok = ok && x.Sign() > 0 && x.Cmp(order) < 0
	}
	if !ok || id > 3 {
		return Terms{Verdict: device.Malformed}
	}
	if s.Rules&device.LowS != 0 && q.Cmp(new(big.Int).Rsh(order, 1)) > 0 {
		return Terms{Verdict: device.Invalid}
	}
	x := r
	if id&2 != 0 {
		x = new(big.Int).Add(r, order)
	}
	R, ok := curve.LiftX(x, id&1 != 0)
	if !ok {
		return Terms{Verdict: device.Unchecked}
	}
	return Terms{device.Valid, mul(z, new(big.Int).SetBytes(fields[0])), [2]reference.Point{P, R},
		[2]*big.Int{mul(z, r), negative(mul(z, q))}}
}
