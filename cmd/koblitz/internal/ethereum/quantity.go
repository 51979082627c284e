package ethereum

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A quantity is a number of at most 256 bits, big-endian, that JSON-RPC writes as 0x and
// hexadecimal digits. Leading zeros are accepted. The specification forbids them, but some nodes
// write them, and the hash of the transaction confirms the number.
type quantity [32]byte

var (
	errNoNumber   = errors.New("not a number in the form 0x…")
	errLongNumber = errors.New("not a number of at most 256 bits in the form 0x…")
)

func (q *quantity) UnmarshalJSON(b []byte) error {
	err := errNoNumber
	if b[0] == '"' {
		err = q.set(b[1 : len(b)-1])
	}
	if err != nil {
		return fmt.Errorf("%s is %w", reading.Quote(b), err)
	}
	return nil
}

// set sets q to the number in text.
func (q *quantity) set(text []byte) error {
	digits, ok := bytes.CutPrefix(text, []byte("0x"))
	if !ok || len(digits) == 0 {
		return errNoNumber
	}
	digits = bytes.TrimLeft(digits, "0")
	var all [2 * len(q)]byte
	zeros := len(all) - len(digits)
	if zeros < 0 {
		return errLongNumber
	}
	copy(all[:zeros], "0000000000000000000000000000000000000000000000000000000000000000")
	copy(all[zeros:], digits)
	if _, err := hex.Decode(q[:], all[:]); err != nil {
		return errLongNumber
	}
	return nil
}

// bytes returns the number without leading zeros. The result is a part of q, and not nil.
func (q *quantity) bytes() []byte {
	zeros := 0
	for zeros < len(q) && q[zeros] == 0 {
		zeros++
	}
	return q[zeros:]
}

// uint64 returns the number, unless it has more than 64 bits.
func (q *quantity) uint64() (n uint64, ok bool) {
	b := q.bytes()
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n, len(b) <= 8
}

// A data is a byte string that JSON holds as 0x and hexadecimal digits.
type data []byte

func (d *data) UnmarshalJSON(b []byte) (err error) {
	if len(b) >= 4 && b[0] == '"' && b[1] == '0' && b[2] == 'x' && len(b)%2 == 0 {
		if *d, err = hex.AppendDecode(make([]byte, 0, len(b)/2), b[3:len(b)-1]); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is %w", reading.Quote(b), errNotHex)
}

// fixed returns d if it has n bytes. Otherwise it returns an error with the field's name.
func (d data) fixed(n int, name string) ([]byte, error) {
	if len(d) != n {
		return nil, fmt.Errorf("%q has %d bytes instead of %d", name, len(d), n)
	}
	return d, nil
}
