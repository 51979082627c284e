package koblitz_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A layout makes a column with one value for a number of rows.
type layout struct {
	name   string
	rows   int
	memory func(value []byte, rows int) []byte
	column func(b []byte, width int) batch.Column
}

var layouts = []layout{
	{"batch.Packed data", 20, bytes.Repeat, batch.Packed},
	{"batch.Strided data", 5, func(value []byte, rows int) []byte {
		return bytes.Repeat(append(bytes.Clone(value), 1, 2, 3), rows)
	}, func(b []byte, width int) batch.Column { return batch.Strided(b, width, width+3) }},
	{"batch.Same value", 5, func(value []byte, _ int) []byte {
		return value
	}, func(b []byte, _ int) batch.Column { return batch.Same(b) }},
}

// rows calls the methods of all types of rows in package batch, with one column that changes.
func (c changingCalls) rows(t *testing.T) {
	for name, fill := range specimens {
		typ := reflect.TypeOf(fill(specimen{a: c.a, b: c.b}))
		keys, ok := typ.FieldByName("Keys")
		ok = ok && keys.Type == reflect.TypeFor[batch.Keys]()
		for i := range typ.NumField() {
			field := typ.Field(i)
			if !field.IsExported() || field.Type.Kind() != reflect.Struct {
				continue
			}
			for method := range typ.NumMethod() {
				if !takesContext(typ.Method(method).Type) {
					continue
				}
				c.column(t, name, field.Name, method, false)
				if ok && field.Name != "Keys" && field.Name != "RecoveryIDs" {
					c.column(t, name, field.Name, method, true)
				}
			}
		}
	}

	// Rows that are signed with fresh randomness have signatures of the messages at first.
	const n = 5
	c.Check("batch.SchnorrSignRows.Sign Messages", bytes.Repeat(c.a.hash, n),
		bytes.Repeat(c.b.hash, n), func(b, constant []byte) any {
			rows := batch.SchnorrSignRows{Secrets: batch.Same(c.a.secret), Messages: batch.Packed(b, 32)}
			sigs := make([]byte, 64*n)
			valid, err := rows.Sign(t.Context(), sigs, make([]batch.Verdict, n), nil)
			for i := range n {
				if schnorr.Verify(c.a.xOnly(), constant[32*i:][:32], sigs[64*i:][:64]) {
					valid--
				}
			}
			return fmt.Sprint(valid, err)
		})
	for _, l := range layouts {
		first, second := l.memory(c.a.key33, 1), l.memory(c.b.key33, 1)
		c.Check(l.name, first, second, func(b, _ []byte) any {
			return ask(t, reflect.ValueOf(batch.KeyRows{Keys: l.column(b, 33)}), 0, 1)
		})
		c.Check("batch.EncodedKeys c", first, second, func(b, _ []byte) any {
			rows := batch.ECDSARows{Keys: batch.EncodedKeys(l.column(b, 33)), S: batch.LowS,
				Hashes: batch.Same(c.a.hash), Signatures: batch.Same(c.a.sig64)}
			return ask(t, reflect.ValueOf(rows), 0, 1)
		})
	}
}

// column calls a method of rows. One column of the rows changes.
func (c changingCalls) column(t *testing.T, name, field string, method int, prepared bool) {
	fill := specimens[name]
	typ := reflect.TypeOf(fill(specimen{a: c.a, b: c.b}))
	var value []byte
	for _, s := range []signedRow{c.a, c.b} {
		fill(specimen{a: s, b: s, rows: 1, prepared: prepared,
			memory: func(name string, data []byte, width int) batch.Column {
				if name == field {
					value = append(value, data...)
				}
				return batch.Packed(data, width)
			}})
	}
	first, second := value[:len(value)/2], value[len(value)/2:]
	if len(first) == 1 { // the ids or parities may be equal
		second = []byte{first[0] ^ 1}
	}
	pairs := [][2][]byte{{first, second}}
	if name == "batch.SchnorrRows" && field == "Signatures" {
		hashed, used := changingForgery(c.a.xOnly(), c.a.hash)
		pairs = append(pairs, [2][]byte{hashed, used})
	}
	argument := name + "." + typ.Method(method).Name + " " + field
	// Rows whose equation does not hold are read again.
	again := strings.HasPrefix(argument, "batch.SchnorrRows.Verify ") ||
		strings.HasPrefix(argument, "batch.ECDSARows.Verify ")
	for _, l := range layouts {
		if strings.Contains(argument, "Rows.Verify") && l.rows == 20 {
			l.rows = 60 // enough for an equation
		}
		call := func(b []byte) outcome {
			rows := fill(specimen{a: c.a, b: c.b, rows: l.rows, prepared: prepared,
				memory: func(name string, data []byte, width int) batch.Column {
					if name == field {
						return l.column(b, width)
					}
					return batch.Packed(data, width)
				}})
			return ask(t, reflect.ValueOf(rows), method, l.rows)
		}
		for _, pair := range pairs {
			first, second := l.memory(pair[0], l.rows), l.memory(pair[1], l.rows)
			possible := []outcome{call(first), call(second)}
			c.Check(argument, first, second, func(b, constant []byte) any {
				o := call(b)
				if again || l.name == "batch.Same value" {
					return o.isOf(append(possible, call(constant)))
				}
				return fmt.Sprintf("%v %v %v %x", o.err, o.all, o.valid, o.results)
			})
		}
	}
}

// isOf reports whether each valid row is valid in one of the outcomes, with the same result. Rows
// that share a value, or that are read again, may see different values.
func (o outcome) isOf(possible []outcome) bool {
	found := func(like func(p outcome) bool) bool { return slices.ContainsFunc(possible, like) }
	for i := range o.valid {
		if o.valid[i] && !found(func(p outcome) bool {
			return p.valid[i] && (len(o.results) == 0 || bytes.Equal(p.results[i], o.results[i]))
		}) {
			return false
		}
	}
	return !o.all || found(func(p outcome) bool { return p.all })
}
