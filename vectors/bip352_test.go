package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A paymentVector is a vector of BIP-352: a transaction, made by its sender and scanned by its
// receivers.
type paymentVector struct {
	Comment   string
	Sending   []sendingVector
	Receiving []receivingVector
}

type sendingVector struct {
	Given struct {
		Vin        []paymentInput
		Recipients []struct {
			Address     string
			ScanPubKey  string `json:"scan_pub_key"`
			SpendPubKey string `json:"spend_pub_key"`
			Count       int
		}
	}
	Expected struct {
		Outputs            [][]string // sets of outputs, one of which is right
		SharedSecrets      []string   `json:"shared_secrets"`
		InputPrivateKeySum string     `json:"input_private_key_sum"`
		InputPubKeys       []string   `json:"input_pub_keys"`
	}
}

type receivingVector struct {
	Given struct {
		Vin         []paymentInput
		Outputs     []string
		KeyMaterial struct {
			SpendPrivKey string `json:"spend_priv_key"`
			ScanPrivKey  string `json:"scan_priv_key"`
		} `json:"key_material"`
		Labels []uint32
	}
	Expected struct {
		Addresses []string
		Outputs   []foundOutput
		// NOutputs is the number of outputs, instead of Outputs, in one vector.
		NOutputs       *int   `json:"n_outputs"`
		InputPubKeySum string `json:"input_pub_key_sum"`
		SharedSecret   string `json:"shared_secret"`
		Tweak          string
	}
}

type foundOutput struct {
	PrivKeyTweak string `json:"priv_key_tweak"`
	PubKey       string `json:"pub_key"`
	Signature    string
}

// TestBIP352 makes the outputs of every vector, and finds and spends them.
func TestBIP352(t *testing.T) {
	var all []paymentVector
	loadJSON(t, "bip352.json.gz", &all)
	count(t, "BIP-352", len(all), 28)
	sent, received := 0, 0
	for _, v := range all {
		t.Run(v.Comment, func(t *testing.T) {
			for i := range v.Sending {
				v.Sending[i].test(t)
				sent++
			}
			for i := range v.Receiving {
				v.Receiving[i].test(t, v.Sending[0].Expected.InputPubKeys)
				received++
			}
		})
	}
	count(t, "BIP-352, sending", sent, 28)
	count(t, "BIP-352, receiving", received, 29)
}

func (v *sendingVector) test(t *testing.T) {
	outpoints, inputs := outpointsOf(t, v.Given.Vin), v.inputs(t)
	v.checkSharedSecrets(t, inputs, outpoints)

	var recipients []*silentpay.Address
	for _, r := range v.Given.Recipients {
		a, err := silentpay.ParseAddress(r.Address)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.ScanKey().String(); got != r.ScanPubKey {
			t.Errorf("address %s: scan key %s, want %s", r.Address, got, r.ScanPubKey)
		}
		if got := a.SpendKey().String(); got != r.SpendPubKey {
			t.Errorf("address %s: spend key %s, want %s", r.Address, got, r.SpendPubKey)
		}
		if a.String() != r.Address {
			t.Errorf("address %s is encoded as %s", r.Address, a)
		}
		for range max(r.Count, 1) {
			recipients = append(recipients, a)
		}
	}
	outputs, err := silentpay.Outputs(inputs, outpoints, recipients)
	if v.fails() {
		if err == nil {
			t.Errorf("%d outputs, and sending should fail", len(outputs))
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(outputs))
	for i := range outputs {
		got[i] = hex.EncodeToString(outputs[i][:])
	}
	slices.Sort(got)
	want := v.Expected.Outputs
	if !slices.ContainsFunc(want, func(set []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(set)), got)
	}) {
		t.Errorf("outputs %q, want one of %q", got, want)
	}
}

// inputs returns the eligible inputs: those whose keys the vector names. The tests of module
// bitcoin find them in the scripts of the inputs.
func (v *sendingVector) inputs(t *testing.T) (inputs []silentpay.Input) {
	t.Helper()
	keys := v.Expected.InputPubKeys
	for _, in := range v.Given.Vin {
		if in.PrivateKey == "" || len(keys) == 0 {
			continue
		}
		key := privateKey(t, in.PrivateKey)
		taproot := strings.HasPrefix(in.Prevout.ScriptPubKey.Hex, "5120")
		public := key.PublicKey()
		if taproot {
			public = key.XOnlyPublicKey().PublicKey()
		}
		if public.String() == keys[0] {
			inputs, keys = append(inputs, silentpay.Input{Key: key, Taproot: taproot}), keys[1:]
		}
	}
	if len(keys) > 0 {
		t.Errorf("no input has the key %s", keys[0])
	}
	return inputs
}

