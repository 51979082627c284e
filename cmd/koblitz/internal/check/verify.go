package check

import (
	"bytes"
	"fmt"
	"hash"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A result is the verdict on one signature of a rows.Unit. If the verdict is not Valid, reason says
// why.
type result struct {
	verdict rows.Verdict
	reason  string
	sender  [20]byte // for rows.Recover: the recovered address, if recovery succeeded
}

// A verifier verifies the signatures of rows.Units singly. Its results are valid until the next
// call.
type verifier struct {
	results []result
	keys    []*koblitz.PublicKey
	keccak  hash.Hash
	sum     []byte
}

func (v *verifier) verify(u *rows.Unit) []result {
	v.results = v.results[:0]
	switch {
	case u.Scheme == rows.Schnorr && len(u.Signatures) == 1 && len(u.Keys) == 1:
		verdict, reason := verifySchnorr(&u.Signatures[0], u.Keys[0])
		if verdict == rows.Valid && !holds(&u.Commitment) {
			verdict, reason = rows.Invalid, reasonCommitment
		}
		v.results = append(v.results, result{verdict: verdict, reason: reason})
	case u.Scheme == rows.ECDSA && len(u.Signatures) == 1 && len(u.Keys) == 1:
		verdict, reason := verifyECDSA(u, &u.Signatures[0], u.Keys[0])
		v.results = append(v.results, result{verdict: verdict, reason: reason})
	case u.Scheme == rows.ECDSA:
		v.verifyMultisig(u)
	case u.Scheme == rows.Recover && len(u.Signatures) == 1:
		v.results = append(v.results, v.recoverSender(u))
	default:
		for range max(1, len(u.Signatures)) {
			v.results = append(v.results, result{verdict: rows.NotCheckable,
				reason: "a kind of signature that nothing here knows"})
		}
	}
	return v.results
}

var (
	// p = 2²⁵⁶ − 2³² − 977 (SEC 2, 2.4.1), big-endian.
	fieldPrime = []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xfc\x2f")
	// n, the order of the group (SEC 2, 2.4.1), big-endian.
	groupOrder = []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe" +
		"\xba\xae\xdc\xe6\xaf\x48\xa0\x3b\xbf\xd2\x5e\x8c\xd0\x36\x41\x41")
)

const (
	reasonHighS      = "s is not in the lower half, as the rules require here"
	reasonECDSA      = "the signature does not fit the hash and the key"
	reasonSchnorr    = "the signature does not fit the message and the key"
	reasonCommitment = "the output's key does not commit to the script"
)

func verifySchnorr(s *rows.Signature, key []byte) (rows.Verdict, string) {
	if len(s.Sig) != 64 {
		return rows.Malformed, fmt.Sprintf("the signature has %d bytes instead of 64", len(s.Sig))
	}
	switch { // these need no square root
	case bytes.Compare(s.Sig[:32], fieldPrime) >= 0:
		return rows.Malformed, "the first half of the signature is not below p"
	case bytes.Compare(s.Sig[32:], groupOrder) >= 0:
		return rows.Malformed, "the second half of the signature is not below n"
	}
	k, err := koblitz.ParseXOnlyPublicKey(key)
	switch {
	case err != nil:
		return rows.Malformed, rows.Reason(err)
	case !schnorr.Verify(k, s.Digest[:], s.Sig):
		return rows.Invalid, reasonSchnorr
	}
	return rows.Valid, ""
}

// holds reports whether the claim of c is true, or c makes none.
func holds(c *rows.Commitment) bool {
	if c.Key == nil {
		return true
	}
	k, err := koblitz.ParseXOnlyPublicKey(c.Key)
	return err == nil && k.CheckTweakAdd(c.Tweak[:], c.Output, c.Odd)
}

func parseECDSA(u *rows.Unit, sig []byte) (*ecdsa.Signature, error) {
	switch {
	case u.Compact:
		return ecdsa.ParseSignature(sig)
	case u.LaxDER:
		return ecdsa.ParseDERLax(sig)
	}
	return ParseDER(sig)
}

