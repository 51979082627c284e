package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// onLevels runs f at each level that rows are run at in another way.
func onLevels(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	cputest.Run(t, f, cputest.Portable, cputest.ADX, cputest.Lanes)
}

// schnorrRow returns a valid row: with its key parsed, if parsed.
func schnorrRow(r *rand.Rand, key *big.Int, parsed bool) (row Row) {
	pub, sig, msg := signSchnorr(r, key)
	if parsed {
		var k Row
		k.SetKeyUncompressed(uncompressed(key))
		row = k
	} else {
		row.SetKeyX((*[32]byte)(pub))
	}
	row.SetSchnorr(msg, (*[64]byte)(sig))
	return row
}

// signSchnorr returns a signature on a random message by the specification, with
// a random nonce.
func signSchnorr(r *rand.Rand, key *big.Int) (pub, sig, msg []byte) {
	msg = make([]byte, 32)
	r.Read(msg)
	// even returns k or −k, that whose point has an even y, and its x.
	even := func(k *big.Int) (*scalar.Scalar, []byte) {
		p := multipleOfG(k)
		s := toScalarInt(k)
		if p.Y.IsOdd() == 1 {
			s.Neg(s)
		}
		var x [32]byte
		p.X.PutBytes(&x)
		return s, x[:]
	}
	k, rx := even(new(big.Int).Add(new(big.Int).Rsh(reference.RandInt(r), 1), big.NewInt(1)))
	d, pub := even(key)
	e := toScalarInt(new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", rx, pub, msg)))
	var s [32]byte
	e.Mul(e, d).Add(e, k).PutBytes(&s)
	return pub, append(rx, s[:]...), msg
}

func multipleOfG(k *big.Int) (p point.Affine) {
	var j point.Jacobian
	vartime.ScalarBaseMult(&j, toScalarInt(k))
	p.SetJacobianVartime(&j)
	return p
}

func uncompressed(key *big.Int) *[65]byte {
	p := multipleOfG(key)
	out := [65]byte{4}
	p.X.PutBytes((*[32]byte)(out[1:33]))
	p.Y.PutBytes((*[32]byte)(out[33:]))
	return &out
}

func someKeys(r *rand.Rand, n int) []*big.Int {
	keys := make([]*big.Int, n)
	for i := range keys {
		keys[i] = new(big.Int).Add(new(big.Int).Rsh(reference.RandInt(r), 1), big.NewInt(1))
	}
	return keys
}

func holds(t *testing.T, rows []Row, workers int) bool {
	t.Helper()
	var e Equation
	ok, err := e.Holds(context.Background(), Schnorr, rows, workers)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestEquation(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	keys := someKeys(r, 20)
	all := make([]Row, 150)
	for i := range all {
		all[i] = schnorrRow(r, keys[r.Intn(len(keys))], r.Intn(2) == 0)
	}
	onLevels(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 64, 65, 150} {
			for workers := range 4 {
				if !holds(t, all[:n], workers) {
					t.Fatalf("%d valid rows, %d workers: the equation does not hold", n, workers)
				}
			}
			for i := 0; i < n; i += 1 + n/7 {
				rows := append([]Row{}, all[:n]...)
				switch i % 5 {
				case 0:
					rows[i].a.Add(&rows[i].a, new(scalar.Scalar).One())
				case 1:
					rows[i].b.Neg(&rows[i].b)
				case 2:
					rows[i].x = all[(i+1)%len(all)].x
				case 3:
					rows[i].verdict = Malformed
				case 4:
					rows[i].p = all[(i+7)%len(all)].p
				}
				if rows[i] != all[i] && holds(t, rows, 1+i%2) {
					t.Fatalf("%d rows, one of them invalid: the equation holds", n)
				}
			}
		}
	})
}

