package musig2

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/schnorr"
)

// These tests run the vectors of BIP-327, except those for the order of keys, which module vectors
// runs. They are in this package because they choose random bytes and secret nonces.

// hexBytes are bytes that JSON holds in hexadecimal. They are nil if JSON holds null.
type hexBytes []byte

func (b *hexBytes) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil || s == nil {
		return err
	}
	decoded, err := hex.DecodeString(*s)
	*b = append([]byte{}, decoded...)
	return err
}

// A blame is the error that a vector expects.
type blame struct {
	Type, Message, Contrib string
	Signer                 *int
}

// check fails the test unless err is the error that the vector expects. contrib is the name of the
// argument that was refused, with its signer if it has one.
func (b *blame) check(t *testing.T, contrib string, signer int, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %+v", b)
	}
	if b.Type == "value" {
		contrib = ""
		texts := map[string]error{
			"The tweak must be less than n.":                               errTweakRange,
			"The result of tweaking cannot be infinity.":                   errTweakZero,
			"The signer's pubkey must be included in the list of pubkeys.": errNotSigner,
			"first secnonce value is out of range.":                        ErrNonceUsed,
		}
		if want := texts[b.Message]; want == nil || !errors.Is(err, want) {
			t.Errorf("the error is %q, want %q (%s)", err, want, b.Message)
		}
	}
	if contrib != b.Contrib || b.Signer != nil && *b.Signer != signer {
		t.Errorf("%s of signer %d is refused (%v), want %+v", contrib, signer, err, b)
	}
}

// A vector is a case of any of the files. Indices select elements of the file's lists.
type vector struct {
	Keys       []int      `json:"key_indices"`
	Nonces     []int      `json:"nonce_indices"`
	PNonces    []int      `json:"pnonce_indices"`
	TweakIndex []int      `json:"tweak_indices"`
	Tweaks     []hexBytes `json:"tweaks"`
	XOnly      []bool     `json:"is_xonly"`
	AggIndex   *int       `json:"aggnonce_index"`
	Msg        int        `json:"msg_index"`
	Signer     *int       `json:"signer_index"`
	SecNonce   int        `json:"secnonce_index"`
	PSigs      []int      `json:"psig_indices"`
	AggNonce   hexBytes   `json:"aggnonce"`
	Others     hexBytes   `json:"aggothernonce"`
	Rand       hexBytes   `json:"rand"`
	Sig        hexBytes   `json:"sig"`
	Expected   json.RawMessage
	Error      *blame
	Comment    string
}

