package operations

import (
	"bytes"
	"errors"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/silentpay"
)

// Label is the label of the receiver in the operations of package silentpay.
const Label = 7

// payments holds the operations of package silentpay. The scan key is D, the spend key is E, and
// the public tweak is 2·G.
var payments = []Operation{
	{"silentpay.NewScanKey", Keys, withScanKey(nothing)},
	{"silentpay.ScanKey.PublicKey", Keys, withScanKey(returns((*silentpay.ScanKey).PublicKey))},
	{"silentpay.ScanKey.IsZero", Keys, withScanKey(isZero((*silentpay.ScanKey).IsZero))},
	{"silentpay.ScanKey.Zeroize", Keys, withScanKey(zeroize((*silentpay.ScanKey).Zeroize))},
	{"silentpay.NewSpendKey", Keys, withSpendKey(nothing)},
	{"silentpay.SpendKey.PublicKey", Keys, withSpendKey(returns((*silentpay.SpendKey).PublicKey))},
	{"silentpay.SpendKey.IsZero", Keys, withSpendKey(isZero((*silentpay.SpendKey).IsZero))},
	{"silentpay.SpendKey.Zeroize", Keys, withSpendKey(zeroize((*silentpay.SpendKey).Zeroize))},
	{"silentpay.SpendKey.Tweak", Keys | Numbers,
		withSpendKey(func(o *Operands, k *silentpay.SpendKey) error {
			t, err := silentpay.ParsePrivateTweak(o.D)
			if err != nil {
				return err
			}
			o.Made, err = k.Tweak(t)
			t.Zeroize()
			return err
		})},
	{"silentpay.ParsePrivateTweak", Numbers, withTweak(nothing)},
	{"silentpay.PrivateTweak.Bytes", Numbers,
		withTweak(func(o *Operands, t *silentpay.PrivateTweak) error {
			o.give(t.Bytes())
			return nil
		})},
	{"silentpay.PrivateTweak.IsZero", Numbers, withTweak(isZero((*silentpay.PrivateTweak).IsZero))},
	{"silentpay.PrivateTweak.Zeroize", Numbers, withTweak(zeroize((*silentpay.PrivateTweak).Zeroize))},

	{"silentpay.NewReceiver", Keys, withReceiver(nothing)},
	{"silentpay.Receiver.Address", Keys,
		withReceiver(func(_ *Operands, r *silentpay.Receiver) error {
			_, err := r.Address(silentpay.Mainnet)
			return err
		})},
	{"silentpay.Receiver.LabeledAddress", Keys,
		withReceiver(func(_ *Operands, r *silentpay.Receiver) error {
			_, err := r.LabeledAddress(silentpay.Mainnet, Label)
			return err
		})},
	{"silentpay.Receiver.ChangeAddress", Keys,
		withReceiver(func(_ *Operands, r *silentpay.Receiver) error {
			_, err := r.ChangeAddress(silentpay.Mainnet)
			return err
		})},
	{"silentpay.NewScanner", Keys, withReceiver(func(_ *Operands, r *silentpay.Receiver) error {
		_, err := silentpay.NewScanner(r)
		return err
	})},
	{"silentpay.Scanner.Scan", Keys | ManyRows | Context,
		withReceiver(func(o *Operands, r *silentpay.Receiver) error {
			scanner, err := silentpay.NewScanner(r)
			if err != nil {
				return err
			}
			t := silentpay.Transactions{
				Tweaks: bytes.Repeat(o.Peer.Bytes(), o.Rows), Ends: make([]int, o.Rows),
			}
			if o.Paid {
				candidates, err := r.Candidates(o.Peer, 0)
				if err != nil {
					return err
				}
				t.Outputs = bytes.Repeat(candidates[0].Key[:], o.Rows)
				for i := range t.Ends {
					t.Ends[i] = i + 1
				}
			}
			return o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
				found, err := scanner.Scan(o.Context, t, v, &batch.SecretOptions{Workers: o.Workers})
				for i := range found {
					found[i].Tweak.Zeroize()
				}
				return len(found), err
			})
		})},
	{"silentpay.Receiver.Scan without a match", Keys,
		withReceiver(func(o *Operands, r *silentpay.Receiver) error {
			_, err := r.Scan(o.Peer, nil)
			return err
		})},
	{"silentpay.Receiver.Scan", Keys, withReceiver(func(o *Operands, r *silentpay.Receiver) error {
		candidates, err := r.Candidates(o.Peer, 0)
		if err != nil {
			return err
		}
		matches, err := r.Scan(o.Peer, [][32]byte{candidates[2].Key})
		if err != nil {
			return err
		}
		if len(matches) != 1 || matches[0].Label != Label {
			return errors.New("no match with the label")
		}
		matches[0].Tweak.Zeroize()
		return nil
	})},
	{"silentpay.Receiver.Candidates", Keys,
		withReceiver(func(o *Operands, r *silentpay.Receiver) error {
			_, err := r.Candidates(o.Peer, 0)
			return err
		})},
	{"silentpay.Outputs", Keys, func(o *Operands) error {
		address, err := silentpay.NewAddress(silentpay.Mainnet, o.Peer, o.Peer)
		if err != nil {
			return err
		}
		inputs := []silentpay.Input{{Key: o.Key}, {Key: o.Other, Taproot: true}}
		_, err = silentpay.Outputs(inputs, make([]silentpay.Outpoint, 2), []*silentpay.Address{address})
		return err
	}},
}

