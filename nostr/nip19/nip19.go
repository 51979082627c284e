// Package nip19 writes keys and ids of events as text and reads them (NIP-19): npub, nsec and note.
// Such a text is the bech32 encoding of 32 bytes (BIP 173).
//
// The time to write and to read an nsec does not depend on the key. So the package has a bech32 of
// its own, where others use the key's bits as indices of a table.
package nip19

import (
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/nostr/internal/ct"
)

// AppendSecret appends the nsec of a private key to dst, 63 characters. The caller should overwrite
// the result after use. AppendSecret returns dst and an error if the key is nil, a zero value or
// zeroized.
func AppendSecret(dst []byte, key *koblitz.PrivateKey) ([]byte, error) {
	data := key.Bytes()
	if len(data) == 0 {
		return dst, koblitz.ErrZeroKey
	}
	defer clear(data)
	return appendText(slices.Grow(dst, length), "nsec1", data), nil
}

// ParseSecret returns the private key of an nsec. It does not change text, which the caller should
// overwrite after use. The error tells nothing about the key except an offset where text is no
// bech32.
func ParseSecret(text []byte) (*koblitz.PrivateKey, error) {
	var data [32]byte
	defer clear(data[:])
	if err := parseText(&data, "nsec1", text); err != nil {
		return nil, err
	}
	return koblitz.ParsePrivateKey(data[:])
}

// EncodePublic returns the npub of an x-only key, or an error if the key is nil or a zero value.
func EncodePublic(key *koblitz.XOnlyPublicKey) (string, error) {
	if key.IsZero() {
		return "", koblitz.ErrZeroKey
	}
	return string(appendText(nil, "npub1", key.Bytes())), nil
}

// ParsePublic returns the x-only key of an npub.
func ParsePublic(text string) (*koblitz.XOnlyPublicKey, error) {
	var data [32]byte
	if err := parseText(&data, "npub1", []byte(text)); err != nil {
		return nil, err
	}
	return koblitz.ParseXOnlyPublicKey(data[:])
}

// EncodeNote returns the note of an event's id.
func EncodeNote(id [32]byte) string { return string(appendText(nil, "note1", id[:])) }

// ParseNote returns the id in a note.
func ParseNote(text string) (id [32]byte, err error) {
	var data [32]byte
	if err := parseText(&data, "note1", []byte(text)); err != nil {
		return id, err
	}
	return data, nil
}

// All texts of this package have the same lengths.
const (
	prefixLength = 5              // "nsec1", "npub1", "note1"
	dataLength   = (8*32 + 4) / 5 // characters with five bits of the data each; the last has one
	sumLength    = 6              // characters of the checksum
	length       = prefixLength + dataLength + sumLength
)

// alphabet has the characters of bech32 by value.
const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// appendText appends the text of 32 bytes to dst.
func appendText(dst []byte, prefix string, data []byte) []byte {
	dst = append(dst, prefix...)
	var values [dataLength + sumLength]byte
	defer clear(values[:])
	for i := range dataLength {
		k, shift := 5*i/8, 11-5*i%8 // the value's bits begin in byte k
		two := uint16(data[k]) << 8
		if k+1 < len(data) {
			two |= uint16(data[k+1])
		}
		values[i] = byte(two >> shift & 31)
	}
	sum := checksum(prefix, values[:]) ^ 1
	for i := range sumLength {
		values[dataLength+i] = byte(sum >> (5 * (sumLength - 1 - i)) & 31)
	}
	for _, v := range values {
		dst = append(dst, character(v))
	}
	return dst
}

// parseText decodes a text with the given prefix, all in lowercase or all in uppercase. Its time
// depends only on the prefix, the length and the outcome.
func parseText(data *[32]byte, prefix string, text []byte) error {
	var head [prefixLength]byte
	copy(head[:], text)
	upper := 0
	switch head {
	case [prefixLength]byte([]byte(prefix)):
	case [prefixLength]byte([]byte(strings.ToUpper(prefix))):
		upper = 1
	default:
		return fmt.Errorf("nip19: at offset 0: want %q", prefix)
	}
	if len(text) != length {
		return fmt.Errorf("nip19: %s…: %d characters, want %d", prefix, len(text), length)
	}
	var values [dataLength + sumLength]byte
	defer clear(values[:])
	bad := 0 // offset of the first character that bech32 does not have
	for i := range values {
		i = len(values) - 1 - i
		c := text[prefixLength+i]
		letter := subtle.ConstantTimeLessOrEq('a', int(c|0x20)) &
			subtle.ConstantTimeLessOrEq(int(c|0x20), 'z')
		c ^= byte(letter & upper << 5) // changes upper and lower case
		var known int
		values[i], known = value(c)
		bad = subtle.ConstantTimeSelect(known, bad, prefixLength+i)
	}
	if bad = ct.Outcome(bad); bad != 0 { // the error shows the offset
		return fmt.Errorf("nip19: %s…: at offset %d: not a character of bech32", prefix, bad)
	}
	if ct.Outcome(subtle.ConstantTimeEq(int32(checksum(prefix, values[:])), 1)) == 0 {
		return fmt.Errorf("nip19: %s…: wrong checksum", prefix)
	}
	clear(data[:])
	var padding byte
	for i := range dataLength {
		k, shift := 5*i/8, 11-5*i%8
		two := uint16(values[i]) << shift
		data[k] |= byte(two >> 8)
		if k+1 < len(data) {
			data[k+1] |= byte(two)
		} else {
			padding = byte(two)
		}
	}
	if ct.Outcome(subtle.ConstantTimeByteEq(padding, 0)) == 0 {
		return fmt.Errorf("nip19: %s…: the bits after the last byte are not zero", prefix)
	}
	return nil
}

// checksum returns the remainder of the polynomial over GF(32) that BIP 173 forms from the prefix,
// which includes the separator 1, and the values. It is 1 if the last six values are the checksum.
func checksum(prefix string, values []byte) uint32 {
	remainder := uint32(1)
	add := func(v byte) {
		top := remainder >> 25
		remainder = remainder&0x1ffffff<<5 ^ uint32(v)
		for i, g := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			remainder ^= g & -(top >> i & 1)
		}
	}
	name := prefix[:len(prefix)-1]
	for i := range len(name) {
		add(name[i] >> 5)
	}
	add(0)
	for i := range len(name) {
		add(name[i] & 31)
	}
	for _, v := range values {
		add(v)
	}
	return remainder
}

// character returns alphabet[v]. It reads the whole alphabet.
func character(v byte) (c byte) {
	for i := range len(alphabet) {
		c |= alphabet[i] & -byte(subtle.ConstantTimeByteEq(v, byte(i)))
	}
	return c
}

// value returns the value of a character. known is 1, or 0 if the alphabet lacks the character.
func value(c byte) (v byte, known int) {
	for i := range len(alphabet) {
		same := subtle.ConstantTimeByteEq(c, alphabet[i])
		v |= byte(i) & -byte(same)
		known |= same
	}
	return v, known
}
