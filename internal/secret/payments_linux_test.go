//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/big"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/silentpay"
)

// payments holds the operations of package silentpay. The scan key is D, the spend key is E, and
// the public tweak is 2·G.
var payments = []operation{
	{"silentpay.NewScanKey", withScanKey(func(*subject, *silentpay.ScanKey) error {
		return nil
	}), needKeys, aKey},
	{"silentpay.ScanKey.PublicKey", withScanKey(func(_ *subject, k *silentpay.ScanKey) error {
		k.PublicKey()
		return nil
	}), needKeys, aBaseMult},
	{"silentpay.ScanKey.IsZero", withScanKey(func(_ *subject, k *silentpay.ScanKey) error {
		if k.IsZero() {
			return errors.New("a key is zero")
		}
		return nil
	}), needKeys, aKey},
	{"silentpay.ScanKey.Zeroize", withScanKey(func(_ *subject, k *silentpay.ScanKey) error {
		k.Zeroize()
		return nil
	}), needKeys, aKey},
	{"silentpay.NewSpendKey", withSpendKey(func(*subject, *silentpay.SpendKey) error {
		return nil
	}), needKeys, twoNumbers},
	{"silentpay.SpendKey.PublicKey", withSpendKey(func(_ *subject, k *silentpay.SpendKey) error {
		k.PublicKey()
		return nil
	}), needKeys, twoNumbers},
	{"silentpay.SpendKey.IsZero", withSpendKey(func(_ *subject, k *silentpay.SpendKey) error {
		if k.IsZero() {
			return errors.New("a key is zero")
		}
		return nil
	}), needKeys, twoNumbers},
	{"silentpay.SpendKey.Zeroize", withSpendKey(func(_ *subject, k *silentpay.SpendKey) error {
		k.Zeroize()
		return nil
	}), needKeys, twoNumbers},
	{"silentpay.SpendKey.Tweak", withSpendKey(func(s *subject, k *silentpay.SpendKey) error {
		t, err := silentpay.ParsePrivateTweak(s.d())
		if err != nil {
			return err
		}
		s.made, err = k.Tweak(t)
		t.Zeroize()
		return err
	}), needKeys, aSum},
	{"silentpay.ParsePrivateTweak", withPrivateTweak(func(*subject, *silentpay.PrivateTweak) error {
		return nil
	}), 0, aKey},
	{"silentpay.PrivateTweak.Bytes",
		withPrivateTweak(func(s *subject, t *silentpay.PrivateTweak) error {
			s.take(t.Bytes())
			return nil
		}), 0, aKey},
	{"silentpay.PrivateTweak.IsZero",
		withPrivateTweak(func(_ *subject, t *silentpay.PrivateTweak) error {
			if t.IsZero() {
				return errors.New("a tweak is zero")
			}
			return nil
		}), 0, aKey},
	{"silentpay.PrivateTweak.Zeroize",
		withPrivateTweak(func(_ *subject, t *silentpay.PrivateTweak) error {
			t.Zeroize()
			return nil
		}), 0, aKey},

	{"silentpay.NewReceiver", withReceiver(func(*subject, *silentpay.Receiver) error {
		return nil
	}), needKeys, aLabel},
	{"silentpay.Receiver.Address", withReceiver(func(_ *subject, r *silentpay.Receiver) error {
		_, err := r.Address(silentpay.Mainnet)
		return err
	}), needKeys, aLabel},
	{"silentpay.Receiver.LabeledAddress", withReceiver(func(_ *subject, r *silentpay.Receiver) error {
		_, err := r.LabeledAddress(silentpay.Mainnet, testLabel)
		return err
	}), needKeys, aLabel},
	{"silentpay.Receiver.ChangeAddress", withReceiver(func(_ *subject, r *silentpay.Receiver) error {
		_, err := r.ChangeAddress(silentpay.Mainnet)
		return err
	}), needKeys, aLabel},
	{"silentpay.NewScanner", withReceiver(func(_ *subject, r *silentpay.Receiver) error {
		_, err := silentpay.NewScanner(r)
		return err
	}), needKeys, aLabel},
	{"silentpay.Scanner.Scan", withReceiver(func(s *subject, r *silentpay.Receiver) error {
		scanner, err := silentpay.NewScanner(r)
		if err != nil {
			return err
		}
		t := silentpay.Transactions{
			Tweaks: bytes.Repeat(s.peer.Bytes(), manyRows), Ends: make([]int, manyRows),
		}
		_, err = scanner.Scan(context.Background(), t, make([]batch.Verdict, manyRows),
			&batch.SecretOptions{Workers: 1})
		return err
	}), needKeys | inRows, aPayment},
	{"silentpay.Receiver.Scan without a match",
		withReceiver(func(s *subject, r *silentpay.Receiver) error {
			_, err := r.Scan(s.peer, nil)
			return err
		}), needKeys, aPayment},
	{"silentpay.Receiver.Scan", withReceiver(func(s *subject, r *silentpay.Receiver) error {
		candidates, err := r.Candidates(s.peer, 0)
		if err != nil {
			return err
		}
		output := candidates[2]
		matches, err := r.Scan(s.peer, [][32]byte{output.Key})
		if err != nil {
			return err
		}
		if len(matches) != 1 || matches[0].Label != testLabel {
			return errors.New("no match with the label")
		}
		matches[0].Tweak.Zeroize()
		return nil
	}), needKeys, aLabeledPayment},
	{"silentpay.Receiver.Candidates", withReceiver(func(s *subject, r *silentpay.Receiver) error {
		_, err := r.Candidates(s.peer, 0)
		return err
	}), needKeys, aPayment},
	{"silentpay.Outputs", func(s *subject) error {
		address, err := silentpay.NewAddress(silentpay.Mainnet, s.peer, s.peer)
		if err != nil {
			return err
		}
		inputs := []silentpay.Input{{Key: s.key}, {Key: s.other, Taproot: true}}
		_, err = silentpay.Outputs(inputs, make([]silentpay.Outpoint, 2), []*silentpay.Address{address})
		return err
	}, needKeys, aSender},
}

