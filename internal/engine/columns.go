package engine

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
)

// columns are the rows of a call, as bytes, and the memory for their verdicts and results.
type columns struct {
	device.Call
	Options
	scheme  *scheme
	records bool // the columns are fields of Records

	// list is nil, or holds for each row of the call its number in Columns. The other fields have
	// elements for the rows of the call only.
	list []int
}

// newColumns returns the rows of a call. The call's kind must have a scheme.
func newColumns(c *device.Call, o Options) *columns {
	return &columns{Call: *c, Options: o, scheme: schemeOf(c.Kind)}
}

func at32(c *device.Column, i int) *[32]byte { return (*[32]byte)(c.Data[i*c.Stride:]) }
func at33(c *device.Column, i int) *[33]byte { return (*[33]byte)(c.Data[i*c.Stride:]) }
func at64(c *device.Column, i int) *[64]byte { return (*[64]byte)(c.Data[i*c.Stride:]) }
func at65(c *device.Column, i int) *[65]byte { return (*[65]byte)(c.Data[i*c.Stride:]) }

// mayHaveEquations reports whether rows of the call can have equations. Rows under prepared keys
// have none: their tables make each row cheap.
func (c *columns) mayHaveEquations() bool {
	return c.scheme.equation != nil && c.Kind == c.scheme.kind &&
		(c.scheme.evenNonce || c.Columns[3].Data != nil)
}

// haveEquations reports whether every well-formed row of the call has an equation.
func (c *columns) haveEquations() bool {
	return c.mayHaveEquations() && (c.scheme.evenNonce || !c.records || !c.any(hasID, false))
}

// parse sets rows to the rows of the call from lo on. Several goroutines may call it at a time.
func (c *columns) parse(rows []row, lo int) {
	for k := range rows {
		i := lo + k
		if c.list != nil {
			i = c.list[i]
		}
		rows[k] = row{}
		c.scheme.parse(c, &rows[k], i)
	}
}

// setKey sets the key of the empty row r to the key of row i.
func (c *columns) setKey(r *row, i int) {
	column := &c.Columns[1]
	switch {
	case c.records:
		c.record(i).parseKey(r)
	case c.Key != nil:
		r.setPoint(c.Key(i))
	case c.Kind != c.scheme.kind:
		k := uint64(binary.LittleEndian.Uint32(column.Data[i*column.Stride:]))
		if k >= uint64(len(c.Keys)/device.PointSize) {
			r.refuse(KeyMissing)
			return
		}
		key := [device.KeySize]byte{0x04}
		copy(key[1:], c.Keys[k*device.PointSize:])
		r.setUncompressedKey(&key) // zeros are not on the curve
	case c.scheme.xOnly || c.Rules&XOnly != 0:
		r.setKeyX(at32(column, i))
	case c.Rules&device.Uncompressed != 0:
		r.setUncompressedKey(at65(column, i))
	default:
		r.setCompressedKey(at33(column, i))
	}
}

// state returns the flags of row i, as in a [Record].
func (c *columns) state(i int) (state byte) {
	if c.records {
		return c.record(i)[recordState]
	}
	if c.Columns[3].Data != nil {
		state |= hasID
	}
	if c.Rules&device.Hashed != 0 {
		state |= isChallenge
	}
	return state
}

// store stores the verdicts, reasons and results of the rows of the call from lo on. Rows that
// are not Valid have results of zeros.
func (c *columns) store(rows []row, lo int) {
	for k := range rows {
		c.Verdicts[lo+k] = rows[k].verdict
		if c.Reasons != nil {
			c.Reasons[lo+k] = rows[k].reason
		}
	}
	size := ResultSize(c.Kind)
	dst := c.Results[lo*size:][:len(rows)*size]
	clear(dst)
	if size == device.AddressSize {
		putAddresses(dst, rows)
		return
	}
	for k := range rows {
		switch p := &rows[k].p; {
		case rows[k].verdict != Valid:
		case size == device.KeySize:
			putUncompressed((*[device.KeySize]byte)(dst[k*size:]), p)
		case size == xSize:
			p.X.PutBytes((*[xSize]byte)(dst[k*size:]))
		}
	}
}

// putUncompressed sets b to the uncompressed encoding of p.
func putUncompressed(b *[device.KeySize]byte, p *point.Affine) {
	b[0] = 0x04
	p.X.PutBytes((*[32]byte)(b[1:33]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
}
