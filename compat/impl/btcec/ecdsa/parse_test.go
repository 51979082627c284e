package ecdsa_test

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var n = reference.N()

// number returns x as a DER integer, except that it has the given number of leading zero bytes.
func number(x *big.Int, zeros int) []byte {
	b := append(make([]byte, zeros), x.Bytes()...)
	return append([]byte{2, byte(len(b))}, b...)
}

func sequence(parts ...[]byte) []byte {
	b := slices.Concat(parts...)
	return append([]byte{0x30, byte(len(b))}, b...)
}

// signed returns the number of leading zero bytes that DER requires before x, 0 or 1.
func signed(x *big.Int) int {
	if x.BitLen()%8 == 0 {
		return 1
	}
	return 0
}

// text returns the text of an error, or "" if err is nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestNumbers(t *testing.T) {
	top := new(big.Int).Lsh(big.NewInt(1), 256)
	for _, x := range []*big.Int{
		big.NewInt(1), big.NewInt(0x7f), big.NewInt(0x80), big.NewInt(0x1ff),
		new(big.Int).Rsh(n, 1), new(big.Int).Sub(n, big.NewInt(1)), new(big.Int), n,
		new(big.Int).Sub(top, big.NewInt(1)), top,
	} {
		for zeros := range 4 {
			for _, name := range []string{"R", "S"} {
				other := number(big.NewInt(3), 0)
				b := sequence(number(x, zeros), other)
				if name == "S" {
					b = sequence(other, number(x, zeros))
				}
				lax, strict := "", ""
				switch {
				case x.Cmp(top) >= 0:
					lax = fmt.Sprintf("invalid signature: %s is larger than 256 bits", name)
				case x.Cmp(n) >= 0:
					lax = fmt.Sprintf("invalid signature: %s >= group order", name)
				case x.Sign() == 0:
					lax = fmt.Sprintf("invalid signature: %s is 0", name)
				}
				short := x.Sign() == 0 && zeros == 0 // an integer without any byte
				switch {
				case short:
					lax = fmt.Sprintf("malformed signature: bogus %s length", name)
					strict = lax
				case x.Sign() == 0 && zeros == 1:
					strict = lax
				case zeros > signed(x) || x.Sign() == 0:
					strict = fmt.Sprintf("signature %s is excessively padded", name)
				case zeros < signed(x):
					strict = fmt.Sprintf("signature %s is negative", name)
				default:
					strict = lax
				}
				if len(b) < ecdsa.MinSigLen {
					lax, strict = "malformed signature: too short", "malformed signature: too short"
				}
				sig, err := ecdsa.ParseSignature(b)
				if text(err) != lax || (sig == nil) != (lax != "") {
					t.Errorf("%x: %v, want %q", b, err, lax)
				}
				if sig != nil {
					r, s := sig.R(), sig.S()
					if name == "R" {
						r, s = s, r
					}
					if got := s.Bytes(); new(big.Int).SetBytes(got[:]).Cmp(x) != 0 || r.String() !=
						strings.Repeat("0", 63)+"3" {
						t.Errorf("%x is read as %v, %v", b, r, s)
					}
				}
				if sig, err := ecdsa.ParseDERSignature(b); text(err) != strict ||
					(sig == nil) != (strict != "") {
					t.Errorf("%x: %v, want %q", b, err, strict)
				}
				high := strict
				if high == "" && name == "S" && x.Cmp(new(big.Int).Rsh(n, 1)) > 0 {
					high = "non-canonical signature: S value not in low-S form"
				}
				if err := ecdsa.VerifyLowS(b); text(err) != high {
					t.Errorf("%x: %v, want %q", b, err, high)
				}
			}
		}
	}
}

func TestStructure(t *testing.T) {
	good := sequence(number(big.NewInt(5), 0), number(big.NewInt(6), 0))
	long := func(size int) []byte { // // the value r has size − 7 bytes
		return sequence(number(big.NewInt(5), size-8), number(big.NewInt(6), 0))
	}
	changed := func(i int, x byte) []byte {
		b := bytes.Clone(good)
		b[i] = x
		return b
	}
	for _, test := range []struct {
		b           []byte
		lax, strict string
	}{
		{nil, "malformed signature: too short", "malformed signature: too short"},
		{good[:7], "malformed signature: too short", "malformed signature: too short"},
		{good, "", ""},
		{append(bytes.Clone(good), 1), "", ""},
		{append(bytes.Clone(good), make([]byte, 64)...), "", ""},
		{append(bytes.Clone(good), make([]byte, 65)...), "", "malformed signature: too long"},
		{long(72), "", "signature R is excessively padded"},
		{long(73), "", "malformed signature: too long"},
		{long(200), "", "malformed signature: too long"},
		{changed(0, 0x31), "malformed signature: no header magic",
			"malformed signature: no header magic"},
		{changed(1, 7), "malformed signature: bad length", "malformed signature: bad length"},
		{changed(1, 5), "malformed signature: bad length", "malformed signature: bad length"},
		{append(changed(1, 254), make([]byte, 300)...), "malformed signature: bad length",
			"malformed signature: too long"},
		{append(changed(1, 255), make([]byte, 300)...), "malformed signature: bad length",
			"malformed signature: too long"},
		{append(changed(1, 253), make([]byte, 300)...),
			"malformed signature: bad final length 8 != 255", "malformed signature: too long"},
		{append(changed(1, 7), 0), "malformed signature: bad final length 8 != 9",
			"malformed signature: bad final length 8 != 9"},
		{changed(2, 3), "malformed signature: no 1st int marker",
			"malformed signature: no 1st int marker"},
		{changed(3, 0), "malformed signature: bogus R length", "malformed signature: bogus R length"},
		{changed(3, 2), "malformed signature: bogus R length", "malformed signature: bogus R length"},
		{changed(5, 3), "malformed signature: no 2nd int marker",
			"malformed signature: no 2nd int marker"},
		{changed(6, 0), "malformed signature: bogus S length", "malformed signature: bogus S length"},
		{changed(6, 2), "malformed signature: bogus S length", "malformed signature: bogus S length"},
	} {
		if _, err := ecdsa.ParseSignature(test.b); text(err) != test.lax {
			t.Errorf("%x: %v, want %q", test.b, err, test.lax)
		}
		if _, err := ecdsa.ParseDERSignature(test.b); text(err) != test.strict {
			t.Errorf("%x: %v, want %q", test.b, err, test.strict)
		}
	}
}

// TestMutants checks that changed signatures cause no panic, and that the lax parser accepts all
// signatures that the strict parser accepts.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	parsed := 0
	for range 20_000 {
		b := sequence(number(reference.RandInt(r), r.IntN(3)), number(reference.RandInt(r), r.IntN(2)))
		for range r.IntN(3) {
			b[r.IntN(min(len(b), 8))] = byte(r.IntN(40))
		}
		b = b[:r.IntN(len(b)+1)]
		if r.IntN(2) == 0 {
			b = append(b, make([]byte, r.IntN(40))...)
		}
		strict, err := ecdsa.ParseDERSignature(b)
		lax, laxErr := ecdsa.ParseSignature(b)
		if err != nil {
			continue
		}
		parsed++
		if laxErr != nil || *lax != *strict {
			t.Errorf("%x: %v", b, laxErr)
		}
	}
	if parsed < 50 {
		t.Errorf("%d parsed", parsed)
	}
}