// nothing does nothing. It is for operations whose result is the value that they make.
func nothing[T any](*Operands, T) error { return nil }

// returns returns a function that calls a method with a public result.
func returns[T, R any](method func(T) R) func(*Operands, T) error {
	return func(_ *Operands, v T) error {
		method(v)
		return nil
	}
}

// isZero returns a function that calls the method IsZero.
func isZero[T any](method func(T) bool) func(*Operands, T) error {
	return func(o *Operands, v T) error {
		o.True = method(v)
		return nil
	}
}

// zeroize returns a function that calls the method Zeroize.
func zeroize[T any](method func(T)) func(*Operands, T) error {
	return func(_ *Operands, v T) error {
		method(v)
		return nil
	}
}

// withScanKey returns the method Run of an operation that calls f with the scan key D, and wipes
// the key.
func withScanKey(f func(*Operands, *silentpay.ScanKey) error) func(*Operands) error {
	return with(func(o *Operands) (*silentpay.ScanKey, error) {
		return silentpay.NewScanKey(o.Key)
	}, f)
}

// withSpendKey is like withScanKey for the spend key E.
func withSpendKey(f func(*Operands, *silentpay.SpendKey) error) func(*Operands) error {
	return with(func(o *Operands) (*silentpay.SpendKey, error) {
		return silentpay.NewSpendKey(o.Other)
	}, f)
}

// withTweak is like withScanKey for the private tweak D.
func withTweak(f func(*Operands, *silentpay.PrivateTweak) error) func(*Operands) error {
	return with(func(o *Operands) (*silentpay.PrivateTweak, error) {
		return silentpay.ParsePrivateTweak(o.D)
	}, f)
}

// with returns the method Run of an operation that makes a secret, calls f, and wipes the secret.
func with[T interface{ Zeroize() }](
	make func(o *Operands) (T, error), f func(*Operands, T) error,
) func(o *Operands) error {
	return func(o *Operands) error {
		v, err := make(o)
		if err != nil {
			return err
		}
		defer v.Zeroize()
		return f(o, v)
	}
}

// withReceiver is like withScanKey for a receiver with the scan key D, the public spend key 2·G and
// Label. Only the scan key is wiped.
func withReceiver(f func(*Operands, *silentpay.Receiver) error) func(*Operands) error {
	return withScanKey(func(o *Operands, k *silentpay.ScanKey) error {
		r, err := silentpay.NewReceiver(k, o.Peer, Label)
		if err != nil {
			return err
		}
		return f(o, r)
	})
}
