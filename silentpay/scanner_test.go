package silentpay_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A chain is transactions for a Scanner, and the points of their tweaks, which are nil if
// malformed.
type chain struct {
	silentpay.Transactions
	tweaks []*koblitz.PublicKey
}

// scanReceiver returns a receiver with its own keys and the given labels.
func scanReceiver(t testing.TB, r *rand.Rand, labels ...uint32) *silentpay.Receiver {
	t.Helper()
	scan, err := silentpay.NewScanKey(randomKey(t, r))
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := silentpay.NewReceiver(scan, randomKey(t, r).PublicKey(), labels...)
	if err != nil {
		t.Fatal(err)
	}
	return receiver
}

func randomKey(t testing.TB, r *rand.Rand) *koblitz.PrivateKey {
	t.Helper()
	b := make([]byte, 32)
	r.Read(b)
	key, err := koblitz.ParsePrivateKey(b)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// randomChain returns n transactions. About a third of them pay a receiver: its address, one with a
// label or its change, once or several times. Some tweaks and outputs are no points.
func randomChain(t testing.TB, r *rand.Rand, n int, receivers ...*silentpay.Receiver) *chain {
	t.Helper()
	c := &chain{}
	for range n {
		tweak := randomKey(t, r).PublicKey()
		b := tweak.Bytes()
		switch r.Intn(20) {
		case 0:
			b[0], tweak = byte(r.Intn(2)*5), nil
		case 1:
			copy(b[1:], make([]byte, 32))
			tweak = nil
		case 2:
			copy(b[1:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
			binary.BigEndian.PutUint64(b[9:], 1<<64-1)
			binary.BigEndian.PutUint64(b[17:], 1<<64-1)
			binary.BigEndian.PutUint64(b[25:], 1<<64-1)
			tweak = nil
		}
		c.Tweaks = append(c.Tweaks, b...)
		c.tweaks = append(c.tweaks, tweak)
		var outputs [][]byte
		for range r.Intn(4) {
			o := make([]byte, 32)
			r.Read(o)
			outputs = append(outputs, o)
		}
		if tweak != nil && len(receivers) > 0 && r.Intn(3) == 0 {
			receiver := receivers[r.Intn(len(receivers))]
			// Sometimes the payments begin at k = 1, and then they must not be found.
			for k := r.Intn(5) / 4; k <= r.Intn(3); k++ {
				candidates, err := receiver.Candidates(tweak, uint32(k))
				if err != nil {
					t.Fatal(err)
				}
				key := candidates[r.Intn(len(candidates))].Key
				outputs = append(outputs, key[:])
			}
		}
		r.Shuffle(len(outputs), func(i, j int) { outputs[i], outputs[j] = outputs[j], outputs[i] })
		end := len(outputs)
		if len(c.Ends) > 0 {
			end += c.Ends[len(c.Ends)-1]
		}
		c.Ends = append(c.Ends, end)
		for _, o := range outputs {
			c.Outputs = append(c.Outputs, o...)
		}
	}
	return c
}

// singly returns what Scan must find, and the verdicts, by Receiver.Scan.
func (c *chain) singly(
	t testing.TB, receivers []*silentpay.Receiver,
) (found []silentpay.Found, verdicts []batch.Verdict) {
	t.Helper()
	begin := 0
	for i, tweak := range c.tweaks {
		verdicts = append(verdicts, batch.Invalid)
		var outputs [][32]byte
		for ; begin < c.Ends[i]; begin++ {
			outputs = append(outputs, [32]byte(c.Outputs[32*begin:]))
		}
		if tweak == nil {
			verdicts[i] = batch.Malformed
			continue
		}
		for number, receiver := range receivers {
			matches, err := receiver.Scan(tweak, outputs)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range matches {
				found = append(found, silentpay.Found{Transaction: i, Receiver: number, Match: m})
				verdicts[i] = batch.Valid
			}
		}
	}
	return found, verdicts
}

// TestScanner compares a Scanner with Receiver.Scan.
func TestScanner(t *testing.T) {
	r := rand.New(rand.NewSource(352))
	many := make([]uint32, 50)
	for i := range many {
		many[i] = uint32(i + 1)
	}
	few := []*silentpay.Receiver{scanReceiver(t, r), scanReceiver(t, r, 7, 1<<31)}
	lots := []*silentpay.Receiver{scanReceiver(t, r, many...)}
	payments := 0
	for n := range 34 {
		payments += testScanner(t, randomChain(t, r, n, few...), few, 1)
		payments += testScanner(t, randomChain(t, r, n, lots...), lots, 1)
	}
	payments += testScanner(t, randomChain(t, r, 600, few...), few, 3)
	payments += testScanner(t, randomChain(t, r, 600, lots...), lots, 3)
	if payments < 300 {
		t.Errorf("%d payments", payments)
	}
}

func testScanner(t *testing.T, c *chain, receivers []*silentpay.Receiver, workers int) int {
	t.Helper()
	s, err := silentpay.NewScanner(receivers...)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make([]batch.Verdict, len(c.tweaks))
	found, err := s.Scan(context.Background(), c.Transactions, verdicts,
		&batch.SecretOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	want, wantVerdicts := c.singly(t, receivers)
	if !reflect.DeepEqual(verdicts, append([]batch.Verdict{}, wantVerdicts...)) {
		t.Fatalf("%d transactions: verdicts %v, want %v", len(verdicts), verdicts, wantVerdicts)
	}
	if len(found) != len(want) {
		t.Fatalf("%d transactions: %d payments, want %d", len(verdicts), len(found), len(want))
	}
	for i := range found {
		if string(found[i].Tweak.Bytes()) != string(want[i].Tweak.Bytes()) {
			t.Fatalf("payment %d: another tweak", i)
		}
		found[i].Tweak, want[i].Tweak = nil, nil
		if found[i] != want[i] {
			t.Fatalf("payment %d: %+v, want %+v", i, found[i], want[i])
		}
	}
	return len(found)
}

// TestScannerTogether scans a transaction that pays two receivers, and one whose malformed tweak is
// replaced by G. Anyone can compute the outputs of the tweak G: they must not be found.
func TestScannerTogether(t *testing.T) {
	r := rand.New(rand.NewSource(353))
	receivers := []*silentpay.Receiver{scanReceiver(t, r), scanReceiver(t, r, 3)}
	one := make([]byte, 32)
	one[31] = 1
	key, err := koblitz.ParsePrivateKey(one)
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{tweaks: []*koblitz.PublicKey{randomKey(t, r).PublicKey(), nil}}
	c.Tweaks = append(c.tweaks[0].Bytes(), make([]byte, 33)...)
	for i, tweak := range []*koblitz.PublicKey{c.tweaks[0], key.PublicKey()} {
		for _, receiver := range []*silentpay.Receiver{receivers[1], receivers[0]} {
			for k := range uint32(2) {
				candidates, err := receiver.Candidates(tweak, k)
				if err != nil {
					t.Fatal(err)
				}
				c.Outputs = append(c.Outputs, candidates[0].Key[:]...)
			}
		}
		c.Ends = append(c.Ends, 4*(i+1))
	}
	if n := testScanner(t, c, receivers, 1); n != 4 {
		t.Errorf("%d payments, want 4", n)
	}
}

// TestScannerErrors tests arguments that are errors.
func TestScannerErrors(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	if _, err := silentpay.NewScanner(); err == nil {
		t.Error("no receivers: no error")
	}
	if _, err := silentpay.NewScanner(new(silentpay.Receiver)); !errors.Is(err, koblitz.ErrZeroKey) {
		t.Errorf("a zero receiver: %v", err)
	}
	scan, err := silentpay.NewScanKey(randomKey(t, r))
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := silentpay.NewReceiver(scan, randomKey(t, r).PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	s, err := silentpay.NewScanner(receiver)
	if err != nil {
		t.Fatal(err)
	}
	c := randomChain(t, r, 3, receiver)
	verdicts := []batch.Verdict{9, 9, 9}
	for want, change := range map[string]func(*silentpay.Transactions){
		"silentpay: Tweaks: 98 bytes, want 33 times 3, the number of verdicts": func(
			x *silentpay.Transactions) {
			x.Tweaks = x.Tweaks[1:]
		},
		"silentpay: Ends: 2 numbers, want 3, the number of verdicts": func(
			x *silentpay.Transactions) {
			x.Ends = x.Ends[:2]
		},
		"silentpay: Ends: number 1 is -1, less than the number before it": func(
			x *silentpay.Transactions) {
			x.Ends = []int{0, -1, 0}
		},
		"silentpay: Outputs: 31 bytes, want 32 times 1, the last of Ends": func(
			x *silentpay.Transactions) {
			x.Ends, x.Outputs = []int{0, 0, 1}, make([]byte, 31)
		},
	} {
		x := c.Transactions
		change(&x)
		_, err := s.Scan(context.Background(), x, verdicts, nil)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if verdicts[0] != 9 {
			t.Errorf("%s: a verdict was written", want)
		}
	}
	o := &batch.SecretOptions{Unchecked: true}
	_, err = s.Scan(context.Background(), c.Transactions, verdicts, o)
	if err == nil || verdicts[0] != 9 {
		t.Errorf("Unchecked: error %v, %v", err, verdicts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Scan(ctx, c.Transactions, verdicts, nil); err != context.Canceled ||
		verdicts[2] != batch.Unchecked {
		t.Errorf("cancelled: %v, %v", err, verdicts)
	}
	if _, err := new(silentpay.Scanner).Scan(ctx, c.Transactions, verdicts, nil); err == nil {
		t.Error("the zero value: no error")
	}
	scan.Zeroize()
	_, err = s.Scan(context.Background(), c.Transactions, verdicts, nil)
	if !errors.Is(err, koblitz.ErrZeroKey) || verdicts[0] != batch.Unchecked {
		t.Errorf("a zeroized key: %v, %v", err, verdicts)
	}
}

// An ending is a context that ends after some calls of Err.
type ending struct {
	context.Context
	calls atomic.Int64 // calls of Err before the context ends
}

func (e *ending) Err() error {
	if e.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestScannerStops scans with a context that ends after each possible number of blocks, with a nil
// context, and with one of two keys zeroized. The transactions that are Valid must be those with
// payments in the result, and the payments must be among those of a scan that does not stop.
func TestScannerStops(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	scan, err := silentpay.NewScanKey(randomKey(t, r))
	if err != nil {
		t.Fatal(err)
	}
	second, err := silentpay.NewReceiver(scan, randomKey(t, r).PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	receivers := []*silentpay.Receiver{scanReceiver(t, r), second}
	s, err := silentpay.NewScanner(receivers...)
	if err != nil {
		t.Fatal(err)
	}
	const n = 600
	c := randomChain(t, r, n, receivers...)
	verdicts := make([]batch.Verdict, n)
	all, err := s.Scan(context.Context(nil), c.Transactions, verdicts, nil)
	if err != nil || slices.Contains(verdicts, batch.Unchecked) || len(all) == 0 {
		t.Fatalf("a nil context: %d payments, error %v", len(all), err)
	}
	partial := 0
	check := func(name string, ctx context.Context, want error) {
		found, err := s.Scan(ctx, c.Transactions, verdicts, &batch.SecretOptions{Workers: 1})
		if err != want {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
		paid := map[int]bool{}
		for _, f := range found {
			paid[f.Transaction] = true
			if !slices.ContainsFunc(all, func(a silentpay.Found) bool {
				return a.Transaction == f.Transaction && a.Receiver == f.Receiver && a.K == f.K
			}) {
				t.Errorf("%s: another payment in transaction %d", name, f.Transaction)
			}
		}
		for i, v := range verdicts {
			if (v == batch.Valid) != paid[i] {
				t.Errorf("%s: transaction %d is %v, payments in the result: %v", name, i, v, paid[i])
			}
		}
		if len(found) > 0 && len(found) < len(all) {
			partial++
		}
	}
	for calls := range int64(2) { // the transactions are two blocks
		ctx := &ending{Context: context.Background()}
		ctx.calls.Store(calls)
		check(fmt.Sprintf("after %d blocks", calls), ctx, context.Canceled)
	}
	if partial == 0 {
		t.Error("no scan stopped in the middle")
	}
	scan.Zeroize()
	check("a zeroized key", nil, koblitz.ErrZeroKey)
}

// BenchmarkScanner scans transactions with two outputs, none of which pays the receiver, who has no
// label but that of change.
func BenchmarkScanner(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewSource(2))
	receiver := scanReceiver(b, r)
	var c silentpay.Transactions
	for i := range n {
		c.Tweaks = append(c.Tweaks, randomKey(b, r).PublicKey().Bytes()...)
		c.Ends = append(c.Ends, 2*(i+1))
	}
	c.Outputs = make([]byte, 64*n)
	r.Read(c.Outputs)
	s, err := silentpay.NewScanner(receiver)
	if err != nil {
		b.Fatal(err)
	}
	verdicts := make([]batch.Verdict, n)
	for name, workers := range map[string]int{"one worker": 1, "two workers": 2} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if found, err := s.Scan(context.Background(), c, verdicts,
					&batch.SecretOptions{Workers: workers}); err != nil || len(found) > 0 {
					b.Fatal(found, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/tx")
		})
	}
	b.Run("one by one", func(b *testing.B) {
		tweaks := make([]*koblitz.PublicKey, n)
		for i := range tweaks {
			tweaks[i], _ = koblitz.ParsePublicKey(c.Tweaks[33*i:][:33])
		}
		for i := range b.N {
			i %= n
			if _, err := receiver.Scan(tweaks[i],
				[][32]byte{[32]byte(c.Outputs[64*i:]), [32]byte(c.Outputs[64*i+32:])}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
