package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestSampler checks that a sampler selects all of the first rows, and then one row of each group,
// at a varying position.
func TestSampler(t *testing.T) {
	s := sampler{every: 10}
	var places []int
	for i := range firstLooks + 1000*s.every {
		chosen := s.take()
		switch at := i - firstLooks; {
		case at < 0:
			if !chosen {
				t.Fatalf("row %d is not chosen", i)
			}
		default:
			if at%s.every == 0 && len(places) != at/s.every {
				t.Fatalf("%d chosen of %d", len(places), at)
			}
			if chosen {
				places = append(places, at%s.every)
			}
		}
	}
	slices.Sort(places)
	if n := len(slices.Compact(places)); n != s.every {
		t.Errorf("one of %d places only is chosen", n)
	}
}

// badUnits returns one reading.Unit of each kind for which batch verification returns a rejection
// or another address than the unit states. The map's keys describe the kinds.
func badUnits(t testing.TB) map[string]reading.Unit {
	every, _ := everyUnit()
	bad := map[string]reading.Unit{}
	for _, u := range every {
		w := newWorker(&Config{Workers: 1}, new(atomic.Bool))
		j := &job{done: make(chan struct{})}
		w.unit(context.Background(), j, &u)
		if w.rows != 1 {
			continue
		}
		w.finish(t.Context())
		if len(j.rows) == 1 {
			bad[fmt.Sprintf("%d %s", u.Scheme, j.rows[0].Reason)] = u
		}
	}
	return bad
}

// TestSecondLooks checks, for each kind of bad row, that the first rows are verified twice and then
// one of each group of badEvery rows. The report must be the same as with Config.OneByOne.
func TestSecondLooks(t *testing.T) {
	bad := badUnits(t)
	if len(bad) < 14 {
		t.Fatalf("%d ways only in which a row is bad", len(bad))
	}
	const n = firstLooks + 3*badEvery
	for name, u := range bad {
		units := slices.Repeat(unitBatch{u}, n)
		batchFault := new(atomic.Bool)
		w := newWorker(&Config{Workers: 1}, batchFault)
		j := &job{batch: units, done: make(chan struct{})}
		w.expand(t.Context(), j)
		w.finish(t.Context())
		least, most := firstLooks+3, firstLooks+3
		if w.good.seen == n { // recovery succeeded, but with another address than the file states
			least, most = firstLooks, firstLooks+1
		}
		if w.looks < least || w.looks > most || w.bad.seen+w.good.seen != n || batchFault.Load() {
			t.Errorf("%s: %d of %d rows were verified twice", name, w.looks, n)
		}
		one := Config{Workers: 1, OneByOne: true}
		var want fullLog
		Run(t.Context(), one, only(oneBatch(units)), &want)
		var got fullLog
		for i := range j.rows {
			got.Row(&j.rows[i])
		}
		if len(want.lines) != n || !slices.Equal(got.lines, want.lines) {
			t.Errorf("%s: %d lines, want %d; the first is\n%s\nwant\n%s",
				name, len(got.lines), len(want.lines), got.lines[0], want.lines[0])
		}
	}
}

// TestGoodLooks checks that one of each group of goodEvery valid rows is verified again.
func TestGoodLooks(t *testing.T) {
	every, _ := everyUnit()
	const n = firstLooks + 2*goodEvery
	w := newWorker(&Config{Workers: 1}, new(atomic.Bool))
	j := &job{batch: slices.Repeat(unitBatch{every[0]}, n), done: make(chan struct{})}
	w.expand(t.Context(), j)
	w.finish(t.Context())
	if j.counts != (Counts{Rows: n, Valid: n}) || w.looks != firstLooks+2 || w.batchFault.Load() {
		t.Errorf("%+v, %d looks", j.counts, w.looks)
	}
}

// A turncoat is a batch verifier that returns correct verdicts for a number of rows, and then the
// verdict in the field lie for every row.
type turncoat struct {
	counting
	honest int
	lie    batch.Verdict
}

func (m *turncoat) verify(ctx context.Context, c *block) {
	m.counting.verify(ctx, c)
	for i := range c.verdicts {
		if m.honest--; m.honest < 0 {
			c.verdicts[i] = m.lie
		}
	}
}

// TestTurncoat checks that wrong batch verdicts are detected within twice the sampling interval.
// All rows that were verified together with the wrong one must be verified singly, and no later
// rows may use batch verification.
func TestTurncoat(t *testing.T) {
	every, _ := everyUnit()
	first := slices.IndexFunc(every, func(u reading.Unit) bool { return u.Scheme == reading.Schnorr })
	good, forged := every[first], every[first+1]
	// An ECDSA signature under another key, and under one that is not on the curve.
	wrong := every[slices.IndexFunc(every, func(u reading.Unit) bool { return u.Compact })]
	malformed := wrong
	wrong.Keys = [][]byte{testKey(2).PublicKey().Bytes()}
	malformed.Keys = [][]byte{append([]byte{2}, append(make([]byte, 31), 5)...)}
	for _, tt := range []struct {
		lie          batch.Verdict
		first, later reading.Unit // the batch verifier gives wrong verdicts for copies of later
	}{
		{batch.Valid, good, forged}, {batch.Invalid, forged, good}, {batch.Unchecked, good, good},
		{batch.Malformed, wrong, wrong}, {batch.Invalid, malformed, malformed},
	} {
		const honest, n = 100, (2 * blockRows) + 5
		units := slices.Repeat(unitBatch{tt.later}, n)
		for i := range units {
			if i < honest {
				units[i] = tt.first
			}
			units[i].Where.Line = i + 1
		}
		run := func(c Config) (Counts, *fullLog) {
			l := new(fullLog)
			return Run(t.Context(), c, only(oneBatch(units)), l), l
		}
		want, single := run(Config{Workers: 1, OneByOne: true})
		m := &turncoat{honest: honest, lie: tt.lie}
		got, log := run(Config{Workers: 1, verifyBlock: m.verify})
		if got != want || !slices.Equal(log.lines, single.lines) {
			t.Errorf("saying %v: %+v, want %+v", tt.lie, got, want)
		}
		if len(log.faults) != 1 || !strings.Contains(log.faults[0].Error(), "and alone ") {
			t.Errorf("saying %v: faults %v", tt.lie, log.faults)
		}
		if m.n.Load() != (2 * blockRows) {
			t.Errorf("saying %v: %d rows went into blocks", tt.lie, m.n.Load())
		}
	}
}
