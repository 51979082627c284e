package engine

import (
	"encoding/binary"
	"math"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file checks, without parsing, whether a row of a call's columns is malformed at first sight.

// isKey reports whether the ECDSA key of row i looks well formed. A compressed key passes if its x
// is below p: only lifting finds whether the curve has a point with that x.
func isKey(c *device.Call, i int) bool {
	if c.Rules&device.Uncompressed == 0 {
		key := at33(&c.Columns[1], i)
		return key[0]&^1 == 0x02 && isField((*[32]byte)(key[1:]))
	}
	return isUncompressedKey(at65(&c.Columns[1], i))
}

// isUncompressedKey reports whether key is the uncompressed encoding of a point of the curve.
func isUncompressedKey(key *[65]byte) bool {
	var p point.Affine
	return key[0] == 0x04 && p.X.SetBytes((*[32]byte)(key[1:33])).Bool() &&
		p.Y.SetBytes((*[32]byte)(key[33:])).Bool() && p.IsOnCurve().Bool()
}

// The functions below compare the first eight bytes of a number, which nearly always decide. They
// read the whole number only if those bytes do not.

// isField reports whether b is below p.
func isField(b *[32]byte) bool {
	var x field.Element
	return head(b) != math.MaxUint64 || x.SetBytes(b).Bool()
}

// isScalar reports whether b is below n.
func isScalar(b *[32]byte) bool {
	var x scalar.Scalar
	return head(b) != math.MaxUint64 || x.SetBytes(b).Bool()
}

// isDivisor reports whether b is below n and not zero.
func isDivisor(b *[32]byte) bool { return *b != [32]byte{} && isScalar(b) }

// isHigh reports whether b, which is below n, is above n/2.
func isHigh(b *[32]byte) bool {
	if b[0] < 0x7f {
		return false
	}
	var x scalar.Scalar
	x.SetBytes(b)
	return x.IsHigh().Bool()
}

// head returns the first eight bytes of b.
func head(b *[32]byte) uint64 { return binary.BigEndian.Uint64(b[:8]) }
