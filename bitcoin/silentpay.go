package bitcoin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/silentpay"
)

// This file finds the inputs of silent payments (BIP-352, "Inputs For Shared Secret Derivation").

// ErrNoTweak is wrapped by the errors that say why a transaction cannot contain a silent payment.
var ErrNoTweak = errors.New("bitcoin: no silent payment")

// noTweak returns an error that wraps ErrNoTweak.
func noTweak(reason string) error { return fmt.Errorf("%w: %s", ErrNoTweak, reason) }

var (
	errCoinbase    = noTweak("the transaction is a coinbase")
	errNoTaproot   = noTweak("no output is a taproot output")
	errNoKeys      = noTweak("no input has an eligible public key")
	errLaterSegwit = noTweak("an input spends an output of a SegWit version above 1")
)

// nums is the x coordinate of the point H of BIP-341, whose discrete logarithm is unknown. It is
// the internal key of taproot outputs without a key path.
var nums = [32]byte{
	0x50, 0x92, 0x9b, 0x74, 0xc1, 0xa0, 0x49, 0x54, 0xb7, 0x8b, 0x4b, 0x60, 0x35, 0xe9, 0x7a, 0x5e,
	0x07, 0x8a, 0x5a, 0x0f, 0x28, 0xec, 0x96, 0xd5, 0x47, 0xbf, 0xee, 0x9a, 0xce, 0x80, 0x3a, 0xc0}

// PublicTweak returns the public tweak of a transaction (BIP-352), the point from which receivers
// of silent payments compute the shared secret. spent holds the output that each input spends.
//
// The error wraps [ErrNoTweak] if the transaction cannot contain a silent payment: it is a
// coinbase, it has no taproot output, it spends an output of a SegWit version above 1, no input has
// an eligible public key, or these keys add up to zero. It wraps [ErrUnknownOutput] if an output in
// spent is not known or missing. PublicTweak verifies no signature, and assumes that the scripts of
// the inputs are valid.
func PublicTweak(tx *wire.MsgTx, spent []Output) (*koblitz.PublicKey, error) {
	keys, err := SilentPaymentKeys(tx, spent)
	if err != nil {
		return nil, err
	}
	tweak, err := silentpay.PublicTweak(SilentPaymentOutpoints(tx), keys)
	if err != nil {
		// the sum of the keys is zero, or with negligible probability the input hash is
		return nil, fmt.Errorf("%w: %w", ErrNoTweak, err)
	}
	return tweak, nil
}

// SilentPaymentKeys returns the public keys of the transaction's eligible inputs, in the order of
// the inputs. The errors are those of [PublicTweak], except for keys that add up to zero.
//
// Eligible are inputs that spend P2PKH, P2WPKH, P2SH-P2WPKH and P2TR outputs. The key of a P2PKH
// input is searched in the whole signature script, which third parties can change. The key of a
// P2TR input is the output's key, with an even y. Inputs with an uncompressed key are skipped, and
// script path spends with the internal key H of BIP-341.
func SilentPaymentKeys(tx *wire.MsgTx, spent []Output) ([]*koblitz.PublicKey, error) {
	switch {
	case isCoinbase(tx):
		return nil, errCoinbase
	case !HasTaprootOutput(tx):
		return nil, errNoTaproot
	case len(spent) != len(tx.TxIn):
		return nil, fmt.Errorf("bitcoin: %d inputs and %d outputs that they spend: %w", len(tx.TxIn),
			len(spent), ErrUnknownOutput)
	}
	var keys []*koblitz.PublicKey
	for i, in := range tx.TxIn {
		if !spent[i].Known {
			return nil, fmt.Errorf("bitcoin: input %d: %w", i, ErrUnknownOutput)
		}
		if v, _, ok := witnessProgram(spent[i].Script); ok && v > 1 {
			return nil, errLaterSegwit
		}
		if key := paymentKey(in, spent[i].Script); key != nil {
			keys = append(keys, key)
		}
	}
	if keys == nil {
		return nil, errNoKeys
	}
	return keys, nil
}

// SilentPaymentOutpoints returns the serialized outpoints of all inputs of tx.
func SilentPaymentOutpoints(tx *wire.MsgTx) []silentpay.Outpoint {
	outpoints := make([]silentpay.Outpoint, len(tx.TxIn))
	for i, in := range tx.TxIn {
		copy(outpoints[i][:], in.PreviousOutPoint.Hash[:])
		binary.LittleEndian.PutUint32(outpoints[i][32:], in.PreviousOutPoint.Index)
	}
	return outpoints
}

// HasTaprootOutput reports whether tx has a taproot output (BIP-341), as every transaction with a
// silent payment has.
func HasTaprootOutput(tx *wire.MsgTx) bool {
	for _, out := range tx.TxOut {
		if txscript.IsPayToTaproot(out.PkScript) {
			return true
		}
	}
	return false
}

// paymentKey returns the public key of an input that spends an output with the given script, or nil
// if the input is not eligible.
func paymentKey(in *wire.TxIn, script []byte) *koblitz.PublicKey {
	if txscript.IsPayToScriptHash(script) {
		// BIP-141: the signature script of P2SH-P2WPKH is exactly one push of the redeem script.
		if s := in.SignatureScript; len(s) == 23 && s[0] == txscript.OP_DATA_22 {
			script = s[1:]
		}
		if !txscript.IsPayToWitnessPubKeyHash(script) {
			return nil
		}
	}
	switch {
	case txscript.IsPayToPubKeyHash(script):
		return keyWithHash(in.SignatureScript, script[3:23])
	case txscript.IsPayToWitnessPubKeyHash(script):
		if n := len(in.Witness); n > 0 {
			return compressedKey(in.Witness[n-1])
		}
	case txscript.IsPayToTaproot(script):
		return taprootKey(in.Witness, script[2:])
	}
	return nil
}

// keyWithHash returns the last compressed key in script with the given HASH160, or nil. The key may
// be at any offset, because third parties can add data to the signature script of P2PKH.
func keyWithHash(script, hash []byte) *koblitz.PublicKey {
	var hasher Judge
	for end := len(script); end >= 33; end-- {
		b := script[end-33 : end]
		if b[0]&^1 != 2 { // the prefix of a compressed key is 02 or 03
			continue
		}
		if bytes.Equal(hasher.hash160(b), hash) {
			return compressedKey(b) // or nil, and then no other bytes have the hash of a key
		}
	}
	return nil
}

// compressedKey parses a compressed key. It returns nil for anything else.
func compressedKey(b []byte) *koblitz.PublicKey {
	if len(b) != 33 {
		return nil
	}
	key, err := koblitz.ParsePublicKey(b)
	if err != nil {
		return nil
	}
	return key
}

// taprootKey returns the key of an input with the given witness that spends the taproot output with
// the x coordinate x. It returns nil if the internal key is H, or if there is no such key.
func taprootKey(witness wire.TxWitness, x []byte) *koblitz.PublicKey {
	n := len(witness)
	if n > 1 && len(witness[n-1]) > 0 && witness[n-1][0] == txscript.TaprootAnnexTag {
		n--
	}
	if n == 0 {
		return nil
	}
	if control := witness[n-1]; n > 1 && len(control) >= 33 && bytes.Equal(control[1:33], nums[:]) {
		return nil
	}
	key, err := koblitz.ParseXOnlyPublicKey(x)
	if err != nil {
		return nil
	}
	return key.PublicKey()
}
