package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// An event holds what NIP-01 names, ready to be hashed. Its buffers are used
// again for the next one.
type event struct {
	id, key  [32]byte
	sig      [64]byte
	created  []byte // digits
	kind     []byte // digits
	tags     []byte // as hashed
	content  []byte // as hashed, with its quotes
	controls bool   // tags or content hold a control character that stands as itself
	seen     field

	scratch []byte
}

// A field is a set of fields.
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

// fieldNames in the order of the constants.
var fieldNames = [...]string{"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}

// alike returns the name of NIP-01 that name may be taken for, or nothing.
func alike(name []byte) string {
	for _, n := range fieldNames {
		if bytes.EqualFold(name, []byte(n)) {
			return n
		}
	}
	return ""
}

// fieldOf is 0 for names that NIP-01 does not know.
func fieldOf(name []byte) field {
	for i, n := range fieldNames {
		if string(name) == n {
			return 1 << i
		}
	}
	return 0
}

// parse reads the object at s. Fields that NIP-01 does not know are skipped;
// one of its own that comes twice has no single meaning and is refused, and so
// is a name that differs from one in the case of letters: some parsers take it
// for that one.
func (e *event) parse(s *scanner) error {
	e.seen, e.controls = 0, false
	s.i++
	for empty := s.take('}'); !empty; {
		s.space()
		at := s.i
		name, _, err := s.string(e.scratch[:0])
		if err != nil {
			return err
		}
		e.scratch = name
		f := fieldOf(name[1 : len(name)-1])
		if f != 0 && e.seen&f != 0 {
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
		if f == 0 {
			err = s.skip(0)
		} else {
			err = e.parseField(s, f)
		}
		if err != nil {
			return err
		}
		e.seen |= f
		if s.take('}') {
			break
		}
		if !s.take(',') {
			return s.fail("expected ',' or '}'")
		}
	}
	for i, name := range fieldNames {
		if e.seen&(1<<i) == 0 {
			return fmt.Errorf("the event has no %s", name)
		}
	}
	return nil
}

func (e *event) parseField(s *scanner, f field) (err error) {
	s.space()
	at := s.i
	switch f {
	case fieldID:
		return e.hex(s, e.id[:])
	case fieldKey:
		return e.hex(s, e.key[:])
	case fieldSig:
		return e.hex(s, e.sig[:])
	case fieldCreated:
		if e.created, err = s.integer(); err != nil {
			return err
		}
		if _, perr := strconv.ParseInt(string(e.created), 10, 64); perr != nil {
			s.i = at
			return s.fail("created_at is out of range")
		}
	case fieldKind:
		if e.kind, err = s.integer(); err != nil {
			return err
		}
		if _, perr := strconv.ParseUint(string(e.kind), 10, 16); perr != nil {
			s.i = at
			return s.fail("kind is not between 0 and 65535")
		}
	case fieldTags:
		return e.parseTags(s)
	case fieldContent:
		var controls bool
		e.content, controls, err = s.string(e.content[:0])
		e.controls = e.controls || controls
	}
	return err
}

// hex reads a string of exactly len(dst) bytes in lowercase hexadecimal.
func (e *event) hex(s *scanner, dst []byte) error {
	s.space()
	at := s.i
	text, _, err := s.string(e.scratch[:0])
	if err != nil {
		return err
	}
	e.scratch = text
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

// parseTags reads an array of arrays of strings.
func (e *event) parseTags(s *scanner) error {
	e.tags = append(e.tags[:0], '[')
	if err := s.expect('['); err != nil {
		return err
	}
	for n := 0; !s.take(']'); n++ {
		if n > 0 {
			if !s.take(',') {
				return s.fail("expected ',' or ']'")
			}
			e.tags = append(e.tags, ',')
		}
		if !s.take('[') {
			return s.fail("a tag is an array of strings")
		}
		e.tags = append(e.tags, '[')
		for k := 0; !s.take(']'); k++ {
			if k > 0 {
				if !s.take(',') {
					return s.fail("expected ',' or ']'")
				}
				e.tags = append(e.tags, ',')
			}
			if s.peek() != '"' {
				return s.fail("a tag is an array of strings")
			}
			var err error
			var controls bool
			if e.tags, controls, err = s.string(e.tags); err != nil {
				return err
			}
			e.controls = e.controls || controls
		}
		e.tags = append(e.tags, ']')
	}
	e.tags = append(e.tags, ']')
	return nil
}

// computeID is the SHA-256 of the serialization of NIP-01,
// [0,pubkey,created_at,kind,tags,content] without any space.
func (e *event) computeID() [32]byte {
	return sha256.Sum256(e.serialize())
}

func (e *event) serialize() []byte {
	b := append(e.scratch[:0], `[0,"`...)
	b = hex.AppendEncode(b, e.key[:])
	b = append(b, `",`...)
	b = append(b, e.created...)
	b = append(b, ',')
	b = append(b, e.kind...)
	b = append(b, ',')
	b = append(b, e.tags...)
	b = append(b, ',')
	b = append(b, e.content...)
	b = append(b, ']')
	e.scratch = b
	return b
}

// escapedControlsID is the id that many clients compute instead: they write
// control characters as \u00xx, which NIP-01 does not. It only serves to name
// that mistake.
func (e *event) escapedControlsID() [32]byte {
	h := sha256.New()
	for _, c := range e.serialize() {
		if c < 0x20 {
			fmt.Fprintf(h, `\u%04x`, c)
		} else {
			h.Write([]byte{c})
		}
	}
	var id [32]byte
	h.Sum(id[:0])
	return id
}
