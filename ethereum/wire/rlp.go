package wire

import (
	"errors"
	"math/bits"
)

// These errors say why bytes are not the canonical RLP of an item, or of a value of the expected
// kind. A [FieldError] wraps them.
var (
	ErrTooFew         = errors.New("rlp: an item is missing")
	ErrTooMany        = errors.New("rlp: bytes after the last item")
	ErrTooLarge       = errors.New("rlp: an item is longer than what holds it")
	ErrCanonSize      = errors.New("rlp: an encoding is not the shortest")
	ErrCanonInt       = errors.New("rlp: a number has leading zero bytes")
	ErrExpectedString = errors.New("rlp: a list in place of a string")
	ErrExpectedList   = errors.New("rlp: a string in place of a list")
	ErrLength         = errors.New("rlp: a string of the wrong length")
)

// A FieldError is an error in a field of a transaction or a header.
type FieldError struct {
	Field string // the field's name in JSON-RPC, such as "accessList[2].address"
	Err   error
}

// Error returns the text of e.Err and the name of the field.
func (e *FieldError) Error() string { return e.Err.Error() + ", in " + e.Field }

// Unwrap returns e.Err.
func (e *FieldError) Unwrap() error { return e.Err }

// A Head is the first part of an RLP item. The content follows it.
type Head struct {
	List  bool   // the content is a sequence of items
	Width int    // length of the head: 0 to 9 bytes; 0 if the item is a single byte below 0x80
	Size  uint64 // length of the content in bytes
}

// HeadWidth returns the length in bytes of the head of an item that begins with the given byte.
func HeadWidth(first byte) int {
	switch {
	case first < 0x80:
		return 0
	case first&0x3f <= 55:
		return 1
	}
	return 1 + int(first&0x3f) - 55
}

// ParseHead parses the head at the beginning of b, which need not hold the content. The error is
// [ErrTooFew] if b is empty, [ErrTooLarge] if b ends within the head, and [ErrCanonSize] if the
// length is not in its shortest form.
func ParseHead(b []byte) (h Head, err error) {
	if len(b) == 0 {
		return h, ErrTooFew
	}
	first := b[0]
	h.List, h.Width = first >= 0xc0, HeadWidth(first)
	switch {
	case h.Width == 0:
		h.Size = 1
		return h, nil
	case h.Width == 1:
		h.Size = uint64(first & 0x3f)
		return h, nil
	case len(b) < h.Width:
		return h, ErrTooLarge
	}
	for _, c := range b[1:h.Width] {
		h.Size = h.Size<<8 | uint64(c)
	}
	if b[1] == 0 || h.Size <= 55 {
		return h, ErrCanonSize
	}
	return h, nil
}

// Split returns the content of the first item of b and the bytes after the item. isList reports
// whether the item is a list. The items in a list are not checked. The errors are those of
// [ParseHead], [ErrTooLarge] if the content is longer than b, and [ErrCanonSize] if a single byte
// below 0x80 has a head.
func Split(b []byte) (isList bool, content, rest []byte, err error) {
	h, err := ParseHead(b)
	if err != nil {
		return false, nil, nil, err
	}
	b = b[h.Width:]
	if h.Size > uint64(len(b)) {
		return false, nil, nil, ErrTooLarge
	}
	content, rest = b[:h.Size:h.Size], b[h.Size:]
	if !h.List && h.Width == 1 && len(content) == 1 && content[0] < 0x80 {
		return false, nil, nil, ErrCanonSize
	}
	return h.List, content, rest, nil
}

// SplitString is [Split] for a string. It returns [ErrExpectedString] for a list.
func SplitString(b []byte) (content, rest []byte, err error) {
	isList, content, rest, err := Split(b)
	if err == nil && isList {
		return nil, nil, ErrExpectedString
	}
	return content, rest, err
}

// SplitList is [Split] for a list. It returns [ErrExpectedList] for a string.
func SplitList(b []byte) (content, rest []byte, err error) {
	isList, content, rest, err := Split(b)
	if err == nil && !isList {
		return nil, nil, ErrExpectedList
	}
	return content, rest, err
}

// SplitUint64 is [SplitString] for a number of at most 64 bits. It returns [ErrCanonInt] if the
// number has leading zero bytes, and [ErrLength] if it has more than 8 bytes.
func SplitUint64(b []byte) (n uint64, rest []byte, err error) {
	content, rest, err := SplitString(b)
	if err == nil {
		err = checkNumber(content, 8)
	}
	if err != nil {
		return 0, nil, err
	}
	return number(content), rest, nil
}

// checkNumber returns an error if content is not a number in its shortest form, of at most size
// bytes.
func checkNumber(content []byte, size int) error {
	switch {
	case len(content) > size:
		return ErrLength
	case len(content) > 0 && content[0] == 0:
		return ErrCanonInt
	}
	return nil
}

// number returns the number whose big-endian bytes are content, reduced modulo 2^64.
func number(content []byte) (n uint64) {
	for _, c := range content {
		n = n<<8 | uint64(c)
	}
	return n
}

// AppendString appends a string.
func AppendString(dst, content []byte) []byte {
	if len(content) != 1 || content[0] >= 0x80 {
		dst = AppendHead(dst, false, len(content))
	}
	return append(dst, content...)
}

// AppendUint64 appends a number: a string of its big-endian bytes without leading zeros.
func AppendUint64(dst []byte, n uint64) []byte {
	size := (bits.Len64(n) + 7) / 8
	if size != 1 || n >= 0x80 {
		dst = append(dst, 0x80+byte(size))
	}
	return appendBigEndian(dst, n, size)
}

// AppendHead appends the head of an item with size bytes of content. The content must not be a
// single byte below 0x80 of a string, which has no head.
func AppendHead(dst []byte, list bool, size int) []byte {
	kind := byte(0x80)
	if list {
		kind = 0xc0
	}
	if size <= 55 {
		return append(dst, kind+byte(size))
	}
	n := (bits.Len(uint(size)) + 7) / 8
	return appendBigEndian(append(dst, kind+55+byte(n)), uint64(size), n)
}

// appendBigEndian appends the last size bytes of n.
func appendBigEndian(dst []byte, n uint64, size int) []byte {
	for i := size - 1; i >= 0; i-- {
		dst = append(dst, byte(n>>(8*i)))
	}
	return dst
}

// WrapList turns b[start:], the encodings of items, into a list: it inserts the list's head.
func WrapList(b []byte, start int) []byte {
	var buf [9]byte
	head := AppendHead(buf[:0], true, len(b)-start)
	b = append(b, head...)
	copy(b[start+len(head):], b[start:])
	copy(b[start:], head)
	return b
}
