package btcec

import (
	"slices"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"

	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

// signers is the number of signers in a MuSig2 session.
const signers = 3

// musig returns the operation that runs a whole MuSig2 session of all signers in one process. Each
// signer makes a context, a session and nonces, registers the nonces of the other signers, and
// signs. The first signer combines the partial signatures and verifies the result. The random
// numbers for the nonces are the same in every process.
func musig() rows.Rows {
	in := open()
	in.private = append(in.private, in.private[:signers]...)
	in.public = append(in.public, in.public[:signers]...)
	var last *schnorr.Signature
	var key *btcec.PublicKey
	return rows.Rows{
		Run: func(i int) (err error) {
			last, key, err = together(in.private[i:i+signers], in.public[i:i+signers],
				[32]byte(in.hash[i]))
			return err
		},
		Result: func() []byte { return last.Serialize() },
		Wrong: func(i int) bool {
			return last.Verify(in.hash[i], key) && !last.Verify(rows.Flipped(in.hash[i], i), key)
		},
	}
}

// together returns the MuSig2 signature of hash by all the keys, and the aggregated public key.
func together(private []*btcec.PrivateKey, public []*btcec.PublicKey, hash [32]byte) (
	*schnorr.Signature, *btcec.PublicKey, error) {
	sorted := slices.Clone(public) // each context sorts the slice that it gets
	random := rows.Random()
	var combined *btcec.PublicKey
	var sessions []*musig2.Session
	for i, k := range private {
		context, err := musig2.NewContext(k, true, musig2.WithKnownSigners(sorted))
		if err != nil {
			return nil, nil, err
		}
		if combined, err = context.CombinedKey(); err != nil {
			return nil, nil, err
		}
		nonces, err := musig2.GenNonces(musig2.WithPublicKey(public[i]),
			musig2.WithNonceSecretKeyAux(k), musig2.WithNonceMessageAux(hash),
			musig2.WithCustomRand(random))
		if err != nil {
			return nil, nil, err
		}
		s, err := context.NewSession(musig2.WithPreGeneratedNonce(nonces))
		if err != nil {
			return nil, nil, err
		}
		sessions = append(sessions, s)
	}
	for _, s := range sessions {
		for _, other := range sessions {
			if other == s {
				continue
			}
			if _, err := s.RegisterPubNonce(other.PublicNonce()); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, s := range sessions {
		partial, err := s.Sign(hash)
		if err != nil {
			return nil, nil, err
		}
		if s == sessions[0] {
			continue
		}
		if _, err := sessions[0].CombineSig(partial); err != nil {
			return nil, nil, err
		}
	}
	return sessions[0].FinalSig(), combined, nil
}
