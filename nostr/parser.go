package nostr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// A Parser reads a text of JSON that is an event or an envelope. An envelope is a message of a
// client or a relay. Some envelopes have an event, such as ["EVENT",{…}], and others have none,
// such as ["EOSE","subscription"]. A Parser uses its memory again for the next text.
//
// A Parser keeps no copy of its text, which must not change until the last event is not used any
// more.
type Parser struct {
	// Lists makes Next also read a text that is a list of events, envelopes and such lists, one of
	// its events and envelopes a call.
	Lists bool

	s scanner

	id, key [32]byte
	sig     [64]byte
	created []byte // digits
	kind    []byte // digits
	tags    []byte // in the form that is hashed; part of the text or of tagsBuf
	content []byte // in the form that is hashed, with quotes; part of the text or of contentBuf
	text    []byte // text of the whole event; nil unless it was read without an error
	seen    field

	envelope, subscription []byte // in the form that is hashed, with quotes; or nil

	begun bool // Next was called
	lists int  // number of lists around the next value

	createdAt int64
	kindValue uint16

	scratch, tagsBuf, contentBuf []byte
}

// Reset makes p read text from its beginning. It releases the previous text.
func (p *Parser) Reset(text []byte) {
	p.s.b, p.s.i = text, 0
	p.begun, p.lists = false, 0
	p.clear()
}

// clear forgets the last event and envelope.
func (p *Parser) clear() {
	p.text, p.seen = nil, 0
	p.created, p.kind, p.tags, p.content = nil, nil, nil, nil
	p.envelope, p.subscription = nil, nil
}

// ID returns the id of the last event, as its text states it. If no id was read, ID returns zeros
// and false. An id may have been read before Next returned an error.
func (p *Parser) ID() (id [32]byte, ok bool) {
	if ok = p.seen&fieldID != 0; ok {
		id = p.id
	}
	return id, ok
}

// Signed returns the last event's public key and signature. It returns zeros unless Next has read
// an event.
func (p *Parser) Signed() (pubKey [32]byte, sig [64]byte) {
	if p.text == nil {
		return pubKey, sig
	}
	return p.key, p.sig
}

// Text returns the text of the last event, which is part of the text that p reads. It returns nil
// unless Next has read an event.
func (p *Parser) Text() []byte { return p.text }

// AppendSerialized appends the last event's serialization to b: the text
// [0,pubkey,created_at,kind,tags,content] without white space, whose SHA-256 is the id (NIP-01).
// It appends nothing unless Next has read an event.
func (p *Parser) AppendSerialized(b []byte) []byte {
	if p.text == nil {
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

// Event returns the last event, or nil unless Next has read an event. The event shares no memory
// with p.
func (p *Parser) Event() *Event {
	if p.text == nil {
		return nil
	}
	return &Event{ID: p.id, PubKey: p.key, CreatedAt: p.createdAt, Kind: p.kindValue,
		Tags: decodeTags(p.tags), Content: decodeQuoted(p.content), Sig: p.sig}
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

// event reads an event, without checking its id or its signature.
func (p *Parser) event() error {
	s := &p.s
	if s.peek() != '{' {
		return s.fail("expected an event {…}")
	}
	begin := s.i
	s.i++
	for empty := s.take('}'); !empty; {
		s.space()
		at := s.i
		name, err := s.hashed(&p.scratch)
		if err != nil {
			return err
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
	for i, name := range fieldNames {
		if p.seen&(1<<i) == 0 {
			return &ParseError{Field: name, Offset: -1, Reason: "the event has no " + name}
		}
	}
	p.text = s.b[begin:s.i]
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
		p.content, err = s.hashed(&p.contentBuf)
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
	text, err := s.hashed(&p.scratch)
	if err != nil {
		return err
	}
	digits := text[1 : len(text)-1]
	if len(digits) == 2*len(dst) && !bytes.ContainsAny(digits, "ABCDEF") {
		if _, err := hex.Decode(dst, digits); err == nil {
			return nil
		}
	}
	s.i = at
	return s.fail("expected %d lowercase hexadecimal digits", 2*len(dst))
}

// parseTags reads the tags: an array of arrays of strings.
func (p *Parser) parseTags() error {
	s := &p.s
	v := output{p.tagsBuf[:0], s.i}
	if err := s.expect('['); err != nil {
		return err
	}
	for n := 0; !s.token(&v, ']'); n++ {
		if n > 0 && !s.token(&v, ',') {
			return s.fail("expected ',' or ']'")
		}
		if !s.token(&v, '[') {
			return s.fail("a tag is an array of strings")
		}
		for k := 0; !s.token(&v, ']'); k++ {
			if k > 0 && !s.token(&v, ',') {
				return s.fail("expected ',' or ']'")
			}
			if !s.token(&v, '"') {
				return s.fail("a tag is an array of strings")
			}
			if err := s.string(&v); err != nil {
				return err
			}
		}
	}
	p.tags = s.bytes(&v, &p.tagsBuf)
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

// decodeQuoted returns the value of a string in the form that is hashed, with quotes. It returns ""
// for nil.
func decodeQuoted(text []byte) string {
	if text == nil {
		return ""
	}
	return decodeString(string(text[1 : len(text)-1]))
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
		b = append(b, unescaped[s[i+1]])
		s = s[i+2:]
	}
	return string(append(b, s...))
}
