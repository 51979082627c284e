package silentpay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A chain is transactions for a Scanner, and the points of their tweaks, which are nil if
// malformed.
type chain struct {
	Transactions
	tweaks []*koblitz.PublicKey
}

// add adds a transaction. tweak is the point that b encodes, or nil.
func (c *chain) add(tweak *koblitz.PublicKey, b []byte, outputs ...[32]byte) {
	c.tweaks = append(c.tweaks, tweak)
	c.Tweaks = append(c.Tweaks, b...)
	for i := range outputs {
		c.Outputs = append(c.Outputs, outputs[i][:]...)
	}
	c.Ends = append(c.Ends, len(c.Outputs)/32)
}

// newReceiver returns a receiver with its own keys and the given labels.
func newReceiver(r *rand.Rand, labels ...uint32) *Receiver {
	w := wallet{reference.Secret(r), reference.Secret(r), labels}
	return w.receiver()
}

// manyLabels returns n labels. With 50 of them Scan compares outputs by subtraction.
func manyLabels(n uint32) (labels []uint32) {
	for m := range n {
		labels = append(labels, m)
	}
	return labels
}

// randomChain returns n transactions. About a third of them pay a receiver: its address, one with a
// label or its change, once or several times. Some tweaks and outputs are no points.
func randomChain(r *rand.Rand, n int, receivers ...*Receiver) *chain {
	c := &chain{}
	for range n {
		tweak := private(reference.Secret(r)).PublicKey()
		b := tweak.Bytes()
		switch r.IntN(20) {
		case 0:
			b[0], tweak = byte(r.IntN(2)*5), nil
		case 1:
			copy(b[1:], make([]byte, 32))
			tweak = nil
		case 2:
			for i := 1; i < 33; i += 8 {
				binary.BigEndian.PutUint64(b[i:], 1<<64-1)
			}
			tweak = nil
		}
		var outputs [][32]byte
		for range r.IntN(4) {
			outputs = append(outputs, [32]byte(reference.Bytes(r, 32)))
		}
		if tweak != nil && r.IntN(3) == 0 {
			receiver := receivers[r.IntN(len(receivers))]
			// Sometimes the payments begin at k = 1, and then they must not be found.
			for k := r.IntN(5) / 4; k <= r.IntN(3); k++ {
				candidates := reference.Must(receiver.Candidates(tweak, uint32(k)))
				outputs = append(outputs, candidates[r.IntN(len(candidates))].Key)
			}
		}
		r.Shuffle(len(outputs), func(i, j int) { outputs[i], outputs[j] = outputs[j], outputs[i] })
		c.add(tweak, b, outputs...)
	}
	return c
}

// singly returns what Scan must find, and the verdicts, by Receiver.Scan.
func (c *chain) singly(receivers []*Receiver) (found []Found, verdicts []batch.Verdict) {
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
			for _, m := range reference.Must(receiver.Scan(tweak, outputs)) {
				found = append(found, Found{Transaction: i, Receiver: number, Match: m})
				verdicts[i] = batch.Valid
			}
		}
	}
	return found, verdicts
}

// TestScanner compares a Scanner with Receiver.Scan.
func TestScanner(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 2))
	few := []*Receiver{newReceiver(r), newReceiver(r, 7, 1<<31)}
	lots := []*Receiver{newReceiver(r, manyLabels(50)...)}
	payments := 0
	for n := range 34 {
		payments += len(testScanner(t, randomChain(r, n, few...), few, 1))
		payments += len(testScanner(t, randomChain(r, n, lots...), lots, 1))
	}
	// The only output of this transaction has no label: it is P_0, not P_0 plus the point of a label.
	alone := randomChain(r, 20, lots...)
	tweak := private(reference.Secret(r)).PublicKey()
	alone.add(tweak, tweak.Bytes(), reference.Must(lots[0].Candidates(tweak, 0))[0].Key)
	testScanner(t, alone, lots, 1)
	payments += len(testScanner(t, randomChain(r, 600, few...), few, 3))
	payments += len(testScanner(t, randomChain(r, 600, lots...), lots, 3))
	if payments < 300 {
		t.Errorf("%d payments", payments)
	}
}

