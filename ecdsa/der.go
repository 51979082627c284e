//ct:public encodes and parses signatures, which are public

package ecdsa

import "fmt"

// maxDER is the length of the longest DER encoding of two numbers below 2²⁵⁶.
const maxDER = 2 + 2*(2+33)

// ParseDER returns the signature that b encodes in DER, under the rules of BIP-66, without the byte
// for the hash type that follows in a Bitcoin script. Lengths have one byte. Integers must be
// non-negative and as short as possible. No bytes may follow the signature, and b has at most 72
// bytes. A high s is accepted.
//
// ParseDER returns an error if a rule is broken, or if r or s is not in [1, n). BIP-66 has no rule
// about that range: by BIP-66 such an encoding is well formed, and verification fails.
func ParseDER(b []byte) (*Signature, error) {
	sig := new(Signature)
	if err := sig.parseDER(b); err != nil {
		return nil, err
	}
	return sig, nil
}

func (sig *Signature) parseDER(b []byte) error {
	if len(b) < 8 {
		return fmt.Errorf("ecdsa: DER signature: %d bytes, want at least 8", len(b))
	}
	// Each byte is read once, so that the checked bytes are the parsed bytes even if b changes.
	if tag := b[0]; tag != 0x30 {
		return fmt.Errorf("ecdsa: DER signature: byte 0 is %#02x, want 0x30 (a sequence)", tag)
	}
	if size := b[1]; int(size) != len(b)-2 {
		return fmt.Errorf("ecdsa: DER signature: byte 1 gives the sequence %d bytes, but %d follow",
			size, len(b)-2)
	}
	var r, s [33]byte
	rFits, next, err := derInteger(&r, b, 2, "r")
	if err != nil {
		return err
	}
	sFits, end, err := derInteger(&s, b, next, "s")
	if err != nil {
		return err
	}
	if end != len(b) {
		return fmt.Errorf("ecdsa: DER signature: byte %d: %d bytes after s", end, len(b)-end)
	}
	if !rFits {
		return errNotBelowN("r", 4)
	}
	if !sFits {
		return errNotBelowN("s", next+2)
	}
	return sig.set((*[32]byte)(r[1:]), (*[32]byte)(s[1:]), 4, next+2)
}

// derInteger sets number to the content of the integer that begins at b[offset], by the rules of
// BIP-66. It reports whether the integer is below 2²⁵⁶, and returns the offset of the first byte
// after it. If the content has more than 33 bytes, number holds the first of them only. name is the
// integer's name in errors.
func derInteger(number *[33]byte, b []byte, offset int, name string) (
	fits bool, end int, err error,
) {
	if len(b)-offset < 2 {
		return false, 0, fmt.Errorf("ecdsa: DER signature: byte %d: the end, want the integer %s",
			len(b), name)
	}
	if tag := b[offset]; tag != 0x02 {
		return false, 0, fmt.Errorf(
			"ecdsa: DER signature: byte %d is %#02x, want 0x02 (the integer %s)", offset, tag, name)
	}
	size := int(b[offset+1])
	start := offset + 2
	if size == 0 {
		return false, 0, fmt.Errorf("ecdsa: DER signature: byte %d: %s has no content", offset+1, name)
	}
	if size > len(b)-start {
		return false, 0, fmt.Errorf("ecdsa: DER signature: byte %d gives %s %d bytes, but %d follow",
			offset+1, name, size, len(b)-start)
	}
	content := number[max(0, len(number)-size):]
	copy(content, b[start:])
	if content[0]&0x80 != 0 {
		return false, 0, fmt.Errorf("ecdsa: DER signature: byte %d: %s is negative", start, name)
	}
	if size > 1 && content[0] == 0 && content[1]&0x80 == 0 {
		return false, 0, fmt.Errorf(
			"ecdsa: DER signature: byte %d: %s has a leading zero that it does not need", start, name)
	}
	return size <= len(number) && number[0] == 0, start + size, nil
}

// ParseDERLax returns the signature that b encodes in the loose form of DER that Bitcoin accepted
// before BIP-66. It follows the parser that Bitcoin Core uses for old blocks:
//
//   - The length of the sequence is skipped: one byte, or 0x80 + k and k more bytes, which b
//     must have. Its value is ignored.
//   - The length of an integer is one byte below 0x80, or 0x80 + k and k bytes, big-endian. Without
//     leading zeros it has at most three bytes. 0x80 alone, BER's indefinite length, is a length of
//     zero.
//   - An integer is not negative, even if its first bit is set. It may have any number of leading
//     zeros. An empty integer is zero.
//   - Bytes after s are ignored.
//
// It returns an error if b ends early, or if a tag is not that of a sequence or an
// integer. If r or s is zero or not below n, there is no error, and the result is
// the zero value, which never verifies.
func ParseDERLax(b []byte) (*Signature, error) {
	sig := new(Signature)
	if err := sig.parseDERLax(b); err != nil {
		return nil, err
	}
	return sig, nil
}

