package silentpay

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestPayments sends random payments, and compares every step with the oracle: the public tweak,
// the outputs, the matches, their private tweaks, and the keys that spend them.
func TestPayments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		wallets := []wallet{
			{reference.Secret(r), reference.Secret(r), nil},
			{reference.Secret(r), reference.Secret(r), []uint32{1, 2, 1<<32 - 1}},
		}
		tx := newTransaction(r)
		if tx.tweak.IsInfinity() {
			continue
		}

		// Pay both wallets in any order, with any labels.
		type payment struct {
			wallet int
			label  int64
		}
		var payments []payment
		var recipients []*Address
		for range 1 + r.IntN(6) {
			p := payment{r.IntN(2), -1}
			w := &wallets[p.wallet]
			receiver := w.receiver()
			address, err := receiver.Address(Mainnet)
			if n := len(w.labels); r.IntN(2) == 0 && n > 0 {
				p.label = int64(w.labels[r.IntN(n)])
				address, err = receiver.LabeledAddress(Mainnet, uint32(p.label))
			} else if r.IntN(4) == 0 {
				p.label = 0
				address, err = receiver.ChangeAddress(Mainnet)
			}
			payments = append(payments, p)
			recipients = append(recipients, reference.Must(address, err))
		}
		outputs := reference.Must(Outputs(tx.inputs, tx.outpoints, recipients))
		next := [2]uint32{}
		for i, p := range payments {
			want := wallets[p.wallet].output(tx.tweak, next[p.wallet], p.label)
			next[p.wallet]++
			if outputs[i] != want {
				t.Fatalf("output %d is %x, want %x", i, outputs[i], want)
			}
		}

		// Every wallet finds its outputs, in any order and among others.
		others := [][32]byte{{}, {31: 5}, [32]byte(bytes32(reference.Gx()))}
		inTransaction := slices.Concat(outputs, others)
		order := r.Perm(len(inTransaction))
		shuffled := make([][32]byte, len(order))
		for to, from := range order {
			shuffled[to] = inTransaction[from]
		}
		tweak, err := PublicTweak(tx.outpoints, tx.public)
		if err != nil || !bytes.Equal(tweak.Bytes(), compressed(tx.tweak)) {
			t.Fatalf("public tweak %v, %v, want %x", tweak, err, compressed(tx.tweak))
		}
		for i := range wallets {
			w := &wallets[i]
			matches, err := w.receiver().Scan(tweak, shuffled)
			if err != nil || len(matches) != int(next[i]) {
				t.Fatalf("%d matches, %v, want %d", len(matches), err, next[i])
			}
			for k, m := range matches {
				p := payments[order[m.Output]]
				label := int64(-1)
				if m.Labeled {
					label = int64(m.Label)
				}
				if p.wallet != i || p.label != label || m.K != uint32(k) {
					t.Fatalf("match %d is %+v, want the output of %+v", k, m, p)
				}
				checkSpend(t, w, &m, tx.tweak, shuffled[m.Output], label)
			}
		}
	}
}

// A transaction is the inputs of a payment.
type transaction struct {
	inputs    []Input
	public    []*koblitz.PublicKey // keys of the inputs, as a receiver sees them
	outpoints []Outpoint
	tweak     reference.Point
}

// newTransaction returns a transaction with up to four inputs with random keys.
func newTransaction(r *rand.Rand) *transaction {
	tx := new(transaction)
	var secrets []*big.Int
	var taproot []bool
	for range 1 + r.IntN(4) {
		d, isTaproot := reference.Secret(r), r.IntN(2) == 0
		key := private(d)
		tx.inputs = append(tx.inputs, Input{Key: key, Taproot: isTaproot})
		public := key.PublicKey()
		if isTaproot {
			public = key.XOnlyPublicKey().PublicKey()
		}
		tx.public = append(tx.public, public)
		secrets, taproot = append(secrets, d), append(taproot, isTaproot)
	}
	for range len(tx.inputs) + r.IntN(2) {
		var o Outpoint
		for i := range o {
			o[i] = byte(r.IntN(3))
		}
		tx.outpoints = append(tx.outpoints, o)
	}
	tx.tweak = transactionTweak(secrets, taproot, tx.outpoints)
	return tx
}

