package frost

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// signingVectors is a file of signing by RFC 9591.
type signingVectors struct {
	Config struct {
		Max               string `json:"MAX_PARTICIPANTS"`
		Num               string `json:"NUM_PARTICIPANTS"`
		Min               string `json:"MIN_PARTICIPANTS"`
		Name, Group, Hash string
	}
	Inputs struct {
		Participants []uint32 `json:"participant_list"`
		Secret       Hex      `json:"group_secret_key"`
		Key          Hex      `json:"verifying_key_key"`
		Message      Hex
		Coefficients []Hex `json:"share_polynomial_coefficients"`
		Shares       []struct {
			Identifier uint32
			Share      Hex `json:"participant_share"`
		} `json:"participant_shares"`
	}
	One struct {
		Outputs []struct {
			Identifier         uint32
			HidingRandom       Hex `json:"hiding_nonce_randomness"`
			BindingRandom      Hex `json:"binding_nonce_randomness"`
			Hiding             Hex `json:"hiding_nonce"`
			Binding            Hex `json:"binding_nonce"`
			HidingCommitment   Hex `json:"hiding_nonce_commitment"`
			BindingCommitment  Hex `json:"binding_nonce_commitment"`
			BindingFactorInput Hex `json:"binding_factor_input"`
			BindingFactor      Hex `json:"binding_factor"`
		}
	} `json:"round_one_outputs"`
	Two struct {
		Outputs []struct {
			Identifier uint32
			Share      Hex `json:"sig_share"`
		}
	} `json:"round_two_outputs"`
	Final struct{ Sig Hex } `json:"final_output"`
}

func TestVectorsOfRFC9591(t *testing.T) {
	for _, name := range []string{"rfc9591_signing.json.gz", "rfc9591_big_identifier.json.gz"} {
		var v signingVectors
		load(t, name, &v)
		var n, threshold int
		if _, err := fmt.Sscan(v.Config.Max, &n); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(v.Config.Min, &threshold); err != nil {
			t.Fatal(err)
		}
		p := polynomial{scalarOf(t, v.Inputs.Secret)}
		for _, c := range v.Inputs.Coefficients {
			p = append(p, scalarOf(t, c))
		}
		shares, commitment, err := p.deal(n)
		if err != nil || len(p) != threshold {
			t.Fatalf("%d coefficients, %v", len(p), err)
		}
		for _, s := range v.Inputs.Shares {
			if got := shares[s.Identifier-1].Bytes(); !bytes.Equal(got, s.Share) {
				t.Errorf("%s: another share of %d", name, s.Identifier)
			}
		}
		var ids []uint32
		var public []*koblitz.PublicKey
		var nonces []*PublicNonce
		var secrets []*SecretNonce
		for i, id := range v.Inputs.Participants {
			ids = append(ids, id-1)
			public = append(public, shares[id-1].PublicKey())
			one := v.One.Outputs[i]
			random := [2][32]byte{[32]byte(one.HidingRandom), [32]byte(one.BindingRandom)}
			nonce, err := generateNonceRFC9591(&random, shares[id-1])
			if err != nil {
				t.Fatal(err)
			}
			want := append(one.HidingCommitment, one.BindingCommitment...)
			if got := nonce.Public().Bytes(); !bytes.Equal(got, want) {
				t.Errorf("%s: nonce of %d: %x", name, id, got)
			}
			k := nonce.pair.Load()
			if !k[0].Equal(scalarOf(t, one.Hiding)) || !k[1].Equal(scalarOf(t, one.Binding)) {
				t.Errorf("%s: another secret nonce of %d", name, id)
			}
			nonces, secrets = append(nonces, nonce.Public()), append(secrets, nonce)
		}
		key, err := commitment.PublicKey()
		if err != nil || !bytes.Equal(key.Bytes(), v.Inputs.Key) {
			t.Errorf("%s: another key, %v", name, err)
		}
		signers, err := NewSigners(threshold, n, ids, public, key)
		if err != nil {
			t.Fatal(err)
		}
		session, err := NewSessionRFC9591(signers, nonces, v.Inputs.Message)
		if err != nil {
			t.Fatal(err)
		}
		partials := make([][]byte, len(ids))
		for i, id := range ids {
			if !session.binding[i].Equal(scalarOf(t, v.One.Outputs[i].BindingFactor)) {
				t.Errorf("%s: another binding factor of %d", name, id)
			}
			partials[i], err = session.Sign(secrets[i], id, shares[id])
			if err != nil || !bytes.Equal(partials[i], v.Two.Outputs[i].Share) {
				t.Errorf("%s: share of %d: %x, %v", name, id, partials[i], err)
			}
		}
		if err := session.VerifyPartials(nonces, partials); err != nil {
			t.Error(err)
		}
		signature, err := session.Aggregate(partials)
		if err != nil || !bytes.Equal(signature, v.Final.Sig) {
			t.Errorf("%s: signature %x, %v", name, signature, err)
		}
	}
}