func (sig *Signature) parseDERLax(b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("ecdsa: lax DER signature: empty")
	}
	if head := b[0]; head != 0x30 {
		return fmt.Errorf("ecdsa: lax DER signature: byte 0 is %#02x, want 0x30 (a sequence)", head)
	}
	if len(b) == 1 {
		return fmt.Errorf("ecdsa: lax DER signature: byte 1: the end, want the length of the sequence")
	}
	at := 2
	if k := int(b[1]); k >= 0x80 {
		k -= 0x80
		if k > len(b)-at {
			return fmt.Errorf("ecdsa: lax DER signature: byte 1: a length of %d bytes, but %d follow",
				k, len(b)-at)
		}
		at += k
	}
	r, at, err := laxInteger(b, at, "r")
	if err != nil {
		return err
	}
	s, _, err := laxInteger(b, at, "s")
	if err != nil {
		return err
	}
	var rb, sb [32]byte
	if fill(&rb, r) && fill(&sb, s) {
		_ = sig.set(&rb, &sb, 0, 0) // an error leaves the zero value
	}
	return nil
}

// laxInteger returns the content of the integer that begins at b[offset], by the rules of
// ParseDERLax, and the offset of the first byte after the integer. name is the integer's name in
// errors.
func laxInteger(b []byte, offset int, name string) (content []byte, end int, err error) {
	if offset == len(b) {
		return nil, 0, fmt.Errorf("ecdsa: lax DER signature: byte %d: the end, want the integer %s",
			offset, name)
	}
	if tag := b[offset]; tag != 0x02 {
		return nil, 0, fmt.Errorf(
			"ecdsa: lax DER signature: byte %d is %#02x, want 0x02 (the integer %s)", offset, tag, name)
	}
	offset++
	if offset == len(b) {
		return nil, 0, fmt.Errorf("ecdsa: lax DER signature: byte %d: the end, want the length of %s",
			offset, name)
	}
	size := int(b[offset])
	start := offset + 1
	if size >= 0x80 {
		k := size - 0x80
		if k > len(b)-start {
			return nil, 0, fmt.Errorf(
				"ecdsa: lax DER signature: byte %d: a length of %d bytes, but %d follow",
				offset, k, len(b)-start)
		}
		size = 0
		for _, digit := range b[start : start+k] {
			if size >= 1<<16 { // judged before the shift, which overflows an int of 32 bits
				return nil, 0, fmt.Errorf(
					"ecdsa: lax DER signature: byte %d: the length of %s is over 2²⁴", offset, name)
			}
			size = size<<8 | int(digit)
		}
		start += k
	}
	if size > len(b)-start {
		return nil, 0, fmt.Errorf(
			"ecdsa: lax DER signature: byte %d gives %s %d bytes, but %d follow",
			offset, name, size, len(b)-start)
	}
	return b[start : start+size], start + size, nil
}

// fill sets dst to the big-endian number in content and reports whether it is below 2²⁵⁶. It reads
// each byte once.
func fill(dst *[32]byte, content []byte) bool {
	var high byte
	for ; len(content) > len(dst); content = content[1:] {
		high |= content[0]
	}
	copy(dst[len(dst)-len(content):], content)
	return high == 0
}

// DER returns the DER encoding of sig, at most 72 bytes, or nil if sig is the zero value. ParseDER
// parses it.
func (sig *Signature) DER() []byte {
	if sig.IsZero() {
		return nil
	}
	return sig.AppendDER(make([]byte, 0, maxDER))
}

// AppendDER appends the bytes of DER to dst and returns the extended slice. It
// appends nothing if sig is the zero value.
func (sig *Signature) AppendDER(dst []byte) []byte {
	if sig.IsZero() {
		return dst
	}
	r, s := sig.R(), sig.S()
	rSkip, sSkip := derSkip(&r), derSkip(&s)
	dst = append(dst, 0x30, byte(4+(33-rSkip)+(33-sSkip)))
	dst = appendInteger(dst, &r, rSkip)
	return appendInteger(dst, &s, sSkip)
}

// derSkip returns the number of leading zero bytes that a DER encoder removes from a zero byte
// followed by b. It removes as many as it can while the first remaining bit is zero.
func derSkip(b *[32]byte) int {
	skip := 0
	for skip < 32 && b[skip] == 0 {
		skip++
	}
	if skip < 32 && b[skip] < 0x80 {
		skip++
	}
	return skip
}

func appendInteger(dst []byte, b *[32]byte, skip int) []byte {
	dst = append(dst, 0x02, byte(33-skip))
	if skip == 0 {
		return append(append(dst, 0), b[:]...)
	}
	return append(dst, b[skip-1:]...)
}