// testScanner compares what a Scanner finds with what Receiver.Scan finds, and returns it.
func testScanner(t *testing.T, c *chain, receivers []*Receiver, workers int) []Found {
	t.Helper()
	s := reference.Must(NewScanner(receivers...))
	verdicts := make([]batch.Verdict, len(c.tweaks))
	found, err := s.Scan(context.Background(), c.Transactions, verdicts,
		&batch.SecretOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	want, wantVerdicts := c.singly(receivers)
	if !slices.Equal(verdicts, wantVerdicts) {
		t.Fatalf("%d transactions: verdicts %v, want %v", len(verdicts), verdicts, wantVerdicts)
	}
	if !slices.EqualFunc(found, want, func(a, b Found) bool {
		same := string(a.Tweak.Bytes()) == string(b.Tweak.Bytes())
		a.Tweak, b.Tweak = nil, nil
		return same && a == b
	}) {
		t.Fatalf("%d transactions: payments %+v, want %+v", len(verdicts), found, want)
	}
	return found
}

// TestScannerTogether scans a transaction that pays two receivers, and one whose malformed tweak is
// replaced by G. Anyone can compute the outputs of the tweak G: they must not be found.
func TestScannerTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 3))
	receivers := []*Receiver{newReceiver(r), newReceiver(r, 3)}
	c := &chain{}
	tweak := private(reference.Secret(r)).PublicKey()
	for i, tweak := range []*koblitz.PublicKey{tweak, number(1).PublicKey()} {
		var outputs [][32]byte
		for _, receiver := range []*Receiver{receivers[1], receivers[0]} {
			for k := range uint32(2) {
				outputs = append(outputs, reference.Must(receiver.Candidates(tweak, k))[0].Key)
			}
		}
		if i == 0 {
			c.add(tweak, tweak.Bytes(), outputs...)
		} else {
			c.add(nil, make([]byte, 33), outputs...)
		}
	}
	if found := testScanner(t, c, receivers, 1); len(found) != 4 {
		t.Errorf("%d payments, want 4", len(found))
	}
}

// TestInfinity scans for receivers whose spend key was made for the transaction's tweak, so that
// the point P_k is infinity for one k, or its sum with the point of a label. Infinity matches no
// output, not even one of 32 zeros, and one such receiver is no error for others.
func TestInfinity(t *testing.T) {
	p := curve.ScalarMult(big.NewInt(7), curve.G)
	tweak := number(7).PublicKey()
	other := wallet{scan: big.NewInt(8), spend: big.NewInt(9)}
	for _, test := range []struct {
		name  string
		k     uint32
		label int64
		found int
	}{
		{"P_0", 0, -1, 0},
		{"P_0 with a label", 0, 1, 0},
		{"P_1", 1, -1, 1},
		{"P_1 with a label", 1, 1, 1},
	} {
		for _, labels := range [][]uint32{{1}, manyLabels(40)} {
			w := wallet{scan: big.NewInt(5), labels: labels}
			w.spend = w.privateTweak(p, test.k, test.label)
			w.spend.Sub(curve.Order, w.spend)
			outputs := [][32]byte{{}, other.output(p, 0, -1)}
			if test.found > 0 {
				outputs = append(outputs, w.output(p, 0, -1))
			}
			c := &chain{}
			c.add(tweak, tweak.Bytes(), outputs...)
			found := testScanner(t, c, []*Receiver{w.receiver(), other.receiver()}, 1)
			if len(found) != test.found+1 {
				t.Errorf("%s, %d labels: %d payments", test.name, len(labels), len(found))
			}
		}
	}
}

// TestScanManyOutputs scans one transaction with many outputs for a receiver with many labels. Its
// last two outputs pay the receiver.
func TestScanManyOutputs(t *testing.T) {
	w := wallet{scan: big.NewInt(5), spend: big.NewInt(6), labels: manyLabels(1000)}
	p := curve.ScalarMult(big.NewInt(7), curve.G)
	var outputs [][32]byte
	for i := range int64(1000) {
		outputs = append(outputs, [32]byte(bytes32(big.NewInt(i))))
	}
	outputs = append(outputs, w.output(p, 1, -1), w.output(p, 0, 999))
	c := &chain{}
	c.add(number(7).PublicKey(), number(7).PublicKey().Bytes(), outputs...)
	found := testScanner(t, c, []*Receiver{w.receiver()}, 1)
	if len(found) != 2 || found[0].Label != 999 || found[1].Output != 1000 {
		t.Errorf("%d payments", len(found))
	}
}

