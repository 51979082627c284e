package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu"
)

// An accumulated is a row with the function that adds it to an accumulator.
type accumulated struct {
	what string
	want batch.Verdict
	add  func()
}

// An accumulatorModel is an accumulator and a model of it: the list of the verdicts that its rows
// must have. verify and the other functions are the accumulator's methods.
type accumulatorModel struct {
	name      string
	rows      []batch.Verdict
	what      []string
	choose    func(s *source) accumulated // a row for the next call of add
	good      func(n int) []batch.Verdict // adds n signatures, and returns their verdicts
	verify    func(context.Context, []batch.Verdict) (int, error)
	verifyAll func(context.Context) (bool, error)
	len       func() int
	reset     func()
}

// overwritten calls add with copies of the arguments, and overwrites these after it has returned,
// since an accumulator must not keep them.
func overwritten(add func(key, msg, sig []byte), r row) func() {
	return func() {
		args := [][]byte{bytes.Clone(r.key), bytes.Clone(r.msg), bytes.Clone(r.sig)}
		add(args[0], args[1], args[2])
		for _, b := range args {
			clear(b)
		}
	}
}

func schnorrModel(rows, good []row, o *batch.Options) *accumulatorModel {
	b := batch.NewSchnorr(1, o)
	m := &accumulatorModel{name: "Schnorr", verify: b.Verify, verifyAll: b.VerifyAll, len: b.Len,
		reset: b.Reset}
	m.choose = func(s *source) accumulated {
		how, r := s.next(), rows[(256*s.next()+s.next())%len(rows)]
		if how%8 == 0 {
			return accumulated{"a short signature", batch.Malformed,
				overwritten(b.AddBytes, row{key: r.key, msg: r.msg, sig: r.sig[:63]})}
		}
		if key, _ := koblitz.ParseXOnlyPublicKey(r.key); how%2 == 0 {
			return accumulated{r.what, r.want,
				overwritten(func(_, msg, sig []byte) { b.Add(key, msg, sig) }, r)}
		}
		return accumulated{r.what, r.want, overwritten(b.AddBytes, r)}
	}
	m.good = func(n int) (want []batch.Verdict) {
		for _, r := range good[:n] {
			b.AddBytes(r.key, r.msg, r.sig)
			want = append(want, r.want)
		}
		return want
	}
	return m
}

func ecdsaModel(rows, good []row, goodRec []sign65, s batch.SRule,
	o *batch.Options) *accumulatorModel {
	b := batch.NewECDSA(1, s, o)
	m := &accumulatorModel{name: fmt.Sprint("ECDSA ", s), verify: b.Verify, verifyAll: b.VerifyAll,
		len: b.Len, reset: b.Reset}
	m.choose = func(src *source) accumulated {
		how, r := src.next(), rows[(256*src.next()+src.next())%len(rows)]
		a := accumulated{what: r.what, want: r.want}
		if s == batch.LowS {
			a.want = r.low
		}
		key, _ := koblitz.ParsePublicKey(r.key)
		sig, _ := ecdsa.ParseSignature(r.sig)
		withID := r
		withID.sig = append(bytes.Clone(r.sig), byte(src.next()%5))
		if how%4 >= 2 && withID.sig[64] > 3 {
			a.want = batch.Malformed
		}
		switch how % 4 {
		case 0:
			a.add = overwritten(func(_, hash, _ []byte) { b.Add(key, hash, sig) }, r)
		case 1:
			a.add = overwritten(b.AddBytes, r)
		case 2:
			a.add = overwritten(func(_, hash, sig []byte) { b.AddRecoverable(key, hash, sig) }, withID)
		case 3:
			a.add = overwritten(b.AddRecoverableBytes, withID)
		}
		return a
	}
	m.good = func(n int) (want []batch.Verdict) {
		for i, r := range good[:n] {
			b.AddRecoverableBytes(r.key, r.msg, goodRec[i].sig)
			if want = append(want, r.want); s == batch.LowS {
				want[i] = r.low
			}
		}
		return want
	}
	return m
}

