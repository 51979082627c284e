package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// maxInLine is the most events that one line may have beside the one that
	// it is about, and maxInside how deep they may stand in one another.
	maxInLine = 1 << 16
	maxInside = 4
)

// A span is where an object begins and ends that may be an event, and in how
// many others it stands.
type span struct{ from, to, inside int }

// A lineReader takes lines apart. What it allocates for one serves the next.
type lineReader struct {
	emit  func(*rows.Unit)
	unit  rows.Unit
	event event
	s     scanner
	ids   strings.Builder // of events, in hexadecimal: many in one piece of memory
}

func newLineReader(emit func(*rows.Unit)) *lineReader {
	return &lineReader{emit: emit, unit: rows.Unit{Signatures: make([]rows.Signature, 1),
		Keys: make([][]byte, 1)}}
}

// read emits a unit for each event in the line: the one that it is, bare or in
// an EVENT envelope, and every other object that may be one, wherever it stands:
// in an envelope of another kind (AUTH of NIP-42, one that nothing here
// knows), in a list, or in a field of an event that NIP-01 does not have. A line
// that is well formed and holds none of them is passed over.
func (l *lineReader) read(line []byte, where rows.Where) {
	l.s = scanner{b: line, found: l.s.found[:0], name: l.s.name}
	l.unit.Where = where
	event, err := l.outer()
	if event || err != nil {
		l.judge(err)
	}
	if err != nil {
		return // the line is malformed, whatever else is in it
	}
	if !event && len(l.s.found) == 0 {
		l.decide(rows.PassedOver, "")
	}
	for i := 0; i < len(l.s.found); i++ {
		f := l.s.found[i]
		l.unit.Where = where
		if f.inside > maxInside || i == maxInLine {
			l.decide(rows.Malformed, fmt.Sprintf("more than %d events in one line, or more than %d deep "+
				"in one another", maxInLine, maxInside))
			return
		}
		l.s.b, l.s.i, l.s.inside = line[:f.to], f.from, f.inside
		l.judge(l.event.parse(&l.s))
	}
}

// outer reads the line as a whole. event says that it is one, or an EVENT
// envelope.
func (l *lineReader) outer() (event bool, err error) {
	s := &l.s
	l.event.seen = 0
	switch s.peek() {
	case '{':
		if err := l.event.parse(s); err != nil {
			return true, err
		}
		return true, s.end()
	case '[':
		return l.envelope()
	}
	return false, s.fail("expected an event {…} or an envelope […]")
}

func (l *lineReader) envelope() (event bool, err error) {
	s := &l.s
	begin := s.i
	s.i++
	labelled := s.peek() == '"'
	if labelled {
		label, _, err := s.string(l.event.scratch[:0])
		if err != nil {
			return false, err
		}
		if l.event.scratch = label; string(label) == `"EVENT"` {
			return true, l.afterLabel()
		}
	}
	at := s.i
	s.i = begin
	if err := s.skip(0); err != nil {
		return false, err
	}
	if err := s.end(); err != nil {
		return false, err
	}
	if !labelled && len(s.found) == 0 {
		s.i = at
		return false, s.fail("an envelope begins with its kind, a string")
	}
	return false, nil
}

// afterLabel reads the rest of an EVENT envelope.
func (l *lineReader) afterLabel() error {
	s := &l.s
	if err := s.expect(','); err != nil {
		return err
	}
	if s.peek() == '"' { // a relay names the subscription, a client does not
		if _, _, err := s.string(l.event.scratch[:0]); err != nil {
			return err
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
	if s.peek() != '{' {
		return s.fail("expected an event {…}")
	}
	if err := l.event.parse(s); err != nil {
		return err
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	return s.end()
}

// name is the id of an event as relays write it.
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

// judge emits the unit of the event that has been parsed, or not: err says why.
func (l *lineReader) judge(err error) {
	e, u := &l.event, &l.unit
	if u.Where.Event = ""; e.seen&fieldID != 0 {
		u.Where.Event = l.name(&e.id)
	}
	u.Raw = oneLine(e.text)
	if err != nil {
		l.decide(rows.Malformed, err.Error())
		return
	}
	l.judgeID(e.computeID())
}

// oneLine returns an event without the space between its parts if there is a line end in it, which
// no string of JSON has.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil
	}
	return b.Bytes()
}

// readEvent emits the unit of an event of which that is what appendTo kept, and which has no
// control characters that stand as themselves.
func (l *lineReader) readEvent(kept []byte, where rows.Where) {
	e := &l.event
	rest := kept[copy(e.id[:], kept):]
	rest = rest[copy(e.key[:], rest):]
	copy(e.sig[:], rest)
	e.controls = false
	l.unit.Where, l.unit.Raw = where, nil
	l.unit.Where.Event = l.name(&e.id)
	l.judgeID(sha256.Sum256(kept[serialized:]))
}

// judgeID emits the unit of the event whose hash that is.
func (l *lineReader) judgeID(id [32]byte) {
	e, u := &l.event, &l.unit
	if id != e.id {
		reason := fmt.Sprintf("the id is not the hash of the event, which is %x", id)
		if e.controls && e.escapedControlsID() == e.id {
			reason += `; it is the hash with control characters written as \u00xx, which NIP-01 does not do`
		}
		l.decide(rows.Invalid, reason)
		return
	}
	u.Scheme = rows.Schnorr
	u.Signatures[0].Digest = e.id
	u.Signatures[0].Sig = e.sig[:]
	u.Keys[0] = e.key[:]
	l.decide(rows.Unchecked, "")
}
