package columns

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// An Encoding says how the cells of a column represent bytes, for example in hexadecimal.
type Encoding string

const (
	// Auto leaves binary cells unchanged and detects the encoding of text: an even number of hex
	// digits, with or without 0x, is hex, and any other text is base64.
	Auto   Encoding = "auto"
	Hex    Encoding = "hex"    // with or without 0x, as text or bytes
	Base64 Encoding = "base64" // RFC 4648, section 4 or 5, padded or not
	Binary Encoding = "binary" // unencoded bytes; not in CSV or JSON
)

// Encodings lists all encodings.
var Encodings = []Encoding{Auto, Hex, Base64, Binary}

// MaxCell is the maximum length of a cell in bytes; a longer cell makes its row malformed. The
// longest value, 72 bytes of DER, is several times shorter in any encoding.
const MaxCell = 512

var errDigits = errors.New("neither hex digits nor base64")

// decode appends the decoded cell to dst. text reports whether the cell is text rather than bytes.
func (e Encoding) decode(dst, cell []byte, text bool) ([]byte, error) {
	switch {
	case e == Binary, e == Auto && !text:
		return append(dst, cell...), nil
	case e == Base64:
		return decodeBase64(dst, cell)
	}
	digits := cell
	if bytes.HasPrefix(digits, []byte("0x")) || bytes.HasPrefix(digits, []byte("0X")) {
		digits = digits[2:]
	}
	out, cause := hex.AppendDecode(dst, digits)
	if cause == nil {
		return out, nil
	}
	if e == Hex || len(digits) != len(cell) && errors.Is(cause, hex.ErrLength) {
		return nil, fmt.Errorf("not hex: %s", strings.TrimPrefix(cause.Error(), "encoding/hex: "))
	}
	if out, base64Err := decodeBase64(dst, cell); base64Err == nil { // base64 may begin with 0x
		return out, nil
	}
	return nil, errDigits
}

// decodeBase64 appends the decoded cell to dst. It accepts both alphabets of RFC 4648, with and
// without padding. Unused bits after the last byte must be zero, so that each encoding has only one
// text for a value.
func decodeBase64(dst, cell []byte) ([]byte, error) {
	if bytes.ContainsAny(cell, "\r\n") { // package base64 would ignore line ends
		return nil, errors.New("not base64: a line end")
	}
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(cell, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(cell)%4 == 0 {
		encoding = encoding.WithPadding(base64.StdPadding)
	}
	out, err := encoding.Strict().AppendDecode(dst, cell)
	if err != nil {
		return nil, fmt.Errorf("not base64: %s", strings.TrimPrefix(err.Error(), "illegal base64 data "))
	}
	return out, nil
}
