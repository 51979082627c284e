package engine

import (
	"encoding/binary"
	"math"

	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// isCostly is [Rows.isCostly] of row i, which is not parsed, in a kind that has equations.
// It takes a few nanoseconds.
func (s *columns) isCostly(i int) bool {
	c := s.call
	sig := at64(&c.Cols[2], i)
	first, second := (*[32]byte)(sig[:32]), (*[32]byte)(sig[32:])
	switch c.Kind {
	case Schnorr, device.AllSchnorr:
		return isField(at32(&c.Cols[1], i)) && isField(first) && isScalar(second)
	case ECDSA, device.AllECDSA:
		key, ids := at33(&c.Cols[1], i), &c.Cols[3]
		return key[0]&^1 == 0x02 && isField((*[32]byte)(key[1:])) &&
			isDivisor(first) && isDivisor(second) && !(c.LowS && isHigh(second)) &&
			(ids.Data == nil || ids.Data[i*ids.Stride] <= 3)
	}
	return true
}

// The functions below nearly always answer by the first bytes. Only where those do not
// tell do they compute.

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
