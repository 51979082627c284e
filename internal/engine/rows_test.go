package engine

import (
	"bytes"
	"context"
	"math/big"
	mathrand "math/rand"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// next adds a row to r and returns it.
func next(r *Rows) Row {
	n := r.Len()
	r.resize(n + 1)
	return Row{r, n}
}

// join returns a copy of the rows of all parts, one after another.
func join(parts ...*Rows) *Rows {
	out := new(Rows)
	for _, r := range parts {
		for i := range r.Len() {
			next(out)
			out.set(out.Len()-1, r, i)
		}
	}
	return out
}

// first returns a copy of the first n rows of r.
func first(r *Rows, n int) *Rows {
	var w Rows
	r.window(&w, 0, n)
	return join(&w)
}

// swap exchanges rows i and j.
func swap(r *Rows, i, j int) {
	c := join(r)
	r.set(i, c, j)
	r.set(j, c, i)
}

// same reports whether row i of r equals row j of s, apart from its table.
func same(r *Rows, i int, s *Rows, j int) bool {
	return r.flags[i] == s.flags[j] && r.reasons[i] == s.reasons[j] &&
		r.p[i] == s.p[j] && r.x[i] == s.x[j] && r.a[i] == s.a[j] && r.b[i] == s.b[j] &&
		r.divisor(i) == s.divisor(j) &&
		(r.flags[i]&unhashed == 0 || r.messages[i] == s.messages[j])
}

// divisor returns the divisor of row i, or 0 if r has no divisors.
func (r *Rows) divisor(i int) scalar.Scalar {
	if r.d == nil {
		return scalar.Scalar{}
	}
	return r.d[i]
}

// table returns the table of row i, or nil if it has none.
func (r *Rows) table(i int) *vartime.SplitTable {
	if r.tables == nil {
		return nil
	}
	return r.tables[i]
}

// TestRows checks that rows keep their values when rows are added, when room is made, and when they
// are copied, also into memory that has held other rows. A row that was parsed outside of a batch
// and then added to it must be the same row without its table.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 40))
	var pool []sample
	for _, kind := range []Kind{Schnorr, ECDSA, Recover} {
		pool = append(pool, samples(r, kind, 20)...)
	}
	var used Rows
	var v Parsed // used for all rows
	b := new(Batch)
	for range 30 {
		var want []sample
		got := new(Rows)
		if r.IntN(2) == 0 {
			got = &used
			got.resize(0)
		}
		b.Reset()
		for range r.IntN(100) {
			s := pool[r.IntN(len(pool))]
			want = append(want, s)
			switch r.IntN(10) {
			case 0:
				n := got.Len() + r.IntN(20)
				if got.reserve(n); cap(got.flags) < n {
					t.Fatalf("room for %d rows, want %d", cap(got.flags), n)
				}
			case 1:
				got.needTables()
			case 2:
				b.rows.needTables()
				tables := b.rows.tables
				for i := range tables[len(tables):cap(tables)] { // the tables of earlier rows
					tables[len(tables):cap(tables)][i] = new(vartime.SplitTable)
				}
			}
			next(got)
			got.set(got.Len()-1, s.row.rows, s.row.i)
			if reason := Parse(&v, s.set); reason != s.row.rows.reasons[0] {
				t.Fatalf("reason %v, want %v", reason, s.row.rows.reasons[0])
			}
			b.Take(&v)
		}
		check := func(what string, got *Rows, want []sample, tables bool) {
			t.Helper()
			if got.Len() != len(want) {
				t.Fatalf("%s: %d rows, want %d", what, got.Len(), len(want))
			}
			for i, s := range want {
				table := s.row.rows.table(0)
				if !tables {
					table = nil
				}
				if !same(got, i, s.row.rows, 0) || got.table(i) != table {
					t.Fatalf("%s: row %d is another", what, i)
				}
			}
		}
		check("added", got, want, true)
		check("parsed", &b.rows, want, false)
		lo := r.IntN(len(want) + 1)
		hi := lo + r.IntN(len(want)+1-lo)
		var w Rows
		got.window(&w, lo, hi)
		check("window", &w, want[lo:hi], true)
		var some []sample
		var list []int
		for i := range want {
			if r.IntN(3) > 0 {
				some, list = append(some, want[i]), append(list, i)
			}
		}
		var gathered Rows
		gathered.gather(got, slices.Repeat(list, 2)) // gather more rows than got has
		gathered.gather(got, list)
		check("gathered", &gathered, some, true)
		// A row that is set again must keep nothing of its old value.
		for i := range want {
			want[i] = pool[r.IntN(len(pool))]
			want[i].set(Row{got, i})
		}
		check("set again", got, want, true)
	}
}