// testLabel is the label of the receiver of withReceiver.
const testLabel = 7

// withScanKey returns an operation that calls f with the scan key D and wipes the key.
func withScanKey(f func(*subject, *silentpay.ScanKey) error) func(*subject) error {
	return func(s *subject) error {
		k, err := silentpay.NewScanKey(s.key)
		if err != nil {
			return err
		}
		defer k.Zeroize()
		return f(s, k)
	}
}

// withSpendKey returns an operation that calls f with the spend key E and wipes the key.
func withSpendKey(f func(*subject, *silentpay.SpendKey) error) func(*subject) error {
	return func(s *subject) error {
		k, err := silentpay.NewSpendKey(s.other)
		if err != nil {
			return err
		}
		defer k.Zeroize()
		return f(s, k)
	}
}

// withPrivateTweak returns an operation that calls f with the private tweak D and wipes the tweak.
func withPrivateTweak(f func(*subject, *silentpay.PrivateTweak) error) func(*subject) error {
	return func(s *subject) error {
		t, err := silentpay.ParsePrivateTweak(s.d())
		if err != nil {
			return err
		}
		defer t.Zeroize()
		return f(s, t)
	}
}

// withReceiver returns an operation that calls f with a receiver with the scan key D, the public
// spend key 2·G and testLabel, and wipes the scan key.
func withReceiver(f func(*subject, *silentpay.Receiver) error) func(*subject) error {
	return withScanKey(func(s *subject, k *silentpay.ScanKey) error {
		r, err := silentpay.NewReceiver(k, s.peer, testLabel)
		if err != nil {
			return err
		}
		return f(s, r)
	})
}

// labelTweak returns the tweak of a label of the scan key d.
func labelTweak(d *big.Int, label uint32) *big.Int {
	return bigInt(reference.TaggedHash("BIP0352/Label", d.FillBytes(make([]byte, 32)),
		binary.BigEndian.AppendUint32(nil, label)))
}

// aLabel adds to n the secrets of computing the points of labels.
func aLabel(v *values, n *needles) {
	aBaseMult(v, n)
	for _, label := range []uint32{0, testLabel} {
		t := labelTweak(v.d, label)
		n.number("a label's tweak", t)
		n.baseMult("a label's tweak", t)
	}
}

// sharedTweak adds to n the point k·P for P = 2·G, which is a shared secret, with the intermediate
// values of computing the point, and t_0. It returns t_0.
func (n *needles) sharedTweak(k *big.Int) *big.Int {
	two := big.NewInt(2)
	n.scalarMult("the factor", k, two)
	shared := affine(scalarMult(k, two))
	n.affine("the shared secret", shared)
	var x [32]byte
	shared.X.PutBytes(&x)
	compressed := append([]byte{2 + byte(shared.Y.IsOdd())}, x[:]...)
	t := bigInt(reference.TaggedHash("BIP0352/SharedSecret", compressed, make([]byte, 4)))
	n.number("t_0", t)
	n.baseMult("t_0", t)
	return t
}

// aPayment adds to n the secrets of finding a payment with the public tweak 2·G.
func aPayment(v *values, n *needles) {
	aLabel(v, n)
	n.sharedTweak(v.d)
}

// aLabeledPayment adds to n the secrets of aPayment, and the private tweak for testLabel.
func aLabeledPayment(v *values, n *needles) {
	aLabel(v, n)
	t := n.sharedTweak(v.d)
	n.number("the private tweak", new(big.Int).Add(t, labelTweak(v.d, testLabel)))
}

// aSender adds to n the secrets of a payment to an address with the scan key 2·G, from the inputs d
// and e. e spends a taproot output, and so is negated if the y coordinate of e·G is odd.
func aSender(v *values, n *needles) {
	twoNumbers(v, n)
	order := reference.N()
	sum := new(big.Int).Add(v.d, v.e)
	if e := affine(baseMult(v.e)); e.Y.IsOdd().Bool() {
		sum.Sub(v.d, v.e)
	}
	sum.Mod(sum, order)
	n.number("the sum of the inputs", sum)
	n.baseMult("the sum of the inputs", sum)
	a := affine(baseMult(sum))
	var x [32]byte
	a.X.PutBytes(&x)
	compressed := append([]byte{2 + byte(a.Y.IsOdd())}, x[:]...)
	h := bigInt(reference.TaggedHash("BIP0352/Inputs", make([]byte, 36), compressed))
	product := new(big.Int).Mul(h, sum)
	n.number("the product with the input hash", product)
	n.sharedTweak(new(big.Int).Mod(product, order))
}