// TestEquationECDSA has signatures on points of both parities, keys of both, and
// nonces whose x is above n, which nobody can sign with but everybody can make:
// from R and any u1 and u2 follow the key and the hash.
func TestEquationECDSA(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	n := reference.N()
	all := make([]Row, 80)
	above := 0
	for i := range all {
		var R point.Affine
		odd := ct.Choice(i % 2)
		id := byte(odd)
		if i%3 == 0 {
			// The next x above n of a point.
			x := new(big.Int).Add(n, big.NewInt(int64(r.Intn(1000))))
			for {
				var e field.Element
				var b [32]byte
				e.SetBytes((*[32]byte)(x.FillBytes(b[:])))
				if R.LiftX(&e, odd) == 1 {
					break
				}
				x.Add(x, big.NewInt(1))
			}
			id |= 2
			above++
		} else {
			R = multipleOfG(someKeys(r, 1)[0])
			R.Y.Normalize()
			id = byte(R.Y.IsOdd())
		}
		var b [32]byte
		R.X.PutBytes(&b)
		rr := new(big.Int).Mod(new(big.Int).SetBytes(b[:]), n)
		// P = (R − u1·G)/u2, s = r/u2, z = u1·s.
		u1, u2 := toScalarInt(reference.RandInt(r)), toScalarInt(new(big.Int).SetUint64(r.Uint64()|1))
		var j, g point.Jacobian
		inverse := *u2
		inverse.InvertVartime(u2)
		minus := *u1
		minus.Neg(u1)
		vartime.ScalarBaseMult(&g, &minus)
		g.AddMixedVartime(&g, &R)
		var p point.Affine
		p.SetJacobianVartime(&g)
		vartime.ScalarMult(&j, &inverse, &p)
		p.SetJacobianVartime(&j)
		var s, z scalar.Scalar
		s.Mul(toScalarInt(rr), &inverse)
		z.Mul(u1, &s)
		sig := [65]byte{64: id}
		rr.FillBytes(sig[:32])
		s.PutBytes((*[32]byte)(sig[32:]))
		z.PutBytes(&b)
		if i%2 == 0 {
			all[i].SetKey(&p, nil)
		} else {
			c := [33]byte{2 + byte(p.Y.IsOdd())}
			p.X.PutBytes((*[32]byte)(c[1:]))
			all[i].SetKeyCompressed(&c)
		}
		all[i].SetECDSARecoverable(b[:], &sig, false)
	}
	if above == 0 {
		t.Fatal("no nonce above n")
	}
	for len(all) < 3*segmentRows { // several segments
		all = append(all, all[:80]...)
	}
	onLevels(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 16, 33, 80, len(all)} {
			check := func(rows []Row, want bool) {
				t.Helper()
				var e Equation
				if ok, err := e.Holds(context.Background(), ECDSA, rows, 2); ok != want || err != nil {
					t.Fatalf("%d rows: %v %v", n, ok, err)
				}
			}
			check(all[:n], true)
			for i := 0; i < n; i += 1 + i/5*8 {
				e := Equation{rows: append([]Row{}, all[:n]...)}
				if e.rows[i].nonce += 2; i%80%3 != 0 && e.set(ECDSA) {
					t.Fatalf("%d rows: r + n of row %d is no coordinate", n, i)
				}
				for kind := range 5 {
					rows := append([]Row{}, all[:n]...)
					switch c := &rows[i]; kind {
					case 0:
						c.nonce = 1 + (c.nonce - 1) ^ 1
					case 1:
						c.nonce = 1 + (c.nonce - 1) ^ 2
					case 2:
						c.nonce = 0
					case 3:
						c.high = true
					case 4:
						c.a.Add(&c.a, new(scalar.Scalar).One())
					}
					check(rows, false)
				}
			}
		}
	})
}

// TestEquationCancel makes rows that are not valid and whose errors cancel if
// coefficients are equal, or if each is the one before times λ.
func TestEquationCancel(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	keys := someKeys(r, 4)
	good := make([]Row, 40)
	for i := range good {
		good[i] = schnorrRow(r, keys[i%4], false)
	}
	lambda := toScalarInt(reference.Lambda())
	onLevels(t, func(t *testing.T) {
		for n := 2; n <= len(good); n += 1 + n/3 {
			for i := 1; i < n; i += 1 + n/9 {
				error := toScalarInt(reference.RandInt(r))
				// Two errors in s that are opposite.
				rows := append([]Row{}, good[:n]...)
				rows[0].a.Add(&rows[0].a, error)
				rows[i].a.Sub(&rows[i].a, error)
				if holds(t, rows, 1) {
					t.Fatalf("%d rows: opposite errors in rows 0 and %d cancel", n, i)
				}
				// s of one row and s·λ of another.
				rows = append([]Row{}, good[:n]...)
				rows[i].a.Add(&rows[i].a, error)
				error.Mul(error, lambda)
				rows[i-1].a.Sub(&rows[i-1].a, error)
				if holds(t, rows, 1) {
					t.Fatalf("%d rows: errors of rows %d and %d cancel by λ", n, i-1, i)
				}
				// Two rows whose s are exchanged.
				rows = append([]Row{}, good[:n]...)
				rows[0].a, rows[i].a = rows[i].a, rows[0].a
				if holds(t, rows, 1) {
					t.Fatalf("%d rows: rows 0 and %d have each other's s", n, i)
				}
			}
		}
	})
}

