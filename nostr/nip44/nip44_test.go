package nip44

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	peer "github.com/nbd-wtf/go-nostr/nip44"

	"github.com/koblitz-go/koblitz"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustParseKey(t testing.TB, s string) *Key {
	t.Helper()
	k, err := ParseKey(unhex(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func privateKey(t testing.TB, s string) *koblitz.PrivateKey {
	t.Helper()
	k, err := koblitz.ParsePrivateKey(unhex(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// conversation is NewKey for keys in hexadecimal.
func conversation(sec, pub string) (*Key, error) {
	a, err := hex.DecodeString(sec)
	if err != nil {
		return nil, err
	}
	b, err := hex.DecodeString(pub)
	if err != nil {
		return nil, err
	}
	key, err := koblitz.ParsePrivateKey(a)
	if err != nil {
		return nil, err
	}
	peer, err := koblitz.ParseXOnlyPublicKey(b)
	if err != nil {
		return nil, err
	}
	return NewKey(key, peer)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// TestVectors checks all vectors of the file that NIP-44 names by its SHA-256.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../../vectors/testdata/nip44.json")
	if err != nil {
		t.Fatal(err)
	}
	type pair struct {
		Sec1, Sec2, Pub2, Note string
		Conversation           string `json:"conversation_key"`
		Nonce                  string
		Plaintext, Payload     string
		Pattern                string
		Repeat                 int
		PlaintextSHA           string `json:"plaintext_sha256"`
		PayloadSHA             string `json:"payload_sha256"`
	}
	var file struct {
		V2 struct {
			Valid struct {
				Conversation []pair `json:"get_conversation_key"`
				Message      struct {
					Conversation string `json:"conversation_key"`
					Keys         []struct {
						Nonce  string
						Cipher string `json:"chacha_key"`
						IV     string `json:"chacha_nonce"`
						MAC    string `json:"hmac_key"`
					}
				} `json:"get_message_keys"`
				Padded   [][2]int `json:"calc_padded_len"`
				Messages []pair   `json:"encrypt_decrypt"`
				Long     []pair   `json:"encrypt_decrypt_long_msg"`
			}
			Invalid struct {
				Lengths      []int  `json:"encrypt_msg_lengths"`
				Conversation []pair `json:"get_conversation_key"`
				Decrypt      []pair
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	v, bad := &file.V2.Valid, &file.V2.Invalid

	for i, row := range v.Conversation {
		k, err := conversation(row.Sec1, row.Pub2)
		if err != nil || hex.EncodeToString(k.Bytes()) != row.Conversation {
			t.Errorf("conversation key %d: %v", i, err)
		}
	}
	for i, row := range v.Message.Keys {
		var keys [96]byte
		mustParseKey(t, v.Message.Conversation).expand(&keys, unhex(t, row.Nonce))
		if got := hex.EncodeToString(keys[:76]); got != row.Cipher+row.IV+row.MAC {
			t.Errorf("message keys %d: %s", i, got)
		}
	}
	for i, row := range v.Padded {
		if got := paddedLength(row[0]); got != row[1] {
			t.Errorf("padded length %d: %d, want %d", i, got, row[1])
		}
	}
	for i, row := range v.Messages {
		a, b := privateKey(t, row.Sec1), privateKey(t, row.Sec2)
		ours, err1 := NewKey(a, b.XOnlyPublicKey())
		theirs, err2 := NewKey(b, a.XOnlyPublicKey())
		if err1 != nil || err2 != nil || hex.EncodeToString(ours.Bytes()) != row.Conversation ||
			!bytes.Equal(ours.Bytes(), theirs.Bytes()) {
			t.Errorf("message %d: %v, %v", i, err1, err2)
			continue
		}
		payload, err := ours.encrypt([]byte(row.Plaintext), (*[32]byte)(unhex(t, row.Nonce)))
		if err != nil || payload != row.Payload {
			t.Errorf("message %d: %s, %v", i, payload, err)
		}
		if got, err := theirs.Decrypt(row.Payload); err != nil || string(got) != row.Plaintext {
			t.Errorf("message %d: %q, %v", i, got, err)
		}
	}
	for i, row := range v.Long {
		k, plaintext := mustParseKey(t, row.Conversation), strings.Repeat(row.Pattern, row.Repeat)
		payload, err := k.encrypt([]byte(plaintext), (*[32]byte)(unhex(t, row.Nonce)))
		if err != nil || digest(plaintext) != row.PlaintextSHA || digest(payload) != row.PayloadSHA {
			t.Errorf("long message %d: %v", i, err)
		}
		if got, err := k.Decrypt(payload); err != nil || string(got) != plaintext {
			t.Errorf("long message %d: %v", i, err)
		}
	}
	// Since July 2026 NIP-44 allows more than 65,535 bytes. So two of these lengths are valid now.
	for _, n := range bad.Lengths {
		_, err := mustParseKey(t, strings.Repeat("11", 32)).Encrypt(make([]byte, n))
		if valid := n == 65536 || n == 100_000; (err == nil) != valid {
			t.Errorf("a message of %d bytes: %v", n, err)
		}
	}
	for i, row := range bad.Conversation {
		if _, err := conversation(row.Sec1, row.Pub2); err == nil {
			t.Errorf("invalid conversation key %d: %s", i, row.Note)
		}
	}
	for i, row := range bad.Decrypt {
		if got, err := mustParseKey(t, row.Conversation).Decrypt(row.Payload); err == nil || got != nil {
			t.Errorf("invalid payload %d: %s", i, row.Note)
		}
	}
	counts := fmt.Sprint(len(v.Conversation), len(v.Message.Keys), len(v.Padded), len(v.Messages),
		len(v.Long), bad.Lengths, len(bad.Conversation), len(bad.Decrypt))
	if want := "35 32 24 10 3 [0 65536 100000 10000000] 8 12"; counts != want {
		t.Errorf("%s vectors, want %s", counts, want)
	}
}

// TestExtended checks the vectors in the text of NIP-44 for messages of about 65,536 bytes.
func TestExtended(t *testing.T) {
	k := mustParseKey(t, "c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d")
	for _, test := range []struct {
		n    int
		want string
	}{
		{65535, "6d8c2810d1e870fbaa1f0a0937126cca837a15f9260e27060c331d70a3c0bc84"},
		{65536, "b7b4edb36ba92e267d322d56d9aebc22e7fa96ff52e3c12adc07f07a43cbc616"},
		{65537, "eeb7c7c5373894ea2c1547cfd3ccb15d5a0b2d619da852e5c79df792dcc9e435"},
	} {
		plaintext := strings.Repeat("a", test.n)
		payload, err := k.encrypt([]byte(plaintext), &[32]byte{31: 1})
		if err != nil || digest(payload) != test.want {
			t.Errorf("%d: %s, %v", test.n, digest(payload), err)
		}
		if got, err := k.Decrypt(payload); err != nil || string(got) != plaintext {
			t.Errorf("%d: %v", test.n, err)
		}
	}
}

// TestLengths encrypts and decrypts messages of every length up to 600 and of the lengths around
// the maximum.
func TestLengths(t *testing.T) {
	k := mustParseKey(t, strings.Repeat("11", 32))
	lengths := []int{65535, 65536, MaxPlaintext - 1, MaxPlaintext}
	for n := range 600 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		plaintext := bytes.Repeat([]byte{byte(n)}, n)
		payload, err := k.Encrypt(plaintext)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := k.Decrypt(payload); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d: %v", n, err)
		}
	}
	for _, n := range []int{0, MaxPlaintext + 1} {
		if payload, err := k.Encrypt(make([]byte, n)); err == nil || payload != "" {
			t.Errorf("%d bytes are encrypted", n)
		}
	}
}

// seal returns the payload with the given padded text, which need not be padded correctly.
func (k *Key) seal(padded []byte) string {
	b := append([]byte{version}, make([]byte, 32)...)
	m := k.message(b[1:])
	body := append(b, padded...)
	m.cipher.XORKeyStream(body[33:], body[33:])
	return base64.StdEncoding.EncodeToString(appendMAC(body, m.mac[:], body[1:]))
}

func TestDecryptErrors(t *testing.T) {
	k := mustParseKey(t, strings.Repeat("11", 32))
	good, err := k.Encrypt([]byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	other := "A"
	if good[60] == 'A' {
		other = "B"
	}
	text := func(head ...byte) []byte { return append(head, make([]byte, 40)...) }
	for _, test := range []struct{ name, payload, want string }{
		{"empty", "", "0 characters"},
		{"short", good[:131], "131 characters"},
		{"long", strings.Repeat("A", maxPayload+4), "characters"},
		{"another encoding", "#" + good, ErrVersion.Error()},
		{"version 1", "AQ" + good[2:], ErrVersion.Error()},
		{"a space", good[:50] + " " + good[51:], "at input byte 50"},
		{"line end", good[:50] + "\n" + good[50:], "at offset 50"},
		{"no padding of base64", strings.Repeat("A", 133), "base64"},
		{"bits after the end", strings.Repeat("A", 134) + "B=", "base64"},
		{"changed", good[:60] + other + good[61:], ErrMAC.Error()},
		{"length 0", k.seal(text(0, 0)[:34]), "padding"},
		{"length 33 in 32", k.seal(text(0, 33)[:34]), "padding"},
		{"too much padding", k.seal(text(0, 5)[:35]), "padding"},
		{"short in the form of long", k.seal(text(0, 0, 0, 0, 0, 5)[:38]), "padding"},
		{"4 GiB", k.seal(text(0, 0, 255, 255, 255, 255)[:38]), "padding"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := k.Decrypt(test.payload)
			if err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
	if got, err := k.Decrypt(k.seal(text(0, 5)[:34])); err != nil || len(got) != 5 {
		t.Errorf("%q, %v", got, err) // otherwise seal is wrong
	}
	stranger := mustParseKey(t, strings.Repeat("12", 32))
	if got, err := stranger.Decrypt(good); err != ErrMAC || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestZero checks that keys without a secret do nothing, and that Zeroize overwrites the secret.
func TestZero(t *testing.T) {
	k := mustParseKey(t, strings.Repeat("11", 32))
	payload, err := k.Encrypt([]byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	other := *k
	k.Zeroize()
	k.Zeroize()
	if *k.secret != (secret{}) {
		t.Error("the secret is still in memory")
	}
	for i, k := range []*Key{nil, new(Key), k, &other} {
		if got, err := k.Decrypt(payload); err != koblitz.ErrZeroKey || got != nil {
			t.Errorf("%d: %q, %v", i, got, err)
		}
		if got, err := k.Encrypt([]byte("hello")); err != koblitz.ErrZeroKey || got != "" {
			t.Errorf("%d: %q, %v", i, got, err)
		}
		if k.Bytes() != nil {
			t.Errorf("%d: bytes", i)
		}
	}
	public := koblitz.GenerateKey().XOnlyPublicKey()
	for _, own := range []*koblitz.PrivateKey{nil, new(koblitz.PrivateKey)} {
		if k, err := NewKey(own, public); err == nil || k != nil {
			t.Error("a key of nothing")
		}
	}
	if k, err := NewKey(koblitz.GenerateKey(), nil); err == nil || k != nil {
		t.Error("a key with nobody")
	}
	for _, n := range []int{0, 31, 33} {
		if k, err := ParseKey(make([]byte, n)); err == nil || k != nil {
			t.Errorf("a key of %d bytes", n)
		}
	}
}

// TestRedacted checks that no way to print a key shows its bytes.
func TestRedacted(t *testing.T) {
	k := mustParseKey(t, strings.Repeat("ab", 32))
	inJSON, err := json.Marshal(struct {
		K  Key
		KP *Key
	}{*k, k})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(inJSON)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		texts = append(texts, fmt.Sprintf(verb, k), fmt.Sprintf(verb, *k), fmt.Sprintf(verb, []*Key{k}),
			fmt.Sprintf(verb, struct{ K Key }{*k}))
	}
	for _, text := range texts {
		if s := strings.ToLower(text); strings.Contains(s, "abab") || strings.Contains(s, "171 171") ||
			strings.Contains(s, "0xab, 0xab") || strings.Contains(s, "\xab") {
			t.Errorf("printed: %s", text)
		}
	}
	if text := fmt.Sprint(k); text != "nip44.Key(redacted)" {
		t.Error(text)
	}
}

// TestHashes compares appendMAC and expand with the standard library, and checks that wipe leaves a
// hash as it was.
func TestHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		key, message := make([]byte, n%65), make([]byte, n)
		for i := range message {
			message[i] = byte(r.Uint32())
		}
		copy(key, message)
		h := hmac.New(sha256.New, key)
		h.Write(message)
		if got := appendMAC([]byte("x"), key, message[:n/2], message[n/2:]); !bytes.Equal(got,
			h.Sum([]byte("x"))) {
			t.Fatalf("%d bytes: %x", n, got)
		}
	}
	k := mustParseKey(t, strings.Repeat("11", 32))
	var keys [96]byte
	k.expand(&keys, []byte("nonce"))
	want, err := hkdf.Expand(sha256.New, k.Bytes(), "nonce", 96)
	if err != nil || !bytes.Equal(keys[:], want) {
		t.Errorf("%x, want %x, %v", keys, want, err)
	}
}

// TestAgainstPeer exchanges messages with go-nostr.
func TestAgainstPeer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		a, b := koblitz.GenerateKey(), koblitz.GenerateKey()
		k, err := NewKey(a, b.XOnlyPublicKey())
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := peer.GenerateConversationKey(a.XOnlyPublicKey().String(),
			hex.EncodeToString(b.Bytes()))
		if err != nil || !bytes.Equal(theirs[:], k.Bytes()) {
			t.Fatalf("%x, %v", theirs, err)
		}
		message := make([]byte, 1+r.IntN(2000))
		for i := range message {
			message[i] = byte(r.Uint32())
		}
		payload, err := k.Encrypt(message)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := peer.Decrypt(payload, theirs); err != nil || got != string(message) {
			t.Fatalf("go-nostr: %v", err)
		}
		if payload, err = peer.Encrypt(string(message), theirs); err != nil {
			t.Fatal(err)
		}
		if got, err := k.Decrypt(payload); err != nil || string(got) != string(message) {
			t.Fatalf("%v", err)
		}
	}
}

// TestKeyShared uses one key from many goroutines.
func TestKeyShared(t *testing.T) {
	k := mustParseKey(t, strings.Repeat("11", 32))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				message := fmt.Sprint("message ", i)
				payload, err := k.Encrypt([]byte(message))
				if err != nil {
					t.Error(err)
				}
				if got, err := k.Decrypt(payload); err != nil || string(got) != message {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// FuzzDecrypt checks that no text makes Decrypt fail otherwise than with an error. Texts that
// base64 can decode are also tried with a correct MAC, so that the padding is reached. Whatever
// Decrypt accepts must be encrypted to a payload that is accepted.
func FuzzDecrypt(f *testing.F) {
	k := mustParseKey(f, strings.Repeat("11", 32))
	for _, n := range []int{1, 32, 33, 300} {
		payload, err := k.Encrypt(make([]byte, n))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	f.Add(base64.StdEncoding.EncodeToString(append([]byte{0, 5}, make([]byte, 32)...)))
	f.Fuzz(func(t *testing.T, text string) {
		payloads := []string{text}
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			payloads = append(payloads, k.seal(b))
		}
		for _, payload := range payloads {
			got, err := k.Decrypt(payload)
			if err != nil {
				continue
			}
			again, err := k.Encrypt(got)
			if err != nil || len(again) != len(payload) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
		}
	})
}
