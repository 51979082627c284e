package bitcoin

import (
	"encoding/binary"
	"fmt"
)

// A formatError says at which byte of a block or transaction parsing stopped.
type formatError struct {
	at  int
	msg string
}

func (e *formatError) Error() string { return e.msg }

// A cursor reads the wire encoding from a byte slice. After the first failure
// every read gives zero, and err says what was wrong and where.
type cursor struct {
	b      []byte
	i      int
	weight int // of the transactions read so far
	err    *formatError
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = &formatError{c.i, fmt.Sprintf(format, args...)}
	}
}

// bytes returns the next n bytes, which alias the input.
func (c *cursor) bytes(n int, what string) []byte {
	if c.err != nil {
		return nil
	}
	if n > len(c.b)-c.i {
		c.fail("ends in the middle of %s: %d bytes wanted, %d left", what, n, len(c.b)-c.i)
		return nil
	}
	s := c.b[c.i : c.i+n : c.i+n]
	c.i += n
	return s
}

func (c *cursor) uint32(what string) uint32 {
	if s := c.bytes(4, what); s != nil {
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

func (c *cursor) uint64(what string) uint64 {
	if s := c.bytes(8, what); s != nil {
		return binary.LittleEndian.Uint64(s)
	}
	return 0
}

// compactSize reads a CompactSize in its shortest form, as Bitcoin Core
// demands it.
func (c *cursor) compactSize(what string) uint64 {
	s := c.bytes(1, what)
	if s == nil {
		return 0
	}
	var v, least uint64
	switch s[0] {
	case 0xfd:
		if s = c.bytes(2, what); s == nil {
			return 0
		}
		v, least = uint64(binary.LittleEndian.Uint16(s)), 0xfd
	case 0xfe:
		v, least = uint64(c.uint32(what)), 1<<16
	case 0xff:
		v, least = c.uint64(what), 1<<32
	default:
		return uint64(s[0])
	}
	if v < least {
		c.fail("%s is not in its shortest form", what)
		return 0
	}
	return v
}

// count reads a number of things of at least size bytes each, and refuses one
// that what is left of the input cannot hold, before anything is allocated.
func (c *cursor) count(size int, what string) int {
	at := c.i
	n := c.compactSize(what)
	if n > uint64((len(c.b)-c.i)/size) {
		if c.err == nil {
			c.err = &formatError{at, fmt.Sprintf("%s is %d, more than the %d bytes left can hold", what, n,
				len(c.b)-c.i)}
		}
		return 0
	}
	return int(n)
}

// script reads a CompactSize and as many bytes.
func (c *cursor) script(what string) []byte {
	if rest := c.b[min(c.i, len(c.b)):]; c.err == nil && len(rest) > 0 && rest[0] < 0xfd &&
		int(rest[0]) < len(rest) {
		// Most of them, without a name for what could be wrong.
		n := 1 + int(rest[0])
		c.i += n
		return rest[1:n:n]
	}
	return c.bytes(c.count(1, "the length of "+what), what)
}

func appendOutput(b []byte, amount int64, script []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(amount))
	b = appendCompactSize(b, uint64(len(script)))
	return append(b, script...)
}

func appendCompactSize(b []byte, n uint64) []byte {
	switch {
	case n < 0xfd:
		return append(b, byte(n))
	case n <= 0xffff:
		return binary.LittleEndian.AppendUint16(append(b, 0xfd), uint16(n))
	case n <= 0xffffffff:
		return binary.LittleEndian.AppendUint32(append(b, 0xfe), uint32(n))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xff), n)
}
