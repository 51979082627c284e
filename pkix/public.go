//ct:public takes public keys

package pkix

import "github.com/koblitz-go/koblitz"

// spkiHead is the encoding of a public key before the 65 bytes of the point.
const spkiHead = "\x30\x56" + algorithm + "\x03\x42\x00"

// ParsePublicKey returns the public key that der encodes as a SubjectPublicKeyInfo (RFC 5480). The
// point has 65 bytes, or 33 if it is compressed. The time depends on der.
func ParsePublicKey(der []byte) (*koblitz.PublicKey, error) {
	r := read("public key", der)
	info := r.element(tagSequence, "SubjectPublicKeyInfo")
	info.algorithm("algorithm")
	key := info.publicKey("subjectPublicKey")
	info.done("SubjectPublicKeyInfo")
	r.done("the encoding")
	if r.err != nil {
		return nil, r.err
	}
	return key, nil
}

// MarshalPublicKey returns the key as a SubjectPublicKeyInfo with an uncompressed point (RFC 5480),
// 88 bytes. The error is [koblitz.ErrZeroKey] if the key is nil or a zero value.
func MarshalPublicKey(key *koblitz.PublicKey) ([]byte, error) {
	if key.IsZero() {
		return nil, koblitz.ErrZeroKey
	}
	der := append(make([]byte, 0, len(spkiHead)+65), spkiHead...)
	return key.AppendUncompressedBytes(der), nil
}
