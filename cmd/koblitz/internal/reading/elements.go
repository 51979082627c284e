package reading

import (
	"errors"
	"fmt"
	"io"
)

// Elements reads a sequence of JSON values. Each value is at the top level of the file or an
// element of a top-level list. If it is a JSON-RPC response, {"result": …}, Elements returns the
// response's result in its place.
type Elements struct {
	json   *JSON
	limits Limits
	some   bool // a value was read, or reading resumed after one
}

// NewElements returns the values that r reads. r must be at the beginning of the file or at a place
// to resume. The limits l on a value also limit a whole JSON-RPC response.
func NewElements(r *JSON, l Limits) *Elements {
	return &Elements{json: r, limits: l, some: r.Here().Offset > 0}
}

// Next returns the next value, or io.EOF after the last one. It returns an error for a file without
// a value, and for a JSON-RPC response that has an error or lacks a result.
func (e *Elements) Next() (v Value, err error) {
	empty := "an empty file"
	for {
		c, err := e.json.Peek()
		switch {
		case err == io.EOF && !e.some:
			return v, e.json.Fail("%s", empty)
		case err != nil:
			return v, err
		}
		if c != ']' && (c != '[' || e.json.Depth() > 0) {
			break
		}
		empty = "there is no " + e.json.what + " in it"
		if _, err := e.json.Token(); err != nil {
			return v, err
		}
	}
	e.some = true
	if v, err = e.json.Value(e.limits); err != nil || v.Over != nil || v.Text[0] != '{' {
		return v, err
	}
	return e.result(v)
}

// answerTable is the table of a JSON-RPC response. The caller checks the names in its result.
var answerTable = NewTable("result", "error")

// result returns the value of the field "result" of v if v is a JSON-RPC response, and otherwise
// returns v unchanged.
func (e *Elements) result(v Value) (Value, error) {
	var seen Seen
	var result, refusal []byte
	d := newDecoder(v.Text)
	err := fields(d, func(name []byte) error {
		if _, _, err := answerTable.Look(&seen, name); err != nil {
			return err
		}
		value, err := d.ReadValue()
		end := int(d.InputOffset())
		switch value = v.Text[end-len(value) : end]; string(name) {
		case "result":
			result = value
		case "error":
			refusal = value
		}
		return err
	})
	what := e.json.what
	switch {
	case err != nil:
	case result == nil && refusal == nil:
		return v, nil
	case refusal != nil && string(refusal) != "null":
		err = fmt.Errorf("instead of a %s the node answered: %s", what,
			Short(refusal))
	case result == nil || string(result) == "null":
		err = errors.New("the node's answer is null: it has no such " + what)
	}
	if err != nil {
		return v, e.json.FailAt(v.Place, err)
	}
	// In the response, the lists of the result are one level deeper than in a bare value, so Inner
	// counted their elements.
	v.Text, v.Items = result, v.Items+v.Inner
	return v, nil
}
