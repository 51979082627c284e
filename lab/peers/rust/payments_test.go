//go:build rust

package rust

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
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

// A comparison holds what the test has compared so far.
type comparison struct {
	*round
	wallets []*wallet

	scanned  silentpay.Transactions
	verdicts []batch.Verdict // the verdicts that the crate's results imply
	found    []payment       // what the crate found in scanned
}

// A payment holds the data that a receiver finds out about an output that pays it.
type payment struct {
	transaction, receiver int
	output, label, tweak  string // label is empty for none
}

// TestPayments checks that both sides compute the same public tweaks and outputs and find the same
// payments, or refuse the same transactions.
func TestPayments(t *testing.T) {
	c, r := new(comparison), rand.New(rand.NewPCG(352, 2))
	// Many labels are subtracted from the outputs, and few are added to P_k.
	for _, labels := range []int{0, 1, 3, 6, 24} {
		c.wallets = append(c.wallets, newWallet(r, labels))
	}
	kinds := []string{"refused: no key", "refused: keys add up to zero", "an output left out",
		"payments without a label", "payments with a label", "payments of change",
		"outputs of others", "transactions that pay no wallet", "at least 8 payments to one wallet"}
	for _, s := range spendings(c.wallets[0].spend.PublicKey(), make([]byte, 71)) {
		kinds = append(kinds, s.name)
	}
	rounds(t, count(60, 150, 20000), kinds, func(r *round) {
		c.round = r
		c.transaction()
	})
	c.scanAll(t)
}

// transaction compares both sides on a random transaction.
func (c *comparison) transaction() {
	tx := randomTransaction(c.Rand)
	for _, kind := range tx.kinds {
		c.seen[kind]++
	}
	recipients, counts := c.recipients()
	sent := c.send(tx, recipients)
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
	tweak := c.tweak(tx, outputs)
	if (tweak == nil) != (sent == nil) {
		c.Fatalf("%q: outputs %x and public tweak %v", tx.request(), sent, tweak)
	}
	if tweak != nil {
		c.scan(tweak, outputs, counts)
	}
}

// recipients returns some addresses of the wallets, and how many of them each wallet has.
func (c *comparison) recipients() (all []*silentpay.Address, counts []int) {
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
func (c *comparison) send(tx *transaction, recipients []*silentpay.Address) [][32]byte {
	var addresses []string
	for _, a := range recipients {
		addresses = append(addresses, a.String())
	}
	sent, err := silentpay.Outputs(tx.inputs, bitcoin.SilentPaymentOutpoints(tx.MsgTx), recipients)
	var outputs []string
	for _, o := range sent {
		outputs = append(outputs, list(o[:]))
	}
	c.same(outputs, err, "send", tx.keys(), strings.Join(addresses, ","))
	return sent
}

// tweak returns the public tweak of the transaction, on which both sides must agree, or nil if both
// refuse.
func (c *comparison) tweak(tx *transaction, outputs [][32]byte) *koblitz.PublicKey {
	for _, o := range outputs {
		tx.AddTxOut(wire.NewTxOut(0, payTaproot(o[:])))
	}
	var keys []string
	tweak, err := bitcoin.PublicTweak(tx.MsgTx, tx.spent)
	switch {
	case err == nil:
		keys = words(tweak)
		for _, k := range reference.Must(bitcoin.SilentPaymentKeys(tx.MsgTx, tx.spent)) {
			keys = append(keys, k.String())
		}
	case !errors.Is(err, bitcoin.ErrNoTweak):
		c.Fatal(err)
	case errors.Is(err, silentpay.ErrZeroSum):
		c.seen["refused: keys add up to zero"]++
	default:
		c.seen["refused: no key"]++
	}
	c.same(keys, err, "tweak", tx.request())
	return tweak
}

// scan compares what both sides find in a transaction. counts has the number of payments to each
// wallet, and is nil if one is missing.
func (c *comparison) scan(tweak *koblitz.PublicKey, outputs [][32]byte, counts []int) {
	var encoded [][]byte
	for i := range outputs {
		encoded = append(encoded, outputs[i][:])
	}
	transaction, verdict := len(c.verdicts), batch.Invalid
	for i, w := range c.wallets {
		request := words("scan", w.keys(), tweak, list(encoded...))
		theirs, ok := c.ask(request)
		if !ok {
			c.Fatalf("%q: the crate refuses to scan", request)
		}
		var want []payment
		for _, p := range theirs {
			f := strings.Split(p, ",")
			want = append(want, payment{transaction, i, f[0], f[1], f[2]})
		}
		matches := reference.Must(w.receiver.Scan(tweak, outputs))
		var got []payment
		for _, m := range matches {
			c.checkMatch(w, &m, outputs[m.Output])
			got = append(got, newPayment(transaction, i, &m, outputs[m.Output]))
		}
		if !equal(got, want) {
			c.Fatalf("%q: found %v, want %v", request, got, want)
		}
		if counts != nil && len(got) != counts[i] {
			c.Fatalf("%q: found %d payments, want %d", request, len(got), counts[i])
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
func (c *comparison) checkMatch(w *wallet, m *silentpay.Match, output [32]byte) {
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
		c.Fatalf("the key that spends output %x is %v, %v", output, key.PublicKey(), err)
	}
}

// scanAll has a Scanner scan all transactions for all wallets at once.
func (c *comparison) scanAll(t *testing.T) {
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
