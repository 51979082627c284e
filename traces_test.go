package koblitz_test

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
	"unsafe"
)

// A detector looks for secrets in texts.
type detector struct {
	forms []string
	seen  map[string]bool // texts without a secret; most printers print the same text
}

// detect returns a detector of the given secrets. A secret has 4 bytes, or a multiple of 8.
func detect(secrets ...[]byte) *detector {
	d := &detector{seen: map[string]bool{}}
	for _, s := range secrets {
		d.forms = append(d.forms, traces(s)...)
	}
	slices.Sort(d.forms)
	d.forms = slices.Compact(d.forms)
	return d
}

// find returns the part of text that shows a secret, such as some of its bytes in hexadecimal, or
// the empty string if text shows none.
func (d *detector) find(text string) string {
	if d.seen[text] {
		return ""
	}
	lower := strings.ToLower(text)
	for _, form := range d.forms {
		if strings.Contains(text, form) || lower != text && strings.Contains(lower, form) {
			return form
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

// numbers returns the 256-bit numbers in v's memory, big-endian, in the order of the fields. In
// memory a number has four 64-bit limbs, or nine limbs of 29 bits in 32-bit words.
func numbers(t *testing.T, v any) (out [][]byte) {
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

// narrowLimbs returns the limbs in v that are 32-bit words, four bytes each. It leaves out limbs so
// small that they may occur in any text.
func narrowLimbs(v any) (out [][]byte) {
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

// TestDetector checks that the detector finds secret bytes and limbs in texts that fmt prints.
func TestDetector(t *testing.T) {
	secret := unhex(t, "9fa3c5e7d1b2f4869788a9bacbdcedfe8f7e6d5c4b3a29180706f5e4d3c2b1a9")
	var limbs [4]uint64
	for i := range limbs {
		limbs[i] = binary.BigEndian.Uint64(secret[24-8*i:])
	}
	held := struct{ a, b, c, d uint64 }{limbs[0], limbs[1], limbs[2], limbs[3]}
	if got := numbers(t, held); len(got) != 1 || !slices.Equal(got[0], secret) {
		t.Fatalf("numbers reads %x", got)
	}
	var narrow struct{ a, b, c, d, e, f, g, h, i uint32 }
	for i, number := 0, new(big.Int).SetBytes(secret); i < 9; i++ {
		limb := new(big.Int).And(new(big.Int).Rsh(number, uint(29*i)), big.NewInt(1<<29-1))
		*(*uint32)(unsafe.Add(unsafe.Pointer(&narrow), 4*i)) = uint32(limb.Uint64())
	}
	if got := numbers(t, narrow); len(got) != 1 || !slices.Equal(got[0], secret) {
		t.Fatalf("numbers reads %x from narrow limbs", got)
	}
	for _, format := range []string{"%x", "%X", "%d", "%v", "%+v", "%b", "%o"} {
		if text := fmt.Sprintf(format, narrow); detect(narrowLimbs(narrow)...).find(text) == "" {
			t.Errorf("%s of narrow limbs is missed: %s", format, text)
		}
	}
	for _, v := range []any{secret, [32]byte(secret), limbs, held, &held} {
		for _, format := range []string{"%x", "%X", "%d", "%v", "%+v", "%#v"} {
			if text := fmt.Sprintf(format, v); detect(secret).find(text) == "" {
				t.Errorf("%s of a %T is missed: %s", format, v, text)
			}
		}
	}
	if text := string(secret); detect(secret).find(text) == "" {
		t.Errorf("bytes are missed: %q", text)
	}
	if form := detect(secret).find("a text that shows nothing of it"); form != "" {
		t.Errorf("%q is found where it is not", form)
	}
}