// TestUnfinished checks the verdicts of rows that are not set as a whole, also because a panic from
// which the caller has recovered ended their setting. The memory of the row held a valid one with a
// table, or the signature is valid because its hash or challenge was not read and is zero.
func TestUnfinished(t *testing.T) {
	key := big.NewInt(6)
	pub, p := uncompressed(key), multipleOfG(key)
	x := (*[32]byte)(pub[1:33])
	schnorr := bytes64(new(big.Int).SetBytes(x[:]), key) // s·G = R, which is P
	if p.Y.IsOdd().Bool() {
		vartimetest.Scalar(new(big.Int).Neg(key)).PutBytes((*[32]byte)(schnorr[32:]))
	}
	var r scalar.Scalar
	r.SetBytes(x) // (r/s)·P = R for r = s and R = P
	source := mathrand.New(mathrand.NewSource(43))
	_, sig, msg := signSchnorr(source, key, big.NewInt(7))
	ecdsa := ecdsaRows(source, 1, []*big.Int{key})
	good := map[Kind]func(Row){
		Schnorr: func(row Row) {
			row.SetKey(&p, new(vartime.SplitTable))
			row.SetSchnorr(msg, sig)
		},
		ECDSA: func(row Row) {
			row.rows.needDivisors()
			row.rows.set(row.i, ecdsa, 0)
		},
	}
	for i, c := range []struct {
		kind   Kind
		set    func(row Row)
		panics bool
		want   Verdict
	}{
		{Schnorr, func(Row) {}, false, Malformed},
		{Schnorr, func(Row) {}, true, Malformed},
		{Schnorr, func(row Row) { row.SetSchnorr(msg, sig) }, false, Malformed},
		{Schnorr, func(row Row) { row.SetKeyX(x[:]) }, false, Invalid},
		{Schnorr, func(row Row) { row.SetEncodedKey(pub[:]) }, false, Invalid},
		{Schnorr, func(row Row) { row.SetKeyX(x[:]) }, true, Malformed},
		{Schnorr, func(row Row) {
			row.SetKeyX(x[:])
			row.setSchnorrSignature(schnorr)
		}, true, Malformed},
		{ECDSA, func(Row) {}, false, Malformed},
		{ECDSA, func(row Row) { row.SetEncodedKey(pub[:]) }, false, Invalid},
		{ECDSA, func(row Row) {
			row.SetEncodedKey(pub[:])
			row.SetECDSANumbers(make([]byte, 32), &r, &r, false)
		}, true, Malformed},
	} {
		onLevels(t, func(t *testing.T) {
			b := new(Batch)
			check := func(want Verdict) {
				t.Helper()
				verdicts := make([]Verdict, 1)
				for _, exact := range []bool{false, true} {
					o := Options{Exact: exact, Workers: 1}
					ok, err := b.VerifyAll(context.Background(), c.kind, o)
					if err := b.Verify(context.Background(), c.kind, verdicts, o); err != nil {
						t.Error(err)
					}
					if ok != (want == Valid) || err != nil || verdicts[0] != want {
						t.Errorf("row %d, exact: %v: %v, %v, %v", i, exact, ok, err, verdicts)
					}
				}
			}
			memory := NewRow().rows
			var v Parsed
			b.Add(good[c.kind])
			if v.parse(memory, good[c.kind]); v.reason != NoReason || memory.table(0) != nil {
				t.Errorf("row %d: a good row is %v, or its table is kept alive", i, v.reason)
			}
			b.rows.forgetTables()
			check(Valid)
			b.Reset()
			func() {
				defer func() { recover() }()
				b.Add(func(row Row) {
					c.set(row)
					if c.panics {
						panic("a mapped file that became shorter")
					}
				})
			}()
			check(c.want)
			if v.parse(memory, c.set); !c.panics && (v.reason == NoReason) != (c.want == Invalid) {
				t.Errorf("row %d: parsing says %v", i, v.reason)
			}
		})
	}
}

