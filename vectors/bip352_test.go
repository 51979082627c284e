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

	//lint:ignore SA1019 Bitcoin's scripts use it
	"golang.org/x/crypto/ripemd160"

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
				v.Receiving[i].test(t)
				received++
			}
		})
	}
	count(t, "BIP-352, sending", sent, 28)
	count(t, "BIP-352, receiving", received, 29)
}

func (v *sendingVector) test(t *testing.T) {
	keys, outpoints := eligible(t, v.Given.Vin)
	var inputs []silentpay.Input
	var encoded []string
	for _, k := range keys {
		inputs = append(inputs, silentpay.Input{Key: privateKey(t, k.private), Taproot: k.taproot})
		encoded = append(encoded, k.public.String())
	}
	if !slices.Equal(encoded, v.Expected.InputPubKeys) {
		t.Errorf("input keys %q, want %q", encoded, v.Expected.InputPubKeys)
	}
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

func (v *receivingVector) test(t *testing.T) {
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

	keys, outpoints := eligible(t, v.Given.Vin)
	var public []*koblitz.PublicKey
	for _, k := range keys {
		public = append(public, k.public)
	}
	tweak, err := silentpay.PublicTweak(outpoints, public)
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
	Witness   string `json:"txinwitness"` // serialized: a number of items, and the items
	Prevout   struct {
		ScriptPubKey struct{ Hex string }
	}
	PrivateKey string `json:"private_key"`
}

// An eligibleKey is the key of an input that takes part in the shared secret.
type eligibleKey struct {
	public  *koblitz.PublicKey
	private string // in hexadecimal, if the vector has it
	taproot bool
}

// eligible returns the keys of the eligible inputs (BIP-352, "Inputs For Shared Secret
// Derivation"), and the outpoints of all inputs.
func eligible(
	t *testing.T, inputs []paymentInput,
) (keys []eligibleKey, outpoints []silentpay.Outpoint) {
	t.Helper()
	for i := range inputs {
		in := &inputs[i]
		id := unhex(t, in.Txid)
		slices.Reverse(id)
		outpoints = append(outpoints,
			silentpay.Outpoint(binary.LittleEndian.AppendUint32(id, in.Vout)))
		if public, taproot := in.publicKey(t); public != nil {
			keys = append(keys, eligibleKey{public, in.PrivateKey, taproot})
		}
	}
	return keys, outpoints
}

// publicKey returns the public key of an input, and whether it spends a taproot output. The key is
// nil if the input is not eligible.
func (in *paymentInput) publicKey(t *testing.T) (key *koblitz.PublicKey, taproot bool) {
	t.Helper()
	script, scriptSig := unhex(t, in.Prevout.ScriptPubKey.Hex), unhex(t, in.ScriptSig)
	witness := witnessItems(t, unhex(t, in.Witness))
	switch {
	case len(script) == 25 && bytes.HasPrefix(script, []byte{0x76, 0xa9, 0x14}) &&
		bytes.HasSuffix(script, []byte{0x88, 0xac}): // P2PKH
		// Anyone can change a scriptSig, but its key stays the last 33 bytes with this hash.
		for end := len(scriptSig); end >= 33; end-- {
			if b := scriptSig[end-33 : end]; bytes.Equal(hash160(b), script[3:23]) {
				return compressedKey(b), false
			}
		}
	case len(script) == 23 && bytes.HasPrefix(script, []byte{0xa9, 0x14}) && script[22] == 0x87:
		if len(scriptSig) == 23 && scriptSig[0] == 22 && isP2WPKH(scriptSig[1:]) && len(witness) > 0 {
			return compressedKey(witness[len(witness)-1]), false
		}
	case isP2WPKH(script) && len(witness) > 0:
		return compressedKey(witness[len(witness)-1]), false
	case len(script) == 34 && script[0] == 0x51 && script[1] == 32 && len(witness) > 0: // P2TR
		if n := len(witness); n > 1 && len(witness[n-1]) > 0 && witness[n-1][0] == 0x50 {
			witness = witness[:n-1] // the annex
		}
		if n := len(witness); n > 1 && len(witness[n-1]) >= 33 &&
			hex.EncodeToString(witness[n-1][1:33]) == numsKey {
			return nil, false
		}
		if x, err := koblitz.ParseXOnlyPublicKey(script[2:]); err == nil {
			return x.PublicKey(), true
		}
	}
	return nil, false
}

// numsKey is the x coordinate of the point H of BIP-341, whose private key nobody knows.
const numsKey = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"

// isP2WPKH reports whether script pays a witness key hash: OP_0 and a push of 20 bytes.
func isP2WPKH(script []byte) bool {
	return len(script) == 22 && script[0] == 0 && script[1] == 20
}

// compressedKey returns the key that b encodes, or nil if b is not a compressed key.
func compressedKey(b []byte) *koblitz.PublicKey {
	if len(b) != 33 {
		return nil
	}
	k, err := koblitz.ParsePublicKey(b)
	if err != nil {
		return nil
	}
	return k
}

// hash160 returns RIPEMD-160(SHA-256(b)).
func hash160(b []byte) []byte {
	sum := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
}

// witnessItems splits a serialized witness. Its lengths are below 253, and so one byte each.
func witnessItems(t *testing.T, b []byte) (items [][]byte) {
	t.Helper()
	if len(b) == 0 {
		return nil
	}
	n, b := int(b[0]), b[1:]
	for range n {
		if len(b) == 0 || b[0] >= 253 || len(b) <= int(b[0]) {
			t.Fatalf("a witness ends with %x", b)
		}
		items = append(items, b[1:1+b[0]])
		b = b[1+b[0]:]
	}
	if len(b) > 0 {
		t.Fatalf("bytes after a witness: %x", b)
	}
	return items
}
