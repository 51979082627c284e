package hostile

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// prepared returns a set of rows of a prepared kind. It takes those rows of src that have a valid
// key, collects their keys in a set, and adds rows whose index selects no key. The keys of BIP-340
// rows get an even or an odd y.
func prepared(r *rand.Rand, kind device.Kind, src []Row) Set {
	s := Set{Kind: kind}
	numbers := map[string]uint32{}
	add := func(row Row, number uint32) {
		row.Fields = slices.Clone(row.Fields[:3])
		row.Fields[1] = binary.LittleEndian.AppendUint32(nil, number)
		s.Rows = append(s.Rows, row)
	}
	for _, row := range src {
		key := string(row.Fields[1])
		number, ok := numbers[key]
		if !ok {
			a, good := parse(row.Fields[1])
			if !good {
				continue
			}
			if kind == device.PreparedSchnorr && r.IntN(2) == 0 {
				a = curve.Neg(a)
			}
			number = uint32(len(s.Keys) / device.PointSize)
			s.Keys = append(append(s.Keys, bytes32(a.X)...), bytes32(a.Y)...)
			numbers[key] = number
		}
		add(row, number)
	}
	none := uint32(len(s.Keys) / device.PointSize)
	s.Keys = append(s.Keys, make([]byte, device.PointSize)...)
	for _, number := range []uint32{none, none + 1, none << 8, 1 << 31, 1<<32 - 1} {
		for range 2 {
			row := pick(r, src)
			row.What, row.Special = "a number without a key", false
			add(row, number)
		}
	}
	shuffle(r, s.Rows)
	return s
}

// parse returns the point with the compressed encoding b. If b has 32 bytes, it is the x coordinate
// of a point with an even y. It returns false if there is no such point.
func parse(b []byte) (reference.Point, bool) {
	if len(b) == 32 {
		return curve.LiftX(new(big.Int).SetBytes(b), false)
	}
	if b[0] != 2 && b[0] != 3 {
		return reference.Point{}, false
	}
	return curve.LiftX(new(big.Int).SetBytes(b[1:]), b[0] == 3)
}
