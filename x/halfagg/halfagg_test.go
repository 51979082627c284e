package halfagg_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// randomizer returns the factor of the last of the statements by the definition of BIP-458.
func randomizer(t testing.TB, nonces []byte, statements []halfagg.Statement) *group.Scalar {
	t.Helper()
	if len(statements) == 1 {
		return new(group.Scalar).SetUint64(1)
	}
	var input []byte
	for i, s := range statements {
		input = append(input, nonces[32*i:32*i+32]...)
		input = append(append(input, s.Key[:]...), s.Message[:]...)
	}
	digest := schnorr.TaggedHash("HalfAgg/randomizer", input)
	return must(new(group.Scalar).SetBytesReduced(digest[:]))(t)
}

// must returns a function that fails the test if err is not nil, and otherwise returns v.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// valid evaluates the definition of VerifyAggregate, one product after another.
func valid(t testing.TB, aggregate []byte, statements []halfagg.Statement) bool {
	t.Helper()
	if len(aggregate) != 32*len(statements)+32 {
		return false
	}
	s, err := new(group.Scalar).SetBytes(aggregate[32*len(statements):])
	if err != nil {
		return false
	}
	var sum, left group.Point
	for i, st := range statements {
		nonce, err := koblitz.ParseXOnlyPublicKey(aggregate[32*i : 32*i+32])
		if err != nil {
			return false
		}
		key, err := koblitz.ParseXOnlyPublicKey(st.Key[:])
		if err != nil {
			return false
		}
		var r, p group.Point
		must(r.SetXOnlyPublicKey(nonce))(t)
		must(p.SetXOnlyPublicKey(key))(t)
		digest := schnorr.TaggedHash("BIP0340/challenge", nonce.Bytes(), st.Key[:], st.Message[:])
		e := must(new(group.Scalar).SetBytesReduced(digest[:]))(t)
		r.Add(&r, p.ScalarMult(e, &p))
		sum.Add(&sum, r.ScalarMult(randomizer(t, aggregate, statements[:i+1]), &r))
	}
	return left.ScalarBaseMult(s).Equal(&sum)
}

// The numbers of statements exercise lanes, their remainders, and both algorithms for sums.
func TestAggregate(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 31, 200} {
		statements, signatures := signed(t, n)
		aggregate := must(halfagg.Aggregate(statements, signatures))(t)
		if len(aggregate) != 32*n+32 {
			t.Errorf("%d signatures: %d bytes", n, len(aggregate))
		}
		if err := halfagg.VerifyAggregate(aggregate, statements); err != nil {
			t.Errorf("%d signatures: %v", n, err)
		}
		if n <= 31 && !valid(t, aggregate, statements) {
			t.Errorf("%d signatures: the definition does not hold", n)
		}
		for _, k := range []int{0, n / 3, n} {
			first := must(halfagg.Aggregate(statements[:k], signatures[:k]))(t)
			before := slices.Clone(first)
			both := must(halfagg.IncAggregate(
				first, statements[:k], statements[k:], signatures[k:]))(t)
			if !bytes.Equal(both, aggregate) {
				t.Errorf("%d signatures, then %d: another aggregate", k, n-k)
			}
			if !bytes.Equal(first, before) {
				t.Errorf("IncAggregate changed its argument")
			}
		}
	}
}

// The draft imposes no limit on the number of signatures. Its predecessor allowed 2^16 − 1.
func TestNoLimit(t *testing.T) {
	const n = 1<<16 - 1
	statements, signatures := signed(t, 1)
	statements = slices.Repeat(statements, n+2)
	signatures = slices.Repeat(signatures, n+2)
	aggregate := must(halfagg.Aggregate(statements, signatures))(t)
	first := must(halfagg.Aggregate(statements[:n], signatures[:n]))(t)
	both := must(halfagg.IncAggregate(first, statements[:n], statements[n:], signatures[n:]))(t)
	if !bytes.Equal(both, aggregate) {
		t.Error("incremental aggregation gives another aggregate")
	}
	if err := halfagg.VerifyAggregate(aggregate, statements); err != nil {
		t.Error(err)
	}
	aggregate[32] ^= 1
	if halfagg.VerifyAggregate(aggregate, statements) == nil {
		t.Error("a changed aggregate verifies")
	}
}

