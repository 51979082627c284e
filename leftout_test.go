package koblitz_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/lab/operations"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A signedRow holds a valid value for every field of the rows of package batch.
type signedRow struct {
	key                                              *koblitz.PreparedKey
	hash, key33, key32, sig64, sig65, bip340, secret []byte

	output []byte // the x coordinate of the x-only key tweaked by hash, and the parity of its y
}

func newSignedRow(t *testing.T, text string) (s signedRow) {
	t.Helper()
	hash, secret := sha256.Sum256([]byte(text)), sha256.Sum256([]byte("the key for "+text))
	key, err := koblitz.ParsePrivateKey(secret[:])
	if err != nil {
		t.Fatal(err)
	}
	s.key, s.hash, s.secret = key.PublicKey().Prepare(1024), hash[:], secret[:]
	s.key33, s.key32 = key.PublicKey().Bytes(), key.XOnlyPublicKey().Bytes()
	if s.sig65, err = ecdsa.SignRecoverable(key, hash[:], nil); err != nil {
		t.Fatal(err)
	}
	s.sig64 = s.sig65[:64]
	if s.bip340, err = schnorr.Sign(key, hash[:], nil); err != nil {
		t.Fatal(err)
	}
	output, err := key.XOnlyPublicKey().TweakAdd(hash[:])
	if err != nil {
		t.Fatal(err)
	}
	s.output = append(output.XOnlyPublicKey().Bytes(), output.Bytes()[0]&1)
	return s
}

// forgedRow is the index of the row that a specimen changes into an invalid one, if the specimen
// has enough rows.
const forgedRow = 2

// A specimen fills the fields of a struct for a number of rows. All rows have the values of row a,
// except that one field of row forgedRow has the value of row b. If a call wrongly used the field
// of row 0 for every row, it would accept the changed row.
type specimen struct {
	a, b     signedRow
	rows     int
	spoilt   string // the name of the changed field, or ""
	prepared bool   // use a set of prepared keys, if the rows allow it

	memory func(name string, data []byte, width int) batch.Column // or nil, for batch.Packed
}

func (s specimen) column(name string, value func(r signedRow) []byte) batch.Column {
	var data []byte
	for i := range s.rows {
		if i == forgedRow && name == s.spoilt {
			data = append(data, value(s.b)...)
		} else {
			data = append(data, value(s.a)...)
		}
	}
	if s.memory != nil {
		return s.memory(name, data, len(value(s.a)))
	}
	return batch.Packed(data, len(value(s.a)))
}

func (s specimen) hashes(name string) batch.Column {
	return s.column(name, func(r signedRow) []byte { return r.hash })
}

// keys returns encoded keys, or prepared keys if s.prepared is set.
func (s specimen) keys(value func(r signedRow) []byte) batch.Keys {
	if !s.prepared {
		return batch.EncodedKeys(s.column("Keys", value))
	}
	set, indices := []*koblitz.PreparedKey{s.b.key}, []uint32{}
	for i := range s.rows {
		set, indices = append(set, s.a.key), append(indices, uint32(i+1))
	}
	if s.rows > forgedRow && s.spoilt == "Keys" {
		indices[forgedRow] = 0
	}
	return batch.PreparedKeys(set, indices)
}