// TestHash checks that hashing the challenges of several rows together gives the same challenges as
// hashing each when its row is set, and leaves the challenges of rows outside the given range
// alone. Some of the rows are malformed.
func TestHash(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 41))
	onLevels(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 4, 15, 16, 17, 33, 100} {
			var waiting, done Rows
			for i := range n {
				msg, sig := reference.Bytes(r, 32), reference.Bytes(r, 64)
				x := reference.Bytes(r, 32)
				sig[0], x[0] = 0, 0
				for _, rows := range []*Rows{&waiting, &done} {
					row := next(rows)
					switch {
					case i%7 == 3:
						row.SetKey(nil, nil)
						continue
					case i%2 == 0:
						p := new(point.Affine).SetGenerator()
						if i%4 == 0 {
							p.Y.Neg(&p.Y).Normalize()
						}
						row.SetKey(p, nil)
					default:
						row.SetKeyX(x)
					}
					row.SetSchnorr(msg, sig)
					if rows == &waiting && row.rows.flags[row.i]&unhashed == 0 {
						t.Fatal("the challenge does not wait")
					}
					if rows == &done {
						rows.hash(row.i, row.i+1)
					}
				}
			}
			lo := r.IntN(n + 1)
			hi := lo + r.IntN(n+1-lo)
			waiting.hash(lo, hi)
			for i := range n {
				if waits := waiting.flags[i]&unhashed != 0; waits && i >= lo && i < hi {
					t.Errorf("%d rows, %d to %d: row %d still waits", n, lo, hi, i)
				}
				if got := same(&waiting, i, &done, i); got != (i >= lo && i < hi || i%7 == 3) {
					t.Errorf("%d rows, %d to %d: row %d: %v", n, lo, hi, i, got)
				}
			}
		}
	})
}

// TestReadOnce checks that the functions that set a row read each byte of their arguments once, and
// so do those that compress keys for a device.
func TestReadOnce(t *testing.T) {
	r := mathrand.New(mathrand.NewSource(51))
	var wide [2]*[65]byte
	var narrow, pub, sig, msg [2][]byte
	for i := range 2 {
		pub[i], sig[i], msg[i] = signSchnorr(r, big.NewInt(int64(5+i)), big.NewInt(7))
		wide[i] = uncompressed(big.NewInt(int64(5 + i)))
		narrow[i] = append([]byte{byte(3 - i)}, pub[i]...)
		msg[i] = bytes.Repeat(msg[i], 7)
	}
	id := func(i int) []byte { return append(slices.Clone(sig[i]), byte(i)) }
	for _, c := range []struct {
		name          string
		first, second []byte
		set           func(row Row, b []byte)
	}{
		{"x-only key", pub[0], pub[1], Row.SetKeyX},
		{"compressed key", narrow[0], narrow[1], Row.SetEncodedKey},
		{"uncompressed key", wide[0][:], wide[1][:], Row.SetEncodedKey},
		{"BIP-340", sig[0], sig[1], func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetSchnorr(msg[0][:32], b)
		}},
		{"BIP-340, long message", sig[0], sig[1], func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetSchnorr(msg[0], b)
		}},
		{"message", msg[0][:32], msg[1][:32], func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetSchnorr(b, sig[0])
		}},
		{"long message", msg[0], msg[1], func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetSchnorr(b, sig[0])
		}},
		{"ECDSA", sig[0], sig[1], func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetECDSA(msg[0][:32], b, true)
		}},
		{"ECDSA with an id", id(0), id(1), func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetECDSARecoverable(msg[0][:32], b, true)
		}},
		{"hash", msg[0][:32], msg[1][:32], func(row Row, b []byte) {
			row.SetKeyX(pub[0])
			row.SetECDSA(b, sig[0], true)
		}},
		{"recovery", id(0), id(1), func(row Row, b []byte) {
			row.SetRecover(msg[0][:32], (*[65]byte)(b), true)
		}},
	} {
		var want, got Parsed
		Parse(&want, func(row Row) { c.set(row, c.first) })
		changing.Each(t, c.first, c.second, func(b []byte) {
			if Parse(&got, func(row Row) { c.set(row, b) }); got != want {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
		})
	}
	for i := range 2 { // keys of both parities
		changing.Each(t, wide[i][:], wide[1-i][:], func(b []byte) {
			call := device.Call{Kind: ECDSA, Rules: device.Uncompressed, Rows: 1}
			call.Columns[1] = device.Column{Data: b, Stride: 65}
			o := Options{Device: &enginetest.Fake{Accept: compressedOnly}, Workers: 1}
			want := append([]byte{2 | wide[i][64]&1}, pub[i]...)
			if got, ok := o.forDevice(&call); !ok || !bytes.Equal(got.Columns[1].Data, want) {
				t.Errorf("for a device: %x, want %x", got.Columns[1].Data, want)
			}
		})
	}
}