// Every byte of an aggregate and of its statements counts, and so does their order.
func TestChanges(t *testing.T) {
	statements, signatures := signed(t, 3)
	aggregate := must(halfagg.Aggregate(statements, signatures))(t)
	refused := func(what string, aggregate []byte, statements []halfagg.Statement) {
		t.Helper()
		if halfagg.VerifyAggregate(aggregate, statements) == nil {
			t.Error(what + " verifies")
		}
	}
	for i := range aggregate {
		changed := slices.Clone(aggregate)
		changed[i] ^= 1 << (i % 8)
		refused("another aggregate", changed, statements)
	}
	for i := range 64 * len(statements) {
		changed := slices.Clone(statements)
		s := &changed[i/64]
		if k := i % 64; k < 32 {
			s.Key[k] ^= 1 << (i % 8)
		} else {
			s.Message[k-32] ^= 1 << (i % 8)
		}
		refused("another statement", aggregate, changed)
	}
	swapped := []halfagg.Statement{statements[1], statements[0], statements[2]}
	refused("another order", aggregate, swapped)
	refused("a missing statement", aggregate, statements[:2])
	refused("a surplus statement", aggregate, append(slices.Clone(statements), statements[2]))
	refused("an empty list", aggregate, nil)
	refused("no aggregate", nil, statements)
	refused("nothing", nil, nil)
	refused("a zero statement", make([]byte, 64), make([]halfagg.Statement, 1))
}

