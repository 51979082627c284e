package ethereum

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A data is a byte string that JSON holds as 0x and hexadecimal digits. It is nil for null.
type data []byte

// A quantity is a number of at most 256 bits, big-endian without leading zeros, that JSON-RPC
// writes as 0x and hexadecimal digits. It is nil for null, and empty for zero. Leading zeros are
// accepted in JSON. The specification forbids them, but some nodes write them, and the hash of the
// transaction confirms the number.
type quantity []byte

var (
	errNotHex     = errors.New("not hexadecimal digits in the form 0x…")
	errNoNumber   = errors.New("not a number in the form 0x…")
	errLongNumber = errors.New("not a number of at most 256 bits in the form 0x…")
)

func (d *data) UnmarshalJSON(b []byte) error     { return decode((*[]byte)(d), b, parseData) }
func (q *quantity) UnmarshalJSON(b []byte) error { return decode((*[]byte)(q), b, parseQuantity) }

// decode sets dst to the bytes that parse returns for the text in the JSON string b, or to nil if b
// is null.
func decode(dst *[]byte, b []byte, parse func(text []byte) ([]byte, error)) (err error) {
	if *dst = nil; string(b) == "null" {
		return nil
	}
	text := []byte{}
	if b[0] == '"' {
		text = b[1 : len(b)-1]
	}
	if *dst, err = parse(text); err != nil {
		return fmt.Errorf("%s is %w", reading.Quote(b), err)
	}
	return nil
}

// parseData returns the bytes that text holds, which are not nil.
func parseData(text []byte) ([]byte, error) {
	digits, ok := bytes.CutPrefix(text, []byte("0x"))
	b, err := hex.AppendDecode(make([]byte, 0, len(digits)/2), digits)
	if !ok || err != nil {
		return nil, errNotHex
	}
	return b, nil
}

// parseQuantity returns the number in text. The result is not nil.
func parseQuantity(text []byte) ([]byte, error) {
	digits, ok := bytes.CutPrefix(text, []byte("0x"))
	if !ok || len(digits) == 0 {
		return nil, errNoNumber
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits)%2 == 1 {
		digits = append([]byte{'0'}, digits...)
	}
	b, err := hex.AppendDecode(make([]byte, 0, 32), digits[:min(len(digits), 66)])
	if err != nil || len(b) > 32 {
		return nil, errLongNumber
	}
	return b, nil
}

// uint64 returns the number, unless it has more than 64 bits.
func (q quantity) uint64() (n uint64, ok bool) {
	for _, c := range q {
		n = n<<8 | uint64(c)
	}
	return n, len(q) <= 8
}
