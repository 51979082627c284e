package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestCorpus checks that the rows of each kind have all verdicts, and that the rows of all kinds
// have all reasons.
func TestCorpus(t *testing.T) {
	reasons := map[batch.Reason]int{}
	for _, k := range kinds() {
		var n [4]int
		for _, row := range k.all() {
			n[row.verdict]++
			reasons[row.why]++
		}
		t.Logf("%s: %d valid, %d invalid, %d malformed", k.name, n[batch.Valid], n[batch.Invalid],
			n[batch.Malformed])
		verifies := k.verifier != nil
		if n[batch.Valid] < 50 || k.name != "EllswiftRows" && n[batch.Malformed] < 20 ||
			verifies && n[batch.Invalid] < 50 {
			t.Errorf("%s: too few rows of a verdict", k.name)
		}
	}
	for why := range batch.WrongOutput + 1 {
		if reasons[why] < 5 {
			t.Errorf("%d rows with the reason: %v", reasons[why], why)
		}
	}
}

// TestRows checks that every row of every kind gets the answer that the function for one row gives,
// in calls with many numbers of rows, bad and good ones, layouts of columns and numbers of workers.
func TestRows(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		for _, k := range kinds() {
			sizes := append(sizes(r, 700), 0)
			switch {
			case k.secret != nil: // several blocks
				sizes = append(sizes, 300, 1100)
			case k.signs && cputest.Deep(): // several equations
				sizes = append(sizes, 4096+50)
			}
			for i, n := range sizes {
				for _, selection := range [][]int{{anyRows, validOnly, fewOther}, {fewRows, oneOther}}[i%2] {
					g := k.give(r, r.IntN(4), k.pick(r, selection, n))
					k.check(t, g, batch.Options{Workers: i%5 - 1, Exact: k.signs && r.IntN(3) == 0})
				}
			}
		}
	})
}

// TestForgeries checks that no kind of call mixes up the two signature schemes, and that none takes
// a zero key for the point at infinity. All rows of a call are signatures that would be valid then:
// an equation for all rows would hold as well.
func TestForgeries(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for _, k := range kinds() {
			if k.verifier == nil || !k.signs {
				continue
			}
			forged := 0
			for _, how := range []byte{zeroKey, ecdsaForged, bip340Forged} {
				var rows []record
				for i := byte(0); len(rows) < 100 && i < 240; i++ {
					row := k.made(k.row(forging(i, how)))
					if row.verdict != batch.Valid {
						rows = append(rows, row)
					}
				}
				for _, n := range []int{1, 3, 40, 100} {
					k.check(t, k.give(r, packed, rows[:min(n, len(rows))]), batch.Options{})
				}
				forged += len(rows)
			}
			if forged < 200 {
				t.Errorf("%s: only %d forgeries", k.name, forged)
			}
		}
	})
}

// isOptional reports whether a column may be missing.
func isOptional(f rowField) bool { return f.name == "RecoveryIDs" || f.name == "Aux" }

// arguments calls f for every wrong value of an argument of the call k on n rows, with the error
// that it must give. g holds good rows.
func (k *kind) arguments(g given, f func(g given, dst []byte, o batch.Options, want string)) {
	n := len(g.rows)
	dst := make([]byte, k.size*n)
	for i, field := range k.fields {
		if field.name == "" {
			continue
		}
		w, b := field.width, make([]byte, 1000)
		try := func(c batch.Column, format string, args ...any) {
			with := g
			with.columns = slices.Clone(g.columns)
			with.columns[i] = c
			f(with, dst, batch.Options{}, fmt.Sprintf("batch: %s: "+format, append([]any{field.name},
				args...)...))
		}
		if !isOptional(field) {
			try(batch.Column{}, "no column; Packed, Strided or Same makes one")
		}
		for _, width := range []int{0, -w, math.MinInt, 2, 34, 66} {
			try(batch.Packed(b[:n*max(width, 0)], width), "a width of %d, want %s", width, field.widths)
		}
		try(batch.Same(nil), "a width of 0, want %s", field.widths)
		try(batch.Same(b[:34]), "a width of 34, want %s", field.widths)
		for _, stride := range []int{0, w - 1, -w, math.MinInt} {
			try(batch.Strided(b, w, stride), "a stride of %d, want at least %d", stride, w)
		}
		for _, rows := range []int{0, n - 1, n + 1} {
			try(batch.Packed(b[:rows*w], w), "%d rows, want %d", rows, n)
			try(batch.Strided(b[:rows*(w+9)], w, w+9), "%d rows, want %d", rows, n)
		}
		for _, stride := range []int{math.MaxInt, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt - w} {
			try(batch.Strided(b, w, stride), "1 rows, want %d", n)
		}
		if w > 1 {
			try(batch.Packed(b[:n*w+w-1], w), "row %d has %d bytes, want %d", n, w-1, w)
			try(batch.Strided(b[:(n-1)*(w+9)+1], w, w+9), "row %d has 1 bytes, want %d", n-1, w)
		}
		for _, size := range []int{n * w, w} { // results that share memory with a column
			memory := make([]byte, 2*len(dst)+size)
			column := batch.Packed(memory[len(dst):][:size], w)
			if size == w {
				column = batch.Same(memory[len(dst):][:size])
			}
			for at := range len(memory) - len(dst) + 1 {
				want := "batch: dst overlaps " + field.name
				if at == 0 || at == len(memory)-len(dst) {
					want = ""
				}
				if with := g; k.size > 0 {
					with.columns = slices.Clone(g.columns)
					with.columns[i] = column
					f(with, memory[at:][:len(dst):len(dst)], batch.Options{}, want)
				}
			}
		}
	}
	for _, size := range []int{0, len(dst) - 1, len(dst) + 1} {
		if k.size > 0 {
			f(g, make([]byte, size), batch.Options{}, fmt.Sprintf("batch: dst: %d bytes, want %d times "+
				"%d, the number of verdicts", size, k.size, n))
		}
	}
	if want := "batch: Exact: the call verifies no signatures and has no equations"; !k.signs {
		if k.secret != nil {
			want = "batch: Unchecked: the call signs nothing"
		}
		f(g, dst, batch.Options{Exact: true}, want)
	}
}

