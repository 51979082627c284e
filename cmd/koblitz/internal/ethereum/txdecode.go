package ethereum

import (
	"encoding/json"
	"errors"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
)

// decode does the work of json.Unmarshal for a transaction, but faster. raw must be a valid JSON
// object without white space. decode also refuses names that occur twice or that differ only in
// case.
func (j *txJSON) decode(raw []byte) error {
	type field struct{ name, value []byte }
	fields := make([]field, 0, 32)
	var seen jsonfile.Seen
	err := jsonfile.Fields(raw, func(name, value []byte) error {
		inner, defined, err := txTable.Look(&seen, name)
		if err != nil || !defined {
			return err
		}
		fields = append(fields, field{name, value})
		return inner.CheckNames(value)
	})
	if err != nil {
		return err
	}
	// mismatch holds the first value of the wrong type. encoding/json continues after such a value
	// and reports it only if no UnmarshalJSON method fails, so decode does the same.
	var mismatch error
	for _, f := range fields {
		err := j.field(f.name, f.value)
		if _, ok := err.(*json.UnmarshalTypeError); err != nil && !ok {
			return err
		} else if mismatch == nil {
			mismatch = err
		}
	}
	return mismatch
}

var txFieldOf = jsonfile.FieldsOf[txJSON]()

// field decodes one field of txTable. As in json.Unmarshal, a null sets nothing.
func (j *txJSON) field(name, value []byte) error {
	field := txFieldOf(j, string(name))
	if string(value) == "null" {
		return nil
	}
	switch to := field.(type) {
	case **quantity:
		return j.number(to, value)
	case **data:
		return j.data(to, value)
	}
	return decodeAny(name, value, field)
}

// number parses value into preallocated memory and sets *dst to point there. That memory has room
// for one value per field, because a field occurs at most once.
func (j *txJSON) number(dst **quantity, value []byte) error {
	m := &j.memory
	*dst = &m.numbers[m.usedNumbers]
	m.usedNumbers++
	return (*dst).UnmarshalJSON(value)
}

func (j *txJSON) data(to **data, value []byte) (err error) {
	m := &j.memory
	*to = &m.data[m.usedData]
	m.usedData++
	if m.bytes == nil {
		m.bytes = make([]byte, 0, 1<<10)
	}
	begin := len(m.bytes)
	m.bytes, err = appendData(m.bytes, value)
	**to = m.bytes[begin:len(m.bytes):len(m.bytes)]
	return err
}

// decodeAny decodes a value with encoding/json, so that errors name the field.
func decodeAny(name, value []byte, dst any) error {
	err := json.Unmarshal(value, dst)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		if mismatch.Field != "" {
			mismatch.Field = "." + mismatch.Field
		}
		mismatch.Field = string(name) + mismatch.Field
	}
	return err
}
