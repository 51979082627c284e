package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// An accumulatorModel is an accumulator and a model of it: the list of the verdicts that its rows
// must have.
type accumulatorModel struct {
	adder
	name string
	ways []way
	rows []record // rows to choose from, without recovery ids
	want []batch.Verdict
}

// A way is one of the accumulator's methods that add a row. If id is set, it takes signatures with
// recovery ids. judge says what the accumulator must answer for the row.
type way struct {
	add   func(msg, key, sig []byte)
	id    bool
	judge func(values [][]byte) answer
}

func (w way) addAll(rows [][][]byte) {
	for _, values := range rows {
		w.add(values[0], values[1], values[2])
	}
}

// goodValues returns the values of n valid BIP-340 rows, and of n valid ECDSA rows with recovery
// ids, each with another key. Added in the first way, they take part in equations.
func goodValues(n int) (values [2][][][]byte) {
	for _, r := range distinctRows(n) {
		values[0] = append(values[0], [][]byte{r.hash, r.x.Bytes(), r.bip340})
		values[1] = append(values[1], [][]byte{r.hash, r.key.Bytes(), r.sig65})
	}
	return values
}

// newModels returns an accumulator of BIP-340 signatures and one of ECDSA signatures.
func newModels(capacity int, s batch.SRule, o *batch.Options) [2]*accumulatorModel {
	b, e := batch.NewSchnorr(capacity, o), batch.NewECDSA(capacity, s, o)
	// Rows with the nil key or the zero value are malformed.
	parsed := func(key []byte) *koblitz.PublicKey {
		k, err := koblitz.ParsePublicKey(key)
		if err != nil && key[len(key)-1]%2 == 0 {
			k = new(koblitz.PublicKey)
		}
		return k
	}
	anyID := judgeECDSA(s == batch.LowS, 65, 33, 65)
	without := judgeECDSA(s == batch.LowS, 64, 33, 65)
	return [2]*accumulatorModel{{
		adder: b, name: "Schnorr",
		ways: []way{
			{func(msg, key, sig []byte) { b.AddBytes(key, msg, sig) }, false, judgeSchnorr},
			{func(msg, key, sig []byte) {
				k, err := koblitz.ParseXOnlyPublicKey(key)
				if err != nil && key[len(key)-1]%2 == 0 {
					k = new(koblitz.XOnlyPublicKey)
				}
				b.Add(k, msg, sig)
			}, false, judgeSchnorr},
		},
	}, {
		adder: e, name: fmt.Sprint("ECDSA ", s),
		ways: []way{
			{func(hash, key, sig []byte) { e.AddRecoverableBytes(key, hash, sig) }, true, anyID},
			{func(hash, key, sig []byte) { e.AddRecoverable(parsed(key), hash, sig) }, true, anyID},
			{func(hash, key, sig []byte) { e.AddBytes(key, hash, sig) }, false, without},
			{func(hash, key, sig []byte) {
				s, err := ecdsa.ParseSignature(sig)
				if err != nil && key[len(key)-1]%2 == 0 {
					s = new(ecdsa.Signature)
				}
				e.Add(parsed(key), hash, s)
			}, false, without},
		},
	}}
}

// add adds a row to the accumulator and its verdict to the model. The accumulator gets copies of
// the fields, which add clears after the call: the accumulator must not keep references to them.
func (m *accumulatorModel) add(w way, values [][]byte, want batch.Verdict) {
	args := [][]byte{bytes.Clone(values[0]), bytes.Clone(values[1]), bytes.Clone(values[2])}
	w.add(args[0], args[1], args[2])
	for _, b := range args {
		clear(b)
	}
	m.want = append(m.want, want)
}

// addAny adds a row that the next bytes choose, in a way that they choose, with any recovery id.
func (m *accumulatorModel) addAny(s *source) {
	w, row := m.ways[s.next()%len(m.ways)], m.rows[(256*s.next()+s.next())%len(m.rows)]
	values := slices.Clone(row.values)
	if w.id {
		values[2] = join(values[2], []byte{byte(s.next() % 5)})
	}
	m.add(w, values, w.judge(values).verdict)
}

