package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// maxInLine is the maximum number of values in the lists of one line.
const maxInLine = 1 << 16

// A lineReader parses lines and emits a rows.Unit for each event in them. It reuses its memory for
// the next line.
type lineReader struct {
	emit  func(*rows.Unit)
	unit  rows.Unit
	event event
	s     scanner
	ids   strings.Builder // events' ids in hexadecimal; many share one allocation
}

func newLineReader(emit func(*rows.Unit)) *lineReader {
	return &lineReader{emit: emit, unit: rows.Unit{Signatures: make([]rows.Signature, 1),
		Keys: make([][]byte, 1)}}
}

// read emits a rows.Unit for each value of the line: an event, an envelope, or a list of these or
// of lists. A line that is not JSON is one malformed value.
func (l *lineReader) read(line []byte, where rows.Where) {
	l.s = scanner{b: line, text: l.s.text}
	if !l.s.atList() {
		l.value(where)
		return
	}
	err := l.s.skip(0)
	if err == nil {
		err = l.s.end()
	}
	if err != nil {
		l.begin(where)
		l.judge(err)
		return
	}
	values := 0
	l.list(line, 0, where, &values)
}

// atList reports whether the next value is a list but not an envelope, that is, a list whose first
// element exists and is not a string.
func (s scanner) atList() bool { return s.take('[') && s.peek() != '"' && s.peek() != ']' }

// list reads each value of the list that begins at line[pos], and returns the offset after the
// list. The line must be valid JSON. values counts the values read so far in the whole line; when
// the limit is exceeded, list stops early.
func (l *lineReader) list(line []byte, pos int, where rows.Where, values *int) int {
	s := scanner{b: line, i: pos}
	for s.take('['); ; s.take(',') {
		s.space()
		if s.atList() {
			s.i = l.list(line, s.i, where, values)
		} else if *values++; *values <= maxInLine {
			pos = s.i
			s.skip(0) // cannot fail: the caller has skipped this value before
			l.s.b, l.s.i = line[:s.i], pos
			l.value(where)
		} else if *values == maxInLine+1 {
			l.begin(where)
			l.judge(fmt.Errorf("more than %d values in the lists of one line", maxInLine))
		}
		if *values > maxInLine || s.take(']') {
			return s.i
		}
	}
}

// begin resets the reader's rows.Unit and sets its position.
func (l *lineReader) begin(where rows.Where) {
	l.unit.Where, l.unit.Undefined, l.unit.Raw = where, rows.Fields{}, nil
	l.event.seen, l.event.undefined, l.event.text = 0, rows.Fields{}, nil
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
	s := &l.s
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

// FilterNames lists the fields that a filter has in NIP-01 and NIP-50, except for the tags.
var FilterNames = []string{"ids", "authors", "kinds", "since", "until", "limit", "search"}

// filterTable is the table of the field names of a filter.
var filterTable = func() *jsonfile.Table {
	t := jsonfile.NewTable(FilterNames...)
	for c := byte('a'); c <= 'z'; c++ {
		t.With("#"+string(c), nil).With("#"+string(c-'a'+'A'), nil)
	}
	return t
}()

// envelopes lists the kinds of envelopes without events (NIP-01, NIP-42, NIP-45, NIP-77). Each kind
// has the table of field names for the objects in it.
var envelopes = map[string]*jsonfile.Table{
	"AUTH": jsonfile.NewTable(), // an AUTH envelope with a challenge
	"REQ":  filterTable, "CLOSE": jsonfile.NewTable(), "CLOSED": jsonfile.NewTable(),
	"EOSE": jsonfile.NewTable(), "NOTICE": jsonfile.NewTable(), "OK": jsonfile.NewTable(),
	"COUNT":    jsonfile.NewTable("count", "approximate", "hll").And(filterTable),
	"NEG-OPEN": filterTable, "NEG-MSG": jsonfile.NewTable(), "NEG-CLOSE": jsonfile.NewTable(),
	"NEG-ERR": jsonfile.NewTable(),
}

// envelope reads an envelope. EVENT envelopes hold events, and so do AUTH envelopes with an object
// (NIP-42). An envelope of an unknown kind is counted as undefined. In an envelope of another kind,
// a field of an object is counted as undefined if the kind's table lacks its name.
func (l *lineReader) envelope() (event bool, err error) {
	s := &l.s
	begin := s.i
	s.i++
	if s.peek() != '"' {
		return false, s.fail("an envelope begins with its kind, a string")
	}
	label, _, err := s.string(l.event.scratch[:0])
	if err != nil {
		return false, err
	}
	l.event.scratch = label
	kind := label[1 : len(label)-1]
	if string(kind) == "EVENT" || string(kind) == "AUTH" && s.holdsObject() {
		return true, l.afterLabel()
	}
	table, defined := envelopes[string(kind)]
	path := jsonfile.Name(kind)
	if !defined {
		l.unit.Undefined.Add(path + "[]")
	}
	s.i = begin
	if err := s.skip(0); err != nil {
		return false, err
	}
	text := s.b[begin:s.i]
	if err := s.end(); err != nil || !defined || bytes.IndexByte(text, '{') < 0 {
		return false, err
	}
	var plain bytes.Buffer
	if err := json.Compact(&plain, text); err != nil {
		return false, err
	}
	return false, table.Check(plain.Bytes(), path, &l.unit.Undefined)
}

// holdsObject reports whether the next bytes are a comma and the start of an object.
func (s scanner) holdsObject() bool { return s.take(',') && s.peek() == '{' }

// afterLabel reads the part of an envelope after its kind, and the event in it.
func (l *lineReader) afterLabel() error {
	s := &l.s
	if err := s.expect(','); err != nil {
		return err
	}
	if s.peek() == '"' { // relays name the subscription, and clients do not
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
	e, u := &l.event, &l.unit
	u.Undefined = e.undefined
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

// oneLine returns an event's text without line ends. In JSON, line ends occur only between tokens,
// because a string cannot contain one.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), nil), newline, nil)
}

// readEvent emits the rows.Unit of an event. text is the output of appendTo for that event. The
// event must have no literal control characters.
func (l *lineReader) readEvent(text []byte, where rows.Where) {
	e := &l.event
	rest := text[copy(e.id[:], text):]
	rest = rest[copy(e.key[:], rest):]
	copy(e.sig[:], rest)
	e.controls = false
	l.begin(where)
	l.unit.Where.Event = l.name(&e.id)
	l.judgeID(sha256.Sum256(text[serialized:]))
}

// judgeID emits the rows.Unit of the parsed event. id is the hash of the event's serialization.
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