func toScalarInt(x *big.Int) *scalar.Scalar {
	var b [32]byte
	new(big.Int).Mod(x, reference.N()).FillBytes(b[:])
	s := new(scalar.Scalar)
	s.SetBytes(&b)
	return s
}

// TestEquationCoefficients changes one bit of every part of every row, and wants
// every coefficient but the first to change.
func TestEquationCoefficients(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	keys := someKeys(r, 3)
	rows := make([]Row, 37)
	for i := range rows {
		rows[i] = schnorrRow(r, keys[i%3], false)
	}
	coefficients := func(rows []Row) [][16]byte {
		e := Equation{rows: rows}
		e.set(Schnorr)
		out := make([][16]byte, len(rows))
		var digests [hash.Sixteen][32]byte
		for i := range rows {
			if i%equationUnit == 0 {
				hash.Expand(&digests, &e.seed, uint64(i/2))
			}
			copy(out[i][:], digests[i/2%hash.Sixteen][16*(i%2):])
		}
		return out
	}
	onLevels(t, func(t *testing.T) {
		base := coefficients(rows)
		seen := map[[16]byte]bool{}
		for _, c := range base {
			if seen[c] {
				t.Fatal("two rows have one coefficient")
			}
			seen[c] = true
		}
		one := new(scalar.Scalar).One()
		for i := range rows {
			for part := range 4 {
				changed := append([]Row{}, rows...)
				c := &changed[i]
				switch part {
				case 0:
					c.a.Add(&c.a, one)
				case 1:
					c.b.Add(&c.b, one)
				case 2:
					l := c.x.Limbs()
					c.x.SetLimbs(l[0]^1<<(i%60), l[1], l[2], l[3])
				case 3:
					l := c.p.X.Limbs()
					c.p.X.SetLimbs(l[0], l[1]^1<<(i%60), l[2], l[3])
				}
				for k, got := range coefficients(changed) {
					if got == base[k] {
						t.Fatalf("row %d, part %d: coefficient %d stays", i, part, k)
					}
				}
			}
		}
		// Also if the rows are hashed in several parts.
		var many []Row
		for len(many) <= 2*segmentRows {
			many = append(many, rows...)
		}
		base = coefficients(many)
		for _, i := range []int{0, segmentRows - 1, segmentRows, 2*segmentRows - 1, 2 * segmentRows} {
			changed := append([]Row{}, many...)
			changed[i].a.Add(&changed[i].a, one)
			for k, got := range coefficients(changed) {
				if got == base[k] {
					t.Fatalf("row %d of many: coefficient %d stays", i, k)
				}
			}
		}
		base = coefficients(rows)

		// The order counts, and the number of rows.
		changed := append([]Row{}, rows...)
		changed[5], changed[21] = changed[21], changed[5]
		for _, other := range [][]Row{changed, rows[:36], append(append([]Row{}, rows...), rows[0])} {
			for k, got := range coefficients(other) {
				if k < len(base) && got == base[k] {
					t.Fatalf("%d rows: coefficient %d stays", len(other), k)
				}
			}
		}
	})
}

