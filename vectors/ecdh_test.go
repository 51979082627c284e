package vectors

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
)

// TestBOLT8 checks that both sides of Lightning's handshake compute the shared secrets in BOLT 8.
func TestBOLT8(t *testing.T) {
	var rows []struct{ Private, Public, SS string }
	loadJSON(t, "bolt8.json", &rows)
	for i, row := range rows {
		got, err := ecdh.SharedSHA256(privateKey(t, row.Private), publicKey(t, row.Public))
		if err != nil || hex.EncodeToString(got) != row.SS {
			t.Errorf("row %d: %x, %v, want %s", i, got, err, row.SS)
		}
	}
	count(t, "all", len(rows), 6)
}

// TestNIP44 checks that shared secrets lead to the conversation keys in NIP-44's test vectors. A
// key is HKDF-extract, with the salt "nip44-v2", of the x coordinate shared with an x-only key.
func TestNIP44(t *testing.T) {
	type row struct {
		Sec1, Sec2, Pub2, Note string
		ConversationKey        string `json:"conversation_key"`
	}
	var file struct {
		V2 struct {
			Valid struct {
				GetConversationKey []row `json:"get_conversation_key"`
				EncryptDecrypt     []row `json:"encrypt_decrypt"`
			}
			Invalid struct {
				GetConversationKey []row `json:"get_conversation_key"`
			}
		}
	}
	// Do not call loadJSON here: it would fail on the fields for the encryption of messages, which
	// this test does not use.
	if err := json.Unmarshal(load(t, "nip44.json"), &file); err != nil {
		t.Fatal(err)
	}

	conversation := func(key *koblitz.PrivateKey, peer *koblitz.XOnlyPublicKey) string {
		x, err := ecdh.SharedXOnly(key, peer)
		if err != nil {
			t.Fatal(err)
		}
		h := hmac.New(sha256.New, []byte("nip44-v2"))
		h.Write(x)
		return hex.EncodeToString(h.Sum(nil))
	}
	valid := &file.V2.Valid
	for i, row := range valid.GetConversationKey {
		got := conversation(privateKey(t, row.Sec1), xOnlyKey(t, row.Pub2))
		if got != row.ConversationKey {
			t.Errorf("row %d: %s, want %s", i, got, row.ConversationKey)
		}
	}
	count(t, "public keys", len(valid.GetConversationKey), 35)
	for i, row := range valid.EncryptDecrypt {
		a, b := privateKey(t, row.Sec1), privateKey(t, row.Sec2)
		ab, ba := conversation(a, b.XOnlyPublicKey()), conversation(b, a.XOnlyPublicKey())
		if ab != row.ConversationKey || ba != ab {
			t.Errorf("row %d: %s and %s, want %s", i, ab, ba, row.ConversationKey)
		}
	}
	count(t, "pairs", len(valid.EncryptDecrypt), 10)
	for i, row := range file.V2.Invalid.GetConversationKey {
		_, err1 := koblitz.ParsePrivateKey(unhex(t, row.Sec1))
		_, err2 := koblitz.ParseXOnlyPublicKey(unhex(t, row.Pub2))
		if err1 == nil && err2 == nil {
			t.Errorf("invalid row %d: %s: accepted", i, row.Note)
		}
	}
	count(t, "invalid", len(file.V2.Invalid.GetConversationKey), 8)
}
