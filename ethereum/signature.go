package ethereum

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// A Signature is an ECDSA signature on a hash with its recovery id: r and s, 32 bytes each,
// big-endian, and the parity of y, 0 or 1. Functions of this package return signatures with r and s
// in [1, n) and a low s. Methods return an error for every other value, so for the zero value.
type Signature [65]byte

// A Form is an encoding of signatures in bytes. The zero value is no form.
type Form uint8

const (
	// YParity is r, s and the parity of y, 0 or 1: 65 bytes. crypto.Sign of go-ethereum and
	// transactions of types 1 to 4 use it.
	YParity Form = iota + 1
	// V27 is r, s and v, which is the parity plus 27: 65 bytes. personal_sign,
	// eth_signTypedData_v4 and the precompiled contract ecrecover use it.
	V27
	// Compact is r, and s with the parity in its highest bit: 64 bytes (EIP-2098).
	Compact
)

// Sign returns a signature of a hash by package ecdsa: in constant time, deterministic, with a low
// s. Errors and options are those of [ecdsa.SignRecoverable].
func Sign(key *koblitz.PrivateKey, hash common.Hash, o *ecdsa.SignOptions) (Signature, error) {
	b, err := ecdsa.SignRecoverable(key, hash[:], o)
	if err != nil {
		return Signature{}, err
	}
	sig := Signature(b)
	// An id above 1 says that the x coordinate of the nonce point is above n: a probability of
	// 2^-127, which Ethereum cannot encode.
	if sig[64] > 1 {
		return Signature{}, fmt.Errorf("ethereum: recovery id %d: v has no value for it", sig[64])
	}
	return sig, nil
}

// ParseSignature returns the signature that b encodes in a form. It accepts that form alone: one
// signature has one encoding. The error names the field that is wrong: the form, the length, r, s,
// v, the parity or, if s is above n/2, the high s that EIP-2 forbids.
func ParseSignature(b []byte, form Form) (sig Signature, err error) {
	size := 65
	switch form {
	case Compact:
		size = 64
	case YParity, V27:
	default:
		return Signature{}, errForm(form)
	}
	if len(b) != size {
		return Signature{}, fmt.Errorf("ethereum: signature: %d bytes, want %d", len(b), size)
	}
	copy(sig[:], b)
	switch {
	case form == Compact:
		sig[64] = sig[32] >> 7
		sig[32] &= 0x7f
	case form == V27 && sig[64] != 27 && sig[64] != 28:
		return Signature{}, fmt.Errorf("ethereum: signature: v is %d, want 27 or 28", sig[64])
	case form == V27:
		sig[64] -= 27
	}
	if err := sig.check(); err != nil {
		return Signature{}, err
	}
	return sig, nil
}

// ParseValues returns the signature with the numbers v, r and s of a transaction, and the chain ID
// that v states, or nil. v is 0 or 1, the parity, as in transactions of types 1 to 4; 27 or 28; or,
// in a legacy transaction that names its chain, the parity plus 35 plus twice the chain ID
// (EIP-155), which may have any size. Errors are as for [ParseSignature].
func ParseValues(v, r, s *big.Int) (sig Signature, chainID *big.Int, err error) {
	for i, n := range []*big.Int{v, r, s} {
		switch name := "vrs"[i : i+1]; {
		case n == nil:
			err = fmt.Errorf("ethereum: signature: %s is nil", name)
		case n.Sign() < 0:
			err = fmt.Errorf("ethereum: signature: %s is negative", name)
		case i > 0 && n.BitLen() > 256:
			err = fmt.Errorf("ethereum: signature: %s has %d bits, more than 256", name, n.BitLen())
		}
		if err != nil {
			return Signature{}, nil, err
		}
	}
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:64])
	switch {
	case v.BitLen() == 0 || v.BitLen() == 1:
		sig[64] = byte(v.Uint64())
	case v.IsUint64() && (v.Uint64() == 27 || v.Uint64() == 28):
		sig[64] = byte(v.Uint64() - 27)
	case v.IsUint64() && v.Uint64() < 35:
		return Signature{}, nil, fmt.Errorf(
			"ethereum: signature: v is %d, want 0, 1, 27, 28 or at least 35", v)
	default:
		chainID = new(big.Int).Sub(v, big.NewInt(35))
		sig[64] = byte(chainID.Bit(0))
		chainID.Rsh(chainID, 1)
	}
	if err := sig.check(); err != nil {
		return Signature{}, nil, err
	}
	return sig, chainID, nil
}

// check returns an error if sig is not a signature with a low s and a parity.
func (sig *Signature) check() error {
	if sig[64] > 1 {
		return fmt.Errorf("ethereum: signature: the parity of y is %d, want 0 or 1", sig[64])
	}
	parsed, err := ecdsa.ParseSignature(sig[:64])
	if err != nil {
		return fmt.Errorf("ethereum: signature: %w", err)
	}
	if !parsed.IsLowS() {
		return errors.New("ethereum: signature: s is above n/2 (EIP-2)")
	}
	return nil
}

// AppendForm appends the encoding of sig to dst and returns the extended slice.
func (sig Signature) AppendForm(dst []byte, form Form) ([]byte, error) {
	if err := sig.check(); err != nil {
		return dst, err
	}
	switch form {
	case YParity:
	case V27:
		sig[64] += 27
	case Compact:
		sig[32] |= sig[64] << 7
		return append(dst, sig[:64]...), nil
	default:
		return dst, errForm(form)
	}
	return append(dst, sig[:]...), nil
}

// V returns the v of a legacy transaction: 27 or 28, or with a chain ID 35 or 36 plus twice the
// chain ID (EIP-155). There is an error if the chain ID is negative.
func (sig Signature) V(chainID *big.Int) (*big.Int, error) {
	if err := sig.check(); err != nil {
		return nil, err
	}
	parity := int64(sig[64])
	switch {
	case chainID == nil:
		return big.NewInt(27 + parity), nil
	case chainID.Sign() < 0:
		return nil, errors.New("ethereum: chain ID: it is negative")
	}
	v := new(big.Int).Lsh(chainID, 1)
	return v.Add(v, big.NewInt(35+parity)), nil
}

// Recover returns the address of the key under which sig is a signature of the hash. About half of
// all numbers r give an address. A signature proves something only if the caller compares the
// address with one that it expects. [ecdsa.Recover] returns the key. The time depends on sig and
// the hash.
func (sig Signature) Recover(hash common.Hash) (common.Address, error) {
	if err := sig.check(); err != nil {
		return common.Address{}, err
	}
	key, err := ecdsa.Recover(hash[:], sig[:])
	if err != nil {
		return common.Address{}, err
	}
	return Address(key)
}

func errForm(form Form) error {
	return fmt.Errorf("ethereum: form %d: want YParity, V27 or Compact", form)
}