// step does what the next bytes choose, and compares the accumulator with the model.
func (m *accumulatorModel) step(t *testing.T, s *source) {
	t.Helper()
	switch s.next() % 12 {
	default:
		a := m.choose(s)
		a.add()
		m.append(a.what, a.want)
	case 6: // now and then enough signatures for an equation, perhaps with one other row
		n := s.next()
		if n%8 != 0 {
			m.append("a good row", m.good(n%4)...)
			break
		}
		m.empty()
		m.append("a good row", m.good(n)...)
		if s.next()%2 == 0 {
			a := m.choose(s)
			a.add()
			m.append(a.what, a.want)
		}
		m.all(t)
		m.verdicts(t, context.Background())
	case 7, 8:
		m.verdicts(t, context.Background())
	case 9:
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m.verdicts(t, ctx)
	case 10:
		m.all(t)
	case 11:
		if s.next()%4 == 0 {
			m.empty()
		}
	}
	if got := m.len(); got != len(m.rows) {
		t.Fatalf("%s: Len %d, want %d", m.name, got, len(m.rows))
	}
}

// append adds to the model rows that were added to the accumulator.
func (m *accumulatorModel) append(what string, rows ...batch.Verdict) {
	m.rows = append(m.rows, rows...)
	m.what = append(m.what, slices.Repeat([]string{what}, len(rows))...)
}

func (m *accumulatorModel) empty() {
	m.reset()
	m.rows, m.what = m.rows[:0], m.what[:0]
}

// all calls verifyAll.
func (m *accumulatorModel) all(t *testing.T) {
	t.Helper()
	ok, err := m.verifyAll(context.Background())
	want := !slices.ContainsFunc(m.rows, func(v batch.Verdict) bool { return v != batch.Valid })
	if len(m.rows) == 0 {
		if want = false; err == nil {
			t.Fatalf("%s: VerifyAll without rows returns no error", m.name)
		}
	} else if err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	if ok != want {
		t.Fatalf("%s: %d rows: VerifyAll %v, want %v", m.name, len(m.rows), ok, want)
	}
}

// verdicts calls verify, with the right number of verdicts and with others.
func (m *accumulatorModel) verdicts(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, n := range []int{len(m.rows) + 1, len(m.rows) - 1} {
		got := dirty(max(n, 0))
		if valid, err := m.verify(ctx, got); n >= 0 && (valid != 0 || err == nil ||
			!slices.Equal(got, dirty(n))) {
			t.Fatalf("%s: %d verdicts for %d rows: %d, %v, %v", m.name, n, len(m.rows), valid, err, got)
		}
	}
	got := dirty(len(m.rows))
	valid, err := m.verify(ctx, got)
	if ctx.Err() != nil {
		if len(got) > 0 && !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v after the context has ended", m.name, err)
		}
		for i, v := range got {
			if v != batch.Unchecked && v != m.rows[i] {
				t.Fatalf("%s, row %d, %s: %v, want Unchecked or %v", m.name, i, m.what[i], v, m.rows[i])
			}
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	want := 0
	for i, v := range got {
		if v != m.rows[i] {
			t.Fatalf("%s, row %d of %d, %s: %v, want %v", m.name, i, len(got), m.what[i], v, m.rows[i])
		}
		if v == batch.Valid {
			want++
		}
	}
	if valid != want {
		t.Fatalf("%s: %d valid, want %d", m.name, valid, want)
	}
}

// FuzzAccumulators adds rows to two accumulators in turns, verifies and resets them, and compares
// the results with lists of the rows' single verdicts.
func FuzzAccumulators(f *testing.F) {
	s, e := schnorrRows(), ecdsaRows()
	goodS, goodE, goodRec := goodRows(256)
	r := rand.New(rand.NewPCG(31, 31))
	for i := range 24 {
		f.Add(random(r, 40+8*i))
	}
	// These are equations of 192 signatures with recovery ids and one other signature.
	one := []byte{16}
	for i := range 12 {
		one = append(one, 1, 6, 192, 0, 3, 0, byte(7*i), byte(i))
	}
	f.Add(one)
	f.Fuzz(func(t *testing.T, data []byte) {
		src := &source{data[:min(len(data), 2000)]}
		how := src.next()
		level := []cpu.Feature{^cpu.Feature(0), ^cpu.Feature(0), ^cpu.Feature(0) &^ cpu.AVX512IFMA,
			0}[how%4]
		defer cpu.Restrict(level)()
		o := &batch.Options{Workers: 1 + how>>2%3, Exact: how>>4%4 == 0}
		rule := batch.AnyS
		if how&128 != 0 {
			rule = batch.LowS
		}
		models := []*accumulatorModel{schnorrModel(s, goodS, o), ecdsaModel(e, goodE, goodRec, rule, o)}
		for len(src.data) > 0 {
			models[src.next()%2].step(t, src)
		}
		for _, m := range models {
			m.verdicts(t, context.Background())
		}
	})
}
