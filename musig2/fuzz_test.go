package musig2

import (
	"bytes"
	"testing"
)

// seed adds seeds for a parser of encodings: the encoding of a value, and some that are refused.
func seed(f *testing.F, b []byte) {
	f.Add(b)
	f.Add(make([]byte, len(b)))
	f.Add(bytes.Repeat([]byte{255}, len(b)))
	f.Add(b[1:])
	f.Add([]byte{})
}

// encodes fails the test unless a parser that accepts b returns a value with the encoding b.
func encodes(t *testing.T, b, encoding []byte, err error) {
	if (err == nil) != bytes.Equal(b, encoding) || err != nil && encoding != nil {
		t.Errorf("%x is parsed as %x, %v", b, encoding, err)
	}
}

func FuzzParsePublicNonce(f *testing.F) {
	seed(f, newParty(1, nil, nil).nonces[0].Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := ParsePublicNonce(b)
		if err != nil && len(b) == 0 {
			return // the encoding of no nonce is nil, which is equal to b
		}
		encodes(t, b, n.Bytes(), err)
	})
}

func FuzzParseAggregateNonce(f *testing.F) {
	seed(f, newParty(1, nil, nil).sum.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := ParseAggregateNonce(b)
		if err != nil && len(b) == 0 {
			return
		}
		encodes(t, b, n.Bytes(), err)
		if _, publicErr := ParsePublicNonce(b); publicErr == nil && err != nil {
			t.Errorf("%x is a public nonce and no aggregate nonce", b)
		}
	})
}

func FuzzParsePartialSignature(f *testing.F) {
	seed(f, newParty(1, nil, nil).sign()[0].Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		sig, err := ParsePartialSignature(b)
		if err != nil && len(b) == 0 {
			return
		}
		encodes(t, b, sig.Bytes(), err)
	})
}