// checkSpend checks the private tweak of a match, and the key that spends it.
func checkSpend(
	t *testing.T, w *wallet, m *Match, tweak reference.Point, output [32]byte, label int64,
) {
	t.Helper()
	want := bytes32(w.privateTweak(tweak, m.K, label))
	if got := m.Tweak.Bytes(); !bytes.Equal(got, want) {
		t.Fatalf("private tweak %x, want %x", got, want)
	}
	parsed := reference.Must(ParsePrivateTweak(want))
	key := reference.Must(spendKey(w.spend).Tweak(parsed))
	public, err := koblitz.ParseXOnlyPublicKey(output[:])
	if err != nil || !key.XOnlyPublicKey().Equal(public) {
		t.Fatalf("key %v for the output %x, %v", key.XOnlyPublicKey(), output, err)
	}
}

// TestCandidates compares the output keys that a light client looks for with the oracle.
func TestCandidates(t *testing.T) {
	w := wallet{big.NewInt(5), big.NewInt(6), []uint32{9, 3, 3}}
	tweak := curve.ScalarMult(big.NewInt(7), curve.G)
	for _, k := range []uint32{0, 1, KMax - 1} {
		got, err := w.receiver().Candidates(number(7).PublicKey(), k)
		want := []Candidate{{Key: w.output(tweak, k, -1)}}
		for _, m := range []uint32{0, 3, 9} {
			want = append(want, Candidate{w.output(tweak, k, int64(m)), true, m})
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("k = %d: %+v, %v, want %+v", k, got, err, want)
		}
	}
	for _, k := range []uint32{KMax, 1<<32 - 1} {
		if got, err := w.receiver().Candidates(number(7).PublicKey(), k); err == nil || got != nil {
			t.Errorf("k = %d: %+v, %v", k, got, err)
		}
	}
}

// TestScanOrderConcurrently checks which outputs match, in transactions that a hostile sender can
// make too. With few labels Scan adds them to P_k, and with many it subtracts P_k from the outputs;
// both find the same. Goroutines share the receivers: the race detector finds violations.
func TestScanOrderConcurrently(t *testing.T) {
	w := wallet{scan: big.NewInt(5), spend: big.NewInt(6)}
	p := curve.ScalarMult(big.NewInt(7), curve.G)
	out := func(k uint32, m int64) [32]byte { return w.output(p, k, m) }
	other, noPoint := [32]byte(bytes32(reference.Gx())), [32]byte{31: 5}
	tooLarge := [32]byte(bytes.Repeat([]byte{0xff}, 32))
	var receivers []*Receiver
	for _, labels := range []uint32{3, 9, 41} {
		w.labels = manyLabels(labels)
		receivers = append(receivers, w.receiver())
	}
	var wg sync.WaitGroup
	for _, test := range []struct {
		name    string
		outputs [][32]byte
		want    [][2]int64 // the index of an output and its label, or -1 for none
	}{
		{"nothing", nil, nil},
		{"others", [][32]byte{other, noPoint, tooLarge}, nil},
		{"k = 1 without k = 0", [][32]byte{out(1, -1), out(1, 1)}, nil},
		{"another order", [][32]byte{out(2, -1), out(1, -1), other, out(0, -1)},
			[][2]int64{{3, -1}, {1, -1}, {0, -1}}},
		{"labels", [][32]byte{noPoint, out(1, 0), out(0, 2), out(2, 1)},
			[][2]int64{{2, 2}, {1, 0}, {3, 1}}},
		{"a label that is not used", [][32]byte{out(0, 100000)}, nil},
		{"a gap", [][32]byte{out(0, -1), out(2, -1)}, [][2]int64{{0, -1}}},
		{"the same output twice", [][32]byte{out(0, -1), out(0, -1), out(1, 1), out(1, 1)},
			[][2]int64{{0, -1}, {2, 1}}},
		{"the same k with labels, after none", [][32]byte{out(0, -1), out(0, 1), out(1, -1)},
			[][2]int64{{0, -1}, {2, -1}}},
		{"the same k with labels, before none", [][32]byte{other, out(0, 2), out(0, 1), out(0, -1)},
			[][2]int64{{1, 2}}},
		{"the same k with two labels", [][32]byte{other, out(0, 1), out(0, 2), out(1, 0)},
			[][2]int64{{1, 1}, {3, 0}}},
	} {
		for _, receiver := range receivers {
			wg.Go(func() {
				var got [][2]int64
				for _, m := range reference.Must(receiver.Scan(number(7).PublicKey(), test.outputs)) {
					label := int64(-1)
					if m.Labeled {
						label = int64(m.Label)
					}
					got = append(got, [2]int64{int64(m.Output), label})
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("%s: %v, want %v", test.name, got, test.want)
				}
			})
		}
	}
	wg.Wait()
}

