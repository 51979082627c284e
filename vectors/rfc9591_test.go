package vectors

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/group"
)

// frostVector holds the fields of a FROST vector that the tests of package group use.
type frostVector struct {
	Inputs struct {
		Coefficients []string `json:"share_polynomial_coefficients"`
		Key          string   `json:"group_secret_key"`
		Participants []uint64 `json:"participant_list"`
		Shares       []struct {
			Identifier uint64
			Share      string `json:"participant_share"`
		} `json:"participant_shares"`
	}
	RoundOne struct {
		Outputs []struct {
			Identifier         uint64
			HidingRandomness   string `json:"hiding_nonce_randomness"`
			BindingRandomness  string `json:"binding_nonce_randomness"`
			HidingNonce        string `json:"hiding_nonce"`
			BindingNonce       string `json:"binding_nonce"`
			BindingFactorInput string `json:"binding_factor_input"`
			BindingFactor      string `json:"binding_factor"`
		}
	} `json:"round_one_outputs"`
}

func loadFROST(t *testing.T) (v frostVector) {
	t.Helper()
	if err := json.Unmarshal(load(t, "rfc9591.json"), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestHashToScalar computes the nonces and binding factors of FROST(secp256k1, SHA-256), which are
// hashes to scalars (RFC 9591, section 6.5).
func TestHashToScalar(t *testing.T) {
	const context = "FROST-secp256k1-SHA256-v1"
	v := loadFROST(t)
	shares := map[uint64][]byte{}
	for _, s := range v.Inputs.Shares {
		shares[s.Identifier] = unhex(t, s.Share)
	}
	rows := 0
	for _, o := range v.RoundOne.Outputs {
		share := shares[o.Identifier]
		for _, h := range []struct {
			tag  string
			msg  []byte
			want string
		}{
			{"nonce", slices.Concat(unhex(t, o.HidingRandomness), share), o.HidingNonce},
			{"nonce", slices.Concat(unhex(t, o.BindingRandomness), share), o.BindingNonce},
			{"rho", unhex(t, o.BindingFactorInput), o.BindingFactor},
		} {
			s, err := new(group.Scalar).HashToScalar(h.msg, []byte(context+h.tag))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", s.Bytes()); got != h.want {
				t.Errorf("participant %d, %s: %s, want %s", o.Identifier, h.tag, got, h.want)
			}
			rows++
		}
	}
	count(t, "hashes to scalars", rows, 6)
}