// step does what the next bytes choose, and compares the accumulator with the model. It may add the
// rows good, which are valid.
func (m *accumulatorModel) step(t *testing.T, s *source, good [][][]byte) {
	t.Helper()
	switch s.next() % 12 {
	default:
		m.addAny(s)
	case 6: // now and then enough signatures for an equation, perhaps with one other row
		n := s.next()
		if n%8 == 0 {
			m.empty()
		} else {
			n %= 4
		}
		for _, values := range good[:n] {
			m.add(m.ways[0], values, batch.Valid)
		}
		if n%8 == 0 && s.next()%2 == 0 {
			m.addAny(s)
		}
		m.answer(t)
		m.verdicts(t, context.Background())
	case 7, 8:
		m.verdicts(t, context.Background())
	case 9:
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m.verdicts(t, ctx)
	case 10:
		m.answer(t)
	case 11:
		if s.next()%4 == 0 {
			m.empty()
		}
	}
	if got := m.Len(); got != len(m.want) {
		t.Fatalf("%s: Len %d, want %d", m.name, got, len(m.want))
	}
}

func (m *accumulatorModel) empty() {
	m.Reset()
	m.want = m.want[:0]
}

// answer calls VerifyAll.
func (m *accumulatorModel) answer(t *testing.T) {
	t.Helper()
	ok, err := m.VerifyAll(context.Background())
	empty := len(m.want) == 0
	bad := slices.ContainsFunc(m.want, func(v batch.Verdict) bool { return v != batch.Valid })
	if want := !empty && !bad; ok != want || (err != nil) != empty {
		t.Fatalf("%s: %d rows: VerifyAll %v, %v, want %v", m.name, len(m.want), ok, err, want)
	}
}

// verdicts calls Verify, with the right number of verdicts and with others.
func (m *accumulatorModel) verdicts(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, n := range []int{len(m.want) + 1, len(m.want) - 1} {
		got := dirty(max(n, 0))
		if valid, err := m.Verify(ctx, got); n >= 0 && (valid != 0 || err == nil ||
			!slices.Equal(got, dirty(n))) {
			t.Fatalf("%s: %d verdicts for %d rows: %d, %v, %v", m.name, n, len(m.want), valid, err, got)
		}
	}
	got, valid := dirty(len(m.want)), 0
	count, err := m.Verify(ctx, got)
	for i, v := range got {
		if v != m.want[i] && (v != batch.Unchecked || ctx.Err() == nil) {
			t.Fatalf("%s, row %d of %d: %v, want %v", m.name, i, len(got), v, m.want[i])
		}
		if v == batch.Valid {
			valid++
		}
	}
	if count != valid || !errors.Is(err, ctx.Err()) && len(got) > 0 {
		t.Fatalf("%s: %d valid, want %d, error %v", m.name, count, valid, err)
	}
}

// FuzzAccumulators adds rows to two accumulators in turns, verifies and resets them, and compares
// the results with lists of the rows' single verdicts. Most accumulators have a faulty device.
func FuzzAccumulators(f *testing.F) {
	r, good := rand.New(rand.NewPCG(31, 31)), goodValues(256)
	for i := range 40 {
		f.Add(append([]byte{byte(i * 37), byte(i)}, reference.Bytes(r, 40+6*i)...))
	}
	// These are equations of 192 signatures with recovery ids and one other signature.
	one := []byte{16, 255}
	for i := range 12 {
		one = append(one, 1, 6, 192, 0, 2, 0, byte(7*i), byte(i))
	}
	f.Add(one)
	f.Fuzz(func(t *testing.T, data []byte) {
		src := &source{data[:min(len(data), 2000)]}
		how := src.next()
		level := []cpu.Feature{^cpu.Feature(0), ^cpu.Feature(0), ^cpu.Feature(0) &^ cpu.AVX512IFMA,
			0}[how%4]
		defer cpu.Restrict(level)()
		o := &batch.Options{Workers: 1 + how>>2%3, Exact: how>>4%4 == 0}
		// Other faults make one bad row of many valid, and the sample finds that only by chance.
		names := []string{"none", "fails", "leaves rows", "leaves all", "says what there is not",
			"calls good rows bad", "calls all rows malformed", "takes the call apart"}
		if n := src.next(); n < 240 {
			fault, ok := faults(rand.New(rand.NewPCG(uint64(how), 31)))[names[n%len(names)]]
			if !ok {
				t.Fatalf("there is no fault %q", names[n%len(names)])
			}
			o.Device = faulty(fault).Device()
		}
		capacity := []int{0, 20, -1, math.MaxInt}[how>>5%4]
		models := newModels(capacity, rule(how&128 != 0), o)
		models[0].rows, models[1].rows = kindNamed("Schnorr").all(), kindNamed("ECDSA, rule 1").all()
		for len(src.data) > 0 {
			i := src.next() % 2
			models[i].step(t, src, good[i])
		}
		for _, m := range models {
			m.verdicts(t, context.Background())
		}
	})
}
