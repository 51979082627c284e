package verify

import (
	"bytes"
	"fmt"
	"hash"

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

// A verifier verifies signatures with the functions for single signatures. Its results are valid
// until the next call.
type verifier struct {
	results []result
	keys    []*koblitz.PublicKey
	keccak  hash.Hash
	sum     []byte
}

// row returns the verdict on a row of the columns c, and for recovery the address. claim is the
// row's commitment, or makes no claim. A malformed BIP-340 signature is Invalid here.
func (v *verifier) row(c *columns, i int, claim *reading.Commitment) (
	verdict reading.Verdict, sender [20]byte) {
	digest, key, sig := c.row(i)
	valid, malformed := false, false
	switch c.scheme {
	case reading.Schnorr:
		k, err := koblitz.ParseXOnlyPublicKey(key)
		malformed = err != nil
		valid = schnorr.Verify(k, digest[:], sig) && holds(claim)
	case reading.ECDSA:
		k, badKey := koblitz.ParsePublicKey(key)
		parsed, err := ecdsa.ParseSignature(sig)
		malformed = badKey != nil || err != nil
		valid = verifyParsed(c.lowS, k, digest[:], parsed)
	case reading.Recover:
		parsed, err := ecdsa.ParseSignature(sig[:64])
		malformed = err != nil || sig[64] > 3
		if k, err := ecdsa.Recover(digest[:], sig); err == nil && (!c.lowS || parsed.IsLowS()) {
			valid, sender = true, v.address(k.UncompressedBytes())
		}
	}
	switch {
	case malformed:
		return reading.Malformed, sender
	case valid:
		return reading.Valid, sender
	}
	return reading.Invalid, sender
}

// holds reports whether the claim of c is true, or c makes none.
func holds(c *reading.Commitment) bool {
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

// unit returns the results of a unit whose signatures cannot be rows of columns: it has several
// signatures or keys, or one with a wrong length or encoding.
func (v *verifier) unit(u *reading.Unit) []result {
	v.results = v.results[:0]
	one := len(u.Signatures) == 1
	switch {
	case u.Scheme == reading.Schnorr && one && len(u.Keys) == 1:
		why := batch.KeyEncoding
		if len(u.Keys[0]) == 32 {
			why = batch.SignatureLength
		}
		v.results = append(v.results, result{verdict: reading.Malformed, reason: why.String()})
	case u.Scheme == reading.ECDSA && one && len(u.Keys) == 1:
		v.results = append(v.results, badRow(u))
	case u.Scheme == reading.ECDSA:
		v.multisig(u)
	case u.Scheme == reading.Recover && one:
		v.results = append(v.results,
			result{verdict: reading.Malformed, reason: batch.SignatureLength.String()})
	default:
		for range max(1, len(u.Signatures)) {
			v.results = append(v.results, result{verdict: reading.NotCheckable,
				reason: "a kind of signature that nothing here knows"})
		}
	}
	return v.results
}

// parseECDSA parses a signature in the encoding that the unit names. It returns nil and no error
// for numbers that no signature has, if by the rules of the encoding that is for verification to
// find.
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

// badRow returns the result of an ECDSA unit with one key and one signature, of which at least one
// cannot be decoded. If the key is bad, the result does not depend on the signature.
func badRow(u *reading.Unit) result {
	if n := len(u.Keys[0]); n != 33 && n != 65 {
		return result{verdict: reading.Malformed, reason: batch.KeyEncoding.String()}
	}
	if _, err := koblitz.ParsePublicKey(u.Keys[0]); err != nil {
		return result{verdict: reading.Malformed, reason: reading.Reason(err)}
	}
	if _, err := parseECDSA(u, u.Signatures[0].Sig); err != nil {
		return result{verdict: reading.Malformed, reason: reading.Reason(err)}
	}
	return result{verdict: reading.Invalid, reason: batch.WrongSignature.String()}
}

// address returns the Ethereum address of a 65-byte public key: the last 20 bytes of the Keccak-256
// of its coordinates. Package batch has its own Keccak, so a second verification uses different
// code here too.
func (v *verifier) address(key []byte) (a [20]byte) {
	if v.keccak == nil {
		v.keccak = sha3.NewLegacyKeccak256()
	}
	v.keccak.Reset()
	v.keccak.Write(key[1:])
	v.sum = v.keccak.Sum(v.sum[:0])
	copy(a[:], v.sum[12:])
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
func (v *verifier) multisig(u *reading.Unit) {
	v.keys = v.keys[:0]
	for _, b := range u.Keys {
		k, err := koblitz.ParsePublicKey(b)
		if err != nil {
			k = nil
		}
		v.keys = append(v.keys, k)
	}
	next := 0
	for i := range u.Signatures {
		s := &u.Signatures[i]
		sig, err := parseECDSA(u, s.Sig)
		switch {
		case err != nil:
			v.results = append(v.results,
				result{verdict: reading.Malformed, reason: reading.Reason(err)})
			continue
		case sig != nil && u.LowS && !sig.IsLowS():
			v.results = append(v.results,
				result{verdict: reading.Invalid, reason: batch.HighS.String()})
			continue
		}
		at := next
		for at < len(v.keys) &&
			(v.keys[at] == nil || !verifyParsed(u.LowS, v.keys[at], s.Digest[:], sig)) {
			at++
		}
		if at == len(v.keys) {
			v.results = append(v.results, result{verdict: reading.Invalid,
				reason: fmt.Sprintf("the signature fits none of the keys from %d to %d of %d", next+1,
					len(v.keys), len(v.keys))})
			continue
		}
		v.results = append(v.results, result{verdict: reading.Valid, reason: ""})
		next = at + 1
	}
}
