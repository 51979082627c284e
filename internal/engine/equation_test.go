package engine

import (
	"context"
	"encoding/binary"
	"math/big"
	"math/rand"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// onLevels runs f as a subtest at each level of CPU features that changes how rows are processed.
func onLevels(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	cputest.Run(t, f,
		append(cputest.AllLanes(), cputest.Portable, cputest.ADX, cputest.SHANI)...)
}

// holdsBy calls e.holds with a team of at most the given number of workers.
func holdsBy(
	ctx context.Context, e *equation, s *scheme, rows []*row, workers int,
) (bool, error) {
	c := forkjoin.New(equationWorkers(len(rows), workers))
	defer c.Stop()
	return e.holds(ctx, s, rows, c)
}

// TestEquationECDSA checks that equations of valid ECDSA rows hold with nonce points and keys of
// both parities, and with nonce points whose x coordinate is above n. A signer practically never
// finds such a nonce point. So the test chooses r, s, the recovery id and a hash, and recovers the
// key.
func TestEquationECDSA(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	var records Records
	for i := range 80 {
		hash, s := reference.Bytes(r, 32), reference.Secret(r)
		x, id := new(big.Int).SetBytes(reference.Bytes(r, 31)), i%2
		if i%3 == 0 {
			x, id = big.NewInt(int64(r.Intn(1000))), i%2|2
		}
		var key reference.Point
		for ok := false; !ok; { // until a nonce point has this x coordinate
			x.Add(x, big.NewInt(1))
			key, ok = reference.RecoverECDSA(hash, x, s, id)
		}
		row := records.Add()
		if i%2 == 0 {
			row.SetKey(vartimetest.Affine(key))
		} else {
			row.SetEncodedKey(append([]byte{2 | byte(key.Y.Bit(0))}, bytes32(key.X)[:]...))
		}
		row.SetECDSARecoverable(hash, append(bytes64(x, s)[:], byte(id)))
	}
	all := parsed(&records, ECDSA)
	all = copies(all, 3*segmentRows) // several segments
	onLevels(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 16, 33, 80, len(all)} {
			check := func(rows []*row, want bool) {
				t.Helper()
				var e equation
				if ok, err := holdsBy(context.Background(), &e, &ecdsa, rows, 2); ok != want || err != nil {
					t.Fatalf("%d rows: %v %v", n, ok, err)
				}
			}
			check(copies(all, n), true)
			for i := 0; i < n; i += 1 + i/5*8 {
				e := equation{rows: copies(all, n)}
				if e.rows[i].id += 2; i%80%3 != 0 && e.set(&ecdsa) {
					t.Fatalf("%d rows: r + n of row %d is no coordinate", n, i)
				}
				for kind := range 3 {
					rows := copies(all, n)
					switch row := rows[i]; kind {
					case 0:
						row.id = 1 + (row.id - 1) ^ 1
					case 1:
						row.id = 1 + (row.id - 1) ^ 2
					case 2:
						row.a.Add(&row.a, new(scalar.Scalar).One())
					}
					check(rows, false)
				}
				with, without, high, refused := *all[i], *all[i], *all[i], *all[i]
				without.id, high.high = 0, true
				refused.refuse(KeyEncoding)
				if !ecdsa.hasEquation(&with) || ecdsa.hasEquation(&without) ||
					ecdsa.hasEquation(&high) || bip340.hasEquation(&refused) {
					t.Error("a row without an equation has one, or another has none")
				}
			}
		}
	})
}

// coefficients returns the coefficients of all rows, as two numbers of 64 bits each. Those of row 0
// are not used: its coefficient is 1.
func (e *equation) coefficients() [][16]byte {
	out := make([][16]byte, len(e.rows))
	var digests [hash.Sixteen][32]byte
	for i := range out {
		if i%equationUnit == 0 {
			hash.Expand(&digests, &e.seed, uint64(i/2))
		}
		copy(out[i][:], digests[i/2%hash.Sixteen][16*(i%2):])
	}
	return out
}

// TestEquationCoefficients checks that a change of one bit in any part of any row changes every
// coefficient but the first.
func TestEquationCoefficients(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	rows := schnorrRows(r, 37, someKeys(r, 3), xOnly)
	hashRows(rows)
	coefficients := func(rows []*row) [][16]byte {
		e := equation{rows: rows}
		e.set(&bip340)
		return e.coefficients()
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
				changed := copies(rows, len(rows))
				a, b, x, p := &changed[i].a, &changed[i].b, &changed[i].x, &changed[i].p
				switch part {
				case 0:
					a.Add(a, one)
				case 1:
					b.Add(b, one)
				case 2:
					l := x.Limbs()
					x.SetLimbs(l[0]^1<<(i%60), l[1], l[2], l[3])
				case 3:
					l := p.X.Limbs()
					p.X.SetLimbs(l[0], l[1]^1<<(i%60), l[2], l[3])
				}
				for k, got := range coefficients(changed) {
					if got == base[k] {
						t.Fatalf("row %d, part %d: coefficient %d stays", i, part, k)
					}
				}
			}
		}
		// Repeat with more rows than two segments have. Each segment is hashed to a digest of its
		// own.
		many := copies(rows, 2*segmentRows+1)
		base = coefficients(many)
		for _, i := range []int{0, segmentRows - 1, segmentRows, 2*segmentRows - 1, 2 * segmentRows} {
			changed := copies(many, len(many))
			changed[i].a.Add(&changed[i].a, one)
			for k, got := range coefficients(changed) {
				if got == base[k] {
					t.Fatalf("row %d of many: coefficient %d stays", i, k)
				}
			}
		}
		base = coefficients(rows)

		// The order and the number of rows must change the coefficients, too.
		turned := copies(rows, 2*len(rows))[5:][:len(rows)]
		for _, other := range [][]*row{turned, copies(rows, 36), copies(rows, 38)} {
			for k, got := range coefficients(other) {
				if k < len(base) && got == base[k] {
					t.Fatalf("%d rows: coefficient %d stays", len(other), k)
				}
			}
		}
	})
}