// TestKMax checks both sides of the limit: a group of KMax recipients is paid and found completely,
// and one more recipient is an error. One more output is not found.
func TestKMax(t *testing.T) {
	w := wallet{scan: big.NewInt(5), spend: big.NewInt(6)}
	address := reference.Must(w.receiver().Address(Regtest))
	inputs, outpoints := []Input{{Key: number(9)}}, make([]Outpoint, 1)
	recipients := slices.Repeat([]*Address{address}, KMax+1)
	out, err := Outputs(inputs, outpoints, append([]*Address{example(Regtest)}, recipients...))
	want := fmt.Sprintf("recipient %d: more than %d recipients", KMax+1, KMax)
	if out != nil || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d outputs for %d recipients of one scan key, %v", len(out), len(recipients), err)
	}
	outputs := reference.Must(Outputs(inputs, outpoints, recipients[:KMax]))
	tweak := reference.Must(PublicTweak(outpoints, []*koblitz.PublicKey{number(9).PublicKey()}))
	receiver := w.receiver()
	matches, err := receiver.Scan(tweak, outputs)
	if err != nil || len(matches) != KMax || matches[KMax-1].Output != KMax-1 {
		t.Errorf("%d matches, %v, want %d", len(matches), err, KMax)
	}
	// An output that no sender makes: number KMax.
	shared := reference.Must(receiver.agree(tweak))
	var p point.Affine
	if err := shared.output(&p, receiver.spend.Affine(), KMax); err != nil {
		t.Fatal(err)
	}
	outputs = append(outputs, [32]byte{})
	p.X.PutBytes(&outputs[KMax])
	if matches, err := receiver.Scan(tweak, outputs); err != nil || len(matches) != KMax {
		t.Errorf("%d matches among %d outputs, %v, want %d", len(matches), len(outputs), err, KMax)
	}
}