// specimens returns, by type name, a function that fills the struct, for every exported struct with
// exported fields and methods.
var specimens = map[string]func(s specimen) any{
	"batch.SchnorrRows": func(s specimen) any {
		return batch.SchnorrRows{
			Messages:   s.hashes("Messages"),
			Keys:       s.keys(func(r signedRow) []byte { return r.key32 }),
			Signatures: s.column("Signatures", func(r signedRow) []byte { return r.bip340 }),
		}
	},
	"batch.ECDSARows": func(s specimen) any {
		rows := batch.ECDSARows{
			Hashes:     s.hashes("Hashes"),
			Keys:       s.keys(func(r signedRow) []byte { return r.key33 }),
			Signatures: s.column("Signatures", func(r signedRow) []byte { return r.sig64 }),
			S:          batch.LowS,
		}
		if !s.prepared {
			rows.RecoveryIDs = s.column("RecoveryIDs", func(r signedRow) []byte { return r.sig65[64:] })
		}
		return rows
	},
	"batch.RecoverRows": func(s specimen) any {
		return batch.RecoverRows{
			Hashes:     s.hashes("Hashes"),
			Signatures: s.column("Signatures", func(r signedRow) []byte { return r.sig65 }),
			S:          batch.LowS,
		}
	},
	"batch.KeyRows": func(s specimen) any {
		return batch.KeyRows{Keys: s.column("Keys", func(r signedRow) []byte { return r.key33 })}
	},
	"batch.ScalarRows": func(s specimen) any {
		return batch.ScalarRows{
			Scalars: s.column("Scalars", func(r signedRow) []byte { return r.secret }),
		}
	},
	"batch.SecretRows": func(s specimen) any {
		return batch.SecretRows{
			Secrets: s.column("Secrets", func(r signedRow) []byte { return r.secret }),
		}
	},
	"batch.ECDHRows": func(s specimen) any {
		return batch.ECDHRows{
			Secrets: s.column("Secrets", func(r signedRow) []byte { return r.secret }),
			Keys:    s.column("Keys", func(r signedRow) []byte { return r.key33 }),
		}
	},
	"batch.SchnorrSignRows": func(s specimen) any {
		return batch.SchnorrSignRows{
			Secrets:  s.column("Secrets", func(r signedRow) []byte { return r.secret }),
			Messages: s.hashes("Messages"),
			Aux:      s.hashes("Aux"),
		}
	},
	"batch.ECDSASignRows": func(s specimen) any {
		return batch.ECDSASignRows{
			Secrets: s.column("Secrets", func(r signedRow) []byte { return r.secret }),
			Hashes:  s.hashes("Hashes"),
		}
	},
	"batch.EllswiftRows": func(s specimen) any {
		return batch.EllswiftRows{
			Encodings: s.column("Encodings", func(r signedRow) []byte { return r.sig64 }),
		}
	},
	"batch.TweakRows": func(s specimen) any {
		return batch.TweakRows{
			Keys:   s.column("Keys", func(r signedRow) []byte { return r.key33 }),
			Tweaks: s.hashes("Tweaks"),
		}
	},
	"batch.TweakCheckRows": func(s specimen) any {
		return batch.TweakCheckRows{
			Keys:     s.column("Keys", func(r signedRow) []byte { return r.key32 }),
			Tweaks:   s.hashes("Tweaks"),
			Outputs:  s.column("Outputs", func(r signedRow) []byte { return r.output[:32] }),
			Parities: s.column("Parities", func(r signedRow) []byte { return r.output[32:] }),
		}
	},
}

// optionalFields lists fields that may be left out because they do not affect verdicts.
var optionalFields = []string{"batch.ECDSARows.RecoveryIDs", "batch.SchnorrSignRows.Aux"}

// rules lists fields that hold a rule for all rows. A call without the rule must return an error.
var rules = []string{"batch.ECDSARows.S", "batch.RecoverRows.S"}

// exportedFields returns the paths of the exported fields of a struct, including fields of structs
// in such fields.
func exportedFields(typ reflect.Type) (paths [][]int) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		paths = append(paths, []int{i})
		if f.Type.Kind() == reflect.Struct {
			for _, inner := range exportedFields(f.Type) {
				paths = append(paths, append([]int{i}, inner...))
			}
		}
	}
	return paths
}

// An outcome is the result of a method called on some rows.
type outcome struct {
	err     error
	all     bool // the result of a method with one answer for all rows
	valid   []bool
	results [][]byte
}

// passes reports whether a method accepted the changed row: its verdict is Valid and, if the method
// returns results, its result is that of row 0.
func (o outcome) passes() bool {
	if len(o.valid) <= forgedRow || !o.valid[forgedRow] {
		return o.all
	}
	return len(o.results) == 0 || bytes.Equal(o.results[forgedRow], o.results[0])
}

// ask calls the given method of rows for the given number of verdicts. If the method writes
// results, ask tries sizes of results until the method returns no error.
func ask(t *testing.T, rows reflect.Value, method, verdicts int) (o outcome) {
	t.Helper()
	m := rows.Method(method)
	for _, size := range []int{65, 64, 20, 33, 32} {
		o = outcome{}
		given := slices.Repeat([]batch.Verdict{batch.Valid}, verdicts)
		dst := make([]byte, size*verdicts)
		withVerdicts, withResults := false, false
		var in []reflect.Value
		for i := range m.Type().NumIn() {
			switch m.Type().In(i) {
			case reflect.TypeFor[*batch.Options](), reflect.TypeFor[*batch.SecretOptions]():
				in = append(in, reflect.Zero(m.Type().In(i)))
			case reflect.TypeFor[int]():
				in = append(in, reflect.ValueOf(verdicts))
			case reflect.TypeFor[context.Context]():
				in = append(in, reflect.ValueOf(t.Context()))
			case reflect.TypeFor[[]batch.Verdict]():
				in, withVerdicts = append(in, reflect.ValueOf(given)), true
			case reflect.TypeFor[[]byte]():
				in, withResults = append(in, reflect.ValueOf(dst)), true
			default:
				t.Fatalf("%s takes a %v", rows.Type().Method(method).Name, m.Type().In(i))
			}
		}
		out := m.Call(in)
		o.all = out[0].Kind() == reflect.Bool && out[0].Bool()
		if o.err, _ = out[1].Interface().(error); o.err != nil {
			continue
		}
		for i := range verdicts {
			if withVerdicts {
				o.valid = append(o.valid, given[i] == batch.Valid)
			}
			if withResults {
				o.results = append(o.results, dst[size*i:][:size])
			}
		}
		return o
	}
	return o
}

