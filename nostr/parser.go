package nostr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// A Parser reads JSON with events in it: an event, or a message of a client or a relay such as
// ["EVENT",{…}]. Its methods read from the current offset on, and skip white space before a token.
// It uses its memory again for the next event.
//
// A Parser keeps no copy of its text, which must not change until the last event is not used any
// more.
type Parser struct {
	s scanner

	id, key  [32]byte
	sig      [64]byte
	created  []byte // digits
	kind     []byte // digits
	tags     []byte // in the form that is hashed; part of the text or of tagsRoom
	content  []byte // in the form that is hashed, with quotes; part of the text or of contentRoom
	text     []byte // text of the whole event
	seen     field
	complete bool // ReadEvent succeeded

	createdAt int64
	kindValue uint16

	scratch, tagsRoom, contentRoom []byte
}

// Reset makes p read text from its beginning. It releases the previous text.
func (p *Parser) Reset(text []byte) {
	p.s.b, p.s.i = text, 0
	p.text, p.seen, p.complete = nil, 0, false
	p.created, p.kind, p.tags, p.content = nil, nil, nil, nil
}

// Offset returns the offset in bytes at which p reads on.
func (p *Parser) Offset() int { return p.s.i }

// Seek makes p read on at the given offset. If offset is not in the text, p reads on at the end of
// the text.
func (p *Parser) Seek(offset int) {
	if offset < 0 || offset > len(p.s.b) {
		offset = len(p.s.b)
	}
	p.s.i = offset
}

// Peek returns the first byte of the next token, or 0 at the end of the text.
func (p *Parser) Peek() byte { return p.s.peek() }

// Take reads the byte c if it is next, and reports whether it was.
func (p *Parser) Take(c byte) bool { return p.s.take(c) }

// Expect reads the byte c. It returns an error if another byte is next.
func (p *Parser) Expect(c byte) error { return p.s.expect(c) }

// TakeString reads a string. It returns the string in the form that NIP-01 hashes, without quotes.
// The result is valid until the next call of a method of p.
func (p *Parser) TakeString() ([]byte, error) {
	text, err := p.s.string(p.scratch[:0])
	if err != nil {
		return nil, err
	}
	p.scratch = text
	return text[1 : len(text)-1], nil
}

// Skip reads a value of any kind. It returns an error if the value is not correct, or if lists and
// objects in it are nested more than 200 deep.
func (p *Parser) Skip() error { return p.s.skip(0) }

// End returns an error unless only white space is left.
func (p *Parser) End() error { return p.s.end() }

// Errorf returns a *ParseError at the current offset.
func (p *Parser) Errorf(format string, args ...any) error { return p.s.fail(format, args...) }

// ID returns the id of the last event, as its text states it. If no id was read, ID returns zeros
// and false. An id may have been read before ReadEvent returned an error.
func (p *Parser) ID() (id [32]byte, ok bool) {
	if ok = p.seen&fieldID != 0; ok {
		id = p.id
	}
	return id, ok
}

// Signed returns the last event's public key and signature. It returns zeros unless ReadEvent
// succeeded.
func (p *Parser) Signed() (pubKey [32]byte, sig [64]byte) {
	if !p.complete {
		return pubKey, sig
	}
	return p.key, p.sig
}

// Text returns the text of the last event, or nil if ReadEvent did not reach its end. It is part of
// the text that p reads.
func (p *Parser) Text() []byte { return p.text }

// AppendSerialized appends the last event's serialization to b: the text
// [0,pubkey,created_at,kind,tags,content] without white space, whose SHA-256 is the id (NIP-01).
// It appends nothing unless ReadEvent succeeded.
func (p *Parser) AppendSerialized(b []byte) []byte {
	if !p.complete {
		return b
	}
	// Encode the key again: the key that is hashed must be the key that verifies.
	b = hex.AppendEncode(append(b, `[0,"`...), p.key[:])
	b = append(append(b, `",`...), p.created...)
	b = append(append(b, ','), p.kind...)
	b = append(append(b, ','), p.tags...)
	b = append(append(b, ','), p.content...)
	return append(b, ']')
}

// Event returns the last event, or nil unless ReadEvent succeeded. The event shares no memory with
// p.
func (p *Parser) Event() *Event {
	if !p.complete {
		return nil
	}
	return &Event{ID: p.id, PubKey: p.key, CreatedAt: p.createdAt, Kind: p.kindValue,
		Tags: decodeTags(p.tags), Content: decodeString(string(p.content[1 : len(p.content)-1])),
		Sig: p.sig}
}

// A field is a set of NIP-01 fields, one bit each.
type field uint8

const (
	fieldID field = 1 << iota
	fieldKey
	fieldCreated
	fieldKind
	fieldTags
	fieldContent
	fieldSig
)