func TestErrors(t *testing.T) {
	statements, signatures := signed(t, 2)
	aggregate := must(halfagg.Aggregate(statements, signatures))(t)
	ones := bytes.Repeat([]byte{0xff}, 32)
	sumOf := func(s []byte) []byte { return append(slices.Clone(aggregate[:64]), s...) }
	nonceOf := func(r []byte) []byte {
		return slices.Concat(aggregate[:32], r, aggregate[64:])
	}
	badKey := slices.Clone(statements)
	badKey[1].Key = [32]byte(ones)
	badSignature := slices.Clone(signatures)
	copy(badSignature[1][32:], ones)
	inc := func(a []byte, first, more []halfagg.Statement, sigs [][64]byte) error {
		_, err := halfagg.IncAggregate(a, first, more, sigs)
		return err
	}
	for _, c := range []struct {
		want string
		err  error
	}{
		{"aggregate: 95 bytes for 2 statements", halfagg.VerifyAggregate(aggregate[:95], statements)},
		{"aggregate: s: ", halfagg.VerifyAggregate(sumOf(ones), statements)},
		{"statement 1: nonce: ", halfagg.VerifyAggregate(nonceOf(ones), statements)},
		{"statement 1: key: ", halfagg.VerifyAggregate(aggregate, badKey)},
		{"not valid", halfagg.VerifyAggregate(sumOf(aggregate[:32]), statements)},
		{"1 signatures for 2 statements", inc(make([]byte, 32), nil, statements, signatures[:1])},
		{"signature 1: s: ", inc(make([]byte, 32), nil, statements, badSignature)},
		{"aggregate: s: ", inc(sumOf(ones), statements, nil, nil)},
		{"aggregate: 0 bytes for 0 statements", inc(nil, nil, nil, nil)},
		{"aggregate: 96 bytes for 1 statements", inc(aggregate, statements[:1], nil, nil)},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// Signatures whose errors cancel are not valid, but their aggregate is. The package documentation
// warns of this.
func TestCancellingSignatures(t *testing.T) {
	statements, signatures := signed(t, 2)
	want := must(halfagg.Aggregate(statements, signatures))(t)
	nonces := slices.Concat(signatures[0][:32], signatures[1][:32])
	z := randomizer(t, nonces, statements)
	var d group.Scalar
	d.SetUint64(5)
	addTo(t, &signatures[0], z.Mul(z, &d))
	addTo(t, &signatures[1], d.Negate(&d))
	for i, s := range statements {
		key := must(koblitz.ParseXOnlyPublicKey(s.Key[:]))(t)
		if schnorr.Verify(key, s.Message[:], signatures[i][:]) {
			t.Errorf("signature %d is valid", i)
		}
	}
	got := must(halfagg.Aggregate(statements, signatures))(t)
	if !bytes.Equal(got, want) {
		t.Error("the errors do not cancel")
	}
}

// addTo adds d to the second half of a signature.
func addTo(t testing.TB, signature *[64]byte, d *group.Scalar) {
	t.Helper()
	s := must(new(group.Scalar).SetBytes(signature[32:]))(t)
	copy(signature[32:], s.Add(s, d).Bytes())
}

// claims returns valid claims with the given numbers of statements.
func claims(t testing.TB, sizes ...int) []halfagg.Claim {
	t.Helper()
	all := make([]halfagg.Claim, len(sizes))
	for i, n := range sizes {
		statements, signatures := signed(t, n)
		aggregate := must(halfagg.Aggregate(statements, signatures))(t)
		all[i] = halfagg.Claim{Aggregate: aggregate, Statements: statements}
	}
	return all
}

// change adds d to the sum of an aggregate.
func change(t testing.TB, c *halfagg.Claim, d *group.Scalar) {
	t.Helper()
	last := [64]byte(slices.Concat(make([]byte, 32), c.Aggregate[len(c.Aggregate)-32:]))
	addTo(t, &last, d)
	c.Aggregate = slices.Concat(c.Aggregate[:len(c.Aggregate)-32], last[32:])
}

// The errors of claims 1 and 4 cancel in a sum without random factors.
func TestVerifyEach(t *testing.T) {
	all := claims(t, 3, 2, 0, 1, 5, 2, 7)
	var d group.Scalar
	change(t, &all[1], d.SetUint64(1))
	change(t, &all[4], d.Negate(&d))
	all[5].Aggregate = all[5].Aggregate[1:]
	all[6].Statements = slices.Clone(all[6].Statements)
	all[6].Statements[6].Key = [32]byte{}
	want := []batch.Verdict{
		batch.Valid, batch.Invalid, batch.Valid, batch.Valid, batch.Invalid,
		batch.Malformed, batch.Malformed,
	}
	for lo := range all {
		for hi := lo; hi <= len(all); hi++ {
			got := make([]batch.Verdict, hi-lo)
			n, err := halfagg.VerifyEach(context.Background(), all[lo:hi], got, 1)
			if err != nil || !slices.Equal(got, want[lo:hi]) {
				t.Errorf("claims %d to %d: %v, %v; want %v", lo, hi, got, err, want[lo:hi])
			}
			valid := 0
			for _, v := range want[lo:hi] {
				if v == batch.Valid {
					valid++
				}
			}
			if n != valid {
				t.Errorf("claims %d to %d: %d valid, want %d", lo, hi, n, valid)
			}
		}
	}
	if _, err := halfagg.VerifyEach(context.Background(), all, nil, 1); err == nil {
		t.Error("no verdicts, and no error")
	}
}

// Claims with more than 4,096 statements are verified by several equations.
func TestVerifyEachParts(t *testing.T) {
	all := slices.Repeat(claims(t, 1500), 7)
	var d group.Scalar
	change(t, &all[4], d.SetUint64(1))
	verdicts := make([]batch.Verdict, len(all))
	n, err := halfagg.VerifyEach(context.Background(), all, verdicts, 0)
	if n != 6 || err != nil || slices.Index(verdicts, batch.Invalid) != 4 {
		t.Errorf("%d claims are valid, %v: %v", n, err, verdicts)
	}
}

// A countdown is a context that is canceled at a given call of its methods. If forgets is set, it
// says so only in that call, although package context forbids that.
type countdown struct {
	context.Context
	cancel  context.CancelFunc
	left    atomic.Int64
	forgets bool
}

func newCountdown(calls int) *countdown {
	ctx, cancel := context.WithCancel(context.Background())
	c := &countdown{Context: ctx, cancel: cancel}
	c.left.Store(int64(calls))
	return c
}

func (c *countdown) count() {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
}

func (c *countdown) Err() error {
	if c.count(); c.forgets && c.left.Load() != 0 {
		return nil
	}
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	c.count()
	return c.Context.Done()
}

// Wherever a context ends, the number of Valid claims is that of their verdicts, and every verdict
// is right or Unchecked. A nil context never ends.
func TestVerifyEachEnds(t *testing.T) {
	all := claims(t, 1, 2, 1, 3, 1)
	var d group.Scalar
	change(t, &all[2], d.SetUint64(1))
	all[4].Aggregate = nil
	want := []batch.Verdict{
		batch.Valid, batch.Valid, batch.Invalid, batch.Valid, batch.Malformed,
	}
	for _, forgets := range []bool{false, true} {
		partial := 0
		for calls := 1; ; calls++ {
			ctx := newCountdown(calls)
			ctx.forgets = forgets
			got := slices.Repeat([]batch.Verdict{batch.Valid}, len(all))
			n, err := halfagg.VerifyEach(ctx, all, got, 1)
			valid := 0
			for i, v := range got {
				if v == batch.Valid {
					valid++
				}
				if v != want[i] && (v != batch.Unchecked || err == nil) {
					t.Errorf("call %d: the verdict on claim %d is %v, %v", calls, i, v, err)
				}
			}
			if n != valid || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("call %d: %d claims are valid, %v: %v", calls, n, err, got)
			}
			if err != nil && n > 0 {
				partial++
			}
			if ctx.cancel(); ctx.left.Load() > 0 {
				break
			}
		}
		if partial == 0 {
			t.Error("no call ended with some verdicts")
		}
	}
	got := make([]batch.Verdict, len(all))
	n, err := halfagg.VerifyEach(context.Context(nil), all, got, 1)
	if n != 3 || err != nil || !slices.Equal(got, want) {
		t.Errorf("a nil context: %d claims are valid, %v: %v", n, err, got)
	}
}

// A claim can have millions of statements, and a call millions of claims without statements. A
// context that ends while VerifyEach hashes them ends the call soon: it allocates only a small part
// of the memory that they need. Each context ends when VerifyEach looks at it for the second time.
func TestVerifyEachEndsEarly(t *testing.T) {
	const n = 1 << 16
	empty := halfagg.Claim{Aggregate: make([]byte, 32)}
	for name, claims := range map[string][]halfagg.Claim{
		"a large claim": {{make([]byte, 32*(n+1)), make([]halfagg.Statement, n)}},
		"empty claims":  slices.Repeat([]halfagg.Claim{empty}, n),
	} {
		verdicts := make([]batch.Verdict, len(claims))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		valid, err := halfagg.VerifyEach(newCountdown(2), claims, verdicts, 1)
		runtime.ReadMemStats(&after)
		if valid != 0 || !errors.Is(err, context.Canceled) || verdicts[0] != batch.Unchecked {
			t.Errorf("%s: %d claims are valid, %v: %v", name, valid, err, verdicts[0])
		}
		if b := after.TotalAlloc - before.TotalAlloc; b > 16*n {
			t.Errorf("%s: %d bytes allocated", name, b)
		}
	}
}

// FuzzVerifyAggregate compares verdicts with the definition. If grow is set, the last statement is
// added to an aggregate of the others, with the last 64 bytes of the aggregate as its signature.
func FuzzVerifyAggregate(f *testing.F) {
	statements, signatures := signed(f, 2)
	aggregate := must(halfagg.Aggregate(statements, signatures))(f)
	var pairs []byte
	for _, s := range statements {
		pairs = append(append(pairs, s.Key[:]...), s.Message[:]...)
	}
	f.Add(aggregate, pairs, false)
	f.Add(append(slices.Clone(aggregate[:32]), signatures[1][:]...), pairs, true)
	f.Add(make([]byte, 32), []byte{}, false)
	f.Add(bytes.Repeat([]byte{0xff}, 64), make([]byte, 64), true)
	f.Fuzz(func(t *testing.T, aggregate, pairs []byte, grow bool) {
		statements := make([]halfagg.Statement, len(pairs)/64)
		for i := range statements {
			b := pairs[64*i:]
			statements[i] = halfagg.Statement{Key: [32]byte(b[:32]), Message: [32]byte(b[32:64])}
		}
		if n := len(statements) - 1; grow && n >= 0 && len(aggregate) >= 64 {
			cut := len(aggregate) - 64
			signature := [64]byte(aggregate[cut:])
			sum, err := halfagg.IncAggregate(
				aggregate[:cut], statements[:n], statements[n:], [][64]byte{signature})
			if err != nil {
				return
			}
			aggregate = sum
		}
		want := valid(t, aggregate, statements)
		if got := halfagg.VerifyAggregate(aggregate, statements); (got == nil) != want {
			t.Errorf("%v, want valid: %v", got, want)
		}
	})
}
