package silentpay

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// An Input is the private key of an eligible input of the sender's transaction.
type Input struct {
	Key     *koblitz.PrivateKey
	Taproot bool // the input spends a taproot output, and Key is the private key of its output key

	noEncoding
}

// Outputs returns the x-only output keys of a transaction that pays the recipients, one for each,
// in their order (BIP-352, "Creating outputs"). inputs are the private keys of the transaction's
// eligible inputs, and outpoints those of all its inputs, in any order. A recipient that is listed
// several times gets several outputs. So do the addresses of one receiver with different labels: k
// counts the recipients with the same scan key. The output key in the script is the result as it
// is: OP_1 and a push of the 32 bytes.
//
// All outputs must be in the transaction; they may be in any order. The time does not depend on the
// private keys or the shared secrets. It depends on the addresses.
//
// The error is [ErrZeroSum] if the sum of the private keys is zero. There is also an error if there
// are no inputs, fewer outpoints than inputs, or no recipients; if a key or address is nil, a zero
// value or zeroized; if the addresses belong to different networks; if more than [KMax] recipients
// have the same scan key; after a fault of the machine that changed a scan key or the sum of the
// private keys during the call; or, with negligible probability, if a hash or sum is zero or a hash
// is not below n.
func Outputs(inputs []Input, outpoints []Outpoint, recipients []*Address) ([][32]byte, error) {
	if err := checkInputs(len(outpoints), len(inputs)); err != nil {
		return nil, err
	}
	recipients = copyAddresses(recipients)
	groups, err := groupRecipients(recipients)
	if err != nil {
		return nil, err
	}
	key, err := sumInputs(inputs, outpoints)
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	outputs := make([][32]byte, len(recipients))
	for _, group := range groups {
		if err := payGroup(outputs, key, recipients, group); err != nil { //ct:unrun negligible
			return nil, err
		}
	}
	return outputs, nil
}

// sumInputs returns input_hash·a as a private key, which the caller must wipe.
func sumInputs(inputs []Input, outpoints []Outpoint) (key *keys.Private, err error) {
	for i := range inputs {
		// Compute the public keys of taproot inputs here: Public needs the stack of DoDeep.
		k := (*keys.Private)(inputs[i].Key)
		if !k.Live() || inputs[i].Taproot && k.Public() == nil {
			return nil, fmt.Errorf("silentpay: input %d: %w", i, koblitz.ErrZeroKey)
		}
	}
	secret.DoDeep(func() {
		var sum, d scalar.Scalar
		for i := range inputs {
			k := (*keys.Private)(inputs[i].Key)
			live := k.Load(&d)
			if inputs[i].Taproot && live {
				if p := k.Public(); p != nil {
					d.CondNeg(&d, p.OddY())
				} else { //ct:unrun when another goroutine wipes the key meanwhile
					live = false
				}
			}
			if !live { //ct:unrun when another goroutine wipes the key meanwhile
				err = fmt.Errorf("silentpay: input %d: %w", i, koblitz.ErrZeroKey)
				break
			}
			//ct:secret d.IsOdd().Bool()
			sum.Add(&sum, &d)
		}
		d.Wipe()
		if err == nil {
			key, err = multiplyHash(&sum, outpoints)
		}
		sum.Wipe()
	})
	return key, err
}

// multiplyHash returns input_hash·sum, and overwrites sum.
func multiplyHash(sum *scalar.Scalar, outpoints []Outpoint) (*keys.Private, error) {
	if sum.IsZero().Reveal() {
		return nil, ErrZeroSum
	}
	var r point.Jacobian
	ecmult.ScalarBaseMult(&r, sum)
	var a point.Affine
	a.SetJacobian(&r)
	r.Wipe()
	a.Declassify() // A, the sum of the public keys
	var h scalar.Scalar
	if err := inputHash(&h, outpoints, &a); err != nil { //ct:unrun for about one of 2^128 hashes
		return nil, err
	}
	sum.Mul(sum, &h)
	key := keys.New(sum) // not zero, because neither factor is
	return &key, nil
}

// payGroup computes the outputs of the recipients with the indices group, which have the same scan
// key. key is input_hash·a.
func payGroup(outputs [][32]byte, key *keys.Private, recipients []*Address, group []int) error {
	shared := newSharedSecret()
	defer shared.wipe()
	scan := (*keys.Public)(recipients[group[0]].scan).Affine()
	if err := shared.set(key, scan); err != nil { //ct:unrun no case makes a fault
		return err
	}
	for k, i := range group {
		var p point.Affine
		spend := (*keys.Public)(recipients[i].spend).Affine()
		if err := shared.output(&p, spend, uint32(k)); err != nil { //ct:unrun negligible
			return err
		}
		p.X.PutBytes(&outputs[i])
	}
	return nil
}