func verifyParsed(u *rows.Unit, key *koblitz.PublicKey, digest []byte, sig *ecdsa.Signature) bool {
	if u.LowS {
		return ecdsa.VerifyLowS(key, digest, sig)
	}
	return ecdsa.Verify(key, digest, sig)
}

func verifyECDSA(u *rows.Unit, s *rows.Signature, key []byte) (rows.Verdict, string) {
	k, err := koblitz.ParsePublicKey(key)
	if err != nil {
		return rows.Malformed, rows.Reason(err)
	}
	sig, err := parseECDSA(u, s.Sig)
	switch {
	case err != nil:
		return rows.Malformed, rows.Reason(err)
	case u.LowS && !sig.IsLowS():
		return rows.Invalid, reasonHighS
	case !verifyParsed(u, k, s.Digest[:], sig):
		return rows.Invalid, reasonECDSA
	}
	return rows.Valid, ""
}

// recoverSender recovers the signer's address. If the file states an address, recoverSender
// compares the two.
func (v *verifier) recoverSender(u *rows.Unit) result {
	s := &u.Signatures[0]
	if len(s.Sig) != 65 {
		return result{verdict: rows.Malformed, reason: fmt.Sprintf("the signature has %d bytes "+
			"instead of 65", len(s.Sig))}
	}
	sig, err := ecdsa.ParseSignature(s.Sig[:64])
	switch {
	case err != nil:
		return result{verdict: rows.Malformed, reason: rows.Reason(err)}
	case u.LowS && !sig.IsLowS():
		return result{verdict: rows.Invalid, reason: reasonHighS}
	}
	if id := s.Sig[64]; id > 3 { // readers of tables lower 27 to 30 to 0 to 3
		return result{verdict: rows.Invalid, reason: fmt.Sprintf("byte 64, the recovery id, is %d "+
			"instead of 0 to 3 (or 27 to 30)", id)}
	}
	key, err := ecdsa.Recover(s.Digest[:], s.Sig)
	if err != nil {
		return result{verdict: rows.Invalid, reason: rows.Reason(err)}
	}
	return compareSender(u.Sender, v.address(key.UncompressedBytes()))
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
		return result{verdict: rows.Recovered, sender: sender}
	case !bytes.Equal(want, sender[:]):
		return result{verdict: rows.Invalid, reason: fmt.Sprintf("the signature is one of 0x%x, and "+
			"the file says 0x%x", sender, want), sender: sender}
	}
	return result{verdict: rows.Valid, sender: sender}
}

// verifyMultisig matches signatures to keys in order, as CHECKMULTISIG does: once a signature has
// failed with a key, later signatures do not try that key. CHECKMULTISIG goes from the last
// signature to the first and stops at the first one that matches no key. verifyMultisig goes
// forwards, which accepts the same multisigs, and it continues after a failure to find out which
// signatures are bad. A key that cannot be parsed matches no signature.
func (v *verifier) verifyMultisig(u *rows.Unit) {
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
		if err != nil {
			v.results = append(v.results, result{verdict: rows.Malformed, reason: rows.Reason(err)})
			continue
		}
		if u.LowS && !sig.IsLowS() {
			v.results = append(v.results, result{verdict: rows.Invalid, reason: reasonHighS})
			continue
		}
		at := next
		for at < len(v.keys) && (v.keys[at] == nil || !verifyParsed(u, v.keys[at], s.Digest[:], sig)) {
			at++
		}
		if at == len(v.keys) {
			v.results = append(v.results, result{verdict: rows.Invalid,
				reason: fmt.Sprintf("the signature fits none of the keys from %d to %d of %d", next+1,
					len(v.keys), len(v.keys))})
			continue
		}
		v.results = append(v.results, result{verdict: rows.Valid, reason: ""})
		next = at + 1
	}
}
