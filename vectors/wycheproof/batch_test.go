package wycheproof

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestBatch checks that batches give the rows of every ECDSA file the file's verdicts. A batch
// holds all rows whose signature can be converted to 64 bytes, with parsed and with encoded keys,
// and as columns if hashes have 32 bytes.
func TestBatch(t *testing.T) {
	for _, c := range files {
		if !strings.HasPrefix(c.name, "ecdsa") {
			continue
		}
		t.Run(strings.TrimSuffix(c.name, "_test.json"), func(t *testing.T) {
			f := open(t, c.name, c.newer)
			low := false
			b := newColumns(low)
			unparsed := 0
			for i := range f.TestGroups {
				g := &f.TestGroups[i]
				if g.Type == "EcdsaBitcoinVerify" && !low {
					low = true
					b = newColumns(low)
				}
				key := groupKey(t, g)
				for j := range g.Tests {
					row := &g.Tests[j]
					sig := reference.Hex(row.Sig)
					if g.Type != "EcdsaP1363Verify" {
						parsed, err := ecdsa.ParseDER(sig)
						if err != nil {
							unparsed++
							continue
						}
						sig = parsed.Bytes()
					}
					if len(sig) != 64 {
						unparsed++
						continue
					}
					b.add(key, hashes[g.Sha](reference.Hex(row.Msg)), sig, row.Result == "valid")
				}
			}
			if got := len(b.want) + unparsed; got != f.NumberOfTests || len(b.want) < c.valid {
				t.Errorf("%d rows and %d that cannot be parsed, of %d", len(b.want), unparsed, f.NumberOfTests)
			}
			b.check(t, low)
		})
	}
}

// columns holds the rows of a file in every form that package batch accepts.
type columns struct {
	want          []bool
	bytes, parsed *batch.ECDSA
	parsedAt      []int
	keys          []*koblitz.PublicKey

	hashes, sigs          []byte
	encodedKeys, longKeys []byte // 33 bytes and 65 bytes per row
	fourHashes, sigs65    []byte // four rows per signature, one for each recovery id
}

// ruleOf returns the rule for s that a file requires.
func ruleOf(low bool) batch.SRule {
	if low {
		return batch.LowS
	}
	return batch.AnyS
}

func newColumns(low bool) *columns {
	s := ruleOf(low)
	return &columns{bytes: batch.NewECDSA(0, s, nil), parsed: batch.NewECDSA(0, s, nil)}
}

func (c *columns) add(key *koblitz.PublicKey, hash, sig []byte, valid bool) {
	i := len(c.want)
	c.want = append(c.want, valid)
	c.keys = append(c.keys, key)
	encoded := key.Bytes()
	if i%2 == 1 {
		encoded = key.UncompressedBytes()
	}
	c.bytes.AddBytes(encoded, hash, sig)
	if s, err := ecdsa.ParseSignature(sig); err == nil {
		c.parsed.Add(key, hash, s)
		c.parsedAt = append(c.parsedAt, i)
	}
	hash = hash[:32] // SEC 1 uses only the first 32 bytes; no hash is shorter
	c.hashes = append(c.hashes, hash...)
	c.encodedKeys = key.AppendBytes(c.encodedKeys)
	c.longKeys = append(c.longKeys, key.UncompressedBytes()...)
	c.sigs = append(c.sigs, sig...)
	for id := range 4 {
		c.fourHashes = append(c.fourHashes, hash...)
		c.sigs65 = append(append(c.sigs65, sig[:64]...), byte(id))
	}
}

func (c *columns) check(t *testing.T, low bool) {
	t.Helper()
	bg := context.Background()
	rows := batch.ECDSARows{Hashes: batch.Packed(c.hashes, 32),
		Signatures: batch.Packed(c.sigs, 64), S: ruleOf(low)}
	verdictsOf := func(keys batch.Column) []batch.Verdict {
		verdicts := make([]batch.Verdict, len(c.want))
		rows.Keys = batch.EncodedKeys(keys)
		if _, err := rows.Verify(bg, verdicts, nil); err != nil {
			t.Fatal(err)
		}
		return verdicts
	}
	verdicts := verdictsOf(batch.Packed(c.encodedKeys, 33))
	if long := verdictsOf(batch.Packed(c.longKeys, 65)); !slices.Equal(long, verdicts) {
		t.Errorf("verdicts under uncompressed keys %v, compressed %v", long, verdicts)
	}
	each := func(b *batch.ECDSA) []batch.Verdict {
		verdicts := make([]batch.Verdict, b.Len())
		if _, err := b.Verify(bg, verdicts); err != nil {
			t.Fatal(err)
		}
		return verdicts
	}
	fromBytes := each(c.bytes)
	for i, want := range c.want {
		if (verdicts[i] == batch.Valid) != want || fromBytes[i] != verdicts[i] {
			t.Errorf("row %d: %v as a row, %v added, want valid: %v", i, verdicts[i], fromBytes[i], want)
		}
	}
	for k, v := range each(c.parsed) {
		if v != verdicts[c.parsedAt[k]] {
			t.Errorf("row %d: %v with the key parsed, %v as a row",
				c.parsedAt[k], v, verdicts[c.parsedAt[k]])
		}
	}

	found := make([]batch.Verdict, 4*len(c.want))
	dst := make([]byte, 65*len(found))
	recoverable := batch.RecoverRows{Hashes: batch.Packed(c.fourHashes, 32),
		Signatures: batch.Packed(c.sigs65, 65), S: batch.AnyS}
	if _, err := recoverable.Recover(bg, dst, found, nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range c.want {
		same := 0
		for id := range 4 {
			at := 4*i + id
			key := dst[65*at : 65*at+65]
			if found[at] == batch.Valid && bytes.Equal(key, c.keys[i].UncompressedBytes()) {
				same++
			}
		}
		// If the file requires a low s, a row with a high s may be invalid although a recovery id
		// finds the key.
		if want && same != 1 || !want && same != 0 && !low {
			t.Errorf("row %d: %d recovery ids find the key, want valid: %v", i, same, want)
		}
	}
}
