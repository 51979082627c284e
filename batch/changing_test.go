package batch_test

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// TestChangingRows lets the memory of each column change while a call reads it. Every row must get
// the answer for its first values: a call must not judge or hash one value and then compute with
// another. The method change says which rows may be read a second time.
func TestChangingRows(t *testing.T) {
	for _, k := range kinds() {
		if k.loose {
			continue // the tests of package koblitz let the arguments of these calls change
		}
		for i, field := range k.fields {
			w := field.width
			k.change(t, i, 60, 1, func(b []byte) batch.Column { return batch.Packed(b, w) })
			k.change(t, i, 6, 2, func(b []byte) batch.Column { return batch.Strided(b, w, 2*w) })
			k.change(t, i, 1, 1, func(b []byte) batch.Column { return batch.Same(b) })
		}
	}
}

// change calls k with a column of field i that changes, in memory for n values. The rows have every
// step-th of these.
func (k *kind) change(t *testing.T, i, n, step int, column func(b []byte) batch.Column) {
	t.Helper()
	field, w := k.fields[i], k.fields[i].width
	if field.name == "" {
		return
	}
	var good, others []byte
	var g given
	for at, row := range k.good()[:n] {
		good, others = append(good, row.values[i]...), append(others, k.good()[n+at].values[i]...)
		if at%step == 0 {
			g.rows = append(g.rows, row)
		}
		if w == 1 { // the values of others may be the same
			others[at] = good[at] ^ 1
		}
	}
	for at, other := range k.fields {
		var data []byte
		for _, row := range g.rows {
			data = append(data, row.values[at]...)
		}
		g.column(data, func(b []byte) batch.Column { return batch.Packed(b, other.width) })
	}
	answers := func(b []byte) (list []answer) { // for the rows with the values b of the field
		for at, row := range g.rows {
			values := slices.Clone(row.values)
			values[i] = b[at*step*w:][:w]
			list = append(list, k.made(values).answer)
		}
		return list
	}
	equations := k.verifier != nil && k.signs
	for _, c := range []struct {
		first, second []byte
		exact         bool
	}{
		{good, others, false}, {good, others, equations}, {others, good, equations},
		{bytes.Repeat([]byte{0xff}, len(good)), good, equations},
	} {
		if bytes.Equal(c.first, c.second) {
			continue
		}
		first, second := answers(c.first), answers(c.second)
		o := batch.Options{Workers: 1, Exact: c.exact}
		changing.Each(t, c.first, c.second, func(b []byte) {
			g.columns[i] = column(b)
			dst, verdicts := make([]byte, k.size*len(g.rows)), dirty(len(g.rows))
			_, err := k.each(context.Background(), g, dst, verdicts, &o)
			for at, verdict := range verdicts {
				is := func(a answer) bool {
					result := slices.Concat(a.result, make([]byte, k.size))[:k.size]
					return verdict == a.verdict && bytes.Equal(dst[k.size*at:][:k.size], result)
				}
				// A call may read a row again if the row's equation does not hold, or if the call
				// has only one row.
				again := (equations && !c.exact || n == 1) && (verdict != batch.Valid || is(second[at]))
				if err != nil || !is(first[at]) && !again {
					t.Errorf("%s: %s: row %d of %d is %v, %x, %v, want %+v", k.name, field.name, at, n,
						verdict, dst[k.size*at:][:k.size], err, first[at])
				}
			}
		})
		if k.verifier == nil || n == 1 {
			continue
		}
		want := !slices.ContainsFunc(first, func(a answer) bool { return a.verdict != batch.Valid })
		changing.Each(t, c.first, c.second, func(b []byte) {
			g.columns[i] = column(b)
			ok, err := k.verifier(g).VerifyAll(context.Background(), len(g.rows), &o)
			if ok != want || err != nil {
				t.Errorf("%s: %s: VerifyAll: %v, %v, want %v", k.name, field.name, ok, err, want)
			}
		})
	}
}

// TestKindsAreComplete checks that the table of kinds has every exported type of rows, with all
// columns and methods.
func TestKindsAreComplete(t *testing.T) {
	methods := []string{"Verify", "VerifyAll", "Recover", "EthereumAddresses", "Decompress", "Sign",
		"PublicKeysVartime", "XOnlyPublicKeys", "AddVartime", "PublicKeys", "SharedX"}
	types := 0
	for _, typ := range operations.Types {
		if !strings.HasPrefix(typ.String(), "batch.") || !strings.HasSuffix(typ.Name(), "Rows") {
			continue
		}
		types++
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			takesContext := m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[context.Context]()
			if takesContext && !slices.Contains(methods, m.Name) {
				t.Errorf("no kind calls %v.%s", typ, m.Name)
			}
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() || f.Name == "S" { // TestNoRule is about S
				continue
			}
			if !slices.ContainsFunc(kinds(), func(k *kind) bool {
				return strings.HasPrefix(k.name, typ.Name()) && slices.ContainsFunc(k.fields,
					func(field rowField) bool { return field.name == f.Name })
			}) {
				t.Errorf("no kind has %v.%s", typ, f.Name)
			}
		}
	}
	if types < 12 {
		t.Errorf("only %d types of rows", types)
	}
}
