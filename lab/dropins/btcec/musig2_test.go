package btcec

import (
	"slices"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/keys"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

// signers is the number of signers in a MuSig2 session.
const signers = 3

// musig returns the operation that runs a whole MuSig2 session of all signers in one process. Each
// signer makes a context, a session and nonces, registers the nonces of the other signers, and
// signs. The first signer combines the partial signatures and verifies the result. The random
// numbers for the nonces are the same in every process.
func musig() rows.Rows {
	in := keys.Open()
	in.Private = append(in.Private, in.Private[:signers]...)
	in.Public = append(in.Public, in.Public[:signers]...)
	var last *schnorr.Signature
	var key *btcec.PublicKey
	return rows.Rows{
		Run: func(i int) error {
			last, key = signAll(in.Private[i:i+signers], in.Public[i:i+signers],
				[32]byte(in.Hash[i]))
			return rows.Accepted(last != nil)
		},
		Result: func() []byte { return last.Serialize() },
		Wrong: func(i int) bool {
			return last.Verify(in.Hash[i], key) && !last.Verify(rows.Flipped(in.Hash[i], i), key)
		},
	}
}

// signAll returns the MuSig2 signature of hash by all the keys, and the aggregated public key. It
// panics if a step fails.
func signAll(private []*btcec.PrivateKey, public []*btcec.PublicKey, hash [32]byte) (
	*schnorr.Signature, *btcec.PublicKey) {
	sorted := slices.Clone(public) // each context sorts the slice that it gets
	random := rows.Random()
	var combined *btcec.PublicKey
	var sessions []*musig2.Session
	for i, k := range private {
		context := reference.Must(musig2.NewContext(k, true, musig2.WithKnownSigners(sorted)))
		combined = reference.Must(context.CombinedKey())
		nonces := reference.Must(musig2.GenNonces(musig2.WithPublicKey(public[i]),
			musig2.WithNonceSecretKeyAux(k), musig2.WithNonceMessageAux(hash),
			musig2.WithCustomRand(random)))
		s := reference.Must(context.NewSession(musig2.WithPreGeneratedNonce(nonces)))
		sessions = append(sessions, s)
	}
	for _, s := range sessions {
		for _, other := range sessions {
			if other != s {
				reference.Must(s.RegisterPubNonce(other.PublicNonce()))
			}
		}
	}
	for _, s := range sessions {
		partial := reference.Must(s.Sign(hash))
		if s != sessions[0] {
			reference.Must(sessions[0].CombineSig(partial))
		}
	}
	return sessions[0].FinalSig(), combined
}