// TestInputErrors checks inputs that neither a sender nor a receiver accepts, and recipients that
// a sender does not accept.
func TestInputErrors(t *testing.T) {
	key, wiped := number(3), number(3)
	wiped.Zeroize()
	address := []*Address{example(Mainnet)}
	one, two := make([]Outpoint, 1), make([]Outpoint, 2)
	for _, test := range []struct {
		name      string
		inputs    []Input
		outpoints []Outpoint
		want      error
	}{
		{"no inputs", nil, one, errNoInputs},
		{"no outpoints", []Input{{Key: key}}, nil, errNoOutpoints},
		{"few outpoints", []Input{{Key: key}, {Key: key}}, one, errNoOutpoints},
		{"nil key", []Input{{Key: key}, {}}, two, koblitz.ErrZeroKey},
		{"zero key", []Input{{Key: &koblitz.PrivateKey{}, Taproot: true}}, one, koblitz.ErrZeroKey},
		{"zeroized key", []Input{{Key: wiped}}, one, koblitz.ErrZeroKey},
		{"opposite keys", []Input{{Key: key}, {Key: key.Negate()}}, two, ErrZeroSum},
	} {
		out, err := Outputs(test.inputs, test.outpoints, address)
		if out != nil || !errors.Is(err, test.want) {
			t.Errorf("%s: Outputs = %x, %v, want %v", test.name, out, err, test.want)
		}
		var public []*koblitz.PublicKey
		for _, in := range test.inputs {
			public = append(public, in.Key.PublicKey())
		}
		tweak, err := PublicTweak(test.outpoints, public)
		if tweak != nil || !errors.Is(err, test.want) {
			t.Errorf("%s: PublicTweak = %v, %v, want %v", test.name, tweak, err, test.want)
		}
	}
	for name, recipients := range map[string][]*Address{
		"none": nil, "nil": {nil}, "zero": {example(Mainnet), {}},
		"two networks": {example(Mainnet), example(Testnet)},
	} {
		if out, err := Outputs([]Input{{Key: key}}, one, recipients); err == nil || out != nil {
			t.Errorf("%s: %x, %v", name, out, err)
		}
	}
	// With taproot, opposite keys count as the same key.
	opposite := []Input{{Key: key, Taproot: true}, {Key: key.Negate(), Taproot: true}}
	if _, err := Outputs(opposite, two, address); err != nil {
		t.Error(err)
	}
}

// TestLabels checks which addresses a receiver hands out.
func TestLabels(t *testing.T) {
	w := wallet{big.NewInt(5), big.NewInt(6), []uint32{4}}
	r := w.receiver()
	for m, ok := range map[uint32]bool{0: false, 1: false, 4: true, 5: false} {
		if a, err := r.LabeledAddress(Mainnet, m); (err == nil) != ok || (a == nil) == ok {
			t.Errorf("label %d: %v, %v", m, a, err)
		}
	}
	change, err := r.ChangeAddress(Testnet)
	if err != nil || change.Network() != Testnet || !change.ScanKey().Equal(r.scan.PublicKey()) {
		t.Errorf("change: %v, %v", change, err)
	}
	for _, f := range []func(Network) (*Address, error){r.Address, r.ChangeAddress} {
		if a, err := f(0); err == nil || a != nil {
			t.Errorf("no network: %v, %v", a, err)
		}
	}
}

// TestKeysAreCopied checks that a scan or spend key lives longer than the key that it was made of,
// and that zeroizing the scan key stops its receivers.
func TestKeysAreCopied(t *testing.T) {
	key := number(5)
	scan := reference.Must(NewScanKey(key))
	spend := reference.Must(NewSpendKey(key))
	public := key.PublicKey()
	key.Zeroize()
	if !scan.PublicKey().Equal(public) || !spend.PublicKey().Equal(public) {
		t.Error("zeroizing a key zeroizes its copies")
	}
	r := reference.Must(NewReceiver(scan, public))
	copied := *scan
	copied.Zeroize()
	if !scan.IsZero() || scan.PublicKey() != nil {
		t.Error("the scan key survives the zeroizing of a copy")
	}
	_, scanErr := r.Scan(public, nil)
	_, candidatesErr := r.Candidates(public, 0)
	_, addressErr := r.Address(Mainnet)
	_, changeErr := r.ChangeAddress(Mainnet)
	_, newErr := NewReceiver(scan, public)
	for i, err := range []error{scanErr, candidatesErr, addressErr, changeErr, newErr} {
		if !errors.Is(err, koblitz.ErrZeroKey) {
			t.Errorf("call %d with a zeroized scan key: %v", i, err)
		}
	}
	spend.Zeroize()
	tweak := reference.Must(ParsePrivateTweak(bytes32(big.NewInt(1))))
	if k, err := spend.Tweak(tweak); k != nil || !errors.Is(err, koblitz.ErrZeroKey) {
		t.Errorf("a zeroized spend key: %v, %v", k, err)
	}
}

