package frost

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// The vectors of BIP-445 give secret nonces, which no exported function takes. So these tests are
// in the package.

// load decodes a gzip file of JSON in testdata into v. It fails on fields that v lacks, so that no
// field is ignored by mistake.
func load(t *testing.T, name string, v any) {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Hex is a text of bytes in hexadecimal, or nil for null.
type Hex []byte

func (h *Hex) UnmarshalText(text []byte) error {
	*h = make([]byte, len(text)/2)
	_, err := hex.Decode(*h, text)
	return err
}

// at returns the elements of list at indices.
func at(list []Hex, indices []int) (chosen []Hex) {
	for _, i := range indices {
		chosen = append(chosen, list[i])
	}
	return chosen
}

// A failure is the expected error of a vector.
type failure struct {
	Type, Message, Contrib string
	SignerIndex            *int `json:"signer_index"`
}

// A vectorGroup holds the keys and nonces of a group of test cases.
type vectorGroup struct {
	ID         string `json:"tg_id"`
	T, N       int
	ThreshPK   Hex `json:"thresh_pk"`
	Pubshares  []Hex
	Pubnonces  []Hex
	Secshares  []Hex
	Secnonces  []Hex
	Tweaks     []Hex
	Valid      []vectorCase `json:"valid_tests"`
	Errors     []vectorCase `json:"error_tests"`
	SignErrors []vectorCase `json:"sign_error_tests"`
	Fails      []vectorCase `json:"verify_fail_tests"`
	VerifyErrs []vectorCase `json:"verify_error_tests"`
}

// A vectorCase is a test case. Each file has some of the fields.
type vectorCase struct {
	ID          int `json:"tc_id"`
	Comment     string
	MyID        uint32 `json:"my_id"`
	IDs         []uint32
	Pubshares   []int `json:"pubshare_indices"`
	Pubnonces   []int `json:"pubnonce_indices"`
	Secshare    int   `json:"secshare_index"`
	Secnonce    int   `json:"secnonce_index"`
	SignerIndex int   `json:"signer_index"`
	TweakIndex  []int `json:"tweak_indices"`
	Tweaks      []Hex
	XOnly       []bool `json:"is_xonly"`
	AggNonce    Hex
	AggOther    Hex `json:"aggothernonce"`
	AuxRand     Hex `json:"aux_rand"`
	Psig        Hex
	Psigs       []Hex
	Msg         Hex
	Expected    json.RawMessage
	Error       *failure
}

// expected decodes the expected result, one text or a list of texts.
func (c *vectorCase) expected(t *testing.T) []Hex {
	t.Helper()
	var one Hex
	if json.Unmarshal(c.Expected, &one) == nil {
		return []Hex{one}
	}
	var list []Hex
	if err := json.Unmarshal(c.Expected, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// tweaks returns the tweaks of a case, or an error if the numbers of tweaks and modes differ.
func (g *vectorGroup) tweaks(c *vectorCase) (tweaks []Tweak, err error) {
	values := append(at(g.Tweaks, c.TweakIndex), c.Tweaks...)
	if len(values) != len(c.XOnly) {
		return nil, errors.New("the numbers of tweaks and modes differ")
	}
	for i, v := range values {
		tweaks = append(tweaks, Tweak{v, c.XOnly[i]})
	}
	return tweaks, nil
}

// signers parses the keys of a case.
func (g *vectorGroup) signers(c *vectorCase) (*Signers, error) {
	key, err := koblitz.ParsePublicKey(g.ThreshPK)
	if err != nil {
		return nil, err
	}
	var shares []*koblitz.PublicKey
	for _, b := range at(g.Pubshares, c.Pubshares) {
		k, err := koblitz.ParsePublicKey(b)
		if err != nil {
			return nil, err
		}
		shares = append(shares, k)
	}
	return NewSigners(g.T, g.N, c.IDs, shares, key)
}

// session parses the arguments of a session with the given aggregate nonce.
func (g *vectorGroup) session(c *vectorCase, aggregate Hex) (*Session, error) {
	signers, err := g.signers(c)
	if err != nil {
		return nil, err
	}
	tweaks, err := g.tweaks(c)
	if err != nil {
		return nil, err
	}
	nonce, err := ParseAggregateNonce(aggregate)
	if err != nil {
		return nil, err
	}
	return NewSession(signers, nonce, tweaks, c.Msg)
}

// nonces parses the public nonces of a case.
func (g *vectorGroup) nonces(c *vectorCase) (nonces []*PublicNonce, err error) {
	for _, b := range at(g.Pubnonces, c.Pubnonces) {
		n, err := ParsePublicNonce(b)
		if err != nil {
			return nil, err
		}
		nonces = append(nonces, n)
	}
	return nonces, nil
}

// secretNonce returns the secret nonce with the 64 bytes of a vector.
func secretNonce(b []byte) (*SecretNonce, error) {
	k := new(noncePair)
	for i := range k {
		if _, err := k[i].SetBytes(b[32*i : 32*i+32]); err != nil {
			return nil, err
		}
	}
	return newSecretNonce(k)
}

// sign signs a case.
func (g *vectorGroup) sign(c *vectorCase) ([]byte, error) {
	session, err := g.session(c, c.AggNonce)
	if err != nil {
		return nil, err
	}
	nonce, err := secretNonce(g.Secnonces[c.Secnonce])
	if err != nil {
		return nil, err
	}
	share, err := koblitz.ParsePrivateKey(g.Secshares[c.Secshare])
	if err != nil {
		return nil, err
	}
	partial, err := session.Sign(nonce, c.MyID, share)
	if err != nil {
		return nil, err
	}
	if _, err := session.Sign(nonce, c.MyID, share); !errors.Is(err, errUsedNonce) {
		return nil, errors.New("the nonce can be used twice")
	}
	return partial, nil
}

// verify verifies one partial signature of a case, with its equation alone.
func (g *vectorGroup) verify(c *vectorCase, i int, partial []byte) (bool, error) {
	nonces, err := g.nonces(c)
	if err != nil {
		return false, err
	}
	sum, err := AggregateNonces(nonces)
	if err != nil {
		return false, err
	}
	session, err := g.session(c, sum.Bytes())
	if err != nil {
		return false, err
	}
	partials := make([][]byte, len(nonces)) // the others are not valid
	partials[i] = partial
	var blame *BlameError
	if err := session.VerifyPartials(nonces, partials); len(nonces) > 1 && !errors.As(err, &blame) {
		return false, err
	}
	return blame == nil || !slices.Contains(blame.IDs, c.IDs[i]), nil
}

func TestVectorsOfNonceGeneration(t *testing.T) {
	var file struct {
		Valid []struct {
			ID       int `json:"tc_id"`
			Comment  string
			Rand     Hex
			Secshare Hex
			Pubshare Hex
			ThreshPK Hex `json:"thresh_pk_xonly"`
			Msg      Hex
			ExtraIn  Hex `json:"extra_in"`
			Expected []Hex
		} `json:"valid_tests"`
	}
	load(t, "bip445_nonce_gen.json.gz", &file)
	for _, c := range file.Valid {
		o := &NonceOptions{Message: NewInput(c.Msg), Extra: NewInput(c.ExtraIn)}
		var err error
		if c.Secshare != nil {
			if o.Share, err = koblitz.ParsePrivateKey(c.Secshare); err != nil {
				t.Fatal(err)
			}
		}
		if c.Pubshare != nil {
			if o.PublicShare, err = koblitz.ParsePublicKey(c.Pubshare); err != nil {
				t.Fatal(err)
			}
		}
		if c.ThreshPK != nil {
			if o.Key, err = koblitz.ParseXOnlyPublicKey(c.ThreshPK); err != nil {
				t.Fatal(err)
			}
		}
		random := [32]byte(c.Rand)
		nonce, err := generateNonce(&random, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := nonce.Public().Bytes(); !bytes.Equal(got, c.Expected[1]) {
			t.Errorf("case %d: public nonce %x", c.ID, got)
		}
		k := nonce.pair.Load()
		if got := slices.Concat(k[0].Bytes(), k[1].Bytes()); !bytes.Equal(got, c.Expected[0]) {
			t.Errorf("case %d: another secret nonce", c.ID)
		}
		if random != [32]byte{} {
			t.Errorf("case %d: the randomness stays in memory", c.ID)
		}
	}
	if len(file.Valid) != 5 {
		t.Errorf("%d cases", len(file.Valid))
	}
}

func TestVectorsOfNonceAggregation(t *testing.T) {
	var g vectorGroup
	load(t, "bip445_nonce_agg.json.gz", &g)
	for _, c := range slices.Concat(g.Valid, g.Errors) {
		nonces, err := g.nonces(&c)
		if c.Error != nil {
			blamed := *c.Error.SignerIndex
			if _, e := ParsePublicNonce(g.Pubnonces[c.Pubnonces[blamed]]); err == nil || e == nil {
				t.Errorf("case %d: no error", c.ID)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sum, err := AggregateNonces(nonces)
		if err != nil || !bytes.Equal(sum.Bytes(), c.expected(t)[0]) {
			t.Errorf("case %d: %x, %v", c.ID, sum.Bytes(), err)
		}
	}
	if len(g.Valid) != 2 || len(g.Errors) != 3 {
		t.Errorf("%d valid cases, %d errors", len(g.Valid), len(g.Errors))
	}
}

// groups loads the groups of a file, and checks the total of its cases.
func groups(t *testing.T, name string, cases int) []vectorGroup {
	t.Helper()
	var file struct {
		Groups []vectorGroup `json:"test_groups"`
	}
	load(t, name, &file)
	total := 0
	for _, g := range file.Groups {
		total += len(g.Valid) + len(g.Errors) + len(g.SignErrors) + len(g.Fails) + len(g.VerifyErrs)
	}
	if len(file.Groups) != 4 || total != cases {
		t.Errorf("%s: %d groups, %d cases; want 4, %d", name, len(file.Groups), total, cases)
	}
	return file.Groups
}

func TestVectorsOfSigning(t *testing.T) {
	for _, file := range []struct {
		name  string
		cases int
	}{{"bip445_sign_verify.json.gz", 97}, {"bip445_tweak.json.gz", 44}} {
		for _, g := range groups(t, file.name, file.cases) {
			for _, c := range g.Valid {
				partial, err := g.sign(&c)
				if err != nil || !bytes.Equal(partial, c.expected(t)[0]) {
					t.Errorf("%s, case %d: %x, %v", g.ID, c.ID, partial, err)
					continue
				}
				i := slices.Index(c.IDs, c.MyID)
				if ok, err := g.verify(&c, i, partial); !ok {
					t.Errorf("%s, case %d: the partial signature is not valid: %v", g.ID, c.ID, err)
				}
			}
			for _, c := range slices.Concat(g.SignErrors, g.Errors) {
				if _, err := g.sign(&c); err == nil {
					t.Errorf("%s, case %d (%s): no error", g.ID, c.ID, c.Comment)
				}
			}
			for _, c := range g.Fails {
				if ok, err := g.verify(&c, c.SignerIndex, c.Psig); ok || err != nil {
					t.Errorf("%s, case %d: valid: %v, %v", g.ID, c.ID, ok, err)
				}
			}
			for _, c := range g.VerifyErrs {
				if ok, err := g.verify(&c, c.SignerIndex, c.Psig); ok || err == nil {
					t.Errorf("%s, case %d: valid: %v, and no error", g.ID, c.ID, ok)
				}
			}
		}
	}
}

func TestVectorsOfDeterministicSigning(t *testing.T) {
	sign := func(g *vectorGroup, c *vectorCase) (*PublicNonce, []byte, error) {
		signers, err := g.signers(c)
		if err != nil {
			return nil, nil, err
		}
		tweaks, err := g.tweaks(c)
		if err != nil {
			return nil, nil, err
		}
		var others *AggregateNonce
		if c.AggOther != nil {
			if others, err = ParseAggregateNonce(c.AggOther); err != nil {
				return nil, nil, err
			}
		}
		share, err := koblitz.ParsePrivateKey(g.Secshares[c.Secshare])
		if err != nil {
			return nil, nil, err
		}
		return SignDeterministically(signers, others, tweaks, c.Msg, c.MyID, share, c.AuxRand)
	}
	for _, g := range groups(t, "bip445_det_sign.json.gz", 81) {
		for _, c := range g.Valid {
			nonce, partial, err := sign(&g, &c)
			want := c.expected(t)
			if err != nil || !bytes.Equal(nonce.Bytes(), want[0]) || !bytes.Equal(partial, want[1]) {
				t.Errorf("%s, case %d: %x, %x, %v", g.ID, c.ID, nonce.Bytes(), partial, err)
			}
		}
		for _, c := range g.Errors {
			if _, _, err := sign(&g, &c); err == nil {
				t.Errorf("%s, case %d (%s): no error", g.ID, c.ID, c.Comment)
			}
		}
	}
}

func TestVectorsOfAggregation(t *testing.T) {
	aggregate := func(g *vectorGroup, c *vectorCase) ([]byte, error) {
		session, err := g.session(c, c.AggNonce)
		if err != nil {
			return nil, err
		}
		var partials [][]byte
		for _, p := range c.Psigs {
			partials = append(partials, p)
		}
		return session.Aggregate(partials)
	}
	for _, g := range groups(t, "bip445_sig_agg.json.gz", 22) {
		for _, c := range g.Valid {
			got, err := aggregate(&g, &c)
			if err != nil || !bytes.Equal(got, c.expected(t)[0]) {
				t.Errorf("%s, case %d: %x, %v", g.ID, c.ID, got, err)
			}
		}
		for _, c := range g.Errors {
			_, err := aggregate(&g, &c)
			var blame *BlameError
			switch {
			case c.Error.SignerIndex == nil:
				if err == nil {
					t.Errorf("%s, case %d: no error", g.ID, c.ID)
				}
			case !errors.As(err, &blame) || !slices.Equal(blame.IDs, []uint32{c.IDs[*c.Error.SignerIndex]}):
				t.Errorf("%s, case %d: %v, want blame for index %d", g.ID, c.ID, err, *c.Error.SignerIndex)
			}
		}
	}
}

func scalarOf(t *testing.T, b []byte) *group.Scalar {
	t.Helper()
	s, err := new(group.Scalar).SetBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
