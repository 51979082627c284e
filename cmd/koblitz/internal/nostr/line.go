package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/nostr"
)

// maxInLine is the maximum number of values in the lists of one line.
const maxInLine = 1 << 16

// A lineReader parses lines and emits a rows.Unit for each event in them. It reuses its memory for
// the next line.
type lineReader struct {
	emit func(*rows.Unit)
	unit rows.Unit
	p    nostr.Parser
	text []byte          // text that p reads
	ids  strings.Builder // events' ids in hexadecimal; many share one allocation

	id, key    [32]byte
	sig        [64]byte
	serialized []byte
}

func newLineReader(emit func(*rows.Unit)) *lineReader {
	return &lineReader{emit: emit, unit: rows.Unit{Signatures: make([]rows.Signature, 1),
		Keys: make([][]byte, 1)}}
}

// read emits a rows.Unit for each value of the line: an event, an envelope, or a list of these or
// of lists. A line that is not JSON is one malformed value.
func (l *lineReader) read(line []byte, where rows.Where) {
	l.seek(line, 0)
	if !l.atList() {
		l.value(where)
		return
	}
	err := l.p.Skip()
	if err == nil {
		err = l.p.End()
	}
	l.seek(line, 0)
	if err != nil {
		l.begin(where)
		l.judge(err)
		return
	}
	values := 0
	l.list(line, where, &values)
}

// seek makes the parser read text from the given offset, and forget the last event.
func (l *lineReader) seek(text []byte, offset int) {
	l.text = text
	l.p.Reset(text)
	l.p.Seek(offset)
}

// atList reports whether the next value is a list but not an envelope, that is, a list whose first
// element exists and is not a string.
func (l *lineReader) atList() bool {
	defer l.p.Seek(l.p.Offset())
	return l.p.Take('[') && l.p.Peek() != '"' && l.p.Peek() != ']'
}

// list reads each value of the list at the parser's offset. The line must be valid JSON. values
// counts the values read so far in the whole line; when the limit is exceeded, list stops early.
func (l *lineReader) list(line []byte, where rows.Where, values *int) {
	for l.p.Take('['); ; l.p.Take(',') {
		l.p.Peek() // skips white space
		if l.atList() {
			l.list(line, where, values)
		} else if *values++; *values <= maxInLine {
			begin := l.p.Offset()
			l.p.Skip() // cannot fail: the caller has skipped this value before
			end := l.p.Offset()
			l.seek(line[:end], begin)
			l.value(where)
			l.seek(line, end)
		} else if *values == maxInLine+1 {
			l.begin(where)
			l.judge(fmt.Errorf("more than %d values in the lists of one line", maxInLine))
		}
		if *values > maxInLine || l.p.Take(']') {
			return
		}
	}
}

// begin resets the reader's rows.Unit and sets its position.
func (l *lineReader) begin(where rows.Where) {
	l.unit.Where, l.unit.Raw = where, nil
}

// value emits the rows.Unit of an event or an envelope. An envelope without an event is passed
// over.
func (l *lineReader) value(where rows.Where) {
	l.begin(where)
	if event, err := l.outer(); event || err != nil {
		l.judge(err)
	} else {
		l.decide(rows.PassedOver, "")
	}
}

// outer reads an event or an envelope. event reports whether it found an event.
func (l *lineReader) outer() (event bool, err error) {
	switch l.p.Peek() {
	case '{':
		if err := l.p.ReadEvent(); err != nil {
			return true, err
		}
		return true, l.p.End()
	case '[':
		return l.envelope()
	}
	return false, l.p.Errorf("expected an event {…} or an envelope […]")
}

// otherKinds are the kinds of envelopes without events (NIP-01, NIP-42, NIP-45, NIP-77). An AUTH
// envelope belongs to them if it has a challenge.
var otherKinds = []string{"AUTH", "REQ", "CLOSE", "CLOSED", "COUNT", "EOSE", "NOTICE", "OK",
	"NEG-OPEN", "NEG-MSG", "NEG-CLOSE", "NEG-ERR"}

// envelope reads an envelope. EVENT envelopes hold events, and so do AUTH envelopes with an object
// (NIP-42). An envelope of another kind is passed over, but one with an event in it is malformed:
// the event's signature would not be verified.
func (l *lineReader) envelope() (event bool, err error) {
	p := &l.p
	begin := p.Offset()
	p.Take('[')
	if p.Peek() != '"' {
		return false, p.Errorf("an envelope begins with its kind, a string")
	}
	kind, err := p.TakeString()
	if err != nil {
		return false, err
	}
	if string(kind) == "EVENT" || string(kind) == "AUTH" && l.holdsObject() {
		return true, l.afterLabel()
	}
	name := printable.Quote(kind)
	p.Seek(begin)
	if err := p.Skip(); err != nil {
		return false, err
	}
	text := l.text[begin:p.Offset()]
	if err := p.End(); err != nil {
		return false, err
	}
	if holdsEvent(text) {
		return false, fmt.Errorf(`an envelope of kind %s with an object that has "sig", as an event; `+
			"events are in EVENT and AUTH", name)
	}
	return false, nil
}

