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

// maxInLine is the most values that the lists of one line may have.
const maxInLine = 1 << 16

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

// read emits a unit for each value of the line, which is an event, an envelope, or a list of them
// or of lists. A line that is no JSON is one malformed value.
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

// atList reports whether the next value is a list that is no envelope: one with a first value that
// is no string.
func (s scanner) atList() bool { return s.take('[') && s.peek() != '"' && s.peek() != ']' }

// list reads each value of the list at that offset of a line, which is known to be JSON, and
// returns the offset behind it. It ends early if there are too many values.
func (l *lineReader) list(line []byte, at int, where rows.Where, values *int) int {
	s := scanner{b: line, i: at}
	for s.take('['); ; s.take(',') {
		s.space()
		if s.atList() {
			s.i = l.list(line, s.i, where, values)
		} else if *values++; *values <= maxInLine {
			at = s.i
			s.skip(0) // without an error: it was passed over before
			l.s.b, l.s.i = line[:s.i], at
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

// begin sets the unit to nothing but a place.
func (l *lineReader) begin(where rows.Where) {
	l.unit.Where, l.unit.Undefined, l.unit.Raw = where, rows.Fields{}, nil
	l.event.seen, l.event.undefined, l.event.text = 0, rows.Fields{}, nil
}

// value emits the unit of an event or an envelope. An envelope without an event is passed over.
func (l *lineReader) value(where rows.Where) {
	l.begin(where)
	if event, err := l.outer(); event || err != nil {
		l.judge(err)
	} else {
		l.decide(rows.PassedOver, "")
	}
}

// outer reads an event or an envelope. event says that it is one, or holds one.
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

// filterNames are those of NIP-01 and NIP-50, without the tags.
var filterNames = []string{"ids", "authors", "kinds", "since", "until", "limit", "search"}

// filterTable is the table of a filter.
var filterTable = func() *jsonfile.Table {
	t := jsonfile.NewTable(filterNames...)
	for c := byte('a'); c <= 'z'; c++ {
		t.With("#"+string(c), nil).With("#"+string(c-'a'+'A'), nil)
	}
	return t
}()

// envelopes are the kinds of envelopes that hold no events (NIP-01, NIP-42, NIP-45, NIP-77), with
// the table of the objects in them.
var envelopes = map[string]*jsonfile.Table{
	"AUTH": jsonfile.NewTable(), // with a challenge
	"REQ":  filterTable, "CLOSE": jsonfile.NewTable(), "CLOSED": jsonfile.NewTable(),
	"EOSE": jsonfile.NewTable(), "NOTICE": jsonfile.NewTable(), "OK": jsonfile.NewTable(),
	"COUNT":    jsonfile.NewTable("count", "approximate", "hll").And(filterTable),
	"NEG-OPEN": filterTable, "NEG-MSG": jsonfile.NewTable(), "NEG-CLOSE": jsonfile.NewTable(),
	"NEG-ERR": jsonfile.NewTable(),
}

// envelope reads an envelope. Events are in EVENT and, with NIP-42, in AUTH. The fields of objects
// in others that no table has, and envelopes of a kind that no NIP defines, are counted.
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

// holdsObject reports whether an object follows, behind a comma.
func (s scanner) holdsObject() bool { return s.take(',') && s.peek() == '{' }

// afterLabel reads the rest of an envelope with an event.
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

// oneLine returns an event without its line ends. They stand between its parts: no string of JSON
// has one.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), nil), newline, nil)
}

// readEvent emits the unit of an event of which that is what appendTo kept, and which has no
// control characters that stand as themselves.
func (l *lineReader) readEvent(kept []byte, where rows.Where) {
	e := &l.event
	rest := kept[copy(e.id[:], kept):]
	rest = rest[copy(e.key[:], rest):]
	copy(e.sig[:], rest)
	e.controls = false
	l.begin(where)
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
