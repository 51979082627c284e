package pkix

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// ParseECPrivateKey returns the private key that der encodes as an ECPrivateKey (RFC 5915). The
// parameters must name the curve. If the public key is present, it must be that of the private key.
func ParseECPrivateKey(der []byte) (*koblitz.PrivateKey, error) {
	r := read("EC private key", der)
	key := r.ecPrivateKey(false)
	r.done("the encoding")
	return r.private(key)
}

// ParsePKCS8PrivateKey returns the private key that der encodes as a PrivateKeyInfo of PKCS #8 (RFC
// 5208), which contains an ECPrivateKey. In that, parameters and public key are optional, and must
// be right if present. Attributes, and the public key that version 2 (RFC 5958) has outside of the
// ECPrivateKey, are refused.
func ParsePKCS8PrivateKey(der []byte) (*koblitz.PrivateKey, error) {
	r := read("PKCS #8 private key", der)
	info := r.element(tagSequence, "PrivateKeyInfo")
	info.value(tagInteger, "version", "\x00", "0")
	info.algorithm("privateKeyAlgorithm")
	inner := info.element(tagOctetString, "privateKey")
	key := inner.ecPrivateKey(true)
	inner.done("privateKey")
	if info.has(tagContext0) {
		info.fail(info.at, "attributes are not accepted")
	}
	info.done("PrivateKeyInfo")
	r.done("the encoding")
	return r.private(key)
}

// ecPrivateKey returns the private key in the next element, an ECPrivateKey, or nil after an error.
// named says that the curve was named before.
func (r *reader) ecPrivateKey(named bool) *koblitz.PrivateKey {
	s := r.element(tagSequence, "ECPrivateKey")
	s.value(tagInteger, "version", "\x01", "1")
	if s.has(tagOctetString) && s.end-s.at > 1 {
		ct.DeclassifyBytes(s.der[s.at+1 : s.at+2])
		if s.der[s.at+1] >= 0x80 { // bytes of the length would follow, in the place of secret ones
			s.fail(s.at+1, "privateKey has more than 127 bytes, want 32")
		}
	}
	number := s.element(tagOctetString, "privateKey")
	if size := number.end - number.at; size != 32 { // checked here: later elements are not secret
		r.fail(number.at, "privateKey has %d bytes, want 32", size)
	}
	switch {
	case s.has(tagContext0):
		p := s.element(tagContext0, "parameters")
		p.curve("parameters")
		p.done("parameters")
	case !named:
		s.fail(s.at, "no parameters, which name the curve")
	}
	var public *koblitz.PublicKey
	publicAt := s.at
	if s.has(tagContext1) {
		p := s.element(tagContext1, "publicKey")
		publicAt = p.at
		public = p.publicKey("publicKey")
		p.done("publicKey")
	}
	s.done("ECPrivateKey")
	if r.err != nil {
		return nil
	}
	//ct:secret r.der[number.at] > 7
	key, err := koblitz.ParsePrivateKey(r.der[number.at:number.end])
	if err != nil {
		r.fail(number.at, "privateKey is zero, or not below the group order n")
		return nil
	}
	if public != nil && !key.PublicKey().Equal(public) {
		r.fail(publicAt, "publicKey is not the public key of privateKey")
	}
	return key
}

// private returns the key, or the error of the document. It wipes the document, and after an error
// the key.
func (d *document) private(key *koblitz.PrivateKey) (*koblitz.PrivateKey, error) {
	ct.Wipe(d.der)
	if d.err != nil {
		key.Zeroize()
		return nil, d.err
	}
	return key, nil
}

// The bytes of the encodings of private keys before and after the 32 bytes of the key. The 65 bytes
// of the public key are last.
const (
	ecHead   = "\x30\x74\x02\x01\x01\x04\x20"
	ecMiddle = "\xa0\x07\x06\x05" + oidSecp256k1 + publicHead

	pkcs8Head = "\x30\x81\x84\x02\x01\x00" + algorithm + "\x04\x6d" +
		"\x30\x6b\x02\x01\x01\x04\x20"

	publicHead = "\xa1\x44\x03\x42\x00"
	algorithm  = "\x30\x10\x06\x07" + oidECPublicKey + "\x06\x05" + oidSecp256k1
)

// MarshalECPrivateKey returns the key as an ECPrivateKey with parameters and public key (RFC 5915),
// 118 bytes. The caller should overwrite them after use. The error is [koblitz.ErrZeroKey] if the
// key is nil, a zero value or zeroized.
func MarshalECPrivateKey(key *koblitz.PrivateKey) ([]byte, error) {
	return marshalPrivate(key, ecHead, ecMiddle)
}

// MarshalPKCS8PrivateKey returns the key as a PrivateKeyInfo of PKCS #8 with the public key (RFC
// 5208), 135 bytes. The caller should overwrite them after use. The error is [koblitz.ErrZeroKey]
// if the key is nil, a zero value or zeroized.
func MarshalPKCS8PrivateKey(key *koblitz.PrivateKey) ([]byte, error) {
	return marshalPrivate(key, pkcs8Head, publicHead)
}

func marshalPrivate(key *koblitz.PrivateKey, head, middle string) ([]byte, error) {
	public := key.PublicKey()
	if public == nil {
		return nil, koblitz.ErrZeroKey
	}
	der := make([]byte, len(head)+32, len(head)+32+len(middle)+65)
	copy(der, head)
	live := false
	secret.Do(func() {
		var d scalar.Scalar
		if live = (*keys.Private)(key).Load(&d); live {
			//ct:secret d.IsOdd().Bool()
			d.PutBytes((*[32]byte)(der[len(head):]))
		}
		d.Wipe()
	})
	if !live { //ct:unrun when another goroutine wipes the key meanwhile
		return nil, koblitz.ErrZeroKey
	}
	der = append(der, middle...)
	return public.AppendUncompressedBytes(der), nil
}
