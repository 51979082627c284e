package engine

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// parsed returns row i of r as a Parsed.
func parsed(r *Rows, i int) *Parsed {
	v := new(Parsed)
	v.copy(r, i)
	return v
}

// TestParsed checks that a row parsed outside of a batch and then added to it equals the row that
// was set, without its table, even if the memory held other rows before.
func TestParsed(t *testing.T) {
	r := rand.New(rand.NewSource(46))
	b := new(Batch)
	var v Parsed // reused for all rows
	for range 20 {
		b.Reset()
		var want []Row
		for range 1 + r.Intn(50) {
			row, seed := NewRow(), r.Int63()
			var table *vartime.SplitTable
			if r.Intn(4) == 0 {
				table = new(vartime.SplitTable)
			}
			fill(rand.New(rand.NewSource(seed)), row, nil)
			reason := Parse(&v, func(w Row) { fill(rand.New(rand.NewSource(seed)), w, table) })
			if reason != row.rows.reasons[0] {
				t.Fatalf("reason %v, want %v", reason, row.rows.reasons[0])
			}
			want = append(want, row)
			b.Take(&v)
			if r.Intn(8) == 0 {
				b.rows.needTables()
				tables := b.rows.tables
				for i := range tables[len(tables):cap(tables)] { // the tables of earlier rows
					tables[len(tables):cap(tables)][i] = new(vartime.SplitTable)
				}
			}
		}
		for i, w := range want {
			if !same(&b.rows, i, w.rows, 0) {
				t.Fatalf("row %d is another", i)
			}
		}
	}
}

// TestParsedAgain checks that a row that is not set, or has no key, is malformed, even if its
// memory held another row before, and that the memory keeps no table alive.
func TestParsedAgain(t *testing.T) {
	pub, sig, msg := signSchnorr(rand.New(rand.NewSource(47)), big.NewInt(3))
	for name, set := range map[string]func(Row){
		"not set": func(Row) {},
		"no key":  func(row Row) { row.SetSchnorr(msg, sig) },
	} {
		var v Parsed
		memory := NewRow().rows
		for _, good := range []func(Row){
			func(row Row) { row.SetKeyX(pub) },
			func(row Row) {
				row.SetKey(new(point.Affine).SetGenerator(), new(vartime.SplitTable))
			},
		} {
			v.parse(memory, func(row Row) {
				good(row)
				row.SetSchnorr(msg, sig)
			})
			if v.reason != NoReason {
				t.Fatalf("a good row is %v", v.reason)
			}
			if memory.table(0) != nil {
				t.Error("a table is kept alive")
			}
			if v.parse(memory, set); v.reason.Verdict() != Malformed {
				t.Errorf("%s: %v", name, v.reason)
			}
		}
	}
}
