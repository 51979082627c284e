package nostr

import (
	"fmt"
	"io"
	"strconv"
)

// Next reads an event or an envelope, and reports whether it read an event: a bare one, that of an
// EVENT envelope, or that of an AUTH envelope with an object (NIP-42). At the end of the text Next
// returns io.EOF.
//
// Any other error is a *ParseError for a text that is neither an event nor an envelope, or that has
// more than one meaning (see the package comment). An envelope of another kind must not hide an
// event: it is an error if an object in it has the name "sig", in any case of letters. After an
// error in an element of a list, Next reads on after the element. A list that is not valid JSON, or
// is nested more than 200 deep, is a single error.
func (p *Parser) Next() (event bool, err error) {
	p.clear()
	end, err := p.find()
	if err != nil {
		return false, err
	}
	text := p.s.b
	p.s.b = text[:end]
	if err = p.eventOrEnvelope(); err != nil {
		p.text = nil
	}
	p.s.b, p.s.i = text, end
	return p.text != nil, err
}

// Envelope returns the kind of the envelope that Next has read last, such as EVENT, and the
// subscription if it is an EVENT envelope of a relay. A string that was not read is empty.
func (p *Parser) Envelope() (kind, subscription string) {
	return decodeQuoted(p.envelope), decodeQuoted(p.subscription)
}

// find moves to the next event or envelope and returns the offset of its end. At the end of the
// text it returns io.EOF.
func (p *Parser) find() (end int, err error) {
	s, begun := &p.s, p.begun
	p.begun = true
	switch {
	case begun:
		for p.lists > 0 && s.take(']') {
			p.lists--
		}
		if p.lists == 0 {
			return 0, io.EOF
		}
		s.take(',')
	case p.Lists && s.atList():
		if err := s.skipLast(); err != nil {
			return 0, err
		}
		s.i = 0
	}
	for p.Lists && s.atList() {
		s.take('[')
		p.lists++
	}
	if p.lists == 0 {
		return len(s.b), nil
	}
	begin := s.i
	if err := s.skip(0); err != nil { // the text has changed since the first call
		p.lists = 0
		return 0, err
	}
	end, s.i = s.i, begin
	return end, nil
}

// atList reports whether the next value is a list but not an envelope, that is, a list whose first
// element exists and is not a string.
func (s *scanner) atList() bool {
	ahead := *s
	return ahead.take('[') && ahead.peek() != '"' && ahead.peek() != ']'
}

// eventOrEnvelope reads an event or an envelope, after which the text must end.
func (p *Parser) eventOrEnvelope() error {
	switch p.s.peek() {
	case '{':
		if err := p.event(); err != nil {
			return err
		}
		return p.s.end()
	case '[':
		return p.readEnvelope()
	}
	return p.s.fail("expected an event {…} or an envelope […]")
}

// maxShown limits the bytes of an envelope's kind in an error.
const maxShown = 40

// readEnvelope reads an envelope, after which the text must end.
func (p *Parser) readEnvelope() (err error) {
	s := &p.s
	begin := s.i
	s.take('[')
	if s.peek() != '"' {
		return s.fail("an envelope begins with its kind, a string")
	}
	if p.envelope, err = s.hashed(new([]byte)); err != nil {
		return err
	}
	if string(p.envelope) == `"EVENT"` || string(p.envelope) == `"AUTH"` && s.beforeObject() {
		return p.restOfEnvelope()
	}
	s.i, s.sig = begin, false
	if err := s.skipLast(); err != nil || !s.sig {
		return err
	}
	kind := p.envelope[1 : len(p.envelope)-1]
	shown := strconv.QuoteToASCII(string(kind[:min(len(kind), maxShown)]))
	if len(kind) > maxShown {
		shown += "…"
	}
	return &ParseError{Offset: -1, Reason: fmt.Sprintf(`an envelope of kind %s with an object that `+
		`has "sig", as an event; events are in EVENT and AUTH`, shown)}
}

// beforeObject reports whether a comma and an object are next.
func (s *scanner) beforeObject() bool {
	ahead := *s
	return ahead.take(',') && ahead.peek() == '{'
}

// restOfEnvelope reads the part of an envelope after its kind, which must have an event. Then the
// text must end.
func (p *Parser) restOfEnvelope() (err error) {
	s := &p.s
	if err := s.expect(','); err != nil {
		return err
	}
	if s.peek() == '"' { // relays name the subscription, and clients do not
		if p.subscription, err = s.hashed(new([]byte)); err != nil {
			return err
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
	if err := p.event(); err != nil {
		return err
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	return s.end()
}
