package peers

import (
	"bytes"
	"math/big"
	"testing"

	btcec "github.com/btcsuite/btcd/btcec/v2/ecdsa"
	peerecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/koblitz-go/koblitz/ecdsa"
)

// integer returns the ASN.1 encoding of an integer with the given content bytes, valid or not.
func integer(content []byte) []byte {
	return append([]byte{0x02, byte(len(content))}, content...)
}

// content returns the content bytes of x in DER, the shortest that are allowed.
func content(x *big.Int) []byte {
	b := x.Bytes()
	if len(b) == 0 || b[0] >= 0x80 {
		b = append([]byte{0}, b...)
	}
	return b
}

// der returns an encoding of a signature that is valid, or has one or two errors.
func (s *source) der() []byte {
	number := s.scalar
	if s.IntN(4) == 0 {
		number = s.number
	}
	r, sv := content(number()), content(number())
	if s.IntN(6) == 0 {
		r = append(make([]byte, s.IntN(3)), r...)
	}
	if s.IntN(6) == 0 {
		sv = append(make([]byte, s.IntN(3)), sv...)
	}
	if s.IntN(12) == 0 {
		r = r[min(1, len(r)-1):]
	}
	if s.IntN(40) == 0 {
		r = nil
	}
	if s.IntN(40) == 0 {
		sv = nil
	}
	if s.IntN(30) == 0 {
		r = append(s.bytes(40), r...)
	}
	body := append(integer(r), integer(sv)...)
	b := append([]byte{0x30, byte(len(body))}, body...)
	for range s.IntN(3) {
		switch s.IntN(6) {
		case 0:
			b = s.flip(b)
		case 1:
			b = b[:s.IntN(len(b))+1]
		case 2:
			b = append(b, s.bytes(1+s.IntN(3))...)
		case 3:
			b[min(1, len(b)-1)] += byte(s.IntN(5)) - 2
		case 4: // errors in the structure, not in the numbers
			i := s.IntN(min(6, len(b)))
			b[i] = byte(s.IntN(256))
		case 5:
			if at := 4 + len(r); at+1 < len(b) {
				b[at+s.IntN(2)] += byte(s.IntN(5)) - 2
			}
		}
	}
	return b
}

// TestDER checks that the strict parsers of dcrec and btcec give the same results as this
// library's, except that btcec's parser ignores bytes after the sequence, up to 72 bytes in all.
func TestDER(t *testing.T) {
	s := newSource(8)
	accepted, trailing, refused := 0, 0, 0
	for range 60000 {
		b := s.der()
		sig, err := ecdsa.ParseDER(b)
		theirs, peerErr := peerecdsa.ParseDERSignature(b)
		if (err == nil) != (peerErr == nil) {
			t.Errorf("%x: %v, dcrec %v", b, err, peerErr)
			continue
		}
		if err == nil {
			accepted++
			r, sv := theirs.R(), theirs.S()
			rb, sb := r.Bytes(), sv.Bytes()
			if sig.R() != rb || sig.S() != sb {
				t.Errorf("%x: r %x, s %x, dcrec %x, %x", b, sig.R(), sig.S(), rb, sb)
			}
			if !bytes.Equal(sig.DER(), b) {
				t.Errorf("%x encodes to %x", b, sig.DER())
			}
		} else {
			refused++
		}

		_, err = btcec.ParseDERSignature(b)
		want := false
		if len(b) >= 2 && len(b) <= 72 && int(b[1])+2 <= len(b) {
			_, inner := ecdsa.ParseDER(b[:int(b[1])+2])
			want = inner == nil
			if want && int(b[1])+2 < len(b) {
				trailing++
			}
		}
		if (err == nil) != want {
			t.Errorf("%x: btcec %v, koblitz without the bytes after the sequence: %v", b, err, want)
		}
	}
	if accepted < 5000 || trailing < 500 || refused < 5000 {
		t.Errorf("%d accepted, %d by btcec with bytes after the sequence, %d refused",
			accepted, trailing, refused)
	}
}

// TestLaxDER compares this library's lax parser with btcec's. It leaves out encodings with long
// lengths, which btcec misreads as short ones. It checks that this library accepts all encodings
// that btcec accepts, with the same numbers. All other encodings that this library accepts have a
// wrong length of the sequence, or bytes after s.
func TestLaxDER(t *testing.T) {
	s := newSource(9)
	both, more, neither := 0, 0, 0
	for range 60000 {
		b := s.der()
		if longLength(b) {
			continue
		}
		sig, err := ecdsa.ParseDERLax(b)
		ours := err == nil && !sig.IsZero()
		theirs, peerErr := btcec.ParseSignature(b)
		switch {
		case peerErr == nil:
			both++
			r, sv := theirs.R(), theirs.S()
			if !ours || sig.R() != r.Bytes() || sig.S() != sv.Bytes() {
				t.Errorf("%x: %v, btcec r %x, s %x", b, err, r.Bytes(), sv.Bytes())
			}
		case ours:
			more++
			// btcec must accept the encoding too once the length of the sequence is corrected and
			// the bytes after s are cut off.
			size := 4 + int(b[3])
			size += 2 + int(b[size+1])
			c := append([]byte(nil), b[:size]...)
			if c[1] == byte(size-2) && len(b) == size {
				t.Errorf("%x: accepted, btcec: %v", b, peerErr)
			}
			c[1] = byte(size - 2)
			if again, err := btcec.ParseSignature(c); err != nil {
				t.Errorf("%x: accepted, btcec: %v", c, err)
			} else if r := again.R(); sig.R() != r.Bytes() {
				t.Errorf("%x: r %x, btcec %x", b, sig.R(), r.Bytes())
			}
		default:
			neither++
		}
	}
	if both < 5000 || more < 500 || neither < 5000 {
		t.Errorf("%d accepted by both, %d by koblitz alone, %d by neither", both, more, neither)
	}
}

// longLength reports whether one of the three length bytes is 0x80 or more.
func longLength(b []byte) bool {
	at := 1
	for range 3 {
		if at >= len(b) {
			return false
		}
		if b[at] >= 0x80 {
			return true
		}
		if at == 1 {
			at = 3
		} else {
			at += int(b[at]) + 2
		}
	}
	return false
}
