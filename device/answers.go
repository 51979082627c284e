package device

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// answers holds one call on each line, with the CPU's verdicts and results. The fields of a line
// are the kind, the rules, the number of rows, the four columns, the set of keys, the verdicts and
// the results, separated by spaces. Bytes are hexadecimal, and "-" is an empty field. In a call of
// kind AllSchnorr or AllECDSA the verdict is Valid if all rows are valid, and Unchecked if not.
//
//go:embed answers.txt
var answers string

// accepts reports whether the engine e accepts calls of kind k under the rules r for some number of
// rows. It tries powers of two, because e may accept only numbers in some range.
func accepts(e Engine, k Kind, r Rules) bool {
	for bits := range 31 {
		if e.Accepts(k, r, 1<<bits) {
			return true
		}
	}
	return e.Accepts(k, r, math.MaxInt32)
}

// New returns a Device that has the engine e carry out its calls. It first gives e calls with known
// answers: a few rows of every kind and rule that e accepts for some number of rows. New returns an
// error if e is nil, if it accepts a kind or a rule bit that is not defined, if it returns an
// error, or if a verdict or result is wrong. Rows that e leaves Unchecked are no error.
func New(e Engine) (*Device, error) {
	if e == nil {
		return nil, errors.New("device: a nil engine")
	}
	for k := range math.MaxUint8 + 1 {
		k := Kind(k)
		if k < Schnorr || k > RecoverAddress {
			if accepts(e, k, 0) {
				return nil, fmt.Errorf("device: the engine accepts %v, which is not defined", k)
			}
			continue
		}
		for r := Uncompressed << 1; r != 0; r <<= 1 {
			if accepts(e, k, r) {
				return nil, fmt.Errorf("device: the engine accepts %v with the rule %#x, which is not defined",
					k, uint32(r))
			}
		}
	}
	for line := range strings.Lines(answers) {
		call, want := parseAnswer(strings.Fields(line))
		if err := call.try(e, want); err != nil {
			return nil, err
		}
		for i := range want.Verdicts {
			pair, wanted := want.pair(i)
			if err := pair.try(e, wanted); err != nil {
				return nil, err
			}
		}
	}
	return &Device{e}, nil
}

// try has the engine e carry out the call c, if e accepts it. It returns an error if the verdicts
// or results differ from those of want.
func (c *Call) try(e Engine, want *Call) error {
	if !accepts(e, c.Kind, c.Rules) {
		return nil
	}
	call := *c // a copy, because e may replace the slices in it
	if err := e.Run(context.Background(), &call); err != nil {
		return fmt.Errorf("device: a known call: %w", err)
	}
	if err := c.differs(want); err != nil {
		return fmt.Errorf("device: %v with the rules %#x: %w", c.Kind, c.Rules, err)
	}
	return nil
}

// pair returns a call with one verdict for the rows 0 and i of c, and the same call with the
// correct answer. Row 0 is valid, so the answer shows whether an Engine takes row i for a valid
// one; a call with many bad rows would not show that. If c's kind has no counterpart with one
// verdict for all rows, the returned call has the zero kind.
func (c *Call) pair(i int) (call, want *Call) {
	p := Call{Rules: c.Rules, Rows: 2, Columns: c.Columns, Verdicts: make([]Verdict, 1)}
	switch {
	case c.Kind == Schnorr:
		p.Kind = AllSchnorr
	case c.Kind == ECDSA && c.Columns[3].Data != nil:
		p.Kind = AllECDSA
	}
	for k := range p.Columns {
		p.Columns[k].Stride *= i
	}
	answer := p
	answer.Verdicts = []Verdict{Unchecked}
	if c.Verdicts[i] == Valid {
		answer.Verdicts[0] = Valid
	}
	return &p, &answer
}

// parseAnswer returns the call in a line of answers, and the same call with its answer.
func parseAnswer(fields []string) (call, want *Call) {
	// A test reads all lines, so errors cannot occur here.
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	bytes := func(i int) []byte {
		b, _ := hex.DecodeString(strings.TrimPrefix(fields[i], "-"))
		return b
	}
	kind := Kind(slices.Index(kindNames[:], fields[0]))
	c := Call{Kind: kind, Rules: Rules(number(1)), Rows: number(2), Keys: bytes(7)}
	for i := range c.Columns {
		if b := bytes(3 + i); len(b) > 0 {
			c.Columns[i] = Column{Data: b, Stride: len(b) / c.Rows}
		}
	}
	answer := c
	for _, v := range bytes(8) {
		answer.Verdicts = append(answer.Verdicts, Verdict(v))
	}
	c.Verdicts = make([]Verdict, len(answer.Verdicts))
	if answer.Results = bytes(9); len(answer.Results) > 0 {
		c.Results = make([]byte, len(answer.Results))
	}
	return &c, &answer
}

// differs returns an error if a verdict or result of c differs from that of want. Verdicts of c may
// be Unchecked.
func (c *Call) differs(want *Call) error {
	width := len(want.Results) / len(want.Verdicts)
	for i, v := range c.Verdicts {
		w := want.Verdicts[i]
		switch {
		case v == Unchecked:
		case w == Unchecked: // w is the one verdict of a call: not all rows are valid
			if v == Valid {
				return errors.New("the engine calls all rows valid, and one is not")
			}
		case v != w:
			return fmt.Errorf("row %d: the engine says %v, want %v", i, v, w)
		case !bytes.Equal(c.Results[i*width:][:width], want.Results[i*width:][:width]):
			return fmt.Errorf("row %d: a wrong result", i)
		}
	}
	return nil
}
