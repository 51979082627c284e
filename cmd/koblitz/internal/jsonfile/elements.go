package jsonfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// Elements are values that stand one after the other, each alone or in a list. Of an answer of
// JSON-RPC, {"result": …}, the value is its result.
type Elements struct {
	json   *Reader
	limits Limits
	some   bool // there was a value
}

// NewElements returns the values that r reads, which is at the beginning of a file unless it goes
// on. An answer may be as long as one value.
func NewElements(r *Reader, l Limits) *Elements {
	return &Elements{json: r, limits: l, some: r.Here().Offset > 0}
}

// Next returns the next value. Behind the last one the error is io.EOF. A file without a value is
// an error, and so is an answer that refuses, has no result, or has fields of which nothing is
// known here.
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

var answerNames = NewNames("result", "error")

// result returns the result of an answer, and any other object as it is.
func (e *Elements) result(v Value) (Value, error) {
	var seen Seen
	var result, refusal, other []byte
	err := Fields(v.Text, func(name, value []byte) error {
		switch string(name) {
		case "result":
			result = value
		case "error":
			refusal = value
		case "jsonrpc", "id":
		default:
			other = name
		}
		return answerNames.Add(&seen, string(name))
	})
	what := e.json.what
	switch {
	case err != nil:
	case result == nil && refusal == nil:
		return v, nil
	case refusal != nil && string(refusal) != "null":
		err = fmt.Errorf("instead of a %s the node answered: %s", what,
			printable.Text(string(refusal[:min(len(refusal), maxReason)])))
	case other != nil:
		err = fmt.Errorf("an answer with the field %s, of which nothing is known here",
			short(string(other)))
	case result == nil || string(result) == "null":
		err = errors.New("the node's answer is null: it has no such " + what)
	}
	if err != nil {
		return v, e.json.FailAt(v.Place, err)
	}
	// What stands in lists of the result was counted as standing farther inside.
	v.Text, v.Items = result, v.Items+v.Inner
	return v, nil
}
