package pkix

import (
	"bytes"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
)

// The tags of DER (X.690, section 8.1.2) that occur in keys.
const (
	tagInteger     = 0x02
	tagBitString   = 0x03
	tagOctetString = 0x04
	tagOID         = 0x06
	tagSequence    = 0x30
	tagContext0    = 0xa0 // [0] and [1] of a sequence: constructed
	tagContext1    = 0xa1
)

// The object identifiers of keys, as the contents of their DER encodings.
const (
	oidECPublicKey = "\x2a\x86\x48\xce\x3d\x02\x01" // 1.2.840.10045.2.1
	oidSecp256k1   = "\x2b\x81\x04\x00\x0a"         // 1.3.132.0.10
)

// A document is a DER encoding that is parsed, and the first error.
type document struct {
	form string // the name of the encoding, for errors
	der  []byte
	err  error
}

// fail records an error at an offset, unless there was one before.
func (d *document) fail(at int, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("pkix: %s: byte %d: %w", d.form, at, fmt.Errorf(format, args...))
	}
}

// A reader reads the elements in der[at:end] of a document, one after the other. After an error it
// returns empty elements. Callers check the error at the end.
//
// A reader looks only at tags, lengths, numbers of versions and object identifiers, which it marks
// as public for memcheck. Its errors do not contain what it read.
type reader struct {
	*document
	at, end int
}

// read returns a reader of a copy of der, because der may change during the call.
func read(form string, der []byte) reader {
	return reader{&document{form: form, der: bytes.Clone(der)}, 0, len(der)}
}

// element returns a reader of the content of the next element, which must have the given tag. field
// is the element's name in errors. Keys have lengths below 256. Longer ones are read too, so that
// the error says what such an encoding has in place of a key of secp256k1.
func (r *reader) element(tag byte, field string) reader {
	none := reader{r.document, r.end, r.end}
	if r.err != nil {
		return none
	}
	if r.end-r.at < 2 {
		r.fail(r.at, "the end, want %s", field)
		return none
	}
	head := r.der[r.at:r.end]
	if !r.has(tag) {
		r.fail(r.at, "want %s with the tag %#02x", field, tag)
		return none
	}
	ct.DeclassifyBytes(head[1:2])
	start, size := 2, int(head[1])
	if size >= 0x80 {
		n := size - 0x80 // the number of bytes of the length
		if n < 1 || n > 2 || len(head) < 2+n {
			r.fail(r.at+1, "the length of %s is over 65535 or not that of DER", field)
			return none
		}
		start, size = 2+n, 0
		ct.DeclassifyBytes(head[2:start])
		for _, b := range head[2:start] {
			size = size<<8 | int(b)
		}
		if size < 0x80 || n == 2 && size < 0x100 {
			r.fail(r.at+1, "the length of %s has more bytes than it needs", field)
			return none
		}
	}
	if size > len(head)-start {
		r.fail(r.at+1, "%s is longer than the remaining bytes", field)
		return none
	}
	content := reader{r.document, r.at + start, r.at + start + size}
	r.at = content.end
	return content
}

// has reports whether the next element has the tag.
func (r *reader) has(tag byte) bool {
	if r.err != nil || r.at == r.end {
		return false
	}
	ct.DeclassifyBytes(r.der[r.at : r.at+1])
	return r.der[r.at] == tag
}

// done checks that the content of field has no further elements.
func (r *reader) done(field string) {
	if r.at != r.end {
		r.fail(r.at, "more bytes in %s", field)
	}
}

// value checks that the next element has the tag and the content want. meaning is the content's
// name in errors.
func (r *reader) value(tag byte, field, want, meaning string) {
	e := r.element(tag, field)
	content := r.der[e.at:e.end]
	ct.DeclassifyBytes(content)
	if string(content) != want {
		r.fail(e.at, "%s is not %s", field, meaning)
	}
}

// curve checks that the next element names the curve secp256k1. SEC 1 and RFC 5480 also define a
// sequence of the curve's numbers, and NULL for a curve that the context implies.
func (r *reader) curve(field string) {
	if r.has(tagSequence) {
		r.fail(r.at, "%s gives the numbers of a curve: only its name is accepted", field)
	}
	r.value(tagOID, field, oidSecp256k1, "the name of secp256k1 (1.3.132.0.10)")
}

// algorithm reads the AlgorithmIdentifier of keys of secp256k1 (RFC 5480, section 2.1.1).
func (r *reader) algorithm(field string) {
	a := r.element(tagSequence, field)
	a.value(tagOID, field+".algorithm", oidECPublicKey, "id-ecPublicKey (1.2.840.10045.2.1)")
	a.curve(field + ".parameters")
	a.done(field)
}

// publicKey returns the public key in the next element, a BIT STRING, or nil after an error.
func (r *reader) publicKey(field string) *koblitz.PublicKey {
	e := r.element(tagBitString, field)
	if r.err != nil {
		return nil
	}
	content := r.der[e.at:e.end]
	ct.DeclassifyBytes(content)
	if len(content) == 0 || content[0] != 0 {
		r.fail(e.at, "%s has not a whole number of bytes", field)
		return nil
	}
	k, err := koblitz.ParsePublicKey(content[1:])
	if err != nil {
		r.fail(e.at+1, "%s: %w", field, err)
		return nil
	}
	return k
}
