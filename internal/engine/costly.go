package engine

import (
	"encoding/binary"
	"math"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// isCostly reports what [Rows.isCostly] would report of row i of the call, without parsing the row.
// The kind must have equations. It takes a few nanoseconds.
func (s *columns) isCostly(i int) bool {
	c := s.call
	sig := at64(&c.Columns[2], i)
	first, second := (*[32]byte)(sig[:32]), (*[32]byte)(sig[32:])
	if c.Kind == Schnorr {
		return isField(at32(&c.Columns[1], i)) && isField(first) && isScalar(second)
	}
	ids := &c.Columns[3]
	return isKey(c, i) && isDivisor(first) && isDivisor(second) &&
		!(c.Rules&device.LowS != 0 && isHigh(second)) &&
		(ids.Data == nil || ids.Data[i*ids.Stride] <= 3)
}

// isKey reports whether the key of row i is well formed. A compressed key passes if its x is below
// p: whether x is on the curve shows only when the key is lifted.
func isKey(c *device.Call, i int) bool {
	if c.Rules&device.Uncompressed == 0 {
		key := at33(&c.Columns[1], i)
		return key[0]&^1 == 0x02 && isField((*[32]byte)(key[1:]))
	}
	key := at65(&c.Columns[1], i)
	var p point.Affine
	return key[0] == 0x04 && p.X.SetBytes((*[32]byte)(key[1:33])).Bool() &&
		p.Y.SetBytes((*[32]byte)(key[33:])).Bool() && p.IsOnCurve().Bool()
}

// The functions below look at the first bytes, which nearly always settle the answer, and compare
// the whole number only if those do not.

// isField returns whether b is below p.
func isField(b *[32]byte) bool {
	var x field.Element
	return head(b) != math.MaxUint64 || x.SetBytes(b).Bool()
}

// isScalar returns whether b is below n.
func isScalar(b *[32]byte) bool {
	var x scalar.Scalar
	return head(b) != math.MaxUint64 || x.SetBytes(b).Bool()
}

// isDivisor returns whether b is below n and not zero.
func isDivisor(b *[32]byte) bool { return *b != [32]byte{} && isScalar(b) }

// isHigh returns whether b, which is below n, is above n/2.
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
