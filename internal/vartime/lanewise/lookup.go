package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// lookupPackedGeneric sets every lane of p to the odd multiple for its digit. The digit is encoded
// in bits shift to shift + width − 1 of the number in the lane's words. tables[j] is the packed
// table of lane j (point.PackedSize). After its first skip entries, which are not used, come the
// odd multiples of the lane's point in ascending order.
func lookupPackedGeneric(
	p *lanes.Affine, tables *[lanes.Width]string, words *[3]lanes.Vector, shift, width, skip int,
) {
	for j := range lanes.Width {
		index, negative := digitAt(words, j, shift, width)
		var e point.Entry
		var q point.Affine
		q.SetEntry(e.Unpack(tables[j][(skip+index)*point.PackedSize:]), negative)
		p.SetLane(j, &q.X, &q.Y)
	}
}

// prefetchPackedGeneric does nothing, because Go has no prefetch instruction.
func prefetchPackedGeneric(
	tables *[lanes.Width]string, words *[3]lanes.Vector, shift, width, skip int,
) {
}

// digitAt returns the table index of the odd multiple for the digit of lane j, and whether to
// negate it.
func digitAt(words *[3]lanes.Vector, j, shift, width int) (index int, negate ct.Choice) {
	code := windowAt(words, j, uint(shift), uint(width))
	half := 1 << (width - 1)
	if code < half {
		return half - 1 - code, 1
	}
	return code - half, 0
}

// windowAt returns bits shift to shift + width − 1 of the number in lane j.
func windowAt(words *[3]lanes.Vector, j int, shift, width uint) int {
	i, s := shift/64, shift%64
	x := words[i].At(j) >> s
	if i < 2 && s > 0 {
		x |= words[i+1].At(j) << (64 - s)
	}
	return int(x & (1<<width - 1))
}
