package verify

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A result is the verdict on one signature of a reading.Unit. If the verdict is not Valid, reason
// says why.
type result struct {
	verdict reading.Verdict
	reason  string
	sender  [20]byte // for reading.Recover: the recovered address, if recovery succeeded
}

const reasonCommitment = "the output's key does not commit to the script"

func malformed(reason string) result { return result{verdict: reading.Malformed, reason: reason} }
func invalid(reason string) result   { return result{verdict: reading.Invalid, reason: reason} }

// verifyRow returns the verdict on row i of b, and for reading.Recover also the address of the
// sender. It uses the functions for single signatures. claim is the commitment of the row, with a
// nil Key if the row has none. schnorr.Verify does not tell a malformed signature from a wrong one,
// so verifyRow returns Invalid for both.
func verifyRow(b *block, i int, claim *reading.Commitment) (verdict reading.Verdict,
	sender [20]byte) {
	digest, key, sig := b.row(i)
	valid, bad := false, false
	switch b.scheme {
	case reading.Schnorr:
		k, err := koblitz.ParseXOnlyPublicKey(key)
		bad = err != nil
		valid = schnorr.Verify(k, digest[:], sig) && isTrue(claim)
	case reading.ECDSA:
		k, badKey := koblitz.ParsePublicKey(key)
		parsed, err := ecdsa.ParseSignature(sig)
		bad = badKey != nil || err != nil
		valid = verifyParsed(b.lowS, k, digest[:], parsed)
	case reading.Recover:
		parsed, err := ecdsa.ParseSignature(sig[:64])
		bad = err != nil || sig[64] > 3
		if k, err := ecdsa.Recover(digest[:], sig); err == nil && (!b.lowS || parsed.IsLowS()) {
			valid, sender = true, address(k.UncompressedBytes())
		}
	}
	switch {
	case bad:
		return reading.Malformed, sender
	case valid:
		return reading.Valid, sender
	}
	return reading.Invalid, sender
}

// isTrue reports whether c is a true commitment, or is empty.
func isTrue(c *reading.Commitment) bool {
	if c.Key == nil {
		return true
	}
	k, err := koblitz.ParseXOnlyPublicKey(c.Key)
	return err == nil && k.CheckTweakAdd(c.Tweak[:], c.Output, c.Odd)
}

func verifyParsed(lowS bool, key *koblitz.PublicKey, digest []byte, sig *ecdsa.Signature) bool {
	if lowS {
		return ecdsa.VerifyLowS(key, digest, sig)
	}
	return ecdsa.Verify(key, digest, sig)
}

// verifyUnit returns the results of a unit whose signatures cannot be rows of a block: it has
// several signatures or keys, or one with a wrong length or encoding.
func verifyUnit(u *reading.Unit) []result {
	one := len(u.Signatures) == 1
	switch {
	case u.Scheme == reading.Schnorr && one && len(u.Keys) == 1 && len(u.Keys[0]) != 32:
		return []result{malformed(batch.KeyEncoding.String())}
	case u.Scheme == reading.Schnorr && one && len(u.Keys) == 1, u.Scheme == reading.Recover && one:
		return []result{malformed(batch.SignatureLength.String())}
	case u.Scheme == reading.ECDSA && one && len(u.Keys) == 1:
		return []result{badRow(u)}
	case u.Scheme == reading.ECDSA:
		return multisig(u)
	}
	return slices.Repeat([]result{{verdict: reading.NotCheckable,
		reason: "a kind of signature that nothing here knows"}}, max(1, len(u.Signatures)))
}

// parseECDSA parses a signature in the encoding that the unit names. If the encoding allows numbers
// that no valid signature has, parseECDSA returns nil without an error for them, and verification
// fails.
func parseECDSA(u *reading.Unit, sig []byte) (parsed *ecdsa.Signature, err error) {
	switch {
	case u.Compact:
		return ecdsa.ParseSignature(sig)
	case u.LaxDER:
		parsed, err = ecdsa.ParseDERLax(sig)
	default:
		parsed, err = ParseDER(sig)
	}
	if parsed.IsZero() {
		return nil, err
	}
	return parsed, err
}

// badRow returns the result of an ECDSA unit with one key and one signature, if the key or the
// signature cannot be decoded. If the key is bad, the result does not depend on the signature.
func badRow(u *reading.Unit) result {
	if n := len(u.Keys[0]); n != 33 && n != 65 {
		return malformed(batch.KeyEncoding.String())
	}
	_, err := koblitz.ParsePublicKey(u.Keys[0])
	if err == nil {
		_, err = parseECDSA(u, u.Signatures[0].Sig)
	}
	if err != nil {
		return malformed(reading.Reason(err))
	}
	return invalid(batch.WrongSignature.String())
}

// address returns the Ethereum address of a 65-byte public key: the last 20 bytes of the Keccak-256
// of its coordinates. Package batch has its own Keccak, so a second verification uses different
// code here too.
func address(key []byte) (a [20]byte) {
	keccak := sha3.NewLegacyKeccak256()
	keccak.Write(key[1:])
	copy(a[:], keccak.Sum(nil)[12:])
	return a
}

// compareSender returns the verdict on a signature from which the address sender was recovered.
// want is the address that the file states, or nil.
func compareSender(want []byte, sender [20]byte) result {
	switch {
	case want == nil:
		return result{verdict: reading.Recovered, sender: sender}
	case !bytes.Equal(want, sender[:]):
		return result{verdict: reading.Invalid, reason: fmt.Sprintf("the signature is one of 0x%x, and "+
			"the file says 0x%x", sender, want), sender: sender}
	}
	return result{verdict: reading.Valid, sender: sender}
}

// multisig matches signatures to keys in order, as CHECKMULTISIG does: once a signature has failed
// with a key, later signatures do not try that key. CHECKMULTISIG goes from the last signature to
// the first and stops at the first one that matches no key. multisig goes forwards, which accepts
// the same multisigs, and it continues after a failure to find out which signatures are bad. A key
// that cannot be parsed matches no signature.
func multisig(u *reading.Unit) (results []result) {
	keys := make([]*koblitz.PublicKey, len(u.Keys))
	for i, b := range u.Keys {
		if k, err := koblitz.ParsePublicKey(b); err == nil {
			keys[i] = k
		}
	}
	next := 0
	for i := range u.Signatures {
		digest := u.Signatures[i].Digest[:]
		sig, err := parseECDSA(u, u.Signatures[i].Sig)
		r := result{verdict: reading.Valid}
		at := next
		for err == nil && at < len(keys) && (keys[at] == nil || !verifyParsed(u.LowS, keys[at], digest,
			sig)) {
			at++
		}
		switch {
		case err != nil:
			r = malformed(reading.Reason(err))
		case sig != nil && u.LowS && !sig.IsLowS():
			r = invalid(batch.HighS.String())
		case at == len(keys):
			r = invalid(fmt.Sprintf("the signature fits none of the keys from %d to %d of %d", next+1,
				len(keys), len(keys)))
		default:
			next = at + 1
		}
		results = append(results, r)
	}
	return results
}
