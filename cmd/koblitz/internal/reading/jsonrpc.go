package reading

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Enter reads up to the next value at the top level of the file or in a list there. It returns
// io.EOF after the last one, and an error for a file without a value, or for a list whose values
// were all passed over.
func (r *JSON) Enter() error {
	empty := "an empty file"
	for {
		c, err := r.Peek()
		switch {
		case err == io.EOF && !r.some:
			return r.Fail("%s", empty)
		case err != nil:
			return err
		case c == '[' && r.Depth() == 0:
			r.taken, r.passed = 0, 0
		case c != ']':
			r.some = true
			r.taken++
			return nil
		case r.passed > 0 && r.passed == r.taken:
			return r.Fail("there is no %s in it", r.what)
		}
		empty = "there is no " + r.what + " in it"
		if _, err := r.Token(); err != nil {
			return err
		}
	}
}

// PassOver says that the last value was of another kind than the file is about.
func (r *JSON) PassOver() { r.passed++ }

// Element calls Enter and returns the next value. If the value is a JSON-RPC response,
// {"result": …}, Element returns its result; the limits on a value also limit a whole response. It
// returns an error for a response that has an error or lacks a result.
func (r *JSON) Element(l Limits) (v Value, err error) {
	if err := r.Enter(); err != nil {
		return v, err
	}
	if v, err = r.Value(l); err != nil || v.Over != nil || v.Text[0] != '{' {
		return v, err
	}
	return r.result(v)
}

// An answer is a JSON-RPC response. The caller checks the names in its result.
type answer struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

var answerTable = TableOf[answer]()

// result returns the value of the field "result" of v if v is a JSON-RPC response, and otherwise
// returns v unchanged.
func (r *JSON) result(v Value) (Value, error) {
	var a answer
	err := answerTable.Decode(v.Text, &a)
	switch {
	case err != nil:
	case a.Result == nil && a.Error == nil:
		return v, nil
	case a.Error != nil && string(a.Error) != "null":
		err = r.refusal(a.Error)
	case a.Result == nil || string(a.Result) == "null":
		err = errors.New("the node's answer is null: it has no such " + r.what)
	}
	if err != nil {
		return v, r.FailAt(v.Place, err)
	}
	// In the response, the lists of the result are one level deeper than in a bare value, so Inner
	// counted their elements.
	v.Text, v.Items = a.Result, v.Items+v.Inner
	return v, nil
}

// Refusal reads the field "error" of a JSON-RPC response. If its value is not null, Refusal returns
// it as an error.
func (r *JSON) Refusal() error {
	v, err := r.Value(Limits{Bytes: maxScalar})
	switch {
	case err != nil:
		return err
	case v.Over != nil:
		return r.FailAt(v.Place,
			fmt.Errorf("instead of a %s the node answered with a very long error", r.what))
	case string(v.Text) != "null":
		return r.FailAt(v.Place, r.refusal(v.Text))
	}
	return nil
}

// refusal returns the error for the text of an error of a node.
func (r *JSON) refusal(text []byte) error {
	return fmt.Errorf("instead of a %s the node answered: %s", r.what, Short(text))
}
