// Package wireform reads Bitcoin's wire encoding of headers, transactions and the numbers in them.
// It enforces the limits on a block.
package wireform

import (
	"encoding/binary"
	"fmt"
)

// A FormatError is an error at a byte offset in a block or transaction.
type FormatError struct {
	At  int
	msg string
}

func (e *FormatError) Error() string { return e.msg }

// A Cursor reads wire encodings from a byte slice. After the first failure, Err holds the error,
// and every read returns zero.
type Cursor struct {
	Data   []byte
	At     int
	weight int // total weight of the transactions read so far
	Err    *FormatError
}

// Fail sets Err to an error at the current offset. If Err is already set, Fail does nothing.
func (c *Cursor) Fail(format string, args ...any) {
	if c.Err == nil {
		c.Err = &FormatError{c.At, fmt.Sprintf(format, args...)}
	}
}

// Bytes returns the next n bytes, which alias the input. label names these bytes in the error.
func (c *Cursor) Bytes(n int, label string) []byte {
	if c.Err != nil {
		return nil
	}
	if n > len(c.Data)-c.At {
		c.Fail("ends in the middle of %s: %d bytes wanted, %d left", label, n, len(c.Data)-c.At)
		return nil
	}
	s := c.Data[c.At : c.At+n : c.At+n]
	c.At += n
	return s
}

func (c *Cursor) uint32(label string) uint32 {
	if s := c.Bytes(4, label); s != nil {
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

// Uint64 reads a number of eight bytes, little-endian.
func (c *Cursor) Uint64(label string) uint64 {
	if s := c.Bytes(8, label); s != nil {
		return binary.LittleEndian.Uint64(s)
	}
	return 0
}

// CompactSize reads a CompactSize. Like Bitcoin Core, it accepts a number only in its shortest
// form.
func (c *Cursor) CompactSize(label string) uint64 {
	s := c.Bytes(1, label)
	if s == nil {
		return 0
	}
	var v, least uint64
	switch s[0] {
	case 0xfd:
		if s = c.Bytes(2, label); s == nil {
			return 0
		}
		v, least = uint64(binary.LittleEndian.Uint16(s)), 0xfd
	case 0xfe:
		v, least = uint64(c.uint32(label)), 1<<16
	case 0xff:
		v, least = c.Uint64(label), 1<<32
	default:
		return uint64(s[0])
	}
	if v < least {
		c.Fail("%s is not in its shortest form", label)
		return 0
	}
	return v
}

// Count reads the number of items that follow, each of at least size bytes. It fails if the rest of
// the input is too short for that many items, so that callers do not allocate memory for them.
func (c *Cursor) Count(size int, label string) int {
	at := c.At
	n := c.CompactSize(label)
	if n > uint64((len(c.Data)-c.At)/size) {
		if c.Err == nil {
			c.Err = &FormatError{at, fmt.Sprintf("%s is %d, more than the %d bytes left can hold", label, n,
				len(c.Data)-c.At)}
		}
		return 0
	}
	return int(n)
}

// Script reads a length as a CompactSize, and a script of that length.
func (c *Cursor) Script(label string) []byte {
	// Most lengths have one byte. They need no label for an error, which allocates.
	if rest := c.Data[c.At:]; c.Err == nil && len(rest) > 0 && rest[0] < 0xfd &&
		int(rest[0]) < len(rest) {
		c.At++
		return c.Bytes(int(rest[0]), label)
	}
	return c.Bytes(c.Count(1, "the length of "+label), label)
}