// TestArguments checks that every kind of call returns an error for columns and results of wrong
// sizes and for other wrong arguments, and that it writes nothing then.
func TestArguments(t *testing.T) {
	const n = 3
	for _, k := range kinds() {
		if k.loose {
			continue
		}
		calls := 0
		g := k.give(rand.New(rand.NewPCG(4, 4)), packed, k.good()[:n])
		k.arguments(g, func(g given, dst []byte, o batch.Options, want string) {
			calls++
			verdicts, before, reasons := dirty(n), bytes.Clone(dst), []batch.Reason{77}
			o.Reasons = &reasons
			valid, err := k.each(context.Background(), g, dst, verdicts, &o)
			if want == "" && err == nil {
				return
			}
			if valid != 0 || err == nil || err.Error() != want {
				t.Errorf("%s: %d, %v\nwant %s", k.name, valid, err, want)
			}
			if !slices.Equal(verdicts, dirty(n)) || !bytes.Equal(dst, before) || reasons[0] != 77 {
				t.Errorf("%s: %s: something was written", k.name, want)
			}
			if k.verifier != nil {
				if ok, err := k.verifier(g).VerifyAll(context.Background(), n, &o); ok || err == nil ||
					err.Error() != want {
					t.Errorf("%s: VerifyAll: %v, %v\nwant %s", k.name, ok, err, want)
				}
			}
		})
		if calls < 20 {
			t.Errorf("%s: hardly a call", k.name)
		}
		none := k.give(rand.New(rand.NewPCG(5, 5)), packed, nil)
		for i, field := range k.fields { // A missing column is an error even if there are no rows.
			with := none
			with.columns = slices.Clone(none.columns)
			with.columns[i] = batch.Column{}
			_, err := k.each(context.Background(), with, nil, nil, &batch.Options{})
			if (err == nil) != (field.name == "" || isOptional(field)) {
				t.Errorf("%s: no rows, and no column %s: %v", k.name, field.name, err)
			}
		}
		if k.verifier != nil {
			for _, rows := range []int{0, -1, math.MinInt} {
				if ok, err := k.verifier(none).VerifyAll(context.Background(), rows, nil); ok ||
					err == nil || err.Error() != "batch: no rows" {
					t.Errorf("%s: an answer for %d rows: %v, %v", k.name, rows, ok, err)
				}
			}
		}
	}
}

// A countdown is a context that is done after a given number of calls of Err, for ever or, if it
// is forgetful, for one call.
type countdown struct {
	context.Context
	left      atomic.Int64
	forgetful bool
}

var errDone = errors.New("done")

func (c *countdown) Err() error {
	if left := c.left.Add(-1); left == -1 || left < 0 && !c.forgetful {
		return errDone
	}
	return nil
}

// TestCancel ends calls at each of the points where they ask their context. Every row must then
// have its answer, or stay Unchecked with nothing written for it.
func TestCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	n := 200
	if cputest.Deep() {
		n = 900
	}
	for _, k := range kinds() {
		for i, o := range []batch.Options{{Workers: 1}, {Workers: 2}, {Exact: k.signs}} {
			g := k.give(r, packed, k.pick(r, []int{validOnly, anyRows, oneOther}[i], n))
			for moment, checked := int64(0), 0; checked < n; moment = moment*3/2 + 1 {
				checked = k.checkCall(t, func() context.Context {
					ctx := &countdown{Context: context.Background()}
					ctx.left.Store(moment)
					ctx.forgetful = moment%2 == 1
					return ctx
				}, g, o)
				// An equation begins with parsing, which gives malformed rows their verdict.
				if moment == 0 && checked > 0 && !k.signs {
					t.Errorf("%s: %d rows under a context that is done", k.name, checked)
				}
			}
			k.checkCall(t, func() context.Context {
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				return ctx
			}, g, o)
			if k.checkCall(t, func() context.Context { return nil }, g, o) != n {
				t.Errorf("%s: rows without a verdict under a nil context", k.name)
			}
		}
	}
}

