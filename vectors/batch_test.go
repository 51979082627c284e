package vectors

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// TestBIP340Batch checks that batches give the rows of BIP-340's vector file the file's verdicts.
// The batches repeat the rows so often that rows of the file occur at every position in groups of
// eight and of sixteen.
func TestBIP340Batch(t *testing.T) {
	rows := loadCSV(t, "bip340.csv", 19)
	const rounds = 17
	bytesAdded, parsedAdded := batch.NewSchnorr(0, nil), batch.NewSchnorr(0, nil)
	var want, wantParsed, wantRows []bool
	var keys, messages, signatures []byte
	for range rounds {
		for _, r := range rows {
			k, m, s := r.bytes("public key"), r.bytes("message"), r.bytes("signature")
			valid := r.verdict("verification result")
			bytesAdded.AddBytes(k, m, s)
			want = append(want, valid)
			if parsed, err := koblitz.ParseXOnlyPublicKey(k); err == nil {
				parsedAdded.Add(parsed, m, s)
				wantParsed = append(wantParsed, valid)
			}
			if len(m) == 32 {
				keys, messages = append(keys, k...), append(messages, m...)
				signatures = append(signatures, s...)
				wantRows = append(wantRows, valid)
			}
		}
	}
	count(t, "all", len(want), 19*rounds)
	count(t, "with a key", len(wantParsed), 17*rounds)
	count(t, "messages of 32 bytes", len(wantRows), 15*rounds)

	packed := batch.SchnorrRows{Keys: batch.EncodedKeys(batch.Packed(keys, 32)),
		Messages: batch.Packed(messages, 32), Signatures: batch.Packed(signatures, 64)}
	verdicts := make([]batch.Verdict, len(wantRows))
	if _, err := packed.Verify(context.Background(), verdicts, nil); err != nil {
		t.Fatal(err)
	}
	each := func(b *batch.Schnorr) []batch.Verdict {
		verdicts := make([]batch.Verdict, b.Len())
		if _, err := b.Verify(context.Background(), verdicts); err != nil {
			t.Fatal(err)
		}
		return verdicts
	}
	all := func(b *batch.Schnorr) bool {
		good, err := b.VerifyAll(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return good
	}
	for name, c := range map[string]struct {
		got  []batch.Verdict
		want []bool
	}{
		"rows":  {verdicts, wantRows},
		"bytes": {each(bytesAdded), want},
		"keys":  {each(parsedAdded), wantParsed},
	} {
		for i, v := range c.got {
			if (v == batch.Valid) != c.want[i] || v == batch.Unchecked {
				t.Errorf("%s: row %d is %v, want valid: %v", name, i, v, c.want[i])
			}
		}
	}
	if all(bytesAdded) || all(parsedAdded) {
		t.Error("a batch with invalid rows is valid")
	}
	parsedAdded.Reset()
	for _, r := range rows {
		if r.verdict("verification result") {
			parsedAdded.AddBytes(r.bytes("public key"), r.bytes("message"), r.bytes("signature"))
		}
	}
	if count(t, "valid", parsedAdded.Len(), 9); !all(parsedAdded) {
		t.Error("a batch of valid rows is not valid")
	}
}
