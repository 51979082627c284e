//ct:public encodes public nonces and partial signatures

package musig2

import (
	"encoding/hex"
	"errors"
	"fmt"
)

// Nonces and partial signatures have the text and binary encodings of this file. Text is the bytes
// in hexadecimal.

var errZeroValue = errors.New("musig2: the zero value has no encoding")

// text returns b in hexadecimal, or an error if b is nil.
func text(b []byte) ([]byte, error) {
	if b == nil {
		return nil, errZeroValue
	}
	return hex.AppendEncode(nil, b), nil
}

// encoded returns b, or an error if b is nil.
func encoded(b []byte) ([]byte, error) {
	if b == nil {
		return nil, errZeroValue
	}
	return b, nil
}

// printed returns b in hexadecimal, or "zero" if b is nil.
func printed(b []byte) string {
	if b == nil {
		return "zero"
	}
	return hex.EncodeToString(b)
}

// set sets v to the value that parse returns for b. If there is an error, v keeps its value.
func set[T any](v *T, b []byte, parse func([]byte) (*T, error)) error {
	parsed, err := parse(b)
	if err == nil {
		*v = *parsed
	}
	return err
}

// setText is set for bytes in hexadecimal. The noun says in errors what the text is.
func setText[T any](v *T, text []byte, noun string, parse func([]byte) (*T, error)) error {
	b, err := hex.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("musig2: %s: %w", noun, err)
	}
	return set(v, b, parse)
}

// String returns the encoding of n in hexadecimal, or "zero" if n holds no nonce.
func (n PublicNonce) String() string { return printed(n.Bytes()) }

// MarshalText returns the encoding of n in hexadecimal, or an error if n holds no nonce.
func (n PublicNonce) MarshalText() ([]byte, error) { return text(n.Bytes()) }

// MarshalBinary returns the encoding of n, or an error if n holds no nonce.
func (n PublicNonce) MarshalBinary() ([]byte, error) { return encoded(n.Bytes()) }

// UnmarshalText sets n to the nonce that text encodes in hexadecimal. If there is an error, n keeps
// its value.
func (n *PublicNonce) UnmarshalText(text []byte) error {
	return setText(n, text, "public nonce", ParsePublicNonce)
}

// UnmarshalBinary sets n to the nonce that b encodes, as for ParsePublicNonce. If there is an
// error, n keeps its value.
func (n *PublicNonce) UnmarshalBinary(b []byte) error { return set(n, b, ParsePublicNonce) }

// String returns the encoding of n in hexadecimal, or "zero" if n holds no nonce.
func (n AggregateNonce) String() string { return printed(n.Bytes()) }

// MarshalText returns the encoding of n in hexadecimal, or an error if n holds no nonce.
func (n AggregateNonce) MarshalText() ([]byte, error) { return text(n.Bytes()) }

// MarshalBinary returns the encoding of n, or an error if n holds no nonce.
func (n AggregateNonce) MarshalBinary() ([]byte, error) { return encoded(n.Bytes()) }

// UnmarshalText sets n to the nonce that text encodes in hexadecimal. If there is an error, n keeps
// its value.
func (n *AggregateNonce) UnmarshalText(text []byte) error {
	return setText(n, text, "aggregate nonce", ParseAggregateNonce)
}

// UnmarshalBinary sets n to the nonce that b encodes, as for ParseAggregateNonce. If there is an
// error, n keeps its value.
func (n *AggregateNonce) UnmarshalBinary(b []byte) error { return set(n, b, ParseAggregateNonce) }

// String returns the encoding of sig in hexadecimal, or "zero" if sig holds no number.
func (sig PartialSignature) String() string { return printed(sig.Bytes()) }

// MarshalText returns the encoding of sig in hexadecimal, or an error if sig holds no number.
func (sig PartialSignature) MarshalText() ([]byte, error) { return text(sig.Bytes()) }

// MarshalBinary returns the encoding of sig, or an error if sig holds no number.
func (sig PartialSignature) MarshalBinary() ([]byte, error) { return encoded(sig.Bytes()) }

// UnmarshalText sets sig to the partial signature that text encodes in hexadecimal. If there is an
// error, sig keeps its value.
func (sig *PartialSignature) UnmarshalText(text []byte) error {
	return setText(sig, text, "partial signature", ParsePartialSignature)
}

// UnmarshalBinary sets sig to the partial signature that b encodes, as for ParsePartialSignature.
// If there is an error, sig keeps its value.
func (sig *PartialSignature) UnmarshalBinary(b []byte) error {
	return set(sig, b, ParsePartialSignature)
}