// takesContext reports whether a method has a context parameter, as methods that process rows have.
func takesContext(method reflect.Type) bool {
	return method.NumIn() > 1 && method.In(1) == reflect.TypeFor[context.Context]()
}

// processesRows reports whether a type has a method that takes a context.
func processesRows(typ reflect.Type) bool {
	for i := range typ.NumMethod() {
		if takesContext(typ.Method(i).Type) {
			return true
		}
	}
	return false
}

// TestFieldLeftOut checks that no call accepts a changed row, or ignores a row without returning an
// error, if a field is left out or has fewer values than the other fields: none or one. It tries
// every field of every exported struct, and of structs inside it. The calls have no rows, one row,
// or n rows. One field of one row is changed. There are as many verdicts as rows, or another number
// of verdicts.
func TestFieldLeftOut(t *testing.T) {
	const n = 5
	s := specimen{a: newSignedRow(t, "a"), b: newSignedRow(t, "b")} // outputs of different parity
	calls := 0
	leaveOut := func(name string, typ reflect.Type, prepared bool) {
		build := func(rows int, spoilt string) reflect.Value {
			s := s
			s.rows, s.spoilt, s.prepared = rows, spoilt, prepared
			v := reflect.New(typ).Elem()
			v.Set(reflect.ValueOf(specimens[name](s)))
			return v
		}
		// judge fails the test if a method gives a wrong outcome for rows, which are complete or
		// have a field left out.
		judge := func(what string, rows reflect.Value, count int, complete, spoilt bool) {
			t.Helper()
			for method := range typ.NumMethod() {
				if !takesContext(typ.Method(method).Type) {
					continue
				}
				for _, verdicts := range []int{0, 1, n} {
					o := ask(t, rows, method, verdicts)
					calls++
					one := rows.Method(method).Type().Out(0).Kind() == reflect.Bool
					where := fmt.Sprintf("%s.%s, %s, %d rows, %d verdicts", name,
						typ.Method(method).Name, what, count, verdicts)
					switch {
					case complete && count == verdicts && (!one || count > 0):
						if o.err != nil || one && o.all == spoilt || !one && count > 0 && !o.valid[0] {
							t.Errorf("%s: all valid: %v, each: %v, %v", where, o.all, o.valid, o.err)
						}
					case o.err == nil && (one || count != verdicts):
						t.Errorf("%s: no error", where)
					}
					if o.err != nil && o.all || (spoilt || !complete) && o.err == nil && o.passes() {
						t.Errorf("%s: a spoiled row passes", where)
					}
				}
			}
		}
		for _, count := range []int{0, 1, n} {
			judge("complete", build(count, ""), count, true, false)
		}
		for _, path := range exportedFields(typ) {
			field := typ.FieldByIndex(path)
			full := fmt.Sprintf("%s.%s", name, field.Name)
			optional, rule := slices.Contains(optionalFields, full), slices.Contains(rules, full)
			if build(n, "").FieldByIndex(path).IsZero() {
				if !optional || !prepared {
					t.Errorf("the specimen leaves %s out", full)
				}
				continue
			}
			spoilt := typ.Field(path[0]).Name
			if !optional && !rule {
				judge(spoilt+" spoiled", build(n, spoilt), n, true, true)
			}
			for _, count := range []int{0, 1, n} {
				rows := build(count, spoilt)
				rows.FieldByIndex(path).SetZero()
				judge(field.Name+" left out", rows, count, optional, false)
			}
			for _, fewer := range []int{0, 1} {
				if rule {
					break
				}
				rows := build(n, spoilt)
				rows.FieldByIndex(path).Set(build(fewer, "").FieldByIndex(path))
				what := fmt.Sprintf("%s of %d rows", field.Name, fewer)
				if len(exportedFields(typ)) == 1 { // no other field has more values
					judge(what, rows, fewer, true, false)
				} else {
					judge(what, rows, n, false, false)
				}
			}
		}
	}
	for _, listed := range operations.Types {
		typ, name := listed.Type, listed.String()
		if typ.Kind() != reflect.Struct || len(exportedFields(typ)) == 0 || !processesRows(typ) {
			continue
		}
		if specimens[name] == nil {
			t.Errorf("%s has exported fields, and no specimen", name)
			continue
		}
		leaveOut(name, typ, false)
		if f, ok := typ.FieldByName("Keys"); ok && f.Type == reflect.TypeFor[batch.Keys]() {
			leaveOut(name, typ, true)
		}
	}
	t.Logf("%d calls", calls)
	if calls < 500 {
		t.Error("hardly a call was made")
	}
}