// TestEquationTerms checks that the equation for all rows has the terms that the test computes from
// the equation's coefficients.
func TestEquationTerms(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	rows := schnorrRows(r, 60, someKeys(r, 5), xOnly, oddY, evenY)
	rows = copies(rows, 70)
	n := len(rows)
	onLevels(t, func(t *testing.T) {
		e := equation{rows: rows}
		e.known.draw()
		set := e.set(&bip340)
		if found, err := e.find(context.Background()); !set || !found || err != nil {
			t.Fatal("a point is missing")
		}
		before := append([]scalar.Scalar{}, e.b...)
		e.sum.Reset(len(e.points)+1, int(e.shorts))
		var base scalar.Scalar
		for lo := 0; lo < n; lo += equationUnit {
			e.multiply(&base, lo, min(lo+equationUnit, n))
		}
		want := new(scalar.Scalar)
		for i, d := range e.coefficients() {
			z := new(big.Int).SetUint64(binary.LittleEndian.Uint64(d[8:]))
			z.Mul(z, reference.Lambda())
			z.Add(z, new(big.Int).SetUint64(binary.LittleEndian.Uint64(d[:])))
			if i == 0 {
				z.SetInt64(1)
			}
			s := vartimetest.Scalar(z)
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
				if e.z[i] != *vartimetest.Scalar(z) {
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

// atEachLook calls f with a context that ends at its first call of Err, then with one that ends at
// the second, and so on. After the last call of f, whose context has not ended, it returns the
// number of contexts that have. If once is set, Err returns an error once and later nil, although
// package context forbids it.
func atEachLook(once bool, f func(ctx context.Context, ended func() bool)) int {
	for at := int32(1); ; at++ {
		var looks atomic.Int32
		f(errContext{context.Background(), func() error {
			if n := looks.Add(1); n == at || n > at && !once {
				return context.Canceled
			}
			return nil
		}}, func() bool { return looks.Load() >= at })
		if looks.Load() < at {
			return int(at - 1)
		}
	}
}

// TestGivenUp checks that there is no answer, but an error, if the context ends, at every point
// where the context is checked, also if Err of a context returns an error once and later nil. If
// the context of a call to a device ends, no row is verified.
func TestGivenUp(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	b := schnorrRecords(r, 300, someKeys(r, 300), xOnly, oddY, evenY)
	rows := parsed(b, Schnorr)
	var e equation
	looks := atEachLook(false, func(ctx context.Context, ended func() bool) {
		ok, err := holdsBy(ctx, &e, &bip340, rows, 2)
		if ok == ended() || (err == context.Canceled) != ended() {
			t.Errorf("an equation: %v, %v, and ended is %v", ok, err, ended())
		}
	})
	if looks < 10 {
		t.Errorf("only %d looks", looks)
	}
	call, reasons := spoil(newCall(r, Schnorr, 0, 9)), make([]Reason, 9)
	for _, lie := range []byte{0, 1} {
		d := honest(func(_ context.Context, c *device.Call) error { // about the last row
			c.Verdicts[len(c.Verdicts)-1] ^= Verdict(lie)
			return nil
		})
		atEachLook(false, func(ctx context.Context, ended func() bool) {
			_, err := Do(ctx, call, Options{Device: d, Workers: 1, Reasons: reasons})
			// If the device lies, the CPU carries out the call, and parsing finds verdicts.
			most, why := Unchecked, NoReason
			if lie == 1 {
				most, why = Malformed, KeyRange
			}
			verified := slices.Contains(call.Verdicts, Valid) || slices.Contains(call.Verdicts, Invalid)
			if (err == context.Canceled) != ended() || ended() &&
				(verified || slices.Max(call.Verdicts) > most || slices.Max(reasons) > why) {
				t.Errorf("a device: %v, %v, %v, and ended is %v", call.Verdicts, reasons, err, ended())
			}
		})
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	parsing := newColumns(&device.Call{Kind: Schnorr, Rows: 1}, Options{}) // without bytes to parse
	if ok, err := new(chunk).allValid(cancelled, parsing); ok || err != context.Canceled {
		t.Errorf("a context that has ended: %v, %v", ok, err)
	}
	b.bytes[len(b.bytes)-recordSize+recordHash] ^= 1
	for _, exact := range []bool{false, true} {
		// All rows of an empty call are verified before its context ends.
		ok, err := All(cancelled, &device.Call{Kind: Schnorr}, Options{Exact: exact})
		if !ok || err != nil {
			t.Errorf("no rows, exact: %v: %v, %v", exact, ok, err)
		}
		atEachLook(true, func(ctx context.Context, ended func() bool) {
			ok, err := b.VerifyAll(ctx, Schnorr, 0, Options{Workers: 1, Exact: exact})
			if ok || (err == context.Canceled) != ended() {
				t.Errorf("exact: %v, ended: %v: %v, %v", exact, ended(), ok, err)
			}
		})
	}
}

type errContext struct {
	context.Context
	err func() error
}

func (c errContext) Err() error { return c.err() }