func TestPrivateTweak(t *testing.T) {
	n := curve.Order
	for _, b := range [][]byte{
		nil, make([]byte, 31), make([]byte, 33), make([]byte, 32), bytes32(n),
		bytes.Repeat([]byte{0xff}, 32),
	} {
		if tweak, err := ParsePrivateTweak(b); err == nil || tweak != nil {
			t.Errorf("%x: %v, %v", b, tweak, err)
		}
	}
	last := new(big.Int).Sub(n, big.NewInt(1))
	tweak, err := ParsePrivateTweak(bytes32(last))
	if err != nil || !bytes.Equal(tweak.Bytes(), bytes32(last)) {
		t.Fatalf("%x, %v", tweak.Bytes(), err)
	}
	// n - 1 + 1 is zero.
	if k, err := spendKey(big.NewInt(1)).Tweak(tweak); k != nil || !errors.Is(err, errZero) {
		t.Errorf("a sum that is zero: %v, %v", k, err)
	}
	tweak.Zeroize()
	if !tweak.IsZero() || tweak.Bytes() != nil {
		t.Error("a tweak survives Zeroize")
	}
	k, err := spendKey(big.NewInt(1)).Tweak(tweak)
	if k != nil || !errors.Is(err, koblitz.ErrZeroKey) {
		t.Errorf("a zeroized tweak: %v, %v", k, err)
	}
}

// FuzzScan checks that hostile tweaks and outputs cause no panic and no match.
func FuzzScan(f *testing.F) {
	f.Add(number(1).PublicKey().Bytes(), bytes32(reference.Gx()))
	f.Add([]byte{}, []byte{})
	w := wallet{big.NewInt(5), big.NewInt(6), []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	r := w.receiver()
	f.Fuzz(func(t *testing.T, key, data []byte) {
		tweak, err := koblitz.ParsePublicKey(key)
		if err != nil {
			return
		}
		var outputs [][32]byte
		for len(data) >= 32 {
			outputs, data = append(outputs, [32]byte(data)), data[32:]
		}
		if m, err := r.Scan(tweak, outputs); err != nil || len(m) > 0 {
			t.Errorf("%v, %v", m, err)
		}
	})
}

func BenchmarkPublicTweak(b *testing.B) {
	keys := make([]*koblitz.PublicKey, 64)
	for i := range keys {
		keys[i] = koblitz.GenerateKey().PublicKey()
	}
	outpoints := make([]Outpoint, 2)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		reference.Must(PublicTweak(outpoints, keys[i%63:i%63+2]))
	}
}

func BenchmarkOutputs(b *testing.B) {
	scan, spend := koblitz.GenerateKey().PublicKey(), koblitz.GenerateKey().PublicKey()
	address := reference.Must(NewAddress(Mainnet, scan, spend))
	inputs := []Input{{Key: koblitz.GenerateKey()}, {Key: koblitz.GenerateKey()}}
	b.ReportAllocs()
	for b.Loop() {
		reference.Must(Outputs(inputs, make([]Outpoint, 2), []*Address{address}))
	}
}

// TestBlinding checks that keys made of blinded keys are blinded, and no others.
func TestBlinding(t *testing.T) {
	tweak := reference.Must(ParsePrivateTweak(bytes.Repeat([]byte{1}, 32)))
	plain := koblitz.GenerateKey()
	for want, key := range map[bool]*koblitz.PrivateKey{false: plain, true: plain.Blinded()} {
		scan, _ := NewScanKey(key)
		spend, _ := NewSpendKey(key)
		output, _ := spend.Tweak(tweak)
		for name, k := range map[string]*koblitz.PrivateKey{
			"NewScanKey": scan.private(), "NewSpendKey": spend.private(), "Tweak": output,
		} {
			b, before := (*keys.Private)(k).Blinding(), (*keys.Private)(key).Blinding()
			if (b != nil) != want || b != nil && b == before {
				t.Errorf("%s of a blinded key %v: blinded %v, or with the same number", name, want, b != nil)
			}
		}
		if !scan.PublicKey().Equal(plain.PublicKey()) {
			t.Errorf("another public key, blinded %v", want)
		}
	}
}
