package check

import (
	"bytes"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// Package batch reports only Invalid or Malformed, but a report also gives a reason. The reason is
// derived from the row's bytes: first the parser's checks that need no square root, and then one
// reason for each scheme and verdict. So an invalid row need not be verified again to be explained,
// and a file of forged rows costs as much as a file of good rows does under exact verification.

// These reasons are shared by single verification and batch verification.
const (
	reasonHighS      = "s is not in the lower half, as the rules require here"
	reasonECDSA      = "the signature does not fit the hash and the key"
	reasonSchnorr    = "the signature does not fit the message and the key"
	reasonSchnorrR   = "the first half of the signature is not below p"
	reasonSchnorrS   = "the second half of the signature is not below n"
	reasonCommitment = "the output's key does not commit to the script"
	reasonID         = "byte 64, the recovery id, is %d instead of 0 to 3 (or 27 to 30)"
	reasonNo64       = "the signature has %d bytes instead of 64"
)

// These are the library's reasons for an x coordinate without a point on the curve and for a
// recovery whose result is the point at infinity. They apply if the bytes of the row show no other
// fault.
const (
	reasonNoKey   = "public key: x (bytes 1 to 32) is not the x coordinate of a point of the curve"
	reasonNoXOnly = "x-only public key: x (bytes 0 to 31) is not the x coordinate of a point of " +
		"the curve"
	reasonNoR = "recoverable signature: no point of the curve has the x coordinate that r and the " +
		"recovery id give"
	reasonInfinity = "recoverable signature: the public key would be infinity"
)

// ecdsaReason returns the result of an ECDSA row whose verdict v is not Valid. Its signature must
// have been parsed.
func ecdsaReason(v batch.Verdict, key []byte) result {
	if v == batch.Invalid {
		return result{verdict: rows.Invalid, reason: reasonECDSA}
	}
	reason := reasonNoKey
	if len(key) != 33 || key[0] != 2 && key[0] != 3 || bytes.Compare(key[1:], fieldPrime) >= 0 {
		if _, err := koblitz.ParsePublicKey(key); err != nil {
			reason = rows.Reason(err)
		}
	}
	return result{verdict: rows.Malformed, reason: reason}
}

// schnorrReason returns the result of a BIP-340 row whose verdict v is not Valid.
func schnorrReason(v batch.Verdict, key, sig []byte) result {
	if v == batch.Invalid {
		return result{verdict: rows.Invalid, reason: reasonSchnorr}
	}
	reason := schnorrRange(sig)
	if reason == "" {
		reason = reasonNoXOnly
		if bytes.Compare(key, fieldPrime) >= 0 {
			if _, err := koblitz.ParseXOnlyPublicKey(key); err != nil {
				reason = rows.Reason(err)
			}
		}
	}
	return result{verdict: rows.Malformed, reason: reason}
}

// schnorrRange returns the reason why the r or s half of a 64-byte signature is out of range, or
// "".
func schnorrRange(sig []byte) string {
	switch {
	case bytes.Compare(sig[:32], fieldPrime) >= 0:
		return reasonSchnorrR
	case bytes.Compare(sig[32:], groupOrder) >= 0:
		return reasonSchnorrS
	}
	return ""
}

// recoverReason returns the result of a failed recovery whose r and s are in range. lifted reports
// whether r and the recovery ID give the x coordinate of a curve point.
func recoverReason(digest *[32]byte, sig []byte, lifted bool) result {
	reason := reasonNoR
	switch _, ok := nonceX(sig); {
	case !ok:
		// A bad recovery ID is refused before anything is computed.
		if _, err := ecdsa.Recover(digest[:], sig); err != nil {
			reason = recoverError(sig, err)
		}
	case lifted:
		reason = reasonInfinity
	}
	return result{verdict: rows.Invalid, reason: reason}
}

// recoverError returns the reason for err, an error of ecdsa.Recover. Tables may hold recovery IDs
// from 27 to 30, which readers lower to 0 to 3; all others come here as they are.
func recoverError(sig []byte, err error) string {
	if sig[64] > 3 {
		return fmt.Sprintf(reasonID, sig[64])
	}
	return rows.Reason(err)
}

// nonceX returns the x coordinate of the nonce point, r or r + n (SEC 1, 4.1.6), of a 65-byte
// signature with r below n. ok is false if the recovery ID is above 3 or if r + n is not below p.
func nonceX(sig []byte) (x [32]byte, ok bool) {
	copy(x[:], sig)
	switch sig[64] {
	case 0, 1:
		return x, true
	case 2, 3:
		carry := 0
		for i := 31; i >= 0; i-- {
			carry += int(x[i]) + int(groupOrder[i])
			x[i] = byte(carry)
			carry >>= 8
		}
		return x, carry == 0 && bytes.Compare(x[:], fieldPrime) < 0
	}
	return x, false
}
