//go:build rust

package rust

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/x/frost"
)

// An encoding is a format for points or numbers that the Rust crates also parse.
type encoding struct {
	name   string // the words of a request
	points int    // number of points, or 0 for a number
	fixed  bool   // the crates have no parser for other lengths
	parse  func([]byte) ([]byte, error)
}

var formats = []encoding{
	{"musig parse nonce", 2, false, parser(musig2.ParsePublicNonce)},
	{"musig parse sum", 2, false, parser(musig2.ParseAggregateNonce)},
	{"musig parse partial", 0, false, parser(musig2.ParsePartialSignature)},
	{"rfc9591 parse nonce", 2, true, parser(frost.ParsePublicNonce)},
	{"rfc9591 parse commitment", 3, false, parser(frost.ParseCommitment)},
}

// parser returns a function that parses an encoding and encodes the result.
func parser[T interface{ Bytes() []byte }](
	parse func([]byte) (T, error),
) func([]byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		x, err := parse(b)
		if err != nil {
			return nil, err
		}
		return x.Bytes(), nil
	}
}

// TestEncodings checks that both sides read the same encodings of MuSig2 and FROST, and refuse the
// same, with one exception (see compact).
func TestEncodings(t *testing.T) {
	var kinds []string
	for _, f := range formats {
		kinds = append(kinds, f.name+": valid", f.name+": refused")
	}
	rounds(t, count(60, 150, 5000), kinds, func(r *round) {
		for _, f := range formats {
			b := r.encoding(&f)
			got, err := f.parse(b)
			if err != nil {
				r.seen[f.name+": refused"]++
				if !f.compact(b) {
					r.refuses(nil, strings.Fields(f.name), b)
				}
				continue
			}
			r.seen[f.name+": valid"]++
			if !bytes.Equal(got, b) {
				r.Fatalf("%s: %x is read as %x", f.name, b, got)
			}
			r.expect(words(b), strings.Fields(f.name), b)
		}
	})
}

// compact reports whether a point begins with 5. The crates accept that: k256 reads it as the x
// coordinate of a point whose y it chooses. SEC 1 has no such encoding.
func (f *encoding) compact(b []byte) bool {
	for i := range f.points {
		if 33*i < len(b) && b[33*i] == 5 {
			return true
		}
	}
	return false
}

// encoding returns bytes in a format, or bytes with an error.
func (r *round) encoding(f *encoding) []byte {
	if f.points == 0 {
		return r.resize(r.near(orderBytes, 3), f.fixed)
	}
	var b []byte
	for range f.points {
		p := randomKey(r.Rand).PublicKey().Bytes()
		switch r.IntN(16) {
		case 0:
			clear(p) // infinity, where the format has it
		case 1:
			p[0] = byte(r.IntN(8))
		case 2:
			copy(p[1:], reference.Bytes(r.Rand, 32)) // half of these are no point
		case 3:
			copy(p[1:], r.near(primeBytes, 16))
		}
		b = append(b, p...)
	}
	return r.resize(b, f.fixed)
}

// primeBytes is p − 8, and orderBytes is n − 1. The small numbers that near adds never carry out of
// the lowest byte.
var (
	primeBytes = reference.Hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc27")
	orderBytes = reference.Hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140")
)

// near returns b plus a random number below n, or sometimes 0 or a random number.
func (r *round) near(b []byte, n int) []byte {
	b = slices.Clone(b)
	switch r.IntN(6) {
	case 0:
		clear(b)
	case 1:
		return reference.Bytes(r.Rand, 32)
	default:
		b[31] += byte(r.IntN(n))
	}
	return b
}

// resize returns b, now and then without its last byte or with one more.
func (r *round) resize(b []byte, fixed bool) []byte {
	if fixed {
		return b
	}
	switch r.IntN(16) {
	case 0:
		return b[:len(b)-1]
	case 1:
		return append(b, 0)
	}
	return b
}
