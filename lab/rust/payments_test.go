package rust

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/silentpay"
)

// count returns the number of cases: few, or more if KOBLITZ_DEEP is set, or many if it is "every".
func count(few, more, every int) int {
	switch os.Getenv("KOBLITZ_DEEP") {
	case "":
		return few
	case "every":
		return every
	}
	return more
}

// A comparison holds what the test has compared so far.
type comparison struct {
	*peer
	*rand.Rand
	wallets []*wallet
	seen    map[string]int // numbers of cases

	scanned  silentpay.Transactions
	verdicts []batch.Verdict // the verdicts that the crate's results imply
	found    []payment       // what the crate found in scanned
}

// A payment is what a receiver learns of an output that pays it.
type payment struct {
	transaction, receiver int
	output, label, tweak  string // label is empty for none
}

// TestPayments checks that both sides compute the same public tweaks and outputs and find the same
// payments, or refuse the same transactions.
func TestPayments(t *testing.T) {
	c := &comparison{peer: startPeer(t), Rand: rand.New(rand.NewPCG(352, 2)), seen: map[string]int{}}
	// Many labels are subtracted from the outputs, and few are added to P_k.
	for _, labels := range []int{0, 1, 3, 6, 24} {
		c.wallets = append(c.wallets, newWallet(t, c.Rand, labels))
	}
	n := count(60, 150, 20000)
	for range n {
		c.transaction(t)
	}
	c.scanAll(t)
	t.Logf("covers %d transactions, with %v", n, c.seen)
	wanted := []string{"refused: no key", "refused: keys add up to zero", "an output left out",
		"payments without a label", "payments with a label", "payments of change",
		"outputs of others", "transactions that pay no wallet", "at least 8 payments to one wallet"}
	for _, s := range spendings(c.wallets[0].spend.PublicKey(), make([]byte, 71)) {
		wanted = append(wanted, s.name)
	}
	for _, want := range wanted {
		if c.seen[want] == 0 {
			t.Errorf("no case of %q", want)
		}
	}
}

// transaction compares both sides on a random transaction.
func (c *comparison) transaction(t *testing.T) {
	t.Helper()
	tx := randomTransaction(t, c.Rand)
	for _, kind := range tx.kinds {
		c.seen[kind]++
	}
	recipients, counts := c.recipients(t)
	sent := c.send(t, tx, recipients)
	outputs := slices.Clone(sent)
	if len(sent) > 0 && c.IntN(8) == 0 {
		c.seen["an output left out"]++
		outputs = outputs[1:]
		counts = nil
	}
	for range 1 + c.IntN(4) {
		c.seen["outputs of others"]++
		other := [32]byte(reference.Bytes(c.Rand, 32)) // half of these are no key
		if c.IntN(2) == 0 {
			other = [32]byte(randomKey(c.Rand).XOnlyPublicKey().Bytes())
		}
		outputs = append(outputs, other)
	}
	c.Shuffle(len(outputs), func(i, j int) { outputs[i], outputs[j] = outputs[j], outputs[i] })
	tweak := c.tweak(t, tx, outputs)
	if (tweak == nil) != (sent == nil) {
		t.Fatalf("%q: outputs %x and public tweak %v", tx.request(), sent, tweak)
	}
	if tweak != nil {
		c.scan(t, tweak, outputs, counts)
	}
}

// recipients returns some addresses of the wallets, and how many of them each wallet has.
func (c *comparison) recipients(t *testing.T) (all []*silentpay.Address, counts []int) {
	t.Helper()
	counts = make([]int, len(c.wallets))
	n := 1 + c.IntN(6)
	if c.IntN(10) == 0 {
		n += 20
	}
	first, few := c.IntN(len(c.wallets)), 1+c.IntN(len(c.wallets))
	for range n {
		i := (first + c.IntN(few)) % len(c.wallets)
		counts[i]++
		addresses := c.wallets[i].addresses(silentpay.Mainnet)
		all = append(all, addresses[c.IntN(len(addresses))])
	}
	return all, counts
}

// send returns the output of each recipient, on which both sides must agree, or nil if both refuse.
func (c *comparison) send(
	t *testing.T, tx *transaction, recipients []*silentpay.Address,
) [][32]byte {
	t.Helper()
	var addresses []string
	for _, a := range recipients {
		addresses = append(addresses, a.String())
	}
	request := append(append([]string{"send"}, tx.keys()...), strings.Join(addresses, ","))
	theirs, ok := c.ask(t, request...)
	sent, err := silentpay.Outputs(tx.inputs, bitcoin.SilentPaymentOutpoints(tx.MsgTx), recipients)
	if (err == nil) != ok {
		t.Fatalf("%q: %v, and the crate answers %q", request, err, theirs)
	}
	var ours []string
	for _, o := range sent {
		ours = append(ours, list(o[:]))
	}
	if ok && !slices.Equal(ours, theirs) {
		t.Fatalf("%q: outputs %q, want %q", request, ours, theirs)
	}
	return sent
}