// holdsEvent reports whether text, which must be a JSON value, contains an object with the name
// "sig", which every event has. Readers that ignore the case of letters take other forms of the
// name for it.
func holdsEvent(text []byte) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return err != io.EOF
		}
		bracket, n := d.StackIndex(d.StackDepth())
		isName := bracket == '{' && n%2 == 1
		if isName && strings.EqualFold(token.String(), "sig") {
			return true
		}
	}
}

// holdsObject reports whether the next bytes are a comma and the start of an object.
func (l *lineReader) holdsObject() bool {
	defer l.p.Seek(l.p.Offset())
	return l.p.Take(',') && l.p.Peek() == '{'
}

// afterLabel reads the part of an envelope after its kind, and the event in it.
func (l *lineReader) afterLabel() error {
	p := &l.p
	if err := p.Expect(','); err != nil {
		return err
	}
	if p.Peek() == '"' { // relays name the subscription, and clients do not
		if _, err := p.TakeString(); err != nil {
			return err
		}
		if err := p.Expect(','); err != nil {
			return err
		}
	}
	if err := p.ReadEvent(); err != nil {
		return err
	}
	if err := p.Expect(']'); err != nil {
		return err
	}
	return p.End()
}

// name returns the event id in hexadecimal.
func (l *lineReader) name(id *[32]byte) string {
	var digits [2 * len(id)]byte
	hex.Encode(digits[:], id[:])
	if l.ids.Cap()-l.ids.Len() < len(digits) {
		l.ids = strings.Builder{}
		l.ids.Grow(batchLines * len(digits))
	}
	l.ids.Write(digits[:])
	return l.ids.String()[l.ids.Len()-len(digits):]
}

func (l *lineReader) decide(v rows.Verdict, reason string) {
	l.unit.Decided, l.unit.Reason = v, reason
	if v != rows.Unchecked {
		l.unit.Raw = nil
	}
	l.emit(&l.unit)
}

// judge emits the rows.Unit of the parsed event. A non-nil err means that parsing failed; then the
// verdict is Malformed.
func (l *lineReader) judge(err error) {
	u := &l.unit
	id, stated := l.p.ID()
	if u.Where.Event = ""; stated {
		u.Where.Event = l.name(&id)
	}
	u.Raw = l.p.Text()
	if err != nil {
		l.decide(rows.Malformed, reason(err))
		return
	}
	l.id = id
	l.key, l.sig = l.p.Signed()
	l.serialized = l.p.AppendSerialized(l.serialized[:0])
	l.judgeID()
}

// reason returns the text of err. It says where a *nostr.ParseError is by a column, counted in
// bytes from 1, and by the field of the event.
func reason(err error) string {
	var e *nostr.ParseError
	switch {
	case !errors.As(err, &e):
		return err.Error()
	case e.Offset < 0:
		return e.Reason
	}
	field := e.Field
	if field != "" {
		field += ": "
	}
	return fmt.Sprintf("column %d: %s%s", e.Offset+1, field, e.Reason)
}

// judgeID emits the rows.Unit of the parsed event, which l.serialized holds serialized.
func (l *lineReader) judgeID() {
	u := &l.unit
	if id := sha256.Sum256(l.serialized); id != l.id {
		reason := fmt.Sprintf("the id is not the hash of the event, which is %x", id)
		if slices.ContainsFunc(l.serialized, isControl) && escapedControlsID(l.serialized) == l.id {
			reason += `; it is the hash with control characters written as \u00xx, which NIP-01 does not do`
		}
		l.decide(rows.Invalid, reason)
		return
	}
	u.Scheme = rows.Schnorr
	u.Signatures[0].Digest = l.id
	u.Signatures[0].Sig = l.sig[:]
	u.Keys[0] = l.key[:]
	l.decide(rows.Unchecked, "")
}

// escapedControlsID returns the incorrect id that many clients compute. They escape control
// characters as \u00xx, which NIP-01 does not do. The id is used only to report that mistake.
func escapedControlsID(serialized []byte) [32]byte {
	h := sha256.New()
	writeEscapedControls(h, serialized)
	return [32]byte(h.Sum(nil))
}

// writeEscapedControls writes the text that escapedControlsID hashes, in parts of some kilobytes.
// Writing to w must not fail.
func writeEscapedControls(w io.Writer, serialized []byte) {
	const digits = "0123456789abcdef"
	b := make([]byte, 0, 4096)
	for _, c := range serialized {
		if len(b)+6 > cap(b) {
			w.Write(b)
			b = b[:0]
		}
		if isControl(c) {
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		} else {
			b = append(b, c)
		}
	}
	w.Write(b)
}

func isControl(c byte) bool { return c < 0x20 }