// TestScannerErrors tests arguments that are errors.
func TestScannerErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	if _, err := NewScanner(); err == nil {
		t.Error("no receivers: no error")
	}
	if _, err := NewScanner(new(Receiver)); !errors.Is(err, koblitz.ErrZeroKey) {
		t.Errorf("a zero receiver: %v", err)
	}
	receiver := newReceiver(r)
	s := reference.Must(NewScanner(receiver))
	c := randomChain(r, 3, receiver)
	verdicts := []batch.Verdict{9, 9, 9}
	for want, x := range map[string]Transactions{
		"silentpay: Tweaks: 98 bytes, want 33 times 3, the number of verdicts": {
			Tweaks: c.Tweaks[1:], Outputs: c.Outputs, Ends: c.Ends},
		"silentpay: Ends: 2 numbers, want 3, the number of verdicts": {
			Tweaks: c.Tweaks, Outputs: c.Outputs, Ends: c.Ends[:2]},
		"silentpay: Ends: number 1 is -1, less than the number before it": {
			Tweaks: c.Tweaks, Outputs: c.Outputs, Ends: []int{0, -1, 0}},
		"silentpay: Outputs: 31 bytes, want 32 times 1, the last of Ends": {
			Tweaks: c.Tweaks, Outputs: make([]byte, 31), Ends: []int{0, 0, 1}},
	} {
		_, err := s.Scan(context.Background(), x, verdicts, nil)
		if err == nil || err.Error() != want || verdicts[0] != 9 {
			t.Errorf("error %v and verdict %v, want %s", err, verdicts[0], want)
		}
	}
	o := &batch.SecretOptions{Unchecked: true}
	_, err := s.Scan(context.Background(), c.Transactions, verdicts, o)
	if err == nil || verdicts[0] != 9 {
		t.Errorf("Unchecked: error %v, %v", err, verdicts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Scan(ctx, c.Transactions, verdicts, nil); err != context.Canceled ||
		verdicts[2] != batch.Unchecked {
		t.Errorf("cancelled: %v, %v", err, verdicts)
	}
	if _, err := new(Scanner).Scan(ctx, c.Transactions, verdicts, nil); err == nil {
		t.Error("the zero value: no error")
	}
	receiver.scan.Zeroize()
	_, err = s.Scan(context.Background(), c.Transactions, verdicts, nil)
	if !errors.Is(err, koblitz.ErrZeroKey) || verdicts[0] != batch.Unchecked {
		t.Errorf("a zeroized key: %v, %v", err, verdicts)
	}
	// Where an int has 32 bits, 33 times this number is 29.
	err = (&Transactions{Tweaks: make([]byte, 29)}).check((1<<32 + 29) / tweakSize)
	if err == nil || !strings.Contains(err.Error(), "Tweaks: 29 bytes") {
		t.Errorf("error %v", err)
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

// TestScannerStops scans with a context that ends after each possible number of looks, with a nil
// context, and with one of two keys zeroized. The transactions that are Valid must be those with
// payments in the result, and the payments must be among those of a scan that does not stop.
func TestScannerStops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	receivers := []*Receiver{newReceiver(r), newReceiver(r)}
	s := reference.Must(NewScanner(receivers...))
	const n = 600
	c := randomChain(r, n, receivers...)
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
			if !slices.ContainsFunc(all, func(a Found) bool {
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
	for calls := range int64(4) { // the transactions are two blocks, for two receivers each
		ctx := &ending{Context: context.Background()}
		ctx.calls.Store(calls)
		check(fmt.Sprintf("after %d looks", calls), ctx, context.Canceled)
	}
	if partial == 0 {
		t.Error("no scan stopped in the middle")
	}
	receivers[1].scan.Zeroize()
	check("a zeroized key", nil, koblitz.ErrZeroKey)
}

// TestSubtracts checks the choice of the algorithm for numbers whose products have more than 32
// bits: with the other one this block would take minutes.
func TestSubtracts(t *testing.T) {
	if !subtracts(100_000, 512, 1_400_000) || !subtracts(1000, 512, 1<<21) || subtracts(1, 512, 512) {
		t.Error("the slower algorithm")
	}
}

// A writing context changes memory when a scan first looks at it, after the arguments were
// checked. It never ends.
type writing struct {
	context.Context
	change func()
}

func (c writing) Err() error {
	c.change()
	return nil
}

// TestEndsChange changes the numbers of outputs while a scan runs. The result must be that for the
// numbers at first.
func TestEndsChange(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	receiver := newReceiver(r)
	s := reference.Must(NewScanner(receiver))
	c := randomChain(r, 40, receiver)
	want, wantVerdicts := c.singly([]*Receiver{receiver})
	for _, end := range []int{1 << 20, -1, 0} {
		ends := slices.Clone(c.Ends)
		ctx := writing{context.Background(), func() {
			for i := range ends {
				ends[i] = end
			}
		}}
		verdicts := make([]batch.Verdict, len(ends))
		found, err := s.Scan(ctx, Transactions{c.Tweaks, c.Outputs, ends}, verdicts, nil)
		if err != nil || len(found) != len(want) || !slices.Equal(verdicts, wantVerdicts) {
			t.Errorf("Ends become %d: %d payments, want %d: %v", end, len(found), len(want), err)
		}
	}
}

// A forgetful context ends at one call of Err, but later calls return nil, although package context
// forbids it.
type forgetful struct {
	context.Context
	calls int
}

func (f *forgetful) Err() error {
	if f.calls++; f.calls == 1 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestScannerForgets scans with a forgetful context. There must be an error if a transaction was
// not reached.
func TestScannerForgets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	receiver := newReceiver(r)
	s := reference.Must(NewScanner(receiver))
	c := randomChain(r, 40, receiver)
	verdicts := make([]batch.Verdict, len(c.Ends))
	_, err := s.Scan(&forgetful{Context: context.Background()}, c.Transactions, verdicts, nil)
	if err == nil || !slices.Contains(verdicts, batch.Unchecked) {
		t.Errorf("error %v, verdicts %v", err, verdicts)
	}
}
