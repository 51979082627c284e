package verify

import (
	"maps"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestRows checks that rows are reported in order and count every signature, or without Keep every
// failure.
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
			cfg := Config{Workers: 2, OneByOne: oneByOne}
			if !failed {
				cfg.Keep = func(*Row) bool { return true }
			}
			var got fullLog
			totals := Run(t.Context(), cfg, only(oneBatch(units)), &got)
			want := totals.Rows
			if failed {
				want = totals.Invalid + totals.Malformed + totals.NotCheckable + totals.UnsignedData
			}
			var counts Counts
			last, signature := int64(-1), 0
			for _, r := range got.rows {
				counts.add(r.Verdict, int64(r.Count))
				if r.Where.Row < last || r.Where.Row == last && r.Signature != signature+1 {
					t.Errorf("row %d, signature %d after row %d, signature %d", r.Where.Row, r.Signature, last,
						signature)
				}
				last, signature = r.Where.Row, r.Signature
				if failed && !r.Failed() {
					t.Errorf("%v is no failure", r)
				}
			}
			if counts.Rows != want || want < 50 {
				t.Errorf("%d rows, want %d", counts.Rows, want)
			}
			if counts.Invalid != totals.Invalid || counts.Malformed != totals.Malformed ||
				!failed && counts.Valid != totals.Valid {
				t.Errorf("rows %+v, totals %+v", counts, totals)
			}
		}
	}
}
