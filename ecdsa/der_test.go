package ecdsa_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestNumbersRefused checks that every parser refuses numbers that are zero, or n or more, and says
// where the first of them begins. ParseDERLax returns a zero value instead.
func TestNumbersRefused(t *testing.T) {
	one, n := big.NewInt(1), curve.Order
	zero, above := new(big.Int), new(big.Int).Add(n, one)
	for _, test := range []struct {
		r, s *big.Int
		name string
		want string
	}{
		{zero, one, "r", "is zero"},
		{one, zero, "s", "is zero"},
		{n, one, "r", "is not below the group order"},
		{one, n, "s", "is not below the group order"},
		{above, one, "r", "is not below the group order"},
		{one, above, "s", "is not below the group order"},
	} {
		raw, der := pair(test.r, test.s), derOf(test.r, test.s)
		check := func(parser string, firstByte int, isNil bool, err error) {
			t.Helper()
			want := fmt.Sprintf("%s (from byte %d) %s", test.name, firstByte, test.want)
			if !isNil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s(%x): %v, want %q", parser, raw, err, want)
			}
		}
		at, atDER := 0, 4
		if test.name == "s" {
			at, atDER = 32, 7
		}
		sig, err := ecdsa.ParseSignature(raw)
		check("ParseSignature", at, sig == nil, err)
		key, err := ecdsa.Recover(make([]byte, 32), append(raw, 0))
		check("Recover", at, key == nil, err)
		unchanged := parse(pair(one, one))
		err = unchanged.UnmarshalText([]byte(hex.EncodeToString(raw)))
		check("UnmarshalText", at, *unchanged == *parse(pair(one, one)), err)
		sig, err = ecdsa.ParseDER(der)
		check("ParseDER", atDER, sig == nil, err)
		if sig, err := ecdsa.ParseDERLax(der); err != nil || *sig != (ecdsa.Signature{}) {
			t.Errorf("ParseDERLax(%x) = %v, %v, want a zero value", der, sig, err)
		}
	}
	for _, size := range []int{0, 63, 65} {
		sig, err := ecdsa.ParseSignature(make([]byte, size))
		if want := fmt.Sprintf("%d bytes, want 64", size); sig != nil || err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("ParseSignature of %d bytes: %v, %v", size, sig, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var numbers []*big.Int
	for _, x := range reference.EdgeInts() {
		if x.Sign() > 0 && x.Cmp(curve.Order) < 0 {
			numbers = append(numbers, x)
		}
	}
	for i, x := range numbers {
		y := numbers[r.IntN(len(numbers))]
		if i%3 == 0 {
			y = reference.Secret(r)
		}
		raw := pair(x, y)
		sig := parse(raw)
		rb, sb := sig.R(), sig.S()
		if !bytes.Equal(sig.Bytes(), raw) ||
			!bytes.Equal(rb[:], raw[:32]) || !bytes.Equal(sb[:], raw[32:]) {
			t.Errorf("%x comes back as %x", raw, sig.Bytes())
		}
		if got := sig.AppendBytes([]byte("dst")); string(got) != "dst"+string(raw) {
			t.Errorf("AppendBytes = %x", got)
		}
		der := sig.DER()
		if want := derOf(x, y); !bytes.Equal(der, want) {
			t.Errorf("DER of %x = %x, want %x", raw, der, want)
		}
		if got := sig.AppendDER([]byte("dst")); string(got) != "dst"+string(der) {
			t.Errorf("AppendDER = %x", got)
		}
		for name, parse := range map[string]func([]byte) (*ecdsa.Signature, error){
			"ParseDER": ecdsa.ParseDER, "ParseDERLax": ecdsa.ParseDERLax,
		} {
			if got, err := parse(der); err != nil || *got != *sig {
				t.Errorf("%s(%x) = %v, %v", name, der, got, err)
			}
		}
		text := hex.EncodeToString(raw)
		if got := fmt.Sprint(sig, *sig); got != text+" "+text {
			t.Errorf("it prints as %s, want %s", got, text)
		}
		var upper ecdsa.Signature
		if err := upper.UnmarshalText([]byte(strings.ToUpper(text))); err != nil || upper != *sig {
			t.Errorf("upper case: %v, %v", upper, err)
		}
	}
}

// TestText checks that every text encoder writes a signature as its 64 bytes in hexadecimal.
func TestText(t *testing.T) {
	sig := parse(pair(big.NewInt(1), new(big.Int).Sub(curve.Order, big.NewInt(1))))
	type record struct {
		Ptr  *ecdsa.Signature
		By   map[ecdsa.Signature]int
		None ecdsa.Signature `json:",omitzero"`
	}
	text, err := json.Marshal(record{Ptr: sig, By: map[ecdsa.Signature]int{*sig: 1}})
	form := fmt.Sprintf(`{"Ptr":"%x","By":{"%[1]x":1}}`, sig.Bytes())
	if err != nil || string(text) != form {
		t.Errorf("JSON is %s, want %s (%v)", text, form, err)
	}
	var back record
	if err := json.Unmarshal(text, &back); err != nil || *back.Ptr != *sig || back.By[*sig] != 1 ||
		!back.None.IsZero() {
		t.Errorf("JSON comes back as %v, %v", back, err)
	}
	var zero ecdsa.Signature
	if text, err := zero.MarshalText(); err == nil || text != nil {
		t.Errorf("the text of the zero value is %q", text)
	}
	if _, err := json.Marshal(&zero); err == nil {
		t.Error("the zero value has a form in JSON")
	}
	if zero.String() != "ecdsa.Signature(zero)" {
		t.Errorf("the zero value prints as %q", zero.String())
	}
}

func TestUnmarshalTextErrors(t *testing.T) {
	one := big.NewInt(1)
	good := hex.EncodeToString(pair(one, one))
	with := func(at int, c string) string { return good[:at] + c + good[at+len(c):] }
	for _, test := range []struct{ text, want string }{
		{"", "0 characters, want 128 hexadecimal digits"},
		{good[:127], "127 characters, want 128"},
		{good[:126], "126 characters, want 128"},
		{good + "0", "129 characters, want 128"},
		{good + "\n", "129 characters, want 128"},
		{"0x" + good, "130 characters, want 128"},
		{"0x" + good[2:], `character 1 is "x"`},
		{hex.EncodeToString(parse(pair(one, one)).DER()), "16 characters, want 128"},
		{with(0, "g"), `character 0 is "g", not a hexadecimal digit`},
		{with(63, "G"), `character 63 is "G", not a hexadecimal digit`},
		{with(64, " "), `character 64 is " ", not a hexadecimal digit`},
		{with(127, "\x00"), `character 127 is "\x00", not a hexadecimal digit`},
		{with(5, "\xff"), `character 5 is "\xff", not a hexadecimal digit`},
		{with(126, "é"), `character 126 is "\xc3", not a hexadecimal digit`},
	} {
		sig := *parse(pair(one, one))
		before := sig
		err := sig.UnmarshalText([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "ecdsa: signature: ") {
			t.Errorf("%q: %v, want an error with %q", test.text, err, test.want)
		}
		if sig != before {
			t.Errorf("%q: the signature is now %v", test.text, sig)
		}
	}
}

// derOf returns the DER encoding of the numbers xs. It computes two's complements, unlike the
// encoder under test.
func derOf(xs ...*big.Int) []byte {
	var body []byte
	for _, x := range xs {
		b := append([]byte{0}, x.Bytes()...)
		for len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
			b = b[1:]
		}
		body = append(append(body, 2, byte(len(b))), b...)
	}
	return append([]byte{0x30, byte(len(body))}, body...)
}

func TestParseDER(t *testing.T) {
	r32 := strings.Repeat("11", 32)
	for _, test := range []struct {
		name, der string
		want      string // part of ParseDER's error, or empty if it accepts
		lax       string // ParseDERLax's error, or "ok", or "zero" for the zero value
	}{
		{"smallest", "3006 020101 020101", "", "ok"},
		{"two bytes", "3008 02020080 02020100", "", "ok"},
		{"32 bytes", "3044 0220" + r32 + "0220" + r32, "", "ok"},
		{"high bit with its zero", "3045 022100" + "81" + r32[2:] + "0220" + r32, "", "ok"},

		{"empty", "", "0 bytes, want at least 8", "empty"},
		{"only a tag", "30", "1 bytes, want at least 8", "byte 1: the end"},
		{"only a head", "3000", "2 bytes, want at least 8", "byte 2: the end, want the integer r"},
		{"r has no length", "300102", "3 bytes, want at least",
			"byte 3: the end, want the length of r"},
		{"r ends early", "3003 0202 01", "5 bytes, want at least",
			"byte 3 gives r 2 bytes, but 1 follow"},
		{"no s", "3003 020101", "5 bytes, want at least 8", "byte 5: the end, want the integer s"},
		{"no s, long r", "3006 0204 01010101",
			"byte 8: the end, want the integer s", "byte 8: the end, want the integer s"},
		{"s has no length", "3006 0203 010101 02",
			"byte 8: the end, want the integer s", "byte 8: the end, want the length of s"},
		{"not a sequence", "3106 020101 020101",
			"byte 0 is 0x31, want 0x30", "byte 0 is 0x31, want 0x30"},
		{"r is no integer", "3006 030101 020101",
			"byte 2 is 0x03, want 0x02", "byte 2 is 0x03, want 0x02"},
		{"s is no integer", "3006 020101 030101",
			"byte 5 is 0x03, want 0x02", "byte 5 is 0x03, want 0x02"},
		{"sequence too short", "3005 020101 020101",
			"byte 1 gives the sequence 5 bytes, but 6 follow", "ok"},
		{"sequence too long", "3007 020101 020101",
			"byte 1 gives the sequence 7 bytes, but 6 follow", "ok"},
		{"bytes after the end", "3006 020101 020101 00",
			"byte 1 gives the sequence 6 bytes, but 7 follow", "ok"},
		{"bytes after s", "3007 020101 020101 00", "byte 8: 1 bytes after s", "ok"},
		{"long form of a short length", "308106 020101 020101",
			"byte 1 gives the sequence 129 bytes", "ok"},
		{"long form with zeros", "3083000006 020101 020101",
			"byte 1 gives the sequence 131 bytes", "ok"},
		{"long form of an integer", "3007 02810101 020101",
			"byte 3 gives r 129 bytes, but 5 follow", "ok"},
		{"long form of an integer, padded", "300b 028500000000 0101 020101",
			"byte 3 gives r 133 bytes", "ok"},
		{"length of four bytes", "300a 028401000000 01 020101",
			"byte 3 gives r 132 bytes", "byte 3: the length of r is over"},
		{"length of four bytes, from 2^31", "300a 028480000000 01 020101",
			"byte 3 gives r 132 bytes", "byte 3: the length of r is over"},
		{"length of five bytes, 1 mod 2^32", "300b 02858000000001 01 020101",
			"byte 3 gives r 133 bytes", "byte 3: the length of r is over"},
		{"length of three bytes, too long", "3009 0283010000 01 020101",
			"byte 3 gives r 131 bytes", "byte 3 gives r 65536 bytes, but 4 follow"},
		{"length past the end", "3006 0289 01010101",
			"byte 3 gives r 137 bytes", "byte 3: a length of 9 bytes, but 4 follow"},
		{"sequence length past the end", "30ff 020101 020101",
			"byte 1 gives the sequence 255 bytes", "byte 1: a length of 127 bytes, but 6 follow"},
		{"indefinite length", "3080 020101 020101 0000",
			"byte 1 gives the sequence 128 bytes", "ok"},
		{"s past the end", "3006 020101 020201",
			"byte 6 gives s 2 bytes, but 1 follow", "byte 6 gives s 2 bytes, but 1 follow"},
		{"r is empty", "3006 0200 02020101", "byte 3: r has no content", "zero"},
		{"s is empty", "3006 02020101 0200", "byte 7: s has no content", "zero"},
		{"r of indefinite length", "3006 0280 02020101", "byte 3 gives r 128 bytes", "zero"},
		{"r is negative", "3006 020181 020101", "byte 4: r is negative", "ok"},
		{"s is negative", "3006 020101 0201ff", "byte 7: s is negative", "ok"},
		{"r is padded", "3007 02020001 020101", "byte 4: r has a leading zero", "ok"},
		{"s is padded", "3007 020101 02020001", "byte 7: s has a leading zero", "ok"},
		{"r is padded to 40 bytes", "302d 0228" + strings.Repeat("00", 39) + "01 020101",
			"byte 4: r has a leading zero", "ok"},
		{"r is 2^256", "3026 022101" + strings.Repeat("00", 32) + "020101",
			"r (from byte 4) is not below the group order", "zero"},
		{"s is 2^256", "3026 020101 022101" + strings.Repeat("00", 32),
			"s (from byte 7) is not below the group order", "zero"},
		{"r is 2^264 + 1", "3027 022201" + strings.Repeat("00", 32) + "01 020101",
			"r (from byte 4) is not below the group order", "zero"},
		{"r of 33 bytes", "3026 022111" + r32 + "020101",
			"r (from byte 4) is not below the group order", "zero"},
		{"73 bytes", "3047 022200" + "81" + r32 + "0221" + "00" + "81" + r32[2:],
			"r (from byte 4) is not below the group order", "zero"},
		{"a hash type after 72 bytes", "3046 022100" + "81" + r32[2:] + "022100" + "81" + r32[2:] + "01",
			"byte 1 gives the sequence 70 bytes, but 71 follow", "ok"},
	} {
		b := reference.Hex(strings.ReplaceAll(test.der, " ", ""))
		sig, err := ecdsa.ParseDER(b)
		switch {
		case test.want == "" && (err != nil || !bytes.Equal(sig.DER(), b)):
			t.Errorf("%s: ParseDER(%x) = %v, %v", test.name, b, sig, err)
		case test.want != "" && (sig != nil || err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: ParseDER(%x) = %v, %v, want an error with %q", test.name, b, sig, err, test.want)
		}
		sig, err = ecdsa.ParseDERLax(b)
		switch test.lax {
		case "ok":
			if err != nil || sig.IsZero() {
				t.Errorf("%s: ParseDERLax(%x) = %v, %v", test.name, b, sig, err)
			}
		case "zero":
			if err != nil || *sig != (ecdsa.Signature{}) || !sig.IsZero() || sig.Bytes() != nil {
				t.Errorf("%s: ParseDERLax(%x) = %v, %v, want a zero value", test.name, b, sig, err)
			}
		default:
			if sig != nil || err == nil || !strings.Contains(err.Error(), test.lax) {
				t.Errorf("%s: ParseDERLax(%x) = %v, %v, want an error with %q",
					test.name, b, sig, err, test.lax)
			}
		}
	}

	// ParseDERLax must read the right values of both numbers in a loose encoding.
	loose := reference.Hex("3082ffff" + "0283000002ff02" + "0203000080" + "deadbeef")
	sig, err := ecdsa.ParseDERLax(loose)
	if err != nil || !bytes.Equal(sig.Bytes(), pair(big.NewInt(0xff02), big.NewInt(0x80))) {
		t.Errorf("loose numbers = %x, %v", sig.Bytes(), err)
	}
}

// FuzzParseDER checks that ParseDER refuses every encoding that BIP-66's predicate refuses. For
// every other encoding, ParseDER must return the right numbers, or an error if they are out of
// range. ParseDERLax must accept every encoding that ParseDER accepts. What it reads must be in the
// encoding, and it must ignore bytes after both numbers.
func FuzzParseDER(f *testing.F) {
	f.Add(derOf(big.NewInt(1), big.NewInt(1)))
	f.Add(derOf(curve.Order, reference.P()))
	f.Add([]byte{0x30, 0x81, 6, 2, 1, 1, 2, 1, 1})
	f.Add([]byte{0x30, 0x80, 2, 0x83, 0, 0, 1, 1, 2, 1, 1, 9, 9, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		sig, err := ecdsa.ParseDER(b)
		lax, errLax := ecdsa.ParseDERLax(b)
		if (sig == nil) == (err == nil) || (lax == nil) == (errLax == nil) {
			t.Fatalf("%v, %v, %v, %v", sig, err, lax, errLax)
		}
		if errLax == nil && !lax.IsZero() {
			for _, x := range [][32]byte{lax.R(), lax.S()} {
				if !bytes.Contains(b, bytes.TrimLeft(x[:], "\x00")) {
					t.Fatalf("%x is not in %x", x, b)
				}
			}
			if again, err := ecdsa.ParseDERLax(append(bytes.Clone(b), 2)); err != nil || *again != *lax {
				t.Fatalf("with a byte more: %v, %v", again, err)
			}
		}
		if !validBIP66(b) {
			if err == nil {
				t.Fatalf("ParseDER accepts %x", b)
			}
			return
		}
		rLen := int(b[3])
		r, s := new(big.Int).SetBytes(b[4:4+rLen]), new(big.Int).SetBytes(b[6+rLen:])
		inRange := r.Sign() > 0 && s.Sign() > 0 && r.Cmp(curve.Order) < 0 && s.Cmp(curve.Order) < 0
		if inRange != (err == nil) || errLax != nil || inRange == lax.IsZero() {
			t.Fatalf("%x: %v, %v, %v, %v", b, sig, err, lax, errLax)
		}
		if inRange && (*lax != *sig ||
			!bytes.Equal(sig.Bytes(), pair(r, s)) || !bytes.Equal(sig.DER(), b)) {
			t.Fatalf("%x = %x, %x", b, sig.Bytes(), lax.Bytes())
		}
	})
}

// validBIP66 reports whether b is valid by BIP-66, without the hash type: a sequence of two
// integers that are as short as possible, non-negative and not empty, 8 to 72 bytes in all. It
// encodes the numbers again and compares the encoding with b.
func validBIP66(b []byte) bool {
	if len(b) < 8 || len(b) > 72 || int(b[3]) > len(b)-6 {
		return false
	}
	rLen := int(b[3])
	r, s := new(big.Int).SetBytes(b[4:4+rLen]), new(big.Int).SetBytes(b[6+rLen:])
	return bytes.Equal(derOf(r, s), b)
}
