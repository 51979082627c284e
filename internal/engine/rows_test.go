package engine

import (
	"bytes"
	"context"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
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

// same reports whether row i of r equals row j of s.
func same(r *Rows, i int, s *Rows, j int) bool {
	return r.flags[i] == s.flags[j] && r.reasons[i] == s.reasons[j] &&
		r.p[i] == s.p[j] && r.x[i] == s.x[j] && r.a[i] == s.a[j] && r.b[i] == s.b[j] &&
		r.divisor(i) == s.divisor(j) &&
		(r.flags[i]&unhashed == 0 || r.messages[i] == s.messages[j]) &&
		r.table(i) == s.table(j)
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

// fill sets a row to random values: a malformed row, or one of BIP-340, ECDSA or recovery.
func fill(r *rand.Rand, row Row, table *vartime.SplitTable) {
	var b [65]byte
	r.Read(b[:])
	b[0], b[32] = 0, 0
	switch r.Intn(5) {
	case 0:
		row.SetKey(nil, nil)
	case 1:
		row.SetKey(new(point.Affine).SetGenerator(), table)
		row.SetSchnorr(b[:32], b[:64]) // leaves the challenge to be hashed
	case 2:
		row.SetKeyX(b[:32])
		row.SetSchnorr(b[:20], b[:64])
	case 3:
		row.SetRecover(b[:32], &b, true)
	default:
		row.SetEncodedKey(append([]byte{3}, b[:32]...))
		b[64] = 2
		row.SetECDSARecoverable(b[:32], b[:], true)
	}
}

// TestRows checks that rows keep their values when rows are added, when room is made, and when they
// are copied, also into memory that has held other rows.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewSource(40))
	table := new(vartime.SplitTable)
	var used Rows
	for range 30 {
		var want []Row // each row in separate memory
		got := new(Rows)
		if r.Intn(2) == 0 {
			got = &used
			got.resize(0)
		}
		for range r.Intn(100) {
			row := NewRow()
			fill(r, row, table)
			want = append(want, row)
			switch r.Intn(10) {
			case 0:
				got.reserve(got.Len() + r.Intn(20))
			case 1:
				got.needTables()
			}
			next(got)
			got.set(got.Len()-1, row.rows, row.i)
		}
		check := func(what string, got *Rows, want []Row) {
			t.Helper()
			if got.Len() != len(want) {
				t.Fatalf("%s: %d rows, want %d", what, got.Len(), len(want))
			}
			for i, w := range want {
				if !same(got, i, w.rows, w.i) {
					t.Fatalf("%s: row %d is another", what, i)
				}
			}
		}
		check("added", got, want)
		lo := r.Intn(len(want) + 1)
		hi := lo + r.Intn(len(want)+1-lo)
		var w Rows
		got.window(&w, lo, hi)
		check("window", &w, want[lo:hi])
		var some []Row
		var list []int
		for i := range want {
			if r.Intn(3) > 0 {
				some, list = append(some, want[i]), append(list, i)
			}
		}
		var gathered Rows
		gathered.gather(got, slices.Repeat(list, 2)) // gather more rows than got has
		gathered.gather(got, list)
		check("gathered", &gathered, some)
		// A row that is set again must keep nothing of its old value.
		for i := range want {
			n := NewRow()
			seed := r.Int63()
			fill(rand.New(rand.NewSource(seed)), n, nil)
			fill(rand.New(rand.NewSource(seed)), Row{got, i}, nil)
			want[i] = n
		}
		for i, w := range want {
			if w.rows.reasons[0] != got.reasons[i] || w.rows.flags[0] != got.flags[i] ||
				got.table(i) != nil || w.rows.p[0] != got.p[i] {
				t.Fatalf("row %d has something of an earlier one", i)
			}
		}
	}
}

// TestAddPanics checks that a row is malformed if a panic ended its setting, from which the caller
// has recovered. The memory of the row held a valid one, or the signature is valid because its hash
// or challenge was not read and is zero.
func TestAddPanics(t *testing.T) {
	key := big.NewInt(6)
	pub, p := uncompressed(key), multipleOfG(key)
	x := (*[32]byte)(pub[1:33])
	schnorr := bytes64(new(big.Int).SetBytes(x[:]), key) // s·G = R, which is P
	if p.Y.IsOdd().Bool() {
		toScalarInt(new(big.Int).Neg(key)).PutBytes((*[32]byte)(schnorr[32:]))
	}
	var r scalar.Scalar
	r.SetBytes(x) // (r/s)·P = R for r = s and R = P
	for _, c := range []struct {
		kind Kind
		set  func(row Row)
	}{
		{Schnorr, func(Row) {}},
		{Schnorr, func(row Row) { row.SetKeyX(x[:]) }},
		{Schnorr, func(row Row) {
			row.SetKeyX(x[:])
			row.setSchnorrSignature(schnorr)
		}},
		{ECDSA, func(row Row) {
			row.SetEncodedKey(pub[:])
			row.SetECDSANumbers(make([]byte, 32), &r, &r, false)
		}},
	} {
		b := schnorrBatch(rand.New(rand.NewSource(43)), 1, 1)
		b.Reset()
		func() {
			defer func() { recover() }()
			b.Add(func(row Row) {
				c.set(row)
				panic("a mapped file that became shorter")
			})
		}()
		verdicts := make([]Verdict, 1)
		for _, exact := range []bool{false, true} {
			o := Options{Exact: exact, Workers: 1}
			ok, err := b.VerifyAll(context.Background(), c.kind, o)
			if err := b.Verify(context.Background(), c.kind, verdicts, o); err != nil {
				t.Error(err)
			}
			if ok || err != nil || verdicts[0] != Malformed {
				t.Errorf("%v, exact: %v: %v, %v, %v", c.kind, exact, ok, err, verdicts)
			}
		}
	}
}

// TestKeyAlone checks that a row with a key and no signature is not valid, even if its memory held
// a valid row under the same key.
func TestKeyAlone(t *testing.T) {
	r := rand.New(rand.NewSource(44))
	onLevels(t, func(t *testing.T) {
		for _, kind := range []Kind{Schnorr, ECDSA} {
			key := someKeys(r, 1)
			b := new(Batch)
			if kind == Schnorr {
				setSchnorrRow(next(&b.rows), r, key[0], true)
			} else {
				b.Take(parsed(ecdsaRows(r, key, 1), 0))
			}
			verdicts := make([]Verdict, 1)
			for _, want := range []bool{true, false} {
				err := b.Verify(context.Background(), kind, verdicts, Options{Exact: true, Workers: 1})
				if got := verdicts[0] == Valid; got != want || err != nil {
					t.Errorf("kind %d: %d, %v", kind, verdicts[0], err)
				}
				b.Reset()
				next(&b.rows).SetEncodedKey(uncompressed(key[0])[:])
			}
		}
	})
}

// TestHash checks that hashing the challenges of several rows together gives the same challenges as
// hashing each when its row is set, and leaves the challenges of rows outside the given range
// alone. Some of the rows are malformed.
func TestHash(t *testing.T) {
	r := rand.New(rand.NewSource(41))
	onLevels(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 4, 15, 16, 17, 33, 100} {
			var waiting, done Rows
			for i := range n {
				var msg [32]byte
				var sig [64]byte
				var x [32]byte
				r.Read(msg[:])
				r.Read(sig[1:])
				r.Read(x[1:])
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
						row.SetKeyX(x[:])
					}
					row.SetSchnorr(msg[:], sig[:])
					if rows == &waiting && row.rows.flags[row.i]&unhashed == 0 {
						t.Fatal("the challenge does not wait")
					}
					if rows == &done {
						rows.hash(row.i, row.i+1)
					}
				}
			}
			lo := r.Intn(n + 1)
			hi := lo + r.Intn(n+1-lo)
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
	r := rand.New(rand.NewSource(51))
	var wide [2]*[65]byte
	var narrow, pub, sig, msg [2][]byte
	for i := range 2 {
		pub[i], sig[i], msg[i] = signSchnorr(r, big.NewInt(int64(5+i)))
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
	changing.Each(t, wide[0][:], wide[1][:], func(b []byte) {
		call := device.Call{Kind: ECDSA, Rules: device.Uncompressed, Rows: 1}
		call.Columns[1] = device.Column{Data: b, Stride: 65}
		o := Options{Device: &fake{accepts: compressedOnly}, Workers: 1}
		want := append([]byte{2 | wide[0][64]&1}, pub[0]...)
		if got, ok := o.forDevice(&call); !ok || !bytes.Equal(got.Columns[1].Data, want) {
			t.Errorf("for a device: %x, want %x", got.Columns[1].Data, want)
		}
	})
}