// TestEndlessRows checks that VerifyAll of math.MaxInt rows, whose columns have one value for all
// rows, uses little memory with any number of workers, and returns when the context ends.
func TestEndlessRows(t *testing.T) {
	for _, k := range kinds() {
		if k.verifier == nil || k.loose || k.fields[1].name == "" {
			continue
		}
		var g given
		for _, value := range k.good()[0].values {
			g.column(value, batch.Same)
		}
		for _, workers := range []int{0, 1, math.MaxInt} {
			o := &batch.Options{Workers: workers, Exact: k.signs && workers == 1}
			//layers:allow the call does not end before
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			ok, err := k.verifier(g).VerifyAll(ctx, math.MaxInt, o)
			cancel()
			if ok || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %d workers: %v, %v", k.name, workers, ok, err)
			}
		}
	}
}

// lazy returns a device that leaves every third row to the CPU, and refuses every fourth call.
func lazy() *device.Device {
	var calls atomic.Int64
	return (&enginetest.Fake{
		Accept: func(device.Kind, device.Rules, int) bool { return calls.Add(1)%4 != 0 },
		Do: enginetest.OnCPU(engine.Do, engine.All, engine.Options{Workers: 1},
			func(_ context.Context, c *device.Call) error {
				for i := 0; i < len(c.Verdicts); i += 3 {
					c.Verdicts[i] = device.Unchecked
				}
				return nil
			}),
	}).Device()
}

// TestConcurrently checks that calls of all kinds give their answers if several goroutines make
// them in random order, so that each call uses memory that others have used, and columns that
// others read. Some calls are cancelled or use a device.
func TestConcurrently(t *testing.T) {
	each(t, func(t *testing.T) {
		shared := make([]given, len(kinds()))
		for i, k := range kinds() {
			shared[i] = k.give(rand.New(rand.NewPCG(7, uint64(i))), records, k.all()[:150])
		}
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(8, uint64(i)))
				for range cputest.Cases(25, 300) {
					at := r.IntN(len(shared))
					k, g := kinds()[at], shared[at]
					if r.IntN(4) > 0 {
						n := []int{1, 8, 9, 17, 50, 65, 130, 257, 500, 1030}[r.IntN(10)]
						g = k.give(r, r.IntN(3), k.pick(r, r.IntN(5), n))
					}
					o := batch.Options{Workers: r.IntN(4), Exact: k.signs && r.IntN(3) == 0}
					if r.IntN(3) == 0 {
						o.Device = lazy()
					}
					ctx := &countdown{Context: context.Background()}
					if ctx.left.Store(1 << 40); r.IntN(3) == 0 {
						ctx.left.Store(int64(r.IntN(40)))
					}
					k.checkCall(t, func() context.Context { return ctx }, g, o)
				}
			})
		}
		wg.Wait()
	})
}

// FuzzRows checks the answers for rows whose values, or whose columns, the fuzzer chooses.
func FuzzRows(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 9))
	for i := range kinds() {
		f.Add(append([]byte{byte(i), byte(r.Uint32()), 0}, reference.Bytes(r, 500)...))
		f.Add(append([]byte{byte(i), byte(r.Uint32()), 1}, reference.Bytes(r, 1500)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		k, how := kinds()[s.next()%len(kinds())], s.next()
		level := []cpu.Feature{^cpu.Feature(0), ^cpu.Feature(0) &^ cpu.AVX512IFMA, 0}[how%3]
		defer cpu.Restrict(level)()
		o := batch.Options{Workers: how / 3 % 4, Exact: k.signs && how&64 != 0}
		if how&128 != 0 {
			o.Device = lazy()
		}
		r := rand.New(rand.NewPCG(uint64(how), 1))
		if s.next()%2 == 0 || k.loose {
			rows := k.pick(r, validOnly, s.next())
			for n := 0; len(s.data) > 0 && n < 40; n++ {
				at := s.next() % (len(rows) + 1)
				rows = slices.Insert(rows, at, slices.Repeat([]record{k.made(k.row(s))}, 1+s.next()%3)...)
			}
			k.check(t, k.give(r, how%4, rows), o)
			return
		}
		// All columns overlap: their values begin one byte after another.
		const stride = 70
		data = s.data[:min(len(s.data), 30*stride)]
		var g given
		n := max(0, len(data)-100) / stride
		for i := range n {
			var values [][]byte
			for at, field := range k.fields {
				values = append(values, data[stride*i+at:][:field.width])
			}
			g.rows = append(g.rows, k.made(values))
		}
		for at, field := range k.fields {
			g.column(data[min(len(data), at):][:min(len(data)-at, n*stride)], func(b []byte) batch.Column {
				return batch.Strided(b, field.width, stride)
			})
		}
		k.check(t, g, o)
	})
}
