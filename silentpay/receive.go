package silentpay

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A Receiver finds the payments to the addresses of a scan key and a spend key. It does not need
// the secret of the spend key. The zero value finds nothing and returns errors. A Receiver does not
// change, and any number of goroutines may use it.
type Receiver struct {
	scan   ScanKey
	spend  keys.Public // B_spend
	labels labelSet

	noEncoding
}

// NewReceiver returns a receiver with a scan key, the public key B_spend, and the labels that it
// looks for, in any order. It always looks for the change label 0 too. A wallet that is recovered
// without a list of its labels should give many, such as 1 to 100,000. The receiver shares scan's
// secret: after scan.Zeroize it returns errors. NewReceiver computes a point for each label, in a
// time that does not depend on the scan key.
//
// The error is [koblitz.ErrZeroKey] if a key is nil, a zero value or zeroized. With negligible
// probability there is an error because the hash of a label is zero or not below n.
func NewReceiver(scan *ScanKey, spend *koblitz.PublicKey, labels ...uint32) (*Receiver, error) {
	if scan.IsZero() || spend.IsZero() {
		return nil, koblitz.ErrZeroKey
	}
	r := &Receiver{scan: *scan, spend: keys.Public(*spend)}
	numbers := append([]uint32{changeLabel}, labels...)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	points := make([]point.Affine, len(numbers))
	for i, m := range numbers {
		if err := r.labelPoint(&points[i], m); err != nil { //ct:unrun negligible
			return nil, err
		}
	}
	r.labels.set(numbers, points)
	return r, nil
}

// labelPoint sets p to hash_BIP0352/Label(ser256(b_scan) ‖ ser32(m))·G, which is public: it is the
// difference of two spend keys in addresses.
func (r *Receiver) labelPoint(p *point.Affine, m uint32) (err error) {
	secret.DoDeep(func() {
		var scan, t scalar.Scalar
		if !load(&scan, &r.scan.key) { //ct:unrun when another goroutine wipes the key meanwhile
			err = koblitz.ErrZeroKey
			return
		}
		if err = labelTweak(&t, &scan, m); err == nil {
			baseMult(p, &t)
		}
		scan.Wipe()
		t.Wipe()
	})
	return err
}

// A Match is an output that pays the receiver.
type Match struct {
	Output int    // index of the output among those that were scanned
	K      uint32 // number of the output among those that the transaction pays the receiver
	// Labeled reports whether the output pays an address with a label, which is Label. Label 0 is
	// the receiver's change.
	Labeled bool
	Label   uint32
	Tweak   *PrivateTweak // what SpendKey.Tweak needs to spend the output

	noEncoding
}

// Scan returns the outputs of a transaction that pay the receiver, in increasing order of K. tweak
// is the transaction's PublicTweak. outputs are the x-only keys of all its taproot outputs, spent
// and unspent. A key without a point of the curve never matches.
//
// Scan looks for at most [KMax] outputs, as senders make no more. If several outputs match the same
// k, which no sender that follows the BIP makes, Scan returns the first of them, as the BIP
// specifies. If P_k is infinity, no output matches k. The time depends on the matches and not on
// the secrets; the package documentation says more. With L labels, N outputs and M matches it grows
// with (M + 1)·min(L, 2·N).
//
// The error is [koblitz.ErrZeroKey] if r or tweak is nil or a zero value, or if the scan key is
// zeroized. There is also an error after a fault of the machine that changed a key during the call.
// With negligible probability there is an error because t_k is zero or not below n, or a sum is
// zero.
func (r *Receiver) Scan(tweak *koblitz.PublicKey, outputs [][32]byte) ([]Match, error) {
	shared, err := r.agree(tweak)
	if err != nil {
		return nil, err
	}
	defer shared.wipe()
	var matches []Match
	f := newFinder(&r.labels, outputs)
	for k := range uint32(KMax) {
		var p point.Affine
		err := shared.output(&p, r.spend.Affine(), k)
		if err == errInfinity { //ct:unrun unless the spend key was made for this tweak
			break
		}
		if err != nil { //ct:unrun negligible
			return nil, err
		}
		output, label := f.find(&p)
		if output < 0 {
			break
		}
		m := Match{Output: output, K: k, Tweak: new(PrivateTweak)}
		if label >= 0 {
			m.Labeled, m.Label = true, r.labels.numbers[label]
		}
		if err := r.privateTweak(m.Tweak, shared, &m); err != nil { //ct:unrun negligible
			return nil, err
		}
		matches = append(matches, m)
	}
	return matches, nil
}

// A Candidate is an output key that a transaction may contain.
type Candidate struct {
	Key [32]byte // the x-only output key
	// Labeled reports whether the output would pay an address with a label, which is Label.
	Labeled bool
	Label   uint32
}

// Candidates returns the output keys that would pay the receiver as number k of a transaction with
// this public tweak: the one without a label, and then one for each of the receiver's labels, in
// increasing order. A light client that has tweaks but no transactions looks for these keys, first
// with k = 0, in a block's filter (BIP-158), and scans the transactions of blocks that match.
//
// The time does not depend on the secrets. The error is [koblitz.ErrZeroKey] as for
// [Receiver.Scan]. There is also an error if k is not below [KMax].
func (r *Receiver) Candidates(tweak *koblitz.PublicKey, k uint32) ([]Candidate, error) {
	if k >= KMax {
		return nil, fmt.Errorf("silentpay: candidates: k = %d, want less than %d", k, KMax)
	}
	shared, err := r.agree(tweak)
	if err != nil {
		return nil, err
	}
	defer shared.wipe()
	var p point.Affine
	if err := shared.output(&p, r.spend.Affine(), k); err != nil { //ct:unrun negligible
		return nil, err
	}
	return r.labels.candidates(&p), nil
}

// agree returns the shared secret of the receiver and the sender of a transaction with this public
// tweak. The caller must wipe it.
func (r *Receiver) agree(tweak *koblitz.PublicKey) (*sharedSecret, error) {
	a := (*keys.Public)(tweak).Affine()
	if r == nil || a == nil {
		return nil, koblitz.ErrZeroKey
	}
	shared := newSharedSecret()
	if err := shared.set((*keys.Private)(&r.scan.key), a); err != nil {
		return nil, err
	}
	return shared, nil
}

// privateTweak sets t to t_k, plus the tweak of the label if m has one.
func (r *Receiver) privateTweak(t *PrivateTweak, shared *sharedSecret, m *Match) (err error) {
	secret.Do(func() {
		var sum, scan, label scalar.Scalar
		err = shared.tweak(&sum, m.K)
		if err == nil && m.Labeled {
			if load(&scan, &r.scan.key) {
				err = labelTweak(&label, &scan, m.Label)
			} else { //ct:unrun when another goroutine wipes the key meanwhile
				err = koblitz.ErrZeroKey
			}
			sum.Add(&sum, &label)
		}
		if err == nil {
			err = setPrivate(&t.key, &sum)
		}
		sum.Wipe()
		scan.Wipe()
		label.Wipe()
	})
	return err
}
