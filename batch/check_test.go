package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// This file carries out calls of all kinds, and checks their answers.

// made returns the row with the given values, and what a call must answer for it.
func (k *kind) made(values [][]byte) record { return record{values, k.judge(values)} }

// all returns several hundred rows of all sorts, in random order.
func (k *kind) all() []record {
	k.once.Do(func() {
		r := rand.New(rand.NewPCG(1, 1))
		for range 400 {
			k.rows = append(k.rows, k.made(k.row(&source{reference.Bytes(r, 64)})))
		}
	})
	return k.rows
}

// good returns those rows of all that are valid.
func (k *kind) good() []record {
	return slices.DeleteFunc(slices.Clone(k.all()),
		func(row record) bool { return row.verdict != batch.Valid })
}

// Selections of rows.
const (
	anyRows = iota
	fewRows // one to three rows, repeated
	validOnly
	oneOther // valid rows and another one
	fewOther // valid rows and some others
)

// pick returns the given selection of n rows.
func (k *kind) pick(r *rand.Rand, selection, n int) []record {
	rows, from := pick(r, k.good(), n), k.all()
	if selection == fewRows {
		from = pick(r, from, 1+r.IntN(3))
	}
	for i := range min(n, []int{n, n, 0, 1, n / 20}[selection]) {
		if selection > fewRows {
			i = r.IntN(n)
		}
		rows[i] = from[r.IntN(len(from))]
	}
	return rows
}

// column adds a column in the given memory.
func (g *given) column(memory []byte, column func(memory []byte) batch.Column) {
	g.memory = append(g.memory, [2][]byte{memory, bytes.Clone(memory)})
	g.columns = append(g.columns, column(memory))
}

// Layouts of columns.
const (
	packed   = iota
	gaps     // between two values
	records  // the fields of a row follow one another
	repeated // one value for all rows, in some fields
)

// give returns columns of the rows. In the layout repeated, rows get the values of the first row in
// some of the fields.
func (k *kind) give(r *rand.Rand, layout int, rows []record) (g given) {
	g.rows = slices.Clone(rows)
	if k.loose {
		return g
	}
	var record []byte
	for _, row := range rows {
		record = append(record, join(row.values...)...)
	}
	offset, width, gap, fixed := 0, 0, 1+r.IntN(9), r.IntN(1<<len(k.fields))
	for _, field := range k.fields {
		width += field.width
	}
	for i, field := range k.fields {
		if layout == repeated && fixed>>i&1 != 0 && len(rows) > 0 {
			value := rows[0].values[i]
			g.column(bytes.Clone(value), batch.Same)
			for n := range g.rows {
				g.rows[n].values = slices.Clone(g.rows[n].values)
				g.rows[n].values[i] = value
			}
			continue
		}
		if layout == records && len(rows) > 0 {
			g.column(record[offset:], func(b []byte) batch.Column {
				return batch.Strided(b, field.width, width)
			})
			offset += field.width
			continue
		}
		var data []byte
		for _, row := range rows {
			data = append(data, row.values[i]...)
			if layout == gaps {
				data = append(data, reference.Bytes(r, gap)...)
			}
		}
		if layout == gaps { // The data end anywhere after the last value.
			data = data[:len(data)-min(len(data), r.IntN(gap+1))]
			stride := field.width + gap
			if len(rows) == 1 {
				stride = math.MaxInt - r.IntN(2)*width
			}
			g.column(data, func(b []byte) batch.Column {
				return batch.Strided(b, field.width, stride)
			})
		} else {
			g.column(data, func(b []byte) batch.Column { return batch.Packed(b, field.width) })
		}
	}
	if layout == repeated {
		for n := range g.rows {
			g.rows[n] = k.made(g.rows[n].values)
		}
	}
	return g
}

