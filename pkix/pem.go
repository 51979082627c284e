package pkix

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// The labels of PEM blocks.
const (
	labelPublic = "PUBLIC KEY"
	labelPKCS8  = "PRIVATE KEY"
	labelEC     = "EC PRIVATE KEY"
	labelCurve  = "EC PARAMETERS"
)

const (
	begin = "-----BEGIN "
	end   = "-----END "
	tail  = "-----"
)

// newBuffer returns memory for the bytes that text encodes, on the heap: if a stack grows, its old
// memory is not wiped. It is not inlined, because the compiler could then use the stack.
//
//go:noinline
func newBuffer(text []byte) []byte { return make([]byte, len(text)/4*3+3) }

// ErrEncrypted is the error for a private key in PEM that is encrypted with a password.
var ErrEncrypted = errors.New(
	"the private key is encrypted; openssl pkey -in FILE writes it without encryption")

// ParsePrivateKeyPEM returns the private key in text, one block of PEM (RFC 7468) with the label EC
// PRIVATE KEY or PRIVATE KEY. Its content is as for ParseECPrivateKey or ParsePKCS8PrivateKey. A
// block EC PARAMETERS, which openssl ecparam writes before the key, is accepted if it names the
// curve. Outside of the blocks only empty lines are accepted.
//
// The error wraps [ErrEncrypted] if the key is encrypted. An error that names PEM has the offset in
// text, and all others in the decoded DER.
func ParsePrivateKeyPEM(text []byte) (*koblitz.PrivateKey, error) {
	text = bytes.Clone(text) // it may change during the call
	defer ct.Wipe(text)
	buf := newBuffer(text)
	defer ct.Wipe(buf)
	label, n, err := parsePEM(buf, text, labelEC, labelPKCS8)
	if err != nil {
		return nil, err
	}
	if label == labelEC {
		return ParseECPrivateKey(buf[:n])
	}
	return ParsePKCS8PrivateKey(buf[:n])
}

// MarshalPrivateKeyPEM returns the result of MarshalPKCS8PrivateKey as a block of PEM with the
// label PRIVATE KEY, as openssl genpkey writes it. The caller should overwrite it after use.
func MarshalPrivateKeyPEM(key *koblitz.PrivateKey) ([]byte, error) {
	der, err := MarshalPKCS8PrivateKey(key)
	return marshalPEM(labelPKCS8, der, err)
}

// MarshalECPrivateKeyPEM returns the result of MarshalECPrivateKey as a block of PEM with the label
// EC PRIVATE KEY, as openssl ec writes it. The caller should overwrite it after use.
func MarshalECPrivateKeyPEM(key *koblitz.PrivateKey) ([]byte, error) {
	der, err := MarshalECPrivateKey(key)
	return marshalPEM(labelEC, der, err)
}

// ParsePublicKeyPEM returns the public key in text, one block of PEM (RFC 7468) with the label
// PUBLIC KEY. Its content is as for ParsePublicKey. Outside of the block only empty lines are
// accepted. The time depends on text.
//
//ct:public takes a public key
func ParsePublicKeyPEM(text []byte) (*koblitz.PublicKey, error) {
	text = bytes.Clone(text)
	buf := newBuffer(text)
	_, n, err := parsePEM(buf, text, labelPublic)
	if err != nil {
		return nil, err
	}
	return ParsePublicKey(buf[:n])
}

// MarshalPublicKeyPEM returns the result of MarshalPublicKey as a block of PEM with the label
// PUBLIC KEY.
//
//ct:public takes a public key
func MarshalPublicKeyPEM(key *koblitz.PublicKey) ([]byte, error) {
	der, err := MarshalPublicKey(key)
	return marshalPEM(labelPublic, der, err)
}

// marshalPEM returns der as a block of PEM, and wipes der. If err is not nil, it returns err.
func marshalPEM(label string, der []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	head, foot := begin+label+tail+"\n", end+label+tail+"\n"
	size := encodedLen(len(der))
	text := make([]byte, len(head)+size+len(foot))
	copy(text, head)
	secret.Do(func() { encode(text[len(head):len(head)+size], der) })
	copy(text[len(head)+size:], foot)
	ct.Wipe(der)
	return text, nil
}

// parsePEM decodes the only block of PEM in text, which must have one of the labels, to dst. It
// returns the label and the number of bytes.
func parsePEM(dst, text []byte, labels ...string) (label string, n int, err error) {
	at := skipEmpty(text, 0)
	if labels[0] == labelEC && bytes.HasPrefix(text[at:], []byte(begin+labelCurve)) {
		_, n, at, err = parseBlock(dst, text, at, labelCurve)
		if err != nil { //ct:unrun no case has a broken block of parameters
			return "", 0, err
		}
		r := read(labelCurve, dst[:n])
		r.curve("the content")
		r.done("the encoding")
		if r.err != nil {
			return "", 0, r.err
		}
		at = skipEmpty(text, at)
	}
	label, n, at, err = parseBlock(dst, text, at, labels...)
	if err != nil {
		return "", 0, err
	}
	if at = skipEmpty(text, at); at != len(text) {
		return "", 0, fmt.Errorf("pkix: PEM: byte %d: text after the block", at)
	}
	return label, n, nil
}

// skipEmpty returns the offset of the first line that is not empty, from the one at text[at].
func skipEmpty(text []byte, at int) int {
	for at < len(text) {
		next := line(text, at, "")
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// parseBlock decodes the block of PEM that begins at text[at] to dst. It returns the label, which
// must be one of labels, the number of bytes, and the offset of the end of the block.
func parseBlock(dst, text []byte, at int, labels ...string) (
	label string, n, next int, err error,
) {
	fail := func(at int, format string, args ...any) (string, int, int, error) {
		err := fmt.Errorf(format, args...)
		return "", 0, 0, fmt.Errorf("pkix: PEM: byte %d: %w", at, err)
	}
	for _, l := range labels {
		if next = line(text, at, begin+l+tail); next >= 0 {
			label = l
			break
		}
	}
	if label == "" {
		if line(text, at, begin+"ENCRYPTED "+labelPKCS8+tail) >= 0 {
			return fail(at, "%w", ErrEncrypted)
		}
		return fail(at, "want the line %s%s%s", begin, strings.Join(labels, tail+" or "+begin), tail)
	}
	body, fault := next, ""
	secret.Do(func() { n, next, fault = decode(dst, text, body) })
	if fault != "" {
		if bytes.HasPrefix(text[body:], []byte("Proc-Type: 4,ENCRYPTED")) {
			return fail(body, "%w", ErrEncrypted)
		}
		return fail(next, "%s", fault)
	}
	at = next
	// The comparison ends at the first difference, and no digit is a hyphen. So it tells nothing
	// about digits in a text in which a hyphen is in the wrong place.
	foot := end + label + tail
	ct.DeclassifyBytes(text[at:min(at+len(foot)+2, len(text))])
	if next = line(text, at, foot); next < 0 {
		return fail(at, "want the line %s%s%s", end, label, tail)
	}
	return label, n, next, nil
}

// line returns the offset of the line after the one at text[at], if that is want, and -1 if not.
// The line ends in a newline, which a carriage return may precede, or at the end of text.
func line(text []byte, at int, want string) int {
	rest, ok := bytes.CutPrefix(text[at:], []byte(want))
	if !ok {
		return -1
	}
	at = len(text) - len(rest)
	switch {
	case len(rest) == 0:
		return at
	case rest[0] == '\n':
		return at + 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		return at + 2
	}
	return -1
}
