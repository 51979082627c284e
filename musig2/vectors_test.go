package musig2

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/reference"
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

// A hexList is a list of bytes, or a single element in place of a list of one.
type hexList []hexBytes

func (l *hexList) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*[]hexBytes)(l)) == nil {
		return nil
	}
	*l = make(hexList, 1)
	return json.Unmarshal(text, &(*l)[0])
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
	want := map[string]error{
		"The tweak must be less than n.":                               errTweakRange,
		"The result of tweaking cannot be infinity.":                   errTweakZero,
		"The signer's pubkey must be included in the list of pubkeys.": errNotSigner,
		"first secnonce value is out of range.":                        ErrNonceUsed,
	}[b.Message]
	if err == nil || contrib != b.Contrib || b.Signer != nil && *b.Signer != signer ||
		(b.Type == "value") != (want != nil) || !errors.Is(err, want) && want != nil {
		t.Errorf("%q of signer %d is refused (%v), want %+v", contrib, signer, err, b)
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
	Expected   hexList
	Error      *blame
	Comment    string
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
	b := reference.Must(os.ReadFile("testdata/bip327_" + name + ".json"))
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

// parseAll parses the selected encodings. If there is an error, it also returns the signer.
func parseAll[T any](
	encodings []hexBytes, indices []int, parse func([]byte) (T, error),
) (all []T, signer int, err error) {
	for i, index := range indices {
		v, err := parse(encodings[index])
		if err != nil {
			return nil, i, err
		}
		all = append(all, v)
	}
	return all, 0, nil
}

// result returns the result of the last function for which the vector has arguments: an aggregate
// nonce, an aggregate key, a partial signature (after the public nonce if it is deterministic), or
// a signature. If there is an error, it also returns the argument to blame, and its signer. A
// partial signature of the vector must verify.
func (f *vectorFile) result(
	t *testing.T, v *vector,
) (out [][]byte, contrib string, signer int, err error) {
	nonces, signer, err := parseAll(f.PNonces, append(v.Nonces, v.PNonces...), ParsePublicNonce)
	if err != nil {
		return nil, "pubnonce", signer, err
	}
	if v.Keys == nil {
		return [][]byte{reference.Must(AggregateNonces(nonces...)).Bytes()}, "", 0, nil
	}
	public, signer, err := parseAll(f.PubKeys, v.Keys, koblitz.ParsePublicKey)
	if err != nil {
		return nil, "pubkey", signer, err
	}
	k := reference.Must(AggregateKeys(public...))
	tweaks, msg := v.Tweaks, f.Msg
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
	if f.Msgs != nil {
		msg = f.Msgs[v.Msg]
	}
	if v.Others != nil {
		others, err := ParseAggregateNonce(v.Others)
		if err != nil {
			return nil, "aggothernonce", 0, err
		}
		n, sig, err := DeterministicSign(reference.Must(koblitz.ParsePrivateKey(f.SK)), k, others, msg,
			v.Rand)
		if err != nil && strings.Contains(err.Error(), "the other signers' nonce") {
			contrib = "aggothernonce"
		}
		return [][]byte{n.Bytes(), sig.Bytes()}, contrib, 0, err
	}
	if f.PNonces == nil {
		return [][]byte{k.XOnlyPublicKey().Bytes()}, "", 0, nil
	}
	encoded := slices.Concat(f.AggNonce, v.AggNonce)
	if v.AggIndex != nil {
		encoded = f.AggNonces[*v.AggIndex]
	} else if v.Sig != nil {
		encoded = hexBytes(reference.Must(AggregateNonces(nonces...)).Bytes())
	}
	sum, err := ParseAggregateNonce(encoded)
	if err != nil {
		return nil, "aggnonce", 0, err
	}
	if nonces != nil && !reference.Must(AggregateNonces(nonces...)).Equal(sum) {
		t.Errorf("the nonces do not add up to %v", sum)
	}
	s := reference.Must(NewSession(k, sum, msg))
	if v.PSigs != nil {
		sigs, signer, err := parseAll(f.PSigs, v.PSigs, ParsePartialSignature)
		if err != nil {
			return nil, "psig", signer, err
		}
		if err := s.VerifyAll(sigs, nonces); err != nil {
			return nil, "", 0, err
		}
		sig, err := s.Aggregate(sigs...)
		if err == nil && !schnorr.Verify(k.XOnlyPublicKey(), msg, sig) {
			t.Error("the signature does not verify")
		}
		return [][]byte{sig}, "", 0, err
	}
	var sig *PartialSignature
	if v.Sig != nil {
		sig, err = ParsePartialSignature(v.Sig)
		if large := strings.Contains(v.Comment, "exceeds"); (err != nil) != large {
			t.Error(err)
		}
	} else if sig, err = s.Sign(secretNonce(t, append(f.SecNonces, f.SecNonce)[v.SecNonce]),
		reference.Must(koblitz.ParsePrivateKey(f.SK))); err != nil {
		return nil, "", 0, err
	}
	if !s.VerifyPartial(*v.Signer, sig, nonces[*v.Signer]) {
		return nil, "", 0, errNotValid
	}
	return [][]byte{sig.Bytes()}, "", 0, nil
}

var errNotValid = errors.New("the partial signature does not verify")

func equal(a []byte, b hexBytes) bool { return bytes.Equal(a, b) }

// TestVectors runs the vectors of all files but one.
func TestVectors(t *testing.T) {
	for name, want := range map[string][5]int{ // the number of cases of each kind
		"key_agg": {4, 5}, "nonce_agg": {2, 3}, "sign_verify": {6, 0, 6, 3, 2}, "tweak": {5, 1},
		"det_sign": {4, 5}, "sig_agg": {4, 1},
	} {
		var f vectorFile
		load(t, name, &f)
		for kind, cases := range [][]vector{
			f.Valid, f.Errors, f.SignErrors, f.VerifyFail, f.VerifyErrors,
		} {
			if len(cases) != want[kind] {
				t.Errorf("%s: %d cases of kind %d, want %d", name, len(cases), kind, want[kind])
			}
			for i := range cases {
				v := &cases[i]
				t.Run(fmt.Sprintf("%s, kind %d, %d", name, kind, i), func(t *testing.T) {
					out, contrib, signer, err := f.result(t, v)
					switch {
					case v.Error != nil:
						v.Error.check(t, contrib, signer, err)
					case kind == 3:
						if err != errNotValid {
							t.Errorf("%x, %v", out, err)
						}
					case err != nil || !slices.EqualFunc(out, v.Expected, equal):
						t.Errorf("%x, %v, want %x", out, err, v.Expected)
					}
				})
			}
		}
	}
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
	s.signer = *(*keys.Public)(reference.Must(koblitz.ParsePublicKey(b[64:]))).Affine()
	s.k.Publish(&s.public, nil)
	return &SecretNonce{open: func() *nonceState { return s }}
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