// fails reports whether sending fails: the only set of outputs is empty.
func (v *sendingVector) fails() bool {
	return len(v.Expected.Outputs) == 1 && len(v.Expected.Outputs[0]) == 0
}

// checkSharedSecrets computes the sum of the private keys and the shared secret with each recipient
// from the specification, with the other packages, and compares them with the vector.
func (v *sendingVector) checkSharedSecrets(
	t *testing.T, inputs []silentpay.Input, outpoints []silentpay.Outpoint,
) {
	t.Helper()
	sum := new(group.Scalar)
	for _, in := range inputs {
		key := in.Key
		if in.Taproot && !key.PublicKey().HasEvenY() {
			key = key.Negate()
		}
		d, err := new(group.Scalar).SetPrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		sum.Add(sum, d)
	}
	if sum.IsZero() {
		if strings.Join(v.Expected.SharedSecrets, "") != "" || !v.fails() {
			t.Error("the private keys add up to zero, and there are shared secrets or outputs")
		}
		return
	}
	if got := hex.EncodeToString(sum.Bytes()); got != v.Expected.InputPrivateKeySum {
		t.Errorf("sum of private keys %s, want %s", got, v.Expected.InputPrivateKeySum)
	}
	smallest := slices.MinFunc(outpoints, func(a, b silentpay.Outpoint) int {
		return bytes.Compare(a[:], b[:])
	})
	hash := schnorr.TaggedHash("BIP0352/Inputs", smallest[:],
		new(group.Point).ScalarBaseMult(sum).Bytes())
	for i, want := range v.Expected.SharedSecrets {
		if want == "" && v.fails() {
			continue // too many recipients have this scan key
		}
		scan := publicKey(t, v.Given.Recipients[i].ScanPubKey)
		shared, err := scan.TweakMul(sum.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if shared, err = shared.TweakMul(hash[:]); err != nil || shared.String() != want {
			t.Errorf("recipient %d: shared secret %v, %v, want %s", i, shared, err, want)
		}
	}
}

// test scans a transaction with the given public keys in its eligible inputs.
func (v *receivingVector) test(t *testing.T, keys []string) {
	scan, err := silentpay.NewScanKey(privateKey(t, v.Given.KeyMaterial.ScanPrivKey))
	if err != nil {
		t.Fatal(err)
	}
	spend, err := silentpay.NewSpendKey(privateKey(t, v.Given.KeyMaterial.SpendPrivKey))
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := silentpay.NewReceiver(scan, spend.PublicKey(), v.Given.Labels...)
	if err != nil {
		t.Fatal(err)
	}
	v.checkAddresses(t, receiver)

	var public []*koblitz.PublicKey
	for _, k := range keys {
		public = append(public, publicKey(t, k))
	}
	tweak, err := silentpay.PublicTweak(outpointsOf(t, v.Given.Vin), public)
	if v.Expected.Tweak == "" {
		if err == nil || len(v.Expected.Outputs) > 0 {
			t.Errorf("public tweak %v, %v, and the transaction should be skipped", tweak, err)
		}
		if len(public) > 0 && !errors.Is(err, silentpay.ErrZeroSum) {
			t.Errorf("keys that add up to zero: %v", err)
		}
		return
	}
	if err != nil || tweak.String() != v.Expected.Tweak {
		t.Fatalf("public tweak %v, %v, want %s", tweak, err, v.Expected.Tweak)
	}
	if sum, err := koblitz.CombineKeys(public...); err != nil ||
		sum.String() != v.Expected.InputPubKeySum {
		t.Errorf("sum of keys %v, %v, want %s", sum, err, v.Expected.InputPubKeySum)
	}
	shared, err := tweak.TweakMul(unhex(t, v.Given.KeyMaterial.ScanPrivKey))
	if err != nil || shared.String() != v.Expected.SharedSecret {
		t.Errorf("shared secret %v, %v, want %s", shared, err, v.Expected.SharedSecret)
	}

	outputs := make([][32]byte, len(v.Given.Outputs))
	for i, s := range v.Given.Outputs {
		outputs[i] = [32]byte(unhex(t, s))
	}
	matches, err := receiver.Scan(tweak, outputs)
	if err != nil {
		t.Fatal(err)
	}
	if v.Expected.NOutputs != nil {
		count(t, "matches", len(matches), *v.Expected.NOutputs)
		return
	}
	var got []foundOutput
	for k, m := range matches {
		if m.K != uint32(k) {
			t.Errorf("match %d has k = %d", k, m.K)
		}
		got = append(got, spendMatch(t, spend, &m, outputs[m.Output]))
	}
	byKey := func(a, b foundOutput) int { return strings.Compare(a.PubKey, b.PubKey) }
	slices.SortFunc(got, byKey)
	if want := slices.SortedFunc(slices.Values(v.Expected.Outputs), byKey); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	v.checkCandidates(t, receiver, tweak, matches, outputs)
}

// checkAddresses compares the receiver's addresses with the vector: one without a label, and one
// for each label.
func (v *receivingVector) checkAddresses(t *testing.T, receiver *silentpay.Receiver) {
	t.Helper()
	a, err := receiver.Address(silentpay.Mainnet)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{a.String()}
	for _, m := range v.Given.Labels {
		if m == 0 {
			a, err = receiver.ChangeAddress(silentpay.Mainnet)
		} else {
			a, err = receiver.LabeledAddress(silentpay.Mainnet, m)
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, a.String())
	}
	if !slices.Equal(got, v.Expected.Addresses) {
		t.Errorf("addresses %q, want %q", got, v.Expected.Addresses)
	}
}

// checkCandidates checks that every match is among the candidates that a light client computes.
func (v *receivingVector) checkCandidates(t *testing.T, receiver *silentpay.Receiver,
	tweak *koblitz.PublicKey, matches []silentpay.Match, outputs [][32]byte) {
	t.Helper()
	for _, m := range matches {
		all, err := receiver.Candidates(tweak, m.K)
		if err != nil {
			t.Fatal(err)
		}
		want := silentpay.Candidate{Key: outputs[m.Output], Labeled: m.Labeled, Label: m.Label}
		if !slices.Contains(all, want) {
			t.Errorf("%+v is not among the candidates %+v", want, all)
		}
	}
}

// spendMatch signs for a match as the vectors do, and checks the signature.
func spendMatch(
	t *testing.T, spend *silentpay.SpendKey, m *silentpay.Match, output [32]byte,
) foundOutput {
	t.Helper()
	key, err := spend.Tweak(m.Tweak)
	if err != nil {
		t.Fatal(err)
	}
	message, aux := sha256.Sum256([]byte("message")), sha256.Sum256([]byte("random auxiliary data"))
	sig, err := schnorr.Sign(key, message[:], &schnorr.SignOptions{Aux: aux[:]})
	if err != nil {
		t.Fatal(err)
	}
	public, err := koblitz.ParseXOnlyPublicKey(output[:])
	if err != nil || !schnorr.Verify(public, message[:], sig) {
		t.Errorf("the signature for %x does not verify: %v", output, err)
	}
	return foundOutput{
		PrivKeyTweak: hex.EncodeToString(m.Tweak.Bytes()),
		PubKey:       key.XOnlyPublicKey().String(),
		Signature:    hex.EncodeToString(sig),
	}
}

// A paymentInput is an input of a transaction, as Bitcoin Core prints it.
type paymentInput struct {
	Txid      string
	Vout      uint32
	ScriptSig string
	Witness   string `json:"txinwitness"`
	Prevout   struct {
		ScriptPubKey struct{ Hex string }
	}
	PrivateKey string `json:"private_key"`
}

func outpointsOf(t *testing.T, inputs []paymentInput) (outpoints []silentpay.Outpoint) {
	t.Helper()
	for _, in := range inputs {
		id := unhex(t, in.Txid)
		slices.Reverse(id)
		outpoints = append(outpoints,
			silentpay.Outpoint(binary.LittleEndian.AppendUint32(id, in.Vout)))
	}
	return outpoints
}
