package secrettest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A Detector looks for secrets in texts.
type Detector struct {
	forms [1 << 16][]string // by their first two bytes
	seen  map[string]bool   // texts without a secret; most printers print the same text
}

// Detect returns a detector of the given secrets. A secret has 4 bytes, or a multiple of 8.
func Detect(secrets ...[]byte) *Detector {
	d := &Detector{seen: map[string]bool{}}
	for _, s := range secrets {
		for _, form := range traces(s) {
			start := &d.forms[binary.BigEndian.Uint16([]byte(form))]
			*start = append(*start, form)
		}
	}
	return d
}

// Find returns the part of text that shows a secret, such as some of its bytes in hexadecimal, or
// the empty string if text shows none.
func (d *Detector) Find(text string) string {
	if d.seen[text] {
		return ""
	}
	for _, t := range []string{text, strings.ToLower(text)} {
		for i := range len(t) - 1 {
			for _, form := range d.forms[uint16(t[i])<<8|uint16(t[i+1])] {
				if strings.HasPrefix(t[i:], form) {
					return form
				}
			}
		}
	}
	d.seen[text] = true
	return ""
}

// traces returns the texts that a printer may print for a secret, in full or in part: as a number;
// as 64-bit and 32-bit words; and any six consecutive bytes in hexadecimal, as a list, in base64,
// and unchanged. It uses the bytes in both orders. A secret of 4 bytes is a big-endian number.
func traces(secret []byte) []string {
	if len(secret) == 4 {
		limb := binary.BigEndian.Uint32(secret)
		return []string{fmt.Sprint(limb), fmt.Sprintf("%x", limb), fmt.Sprintf("%b", limb),
			fmt.Sprintf("%o", limb)}
	}
	little := slices.Clone(secret)
	slices.Reverse(little)
	var out []string
	for _, b := range [][]byte{secret, little} {
		out = append(out, new(big.Int).SetBytes(b).String(), new(big.Int).SetBytes(b).Text(8),
			strings.TrimLeft(new(big.Int).SetBytes(b).Text(2), "0"))
		for i := 0; i+6 <= len(b); i++ {
			part := b[i : i+6]
			out = append(out, hex.EncodeToString(part), fmt.Sprintf("% x", part),
				strings.Trim(fmt.Sprint(part), "[]"), strings.Trim(fmt.Sprintf("%#v", part), "[]byte{}"),
				strings.ReplaceAll(strings.Trim(fmt.Sprint(part), "[]"), " ", ","),
				strings.ReplaceAll(strings.Trim(fmt.Sprint(part), "[]"), " ", ", "),
				string(part))
		}
		for i := 0; i+6 <= len(b); i += 3 { // base64 encodes groups of three bytes
			part := b[i : i+6]
			out = append(out, base64.RawStdEncoding.EncodeToString(part),
				base64.RawURLEncoding.EncodeToString(part))
		}
		for i := 0; i < len(b); i += 8 {
			for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
				limb := order.Uint64(b[i:])
				out = append(out, fmt.Sprint(limb), fmt.Sprint(int64(limb)),
					fmt.Sprintf("%x", limb), fmt.Sprintf("%b", limb), fmt.Sprintf("%o", limb),
					fmt.Sprint(uint32(limb)), fmt.Sprint(uint32(limb>>32)))
			}
		}
	}
	return out
}

// Numbers returns the 256-bit numbers in v's memory, big-endian, in the order of the fields. In
// memory a number has four 64-bit limbs, or nine limbs of 29 bits in 32-bit words.
func Numbers(t testing.TB, v any) (out [][]byte) {
	t.Helper()
	wide, narrow := limbs(reflect.ValueOf(v))
	if len(wide)+len(narrow) == 0 || len(wide)%4 != 0 || len(narrow)%9 != 0 {
		t.Fatalf("%T holds %d limbs of 64 and %d of 32 bits", v, len(wide), len(narrow))
	}
	number := func(size uint, limbs []uint64) {
		n := new(big.Int)
		for i, limb := range limbs {
			n.Add(n, new(big.Int).Lsh(new(big.Int).SetUint64(limb), size*uint(i)))
		}
		out = append(out, n.FillBytes(make([]byte, 40))[8:])
	}
	for part := range slices.Chunk(wide, 4) {
		number(64, part)
	}
	for part := range slices.Chunk(narrow, 9) {
		number(29, part)
	}
	return out
}

// NarrowLimbs returns the limbs in v that are 32-bit words, four bytes each. It leaves out limbs so
// small that they may occur in any text.
func NarrowLimbs(v any) (out [][]byte) {
	_, narrow := limbs(reflect.ValueOf(v))
	for _, limb := range narrow {
		if limb >= 1<<24 {
			out = append(out, binary.BigEndian.AppendUint32(nil, uint32(limb)))
		}
	}
	return out
}

// limbs returns the 64-bit fields of v and its 32-bit fields.
func limbs(v reflect.Value) (wide, narrow []uint64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			w, n := limbs(v.Field(i))
			wide, narrow = append(wide, w...), append(narrow, n...)
		}
	case reflect.Uint64:
		wide = []uint64{v.Uint()}
	case reflect.Uint32:
		narrow = []uint64{v.Uint()}
	}
	return wide, narrow
}