// want returns the expected bytes, or each of several.
func (v *vector) want(t *testing.T) (b []hexBytes) {
	t.Helper()
	if json.Unmarshal(v.Expected, &b) != nil {
		b = make([]hexBytes, 1)
		if err := json.Unmarshal(v.Expected, &b[0]); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// A vectorFile is the content of any of the files.
type vectorFile struct {
	SK           hexBytes
	PubKeys      []hexBytes
	SecNonce     hexBytes
	SecNonces    []hexBytes
	PNonces      []hexBytes
	AggNonce     hexBytes
	AggNonces    []hexBytes
	Tweaks       []hexBytes
	PSigs        []hexBytes
	Msg          hexBytes
	Msgs         []hexBytes
	Valid        []vector `json:"valid_test_cases"`
	Errors       []vector `json:"error_test_cases"`
	SignErrors   []vector `json:"sign_error_test_cases"`
	VerifyFail   []vector `json:"verify_fail_test_cases"`
	VerifyErrors []vector `json:"verify_error_test_cases"`
}

func load(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile("testdata/bip327_" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

// run runs f for each case, in a subtest. It fails if the number of cases is not want.
func run(t *testing.T, kind string, cases []vector, want int, f func(t *testing.T, v *vector)) {
	t.Helper()
	if len(cases) != want {
		t.Errorf("%d cases %s, want %d", len(cases), kind, want)
	}
	for i := range cases {
		t.Run(fmt.Sprintf("%s %d", kind, i), func(t *testing.T) { f(t, &cases[i]) })
	}
}

// publicKeys parses keys. If there is an error, it also returns the signer.
func (f *vectorFile) publicKeys(indices []int) ([]*koblitz.PublicKey, int, error) {
	var parsed []*koblitz.PublicKey
	for i, index := range indices {
		k, err := koblitz.ParsePublicKey(f.PubKeys[index])
		if err != nil {
			return nil, i, err
		}
		parsed = append(parsed, k)
	}
	return parsed, 0, nil
}

// publicNonces parses nonces. If there is an error, it also returns the signer.
func (f *vectorFile) publicNonces(indices []int) ([]*PublicNonce, int, error) {
	var parsed []*PublicNonce
	for i, index := range indices {
		n, err := ParsePublicNonce(f.PNonces[index])
		if err != nil {
			return nil, i, err
		}
		parsed = append(parsed, n)
	}
	return parsed, 0, nil
}

// key returns the aggregate key of a vector. If there is an error, it also returns the argument to
// blame.
func (f *vectorFile) key(v *vector) (k *AggregateKey, contrib string, signer int, err error) {
	parsed, signer, err := f.publicKeys(v.Keys)
	if err != nil {
		return nil, "pubkey", signer, err
	}
	if k, err = AggregateKeys(parsed...); err != nil {
		return nil, "", 0, err
	}
	tweaks := v.Tweaks
	for _, i := range v.TweakIndex {
		tweaks = append(tweaks, f.Tweaks[i])
	}
	for i, tweak := range tweaks {
		add := k.TweakAdd
		if v.XOnly[i] {
			add = k.TweakAddXOnly
		}
		if k, err = add(tweak); err != nil {
			return nil, "", 0, err
		}
	}
	return k, "", 0, nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// secretNonce returns the secret nonce with the given encoding: k1, k2 and the public key.
func secretNonce(t *testing.T, b []byte) *SecretNonce {
	t.Helper()
	if len(b) != 97 {
		t.Fatalf("a secret nonce of %d bytes", len(b))
	}
	s := &nonceState{live: true}
	s.k[0].SetBytes((*[32]byte)(b))
	s.k[1].SetBytes((*[32]byte)(b[32:]))
	s.signer = *(*keys.Public)(must(koblitz.ParsePublicKey(b[64:]))).Affine()
	s.k.Publish(&s.public, nil)
	return &SecretNonce{open: func() *nonceState { return s }}
}

func TestKeyAggVectors(t *testing.T) {
	var f vectorFile
	load(t, "key_agg", &f)
	run(t, "valid", f.Valid, 4, func(t *testing.T, v *vector) {
		k, _, _, err := f.key(v)
		if err != nil || !bytes.Equal(k.XOnlyPublicKey().Bytes(), v.want(t)[0]) {
			t.Errorf("the key is %v, %v", k.XOnlyPublicKey(), err)
		}
	})
	run(t, "error", f.Errors, 5, func(t *testing.T, v *vector) {
		_, contrib, signer, err := f.key(v)
		v.Error.check(t, contrib, signer, err)
	})
}

func TestNonceGenVectors(t *testing.T) {
	var f struct {
		Cases []struct {
			Rand               hexBytes `json:"rand_"`
			SK, PK, AggPK, Msg hexBytes
			ExtraIn            hexBytes `json:"extra_in"`
			SecNonce           hexBytes `json:"expected_secnonce"`
			PubNonce           hexBytes `json:"expected_pubnonce"`
		} `json:"test_cases"`
	}
	load(t, "nonce_gen", &f)
	if len(f.Cases) != 4 {
		t.Errorf("%d cases", len(f.Cases))
	}
	for i, v := range f.Cases {
		in := musig.NonceInput{
			PublicKey: v.PK, AggregateKey: v.AggPK, HasMessage: v.Msg != nil, Message: v.Msg,
			Extra: v.ExtraIn,
		}
		if v.SK != nil {
			in.PrivateKey = new(scalar.Scalar)
			in.PrivateKey.SetBytes((*[32]byte)(v.SK))
		}
		var k musig.SecretPair
		k.Derive(&in, (*[32]byte)(v.Rand))
		for half := range k {
			var b [32]byte
			k[half].PutBytes(&b)
			if !bytes.Equal(b[:], v.SecNonce[32*half:][:32]) {
				t.Errorf("case %d: k%d is %x", i, half+1, b)
			}
		}
		public := secretNonce(t, v.SecNonce).PublicNonce()
		if !bytes.Equal(public.Bytes(), v.PubNonce) {
			t.Errorf("case %d: the public nonce is %v", i, public)
		}
	}
}

func TestNonceAggVectors(t *testing.T) {
	var f vectorFile
	load(t, "nonce_agg", &f)
	run(t, "valid", f.Valid, 2, func(t *testing.T, v *vector) {
		nonces, _, err := f.publicNonces(v.PNonces)
		if err != nil {
			t.Fatal(err)
		}
		want := v.want(t)[0]
		sum := must(AggregateNonces(nonces...))
		if !bytes.Equal(sum.Bytes(), want) || !sum.Equal(must(ParseAggregateNonce(want))) {
			t.Errorf("the sum is %v", sum)
		}
	})
	run(t, "error", f.Errors, 3, func(t *testing.T, v *vector) {
		_, signer, err := f.publicNonces(v.PNonces)
		v.Error.check(t, "pubnonce", signer, err)
	})
}

func TestSignVerifyVectors(t *testing.T) {
	var f vectorFile
	load(t, "sign_verify", &f)
	signer := must(koblitz.ParsePrivateKey(f.SK))
	run(t, "valid", f.Valid, 6, func(t *testing.T, v *vector) {
		k, _, _, err := f.key(v)
		if err != nil {
			t.Fatal(err)
		}
		nonces, _, err := f.publicNonces(v.Nonces)
		if err != nil {
			t.Fatal(err)
		}
		sum := must(AggregateNonces(nonces...))
		if !bytes.Equal(sum.Bytes(), f.AggNonces[*v.AggIndex]) {
			t.Errorf("the nonces add up to %v", sum)
		}
		s := must(NewSession(k, sum, f.Msgs[v.Msg]))
		sig := must(s.Sign(secretNonce(t, f.SecNonces[0]), signer))
		if !bytes.Equal(sig.Bytes(), v.want(t)[0]) {
			t.Errorf("the partial signature is %v", sig)
		}
		if !s.VerifyPartial(*v.Signer, sig, nonces[*v.Signer]) {
			t.Error("the partial signature does not verify")
		}
	})
	run(t, "sign error", f.SignErrors, 6, func(t *testing.T, v *vector) {
		k, contrib, i, err := f.key(v)
		if err != nil {
			v.Error.check(t, contrib, i, err)
			return
		}
		nonce, err := ParseAggregateNonce(f.AggNonces[*v.AggIndex])
		if err != nil {
			v.Error.check(t, "aggnonce", 0, err)
			return
		}
		s := must(NewSession(k, nonce, f.Msgs[v.Msg]))
		_, err = s.Sign(secretNonce(t, f.SecNonces[v.SecNonce]), signer)
		v.Error.check(t, "", 0, err)
	})
	run(t, "verify fail", f.VerifyFail, 3, func(t *testing.T, v *vector) {
		k, _, _, err := f.key(v)
		if err != nil {
			t.Fatal(err)
		}
		nonces, _, err := f.publicNonces(v.Nonces)
		if err != nil {
			t.Fatal(err)
		}
		s := must(NewSession(k, must(AggregateNonces(nonces...)), f.Msgs[v.Msg]))
		sig, err := ParsePartialSignature(v.Sig)
		if large := strings.Contains(v.Comment, "exceeds"); (err != nil) != large {
			t.Fatal(err)
		}
		if s.VerifyPartial(*v.Signer, sig, nonces[*v.Signer]) {
			t.Error("the partial signature verifies")
		}
	})
	run(t, "verify error", f.VerifyErrors, 2, func(t *testing.T, v *vector) {
		if _, signer, err := f.publicNonces(v.Nonces); err != nil {
			v.Error.check(t, "pubnonce", signer, err)
			return
		}
		_, contrib, signer, err := f.key(v)
		v.Error.check(t, contrib, signer, err)
	})
}

func TestTweakVectors(t *testing.T) {
	var f vectorFile
	load(t, "tweak", &f)
	run(t, "valid", f.Valid, 5, func(t *testing.T, v *vector) {
		k, _, _, err := f.key(v)
		if err != nil {
			t.Fatal(err)
		}
		nonces, _, err := f.publicNonces(v.Nonces)
		if err != nil {
			t.Fatal(err)
		}
		sum := must(AggregateNonces(nonces...))
		if !bytes.Equal(sum.Bytes(), f.AggNonce) {
			t.Errorf("the nonces add up to %v", sum)
		}
		s := must(NewSession(k, sum, f.Msg))
		sig := must(s.Sign(secretNonce(t, f.SecNonce), must(koblitz.ParsePrivateKey(f.SK))))
		if !bytes.Equal(sig.Bytes(), v.want(t)[0]) ||
			!s.VerifyPartial(*v.Signer, sig, nonces[*v.Signer]) {
			t.Errorf("the partial signature is %v", sig)
		}
	})
	run(t, "error", f.Errors, 1, func(t *testing.T, v *vector) {
		_, contrib, signer, err := f.key(v)
		v.Error.check(t, contrib, signer, err)
	})
}

func TestDetSignVectors(t *testing.T) {
	var f vectorFile
	load(t, "det_sign", &f)
	// sign returns the public nonce and the partial signature of a vector, or the argument to
	// blame.
	sign := func(v *vector) (
		n *PublicNonce, sig *PartialSignature, contrib string, signer int, err error,
	) {
		k, contrib, signer, err := f.key(v)
		if err != nil {
			return nil, nil, contrib, signer, err
		}
		others, err := ParseAggregateNonce(v.Others)
		if err != nil {
			return nil, nil, "aggothernonce", 0, err
		}
		n, sig, err = DeterministicSign(must(koblitz.ParsePrivateKey(f.SK)), k, others, f.Msgs[v.Msg],
			v.Rand)
		if err != nil && strings.Contains(err.Error(), "the other signers' nonce") {
			contrib = "aggothernonce"
		}
		return n, sig, contrib, 0, err
	}
	run(t, "valid", f.Valid, 4, func(t *testing.T, v *vector) {
		n, sig, _, _, err := sign(v)
		want := v.want(t)
		if err != nil || !bytes.Equal(n.Bytes(), want[0]) || !bytes.Equal(sig.Bytes(), want[1]) {
			t.Errorf("the result is %v, %v, %v", n, sig, err)
		}
	})
	run(t, "error", f.Errors, 5, func(t *testing.T, v *vector) {
		_, _, contrib, signer, err := sign(v)
		v.Error.check(t, contrib, signer, err)
	})
}

func TestSigAggVectors(t *testing.T) {
	var f vectorFile
	load(t, "sig_agg", &f)
	// aggregate returns the signature of a vector, or the signer to blame.
	aggregate := func(t *testing.T, v *vector) (sig []byte, k *AggregateKey, signer int, err error) {
		k, _, _, err = f.key(v)
		if err != nil {
			t.Fatal(err)
		}
		nonces, _, err := f.publicNonces(v.Nonces)
		if err != nil {
			t.Fatal(err)
		}
		sum := must(AggregateNonces(nonces...))
		if !bytes.Equal(sum.Bytes(), v.AggNonce) {
			t.Errorf("the nonces add up to %v", sum)
		}
		s := must(NewSession(k, sum, f.Msg))
		var sigs []*PartialSignature
		for i, index := range v.PSigs {
			sig, err := ParsePartialSignature(f.PSigs[index])
			if err != nil {
				return nil, k, i, err
			}
			sigs = append(sigs, sig)
		}
		if err := s.VerifyAll(sigs, nonces); err != nil {
			t.Error(err)
		}
		sig, err = s.Aggregate(sigs...)
		return sig, k, 0, err
	}
	run(t, "valid", f.Valid, 4, func(t *testing.T, v *vector) {
		sig, k, _, err := aggregate(t, v)
		if err != nil || !bytes.Equal(sig, v.want(t)[0]) {
			t.Errorf("the signature is %x, %v", sig, err)
		}
		if !schnorr.Verify(k.XOnlyPublicKey(), f.Msg, sig) {
			t.Error("the signature does not verify")
		}
	})
	run(t, "error", f.Errors, 1, func(t *testing.T, v *vector) {
		_, _, signer, err := aggregate(t, v)
		v.Error.check(t, "psig", signer, err)
	})
}
