package check

import (
	"bytes"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// Package batch says Invalid or Malformed, and a report says why. The reason follows from the
// row's bytes: what a parser refuses without a square root it refuses again and says why, and
// of what is left there is one reason for each scheme and verdict. So a row that is not valid
// is not verified a second time to be explained, and a file of forged rows costs what one of
// good rows costs on the exact road.

// Reasons that the single road and the batches share.
const (
	reasonHighS    = "s is not in the lower half, as the rules require here"
	reasonECDSA    = "the signature does not fit the hash and the key"
	reasonSchnorr  = "the signature does not fit the message and the key"
	reasonSchnorrR = "the first half of the signature is not below p"
	reasonSchnorrS = "the second half of the signature is not below n"
	reasonNo64     = "the signature has %d bytes instead of 64"
)

// Reasons that the library gives where a square root does not exist, or at the end of a
// recovery: what is left when the bytes show nothing.
const (
	reasonNoKey   = "public key: x (bytes 1 to 32) is not the x coordinate of a point of the curve"
	reasonNoXOnly = "x-only public key: x (bytes 0 to 31) is not the x coordinate of a point of " +
		"the curve"
	reasonNoR = "recoverable signature: no point of the curve has the x coordinate that r and the " +
		"recovery id give"
	reasonInfinity = "recoverable signature: the public key would be infinity"
)

// ecdsaReason returns the result for a row with the verdict v, which is not Valid, and with a
// signature that has been parsed.
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

// schnorrReason is the same for BIP-340.
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

// schnorrRange says which half of a signature of 64 bytes is out of range, if one is.
func schnorrRange(sig []byte) string {
	switch {
	case bytes.Compare(sig[:32], fieldPrime) >= 0:
		return reasonSchnorrR
	case bytes.Compare(sig[32:], groupOrder) >= 0:
		return reasonSchnorrS
	}
	return ""
}

// recoverReason is the same for a recovery, whose r and s are in range. lifted says that a
// point has the x coordinate that r and the recovery id give.
func recoverReason(digest *[32]byte, sig []byte, lifted bool) result {
	reason := reasonNoR
	switch _, ok := nonceX(sig); {
	case !ok:
		// Refused by its id, before anything is computed.
		if _, err := ecdsa.Recover(digest[:], sig); err != nil {
			reason = rows.Reason(err)
		}
	case lifted:
		reason = reasonInfinity
	}
	return result{verdict: rows.Invalid, reason: reason}
}

// nonceX returns the x coordinate that r and the recovery id of a signature of 65 bytes with
// r below n give (SEC 1, 4.1.6): r, or r + n. It is false if the id is above 3, or r + n not
// below p.
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
