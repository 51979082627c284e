package musig2

import (
	"bytes"
	"testing"
)

// fuzz checks that a parser returns a value with the encoding b, or nil and an error.
func fuzz[T interface {
	comparable
	Bytes() []byte
}](f *testing.F, good T, parse func([]byte) (T, error)) {
	b := good.Bytes()
	f.Add(b)
	f.Add(make([]byte, len(b)))
	f.Add(bytes.Repeat([]byte{255}, len(b)))
	f.Add(b[1:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := parse(b)
		var none T
		if (v == none) != (err != nil) || err == nil && !bytes.Equal(b, v.Bytes()) {
			t.Errorf("%x is parsed as %v, %v", b, v, err)
		}
	})
}

func FuzzParsePublicNonce(f *testing.F) {
	fuzz(f, newParty(1, nil, nil).nonces[0], func(b []byte) (*PublicNonce, error) {
		n, err := ParsePublicNonce(b)
		if sum, sumErr := ParseAggregateNonce(b); err == nil && !bytes.Equal(sum.Bytes(), b) {
			return n, sumErr
		}
		return n, err
	})
}

func FuzzParseAggregateNonce(f *testing.F) {
	fuzz(f, newParty(1, nil, nil).sum, ParseAggregateNonce)
}

func FuzzParsePartialSignature(f *testing.F) {
	fuzz(f, newParty(1, nil, nil).sign()[0], ParsePartialSignature)
}