// A keyGenVector is one participant of a distributed key generation.
type keyGenVector struct {
	Identifier uint32
	Secret     Hex            `json:"signing_key"`
	Linear     Hex            `json:"coefficient"`
	Commitment []Hex          `json:"vss_commitments"`
	Proof      Hex            `json:"proof_of_knowledge"`
	Shares     map[string]Hex `json:"signing_shares"`
	Public     Hex            `json:"verifying_share"`
	Share      Hex            `json:"signing_share"`
}

// The vectors give each proof, but not its nonce, so the proofs are verified and not made again.
func TestVectorsOfKeyGeneration(t *testing.T) {
	var file struct {
		Config struct {
			Max               int `json:"MAX_PARTICIPANTS"`
			Min               int `json:"MIN_PARTICIPANTS"`
			Name, Group, Hash string
		}
		Inputs struct {
			Key   Hex          `json:"verifying_key"`
			One   keyGenVector `json:"1"`
			Two   keyGenVector `json:"2"`
			Three keyGenVector `json:"3"`
		}
	}
	load(t, "rfc9591_dkg.json.gz", &file)
	vectors := []keyGenVector{file.Inputs.One, file.Inputs.Two, file.Inputs.Three}
	var states []*KeyGen
	var contributions []*Contribution
	for i, v := range vectors {
		p := polynomial{scalarOf(t, v.Secret), scalarOf(t, v.Linear)}
		state, err := startKeyGen(uint32(i), len(vectors), nil, p, group.RandomScalar())
		if err != nil {
			t.Fatal(err)
		}
		encoded := append(append(append([]byte{}, v.Commitment[0]...), v.Commitment[1]...), v.Proof...)
		c, err := ParseContribution(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if got := state.contribution.commitment.Bytes(); !bytes.Equal(got, encoded[:66]) {
			t.Errorf("participant %d: commitment %x", i, got)
		}
		if !bytes.Equal(c.Bytes(), encoded) {
			t.Errorf("participant %d: the contribution encodes to other bytes", i)
		}
		state.contribution = c
		states, contributions = append(states, state), append(contributions, c)
	}
	received := make([][]*koblitz.PrivateKey, len(states))
	for j, state := range states {
		shares, err := state.Shares(contributions)
		if err != nil {
			t.Fatal(err)
		}
		for i, share := range shares {
			want := vectors[i].Shares[fmt.Sprint(j+1)]
			if i != j && !bytes.Equal(share.Bytes(), want) {
				t.Errorf("another share of participant %d for %d", j, i)
			}
			received[i] = append(received[i], share)
		}
	}
	for i, state := range states {
		result, err := state.Finish(received[i])
		if err != nil {
			t.Fatal(err)
		}
		key, err := result.Commitment.PublicKey()
		if err != nil || !bytes.Equal(key.Bytes(), file.Inputs.Key) {
			t.Errorf("participant %d: another key, %v", i, err)
		}
		if !bytes.Equal(result.Share.Bytes(), vectors[i].Share) {
			t.Errorf("participant %d: another share", i)
		}
		if public := result.Share.PublicKey().Bytes(); !bytes.Equal(public, vectors[i].Public) {
			t.Errorf("participant %d: public share %x", i, public)
		}
	}
}

// The sums of steps 2 and 3 of a repair.
func TestVectorsOfRepair(t *testing.T) {
	var file struct {
		Deltas map[string]Hex `json:"scalar_generation"`
		Sigmas map[string]Hex `json:"sigma_generation"`
	}
	load(t, "rfc9591_repair_share.json.gz", &file)
	for _, c := range []struct {
		values map[string]Hex
		parts  []string
		sum    string
	}{
		{file.Deltas, []string{"random_scalar_1", "random_scalar_2", "random_scalar_3"},
			"random_scalar_sum"},
		{file.Sigmas, []string{"sigma_1", "sigma_2", "sigma_3", "sigma_4"}, "sigma_sum"},
	} {
		var parts []*RepairPart
		for _, name := range c.parts {
			part, err := koblitz.ParsePrivateKey(c.values[name])
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, &RepairPart{secret: part})
		}
		if sum, err := addParts(parts); err != nil || !bytes.Equal(sum.Bytes(), c.values[c.sum]) {
			t.Errorf("another %s, %v", c.sum, err)
		}
	}
}