// tweak returns the public tweak of the transaction, on which both sides must agree, or nil if both
// refuse.
func (c *comparison) tweak(t *testing.T, tx *transaction, outputs [][32]byte) *koblitz.PublicKey {
	t.Helper()
	for _, o := range outputs {
		tx.AddTxOut(wire.NewTxOut(0, payTaproot(o[:])))
	}
	request := append([]string{"tweak"}, tx.request()...)
	theirs, ok := c.ask(t, request...)
	tweak, err := bitcoin.PublicTweak(tx.MsgTx, tx.spent)
	if (err == nil) != ok || !ok && !errors.Is(err, bitcoin.ErrNoTweak) {
		t.Fatalf("%q: %v, and the crate answers %q", request, err, theirs)
	}
	if !ok {
		if errors.Is(err, silentpay.ErrZeroSum) {
			c.seen["refused: keys add up to zero"]++
		} else {
			c.seen["refused: no key"]++
		}
		return nil
	}
	keys := reference.Must(bitcoin.SilentPaymentKeys(tx.MsgTx, tx.spent))
	var ours []string
	for _, k := range append([]*koblitz.PublicKey{tweak}, keys...) {
		ours = append(ours, k.String())
	}
	if !slices.Equal(ours, theirs) {
		t.Fatalf("%q: public tweak and keys %q, want %q", request, ours, theirs)
	}
	return tweak
}

// scan compares what both sides find in a transaction. counts has the number of payments to each
// wallet, and is nil if one is missing.
func (c *comparison) scan(
	t *testing.T, tweak *koblitz.PublicKey, outputs [][32]byte, counts []int,
) {
	t.Helper()
	var encoded [][]byte
	for i := range outputs {
		encoded = append(encoded, outputs[i][:])
	}
	transaction, verdict := len(c.verdicts), batch.Invalid
	for i, w := range c.wallets {
		request := slices.Concat([]string{"scan"}, w.keys(),
			[]string{list(tweak.Bytes()), list(encoded...)})
		theirs, ok := c.ask(t, request...)
		if !ok {
			t.Fatalf("%q: the crate refuses to scan", request)
		}
		var want []payment
		for _, p := range theirs {
			f := strings.Split(p, ",")
			want = append(want, payment{transaction, i, f[0], f[1], f[2]})
		}
		matches := reference.Must(w.receiver.Scan(tweak, outputs))
		var got []payment
		for _, m := range matches {
			c.checkMatch(t, w, &m, outputs[m.Output])
			got = append(got, newPayment(transaction, i, &m, outputs[m.Output]))
		}
		if !equal(got, want) {
			t.Fatalf("%q: found %v, want %v", request, got, want)
		}
		if counts != nil && len(got) != counts[i] {
			t.Fatalf("%q: found %d payments, want %d", request, len(got), counts[i])
		}
		if len(got) > 0 {
			verdict = batch.Valid
		}
		if len(got) >= 8 {
			c.seen["at least 8 payments to one wallet"]++
		}
		c.found = append(c.found, want...)
	}
	if verdict == batch.Invalid {
		c.seen["transactions that pay no wallet"]++
	}
	c.verdicts = append(c.verdicts, verdict)
	s := &c.scanned
	s.Tweaks = tweak.AppendBytes(s.Tweaks)
	s.Outputs = append(s.Outputs, slices.Concat(encoded...)...)
	s.Ends = append(s.Ends, len(s.Outputs)/32)
}

func newPayment(transaction, receiver int, m *silentpay.Match, output [32]byte) payment {
	p := payment{transaction, receiver, list(output[:]), "", list(m.Tweak.Bytes())}
	if m.Labeled {
		p.label = fmt.Sprint(m.Label)
	}
	return p
}

// equal reports whether a and b have the same payments. It sorts them.
func equal(a, b []payment) bool {
	order := func(a, b payment) int {
		return cmp.Or(cmp.Compare(a.transaction, b.transaction), cmp.Compare(a.receiver, b.receiver),
			cmp.Compare(a.output, b.output))
	}
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	return slices.Equal(a, b)
}

// checkMatch checks that the private key of a match has the output as its public key.
func (c *comparison) checkMatch(t *testing.T, w *wallet, m *silentpay.Match, output [32]byte) {
	t.Helper()
	switch {
	case !m.Labeled:
		c.seen["payments without a label"]++
	case m.Label == 0:
		c.seen["payments of change"]++
	default:
		c.seen["payments with a label"]++
	}
	key, err := w.spend.Tweak(m.Tweak)
	if err != nil || [32]byte(key.XOnlyPublicKey().Bytes()) != output {
		t.Fatalf("the key that spends output %x is %v, %v", output, key.PublicKey(), err)
	}
}

// scanAll has a Scanner scan all transactions for all wallets at once.
func (c *comparison) scanAll(t *testing.T) {
	t.Helper()
	var receivers []*silentpay.Receiver
	for _, w := range c.wallets {
		receivers = append(receivers, w.receiver)
	}
	scanner := reference.Must(silentpay.NewScanner(receivers...))
	verdicts := make([]batch.Verdict, len(c.verdicts))
	found := reference.Must(scanner.Scan(t.Context(), c.scanned, verdicts, nil))
	var got []payment
	for _, f := range found {
		first := 0
		if f.Transaction > 0 {
			first = c.scanned.Ends[f.Transaction-1]
		}
		output := [32]byte(c.scanned.Outputs[32*(first+f.Output):])
		got = append(got, newPayment(f.Transaction, f.Receiver, &f.Match, output))
	}
	if !slices.Equal(verdicts, c.verdicts) {
		t.Errorf("the verdicts of Scanner.Scan are not those of the crate")
	}
	if !equal(got, c.found) {
		t.Errorf("Scanner.Scan found %d payments, and the crate %d", len(got), len(c.found))
	}
}
