package verify

import (
	"maps"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestRows checks that Row is called once for every counted signature, in order. With OnlyFailed it
// must be called only for the failed ones.
func TestRows(t *testing.T) {
	var units unitBatch
	bad := badUnits(t)
	for i, name := range slices.Sorted(maps.Keys(bad)) {
		u := bad[name]
		u.Where.Row = int64(10 * i)
		units = append(units, u)
		for k, v := range []reading.Verdict{reading.Valid, reading.Invalid, reading.Malformed,
			reading.EngineChecked,
			reading.NotCheckable, reading.PassedOver, reading.Unsigned} {
			d := reading.Unit{Where: reading.In("f"), Decided: v, Signatures: make([]reading.Signature, k)}
			d.Where.Row = int64(10*i + k + 1)
			if v != reading.Unsigned && v != reading.Valid {
				d.Reason = "decided"
			}
			units = append(units, d)
		}
	}
	for _, oneByOne := range []bool{false, true} {
		for _, failed := range []bool{false, true} {
			var got []Row
			totals := Run(t.Context(), Config{Workers: 2, OneByOne: oneByOne,
				Row:        func(r *Row) { got = append(got, *r) },
				OnlyFailed: failed}, only(oneBatch(units)), new(log))
			want := totals.Rows()
			if failed {
				want = totals.Invalid + totals.Malformed + totals.NotCheckable + totals.UnsignedData
			}
			if int64(len(got)) != want || want < 50 {
				t.Errorf("%d rows, want %d", len(got), want)
			}
			var counts Counts
			last, signature := int64(-1), 0
			for _, r := range got {
				*counts.of(r.Verdict)++
				if r.Where.Row < last || r.Where.Row == last && r.Signature != signature+1 {
					t.Errorf("row %d, signature %d after row %d, signature %d", r.Where.Row, r.Signature, last,
						signature)
				}
				last, signature = r.Where.Row, r.Signature
				if failed && !r.Failed() {
					t.Errorf("%v is no failure", r)
				}
			}
			if counts.Invalid != totals.Invalid || counts.Malformed != totals.Malformed ||
				!failed && counts.Valid != totals.Valid {
				t.Errorf("rows %+v, totals %+v", counts, totals)
			}
		}
	}
}
