package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// An event holds the fields that NIP-01 defines, ready to be hashed. Its buffers are reused for the
// next event.
type event struct {
	id, key  [32]byte
	sig      [64]byte
	keyText  []byte // key as in the line: hexadecimal, with quotes; or nil
	created  []byte // digits
	kind     []byte // digits
	tags     []byte // in the form that is hashed; part of the line or of tagsRoom
	content  []byte // in the form that is hashed, with quotes; part of the line or of contentRoom
	controls bool   // tags or content contain an unescaped control character
	text     []byte // text of the whole event
	seen     field

	undefined rows.Fields // fields that NIP-01 does not define

	scratch, tagsRoom, contentRoom []byte
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

// parse parses the object at the position of s. It skips fields that NIP-01 does not define. It
// refuses a NIP-01 field that occurs twice, since the event would be ambiguous. It also refuses a
// name that differs from a NIP-01 name only in case, since some parsers take the two names for the
// same.
func (e *event) parse(s *scanner) error {
	e.seen, e.controls, e.text, e.undefined = 0, false, nil, rows.Fields{}
	begin := s.i
	s.i++
	for empty := s.take('}'); !empty; {
		s.space()
		at := s.i
		name := s.rawString()
		if name == nil {
			var err error
			if name, _, err = s.string(e.scratch[:0]); err != nil {
				return err
			}
			e.scratch = name
		}
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
			e.undefined.Add(jsonfile.Name(name[1 : len(name)-1]))
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := e.value(s, f); err != nil {
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
	e.text = s.b[begin:s.i]
	for i, name := range fieldNames {
		if e.seen&(1<<i) == 0 {
			return fmt.Errorf("the event has no %s", name)
		}
	}
	return nil
}

// value reads the value of the field f. If f is 0, it skips the value.
func (e *event) value(s *scanner, f field) (err error) {
	if f == 0 {
		return s.skip(0)
	}
	s.space()
	at := s.i
	switch f {
	case fieldID:
		return e.hex(s, e.id[:])
	case fieldKey:
		begin := s.i
		e.keyText = nil
		if s.rawHex(e.key[:]) {
			e.keyText = s.b[begin:s.i]
			return nil
		}
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
		if e.content = s.rawString(); e.content != nil {
			return nil
		}
		var controls bool
		e.contentRoom, controls, err = s.string(e.contentRoom[:0])
		e.content, e.controls = e.contentRoom, e.controls || controls
	}
	return err
}

// hex reads a string of lowercase hexadecimal digits that encodes exactly len(dst) bytes.
func (e *event) hex(s *scanner, dst []byte) error {
	s.space()
	if s.rawHex(dst) {
		return nil
	}
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

// parseTags reads the tags: an array of arrays of strings.
func (e *event) parseTags(s *scanner) error {
	if e.tags = s.rawTags(); e.tags != nil {
		return nil
	}
	tags := append(e.tagsRoom[:0], '[')
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
			var controls bool
			if tags, controls, err = s.string(tags); err != nil {
				return err
			}
			e.controls = e.controls || controls
		}
		tags = append(tags, ']')
	}
	e.tagsRoom = append(tags, ']')
	e.tags = e.tagsRoom
	return nil
}

// computeID returns the event's id: the SHA-256 of NIP-01's serialization
// [0,pubkey,created_at,kind,tags,content] without white space.
func (e *event) computeID() [32]byte {
	return sha256.Sum256(e.serialize())
}

func (e *event) serialize() []byte {
	e.scratch = e.appendSerialized(e.scratch[:0])
	return e.scratch
}

func (e *event) appendSerialized(b []byte) []byte {
	b = append(b, `[0,`...)
	if e.keyText != nil {
		b = append(b, e.keyText...)
	} else {
		b = append(hex.AppendEncode(append(b, '"'), e.key[:]), '"')
	}
	b = append(b, ',')
	b = append(b, e.created...)
	b = append(b, ',')
	b = append(b, e.kind...)
	b = append(b, ',')
	b = append(b, e.tags...)
	b = append(b, ',')
	b = append(b, e.content...)
	return append(b, ']')
}

// serialized is the offset at which the serialization begins in the output of appendTo.
const serialized = len(event{}.id) + len(event{}.key) + len(event{}.sig)

// appendTo appends the parts of the event that its verification needs: id, key, signature and
// serialization. They are shorter than the event's text.
func (e *event) appendTo(b []byte) []byte {
	b = append(append(append(b, e.id[:]...), e.key[:]...), e.sig[:]...)
	return e.appendSerialized(b)
}

// escapedControlsID returns the incorrect id that many clients compute. They escape control
// characters as \u00xx, which NIP-01 does not do. The id is used only to report that mistake.
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
