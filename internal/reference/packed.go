package reference

import "math/big"

// AppendPacked appends the points a, 3a, …, (2·count−1)·a to table, each as 64 bytes: x and then y,
// little-endian, the format of the embedded tables. No multiple may be infinity.
func (c *Curve) AppendPacked(table []byte, a Point, count int) []byte {
	step := c.Double(a)
	for range count {
		table = appendLittleEndian(appendLittleEndian(table, a.X), a.Y)
		a = c.Add(a, step)
	}
	return table
}

func appendLittleEndian(table []byte, x *big.Int) []byte {
	var b [32]byte
	x.FillBytes(b[:])
	for i := range b {
		table = append(table, b[31-i])
	}
	return table
}