// fieldNames lists the names of the NIP-01 fields, in the order of the constants.
var fieldNames = [...]string{"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}

// alike returns the field name in NIP-01 that equals the given name except for upper and lower
// case, or "" if there is none.
func alike(name []byte) string {
	for _, n := range fieldNames {
		if bytes.EqualFold(name, []byte(n)) {
			return n
		}
	}
	return ""
}

// fieldOf returns the field called name, or 0 if NIP-01 does not define it.
func fieldOf(name []byte) field {
	switch string(name) {
	case "id":
		return fieldID
	case "pubkey":
		return fieldKey
	case "created_at":
		return fieldCreated
	case "kind":
		return fieldKind
	case "tags":
		return fieldTags
	case "content":
		return fieldContent
	case "sig":
		return fieldSig
	}
	return 0
}

// ReadEvent reads an event, without checking its id or its signature. It returns a *ParseError for
// a text that is not an event, or that has more than one meaning (see the package comment).
func (p *Parser) ReadEvent() error {
	s := &p.s
	p.text, p.seen, p.complete = nil, 0, false
	if s.peek() != '{' {
		return s.fail("expected an event {…}")
	}
	begin := s.i
	s.i++
	for empty := s.take('}'); !empty; {
		s.space()
		at := s.i
		name := s.rawString()
		if name == nil {
			var err error
			if name, err = s.string(p.scratch[:0]); err != nil {
				return err
			}
			p.scratch = name
		}
		f := fieldOf(name[1 : len(name)-1])
		if f != 0 && p.seen&f != 0 {
			s.i = at
			return s.fail("%s comes a second time", name)
		}
		if f == 0 {
			if known := alike(name[1 : len(name)-1]); known != "" {
				s.i = at
				return s.fail("%s may be taken for %q", name, known)
			}
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := p.value(f); err != nil {
			var e *ParseError
			if f != 0 && errors.As(err, &e) {
				e.Field = fieldNames[bits.TrailingZeros8(uint8(f))]
			}
			return err
		}
		p.seen |= f
		if s.take('}') {
			break
		}
		if !s.take(',') {
			return s.fail("expected ',' or '}'")
		}
	}
	p.text = s.b[begin:s.i]
	for i, name := range fieldNames {
		if p.seen&(1<<i) == 0 {
			return &ParseError{Field: name, Offset: -1, Reason: "the event has no " + name}
		}
	}
	p.complete = true
	return nil
}

// value reads the value of the field f. If f is 0, it skips the value.
func (p *Parser) value(f field) (err error) {
	if f == 0 {
		return p.s.skip(0)
	}
	s := &p.s
	s.space()
	at := s.i
	switch f {
	case fieldID:
		return p.hex(p.id[:])
	case fieldKey:
		return p.hex(p.key[:])
	case fieldSig:
		return p.hex(p.sig[:])
	case fieldCreated:
		if p.created, err = s.integer(); err != nil {
			return err
		}
		var outside error
		if p.createdAt, outside = strconv.ParseInt(string(p.created), 10, 64); outside != nil {
			s.i = at
			return s.fail("created_at is out of range")
		}
	case fieldKind:
		if p.kind, err = s.integer(); err != nil {
			return err
		}
		kind, outside := strconv.ParseUint(string(p.kind), 10, 16)
		if outside != nil {
			s.i = at
			return s.fail("kind is not between 0 and 65535")
		}
		p.kindValue = uint16(kind)
	case fieldTags:
		return p.parseTags()
	case fieldContent:
		if p.content = s.rawString(); p.content != nil {
			return nil
		}
		p.contentRoom, err = s.string(p.contentRoom[:0])
		p.content = p.contentRoom
	}
	return err
}

// hex reads a string of lowercase hexadecimal digits that encodes exactly len(dst) bytes.
func (p *Parser) hex(dst []byte) error {
	s := &p.s
	s.space()
	if s.rawHex(dst) {
		return nil
	}
	at := s.i
	text, err := s.string(p.scratch[:0])
	if err != nil {
		return err
	}
	p.scratch = text
	digits := text[1 : len(text)-1]
	if len(digits) != 2*len(dst) || bytes.ContainsAny(digits, "ABCDEF") {
		s.i = at
		return s.fail("expected %d lowercase hexadecimal digits", 2*len(dst))
	}
	if _, err := hex.Decode(dst, digits); err != nil {
		s.i = at
		return s.fail("expected %d lowercase hexadecimal digits", 2*len(dst))
	}
	return nil
}

// parseTags reads the tags: an array of arrays of strings.
func (p *Parser) parseTags() error {
	s := &p.s
	if p.tags = s.rawTags(); p.tags != nil {
		return nil
	}
	tags := append(p.tagsRoom[:0], '[')
	if err := s.expect('['); err != nil {
		return err
	}
	for n := 0; !s.take(']'); n++ {
		if n > 0 {
			if !s.take(',') {
				return s.fail("expected ',' or ']'")
			}
			tags = append(tags, ',')
		}
		if !s.take('[') {
			return s.fail("a tag is an array of strings")
		}
		tags = append(tags, '[')
		for k := 0; !s.take(']'); k++ {
			if k > 0 {
				if !s.take(',') {
					return s.fail("expected ',' or ']'")
				}
				tags = append(tags, ',')
			}
			if s.peek() != '"' {
				return s.fail("a tag is an array of strings")
			}
			var err error
			if tags, err = s.string(tags); err != nil {
				return err
			}
		}
		tags = append(tags, ']')
	}
	p.tagsRoom = append(tags, ']')
	p.tags = p.tagsRoom
	return nil
}

// decodeTags returns the tags of a list in the form that is hashed. Strings without escape
// sequences share the memory of one copy of the list.
func decodeTags(list []byte) [][]string {
	tags, values := [][]string{}, []string{}
	text := string(list)
	for i := 1; text[i] != ']'; i++ {
		if text[i] == ',' {
			i++
		}
		first := len(values)
		for i++; text[i] != ']'; i++ {
			if text[i] == ',' {
				i++
			}
			i++
			begin := i
			for ; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			values = append(values, decodeString(text[begin:i]))
		}
		tags = append(tags, values[first:len(values):len(values)])
	}
	return tags
}

// decodeString replaces the seven escape sequences of NIP-01 in s.
func decodeString(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for ; i >= 0; i = strings.IndexByte(s, '\\') {
		b = append(b, s[:i]...)
		c := s[i+1]
		if k := strings.IndexByte("nrtbf", c); k >= 0 {
			c = "\n\r\t\b\f"[k]
		}
		b = append(b, c)
		s = s[i+2:]
	}
	return string(append(b, s...))
}