// TestEquationTerms compares what the equation adds up with the specification,
// for all rows, with the coefficients that it says it uses.
func TestEquationTerms(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	keys := someKeys(r, 5)
	rows := make([]Row, 70)
	for i := range rows {
		rows[i] = schnorrRow(r, keys[i%5], i%2 == 0)
	}
	copy(rows[60:], rows[:10])
	onLevels(t, func(t *testing.T) {
		e := Equation{rows: rows}
		if !e.set(Schnorr) || !e.find() {
			t.Fatal("a point is missing")
		}
		before := append([]scalar.Scalar{}, e.b...)
		e.sum.Reset(len(e.points)+1, int(e.shorts))
		var base scalar.Scalar
		for lo := 0; lo < len(rows); lo += equationUnit {
			e.multiply(&base, lo, min(lo+equationUnit, len(rows)))
		}
		want := new(scalar.Scalar)
		var digests [hash.Sixteen][32]byte
		for i := range rows {
			if i%equationUnit == 0 {
				hash.Expand(&digests, &e.seed, uint64(i/2))
			}
			d := digests[i/2%hash.Sixteen][16*(i%2):]
			z := new(big.Int).SetUint64(binary.LittleEndian.Uint64(d[8:]))
			z.Mul(z, reference.Lambda())
			z.Add(z, new(big.Int).SetUint64(binary.LittleEndian.Uint64(d)))
			if i == 0 {
				z.SetInt64(1)
			}
			s := toScalarInt(z)
			b := before[i]
			if b.Mul(&b, s); b != e.b[i] {
				t.Errorf("row %d: wrong scalar of the key", i)
			}
			s.Mul(s, &rows[i].a)
			want.Add(want, s)
			p, x := e.points[e.key[i]], rows[i].p.X
			if p.X.Equal(&x) != 1 || p.Y.IsOdd() == 1 || p.IsOnCurve() != 1 {
				t.Errorf("row %d: wrong key", i)
			}
			p, x = e.nonces[i], rows[i].x
			if k := e.nonce[i]; k >= 0 {
				p = e.points[k]
				if e.a[i] != *toScalarInt(z) {
					t.Errorf("row %d: wrong scalar of the nonce", i)
				}
			}
			if p.X.Equal(&x) != 1 || p.Y.IsOdd() == 1 || p.IsOnCurve() != 1 {
				t.Errorf("row %d: wrong nonce point", i)
			}
		}
		if *want != base {
			t.Error("wrong scalar of G")
		}
	})
}

func TestEquationContext(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	rows := []Row{schnorrRow(r, big.NewInt(7), false), schnorrRow(r, big.NewInt(8), false)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var e Equation
	if ok, err := e.Holds(ctx, Schnorr, rows, 1); ok || err != context.Canceled {
		t.Errorf("%v, %v", ok, err)
	}
}

// TestEquationWorkers: few rows have few workers, and many not more than a sum takes:
// each has memory of its own.
func TestEquationWorkers(t *testing.T) {
	for _, c := range []struct{ rows, most, want int }{
		{0, 8, 0}, {2*profile.Current().EquationPerWorker - 1, 8, 1}, {2 * profile.Current().EquationPerWorker, 8, 2},
		{maxEquation, 8, 8}, {maxEquation, 1 << 20, sums.MaxWorkers},
	} {
		if got := equationWorkers(c.rows, c.most); got != c.want {
			t.Errorf("%d rows, at most %d: %d workers, want %d", c.rows, c.most, got, c.want)
		}
	}
}

// A lookedContext ends when it has been looked at so many times.
type lookedContext struct {
	context.Context
	looks atomic.Int32
}

func (c *lookedContext) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestEquationGivenUp: wherever the context ends, that is an error and no answer.
func TestEquationGivenUp(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	rows := make([]Row, 300)
	for i := range rows {
		rows[i] = madeRow(r, big.NewInt(int64(i+2)), big.NewInt(int64(i+1000)), i%3)
	}
	var e Equation
	for looks := int32(0); ; looks++ {
		ctx := &lookedContext{Context: context.Background()}
		ctx.looks.Store(looks)
		ok, err := e.Holds(ctx, Schnorr, rows, 2)
		if ctx.looks.Load() >= 0 {
			if !ok || err != nil {
				t.Errorf("it has not ended: %v, %v", ok, err)
			}
			if looks < 10 {
				t.Errorf("only %d looks", looks)
			}
			return
		}
		if ok || err != context.Canceled {
			t.Errorf("ended after %d looks: %v, %v", looks, ok, err)
		}
	}
}

func BenchmarkEquation(b *testing.B) {
	r := rand.New(rand.NewSource(6))
	keys := someKeys(r, 4096)
	rows := make([]Row, len(keys))
	for i := range rows {
		rows[i] = schnorrRow(r, keys[i], false)
	}
	for _, n := range []int{16, 64, 256, 1024, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var e Equation
			for b.Loop() {
				if ok, _ := e.Holds(context.Background(), Schnorr, rows[:n], 1); !ok {
					b.Fatal("the equation does not hold")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
	}
}