// checkCall carries out a call on the rows g, and checks all answers. If ctx may end, rows may stay
// Unchecked: then there is an error, and nothing is written for them. checkCall returns the number
// of rows with a verdict.
func (k *kind) checkCall(
	t *testing.T, ctx func() context.Context, g given, o batch.Options,
) (checked int) {
	t.Helper()
	const spare = 9
	n, count := len(g.rows), 0
	verdicts := dirty(n + spare)
	dst := bytes.Repeat([]byte{0x77}, k.size*n+spare)
	reasons := slices.Repeat([]batch.Reason{77}, 3)
	if o.Reasons = &reasons; k.secret != nil {
		reasons = make([]batch.Reason, n)
	}
	valid, err := k.each(ctx(), g, dst[:k.size*n], verdicts[:n], &o)
	if len(reasons) != n {
		t.Errorf("%s: %d reasons of %d rows", k.name, len(reasons), n)
		return 0
	}
	for i, row := range g.rows {
		got := answer{verdicts[i], reasons[i], dst[k.size*i:][:k.size]}
		want := row.answer
		switch {
		case got.verdict == batch.Unchecked && err != nil && o.Device == nil:
			want = answer{result: bytes.Repeat([]byte{0x77}, k.size)}
		case got.verdict == batch.Unchecked && err != nil:
			want = answer{result: got.result}
		default:
			if checked++; want.verdict == batch.Valid {
				count++
			}
		}
		if want.result == nil {
			want.result = make([]byte, k.size)
		}
		if k.secret != nil {
			want.why = batch.NoReason
		}
		if got.verdict != want.verdict || got.why != want.why || !bytes.Equal(got.result, want.result) {
			t.Errorf("%s: row %d of %d, %+v: %v, %v, %x, want %v, %v, %x\nvalues %x", k.name, i, n, o,
				got.verdict, got.why, got.result, want.verdict, want.why, want.result, row.values)
			return checked
		}
	}
	if valid != count || (err == nil) != (checked == n) {
		t.Errorf("%s: %d of %d rows checked, %d counted as valid, want %d, %v", k.name, checked, n,
			valid, count, err)
	}
	if !slices.Equal(verdicts[n:], dirty(spare)) ||
		!bytes.Equal(dst[k.size*n:], bytes.Repeat([]byte{0x77}, spare)) {
		t.Errorf("%s: the call wrote past the end of the verdicts or results", k.name)
	}
	if k.verifier != nil && n > 0 {
		before := slices.Clone(reasons)
		ok, err := k.verifier(g).VerifyAll(ctx(), n, &o)
		if all := !slices.ContainsFunc(g.rows, func(row record) bool {
			return row.verdict != batch.Valid
		}); ok != all && err == nil || ok && err != nil {
			t.Errorf("%s: %d rows, %+v: VerifyAll: %v, %v, want %v", k.name, n, o, ok, err, all)
		}
		if !slices.Equal(before, reasons) {
			t.Errorf("%s: VerifyAll sets reasons", k.name)
		}
	}
	for _, memory := range g.memory {
		if !bytes.Equal(memory[0], memory[1]) {
			t.Errorf("%s: the call changes a column", k.name)
		}
	}
	return checked
}

// check is checkCall with a context that does not end.
func (k *kind) check(t *testing.T, g given, o batch.Options) {
	t.Helper()
	if n := k.checkCall(t, context.Background, g, o); n != len(g.rows) {
		t.Errorf("%s: %d of %d rows have a verdict", k.name, n, len(g.rows))
	}
}

// dirty returns n verdicts with an undefined value, so that a test can see which a call overwrites.
func dirty(n int) []batch.Verdict { return slices.Repeat([]batch.Verdict{0x77}, n) }

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// pick returns n consecutive rows from a random start. After the last row it continues at the
// first.
func pick[T any](r *rand.Rand, rows []T, n int) []T {
	out := make([]T, n)
	start := r.IntN(len(rows))
	for i := range out {
		out[i] = rows[(start+i)%len(rows)]
	}
	return out
}

// each runs a test once with each implementation: with the code that processes eight rows at a time
// in vector lanes, with the best code without lanes, and without assembly.
func each(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	without := cputest.AVX512F
	if !cpu.Has(cpu.AVX512F) {
		without = cputest.ADX
	}
	cputest.Run(t, test, append(cputest.AllLanes(), cputest.Portable, without)...)
}

// sizes returns batch sizes up to limit: all sizes near the number of lanes and the size of blocks,
// and some random ones.
func sizes(r *rand.Rand, limit int) (list []int) {
	if !cputest.Deep() {
		return []int{1, 2, 3, 7, 8, 9, 16, 17, 33, 65, 129}
	}
	for n := range 33 {
		list = append(list, n+1)
	}
	list = append(list, 63, 64, 65, 127, 128, 129, 257, limit)
	for range 4 {
		list = append(list, 1+r.IntN(limit-1))
	}
	return list
}

// rule returns LowS if lowS is set, and AnyS otherwise.
func rule(lowS bool) batch.SRule {
	if lowS {
		return batch.LowS
	}
	return batch.AnyS
}

// An adder has the methods that both accumulators, Schnorr and ECDSA, have.
type adder interface {
	Len() int
	Reset()
	Verify(context.Context, []batch.Verdict) (int, error)
	VerifyAll(context.Context) (bool, error)
}

// verifyAll calls VerifyAll without cancellation. For an empty accumulator VerifyAll must return an
// error; verifyAll then returns true, since no row is invalid.
func verifyAll(b adder) bool {
	good, err := b.VerifyAll(context.Background())
	if b.Len() == 0 {
		return !good && err != nil
	}
	if err != nil {
		panic(err)
	}
	return good
}

// verify calls Verify without cancellation and returns the verdicts. It uses the memory of verdicts
// if that is large enough.
func verify(b adder, verdicts []batch.Verdict) []batch.Verdict {
	verdicts = slices.Grow(verdicts[:0], b.Len())[:b.Len()]
	valid, err := b.Verify(context.Background(), verdicts)
	for _, v := range verdicts {
		if v == batch.Valid {
			valid--
		}
	}
	if err != nil || valid != 0 {
		panic(fmt.Sprint(valid, " too many are valid, ", err))
	}
	return verdicts
}
