package nip19

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr/nip19"

	"github.com/koblitz-go/koblitz"
)

// vectors holds the examples of NIP-19.
var vectors = []struct{ text, hex string }{
	{"npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6",
		"3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d"},
	{"npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg",
		"7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"},
	{"nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
		"67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"},
}

// encode writes 32 bytes with the prefix of the text, and decode reads a text of any kind.
func encode(t testing.TB, prefix string, data []byte) string {
	t.Helper()
	switch prefix {
	case "nsec":
		key, err := koblitz.ParsePrivateKey(data)
		if err != nil {
			t.Fatal(err)
		}
		text, err := AppendSecret([]byte("x"), key)
		if err != nil || text[0] != 'x' {
			t.Fatal(err)
		}
		return string(text[1:])
	case "npub":
		key, err := koblitz.ParseXOnlyPublicKey(data)
		if err != nil {
			t.Fatal(err)
		}
		text, err := EncodePublic(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return EncodeNote([32]byte(data))
}

func decode(prefix, text string) ([]byte, error) {
	switch prefix {
	case "nsec":
		key, err := ParseSecret([]byte(text))
		if err != nil {
			return nil, err
		}
		return key.Bytes(), nil
	case "npub":
		key, err := ParsePublic(text)
		if err != nil {
			return nil, err
		}
		return key.Bytes(), nil
	}
	id, err := ParseNote(text)
	return id[:], err
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		data, err := hex.DecodeString(v.hex)
		if err != nil {
			t.Fatal(err)
		}
		prefix := v.text[:4]
		if got := encode(t, prefix, data); got != v.text {
			t.Errorf("%s, want %s", got, v.text)
		}
		for _, text := range []string{v.text, strings.ToUpper(v.text)} {
			if got, err := decode(prefix, text); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %x, %v, want %x", text, got, err, data)
			}
		}
	}
}

// TestAgainstPeer compares texts of random data with those of go-nostr, which uses btcutil's
// bech32. It also replaces each character by each other one, and changes the case of each.
func TestAgainstPeer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	peers := map[string]func(string) (string, error){"nsec": nip19.EncodePrivateKey,
		"npub": nip19.EncodePublicKey, "note": nip19.EncodeNote}
	for prefix, peer := range peers {
		for range 50 {
			data := make([]byte, 32)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			if prefix != "note" {
				key, err := koblitz.ParsePrivateKey(data)
				if err != nil {
					t.Fatal(err)
				}
				if prefix == "npub" {
					data = key.XOnlyPublicKey().Bytes()
				}
			}
			want, err := peer(hex.EncodeToString(data))
			if err != nil {
				t.Fatal(err)
			}
			if got := encode(t, prefix, data); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			if got, err := decode(prefix, want); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s: %x, %v, want %x", want, got, err, data)
			}
		}
	}
	text := vectors[2].text
	for i := range len(text) {
		for c := range 256 {
			if byte(c) == text[i] {
				continue
			}
			changed := []byte(text)
			changed[i] = byte(c)
			if _, err := ParseSecret(changed); err == nil {
				t.Fatalf("accepted %q", changed)
			}
		}
	}
}

// TestErrors checks what errors say. No error may contain a part of a secret.
func TestErrors(t *testing.T) {
	secret, public := vectors[2].text, vectors[0].text
	pad := func(bits byte) string { // an npub with the given bits after the last byte
		var values [dataLength + sumLength]byte
		values[dataLength-1] = bits
		sum := checksum("npub1", values[:]) ^ 1
		text := []byte("npub1")
		for i := range sumLength {
			values[dataLength+i] = byte(sum >> (5 * (sumLength - 1 - i)) & 31)
		}
		for _, v := range values {
			text = append(text, alphabet[v])
		}
		return string(text)
	}
	for _, test := range []struct{ name, prefix, text, want string }{
		{"empty", "nsec", "", `at offset 0: want "nsec1"`},
		{"prefix", "nsec", "nsec1", "5 characters, want 63"},
		{"profile", "npub", "nprofile1" + public + public, `at offset 0: want "npub1"`},
		{"short", "nsec", secret[:62], "62 characters"},
		{"long", "npub", public + "q", "64 characters"},
		{"another prefix", "nsec", public, `at offset 0: want "nsec1"`},
		{"two cases in the prefix", "npub", "N" + public[1:], "at offset 0"},
		{"two cases", "nsec", secret[:5] + strings.ToUpper(secret[5:]), "at offset 5: not a character"},
		{"two cases, mostly upper", "npub", strings.ToUpper(public[:62]) + public[62:],
			""}, // the last character is a digit
		{"two cases in the end", "npub", strings.ToUpper(public[:61]) + public[61:], "at offset 61"},
		{"b", "nsec", secret[:40] + "b" + secret[41:], "at offset 40: not a character"},
		{"two characters", "nsec", secret[:40] + "bio" + secret[43:], "at offset 40"},
		{"checksum", "nsec", secret[:62] + "q", "wrong checksum"},
		{"padding of 1", "npub", pad(1), "bits after the last byte"},
		{"padding of 8", "npub", pad(8), "bits after the last byte"},
		{"0", "npub", pad(0), "koblitz"}, // no point has the x coordinate 0
		{"private key 0", "nsec", mustPeer(t, strings.Repeat("0", 64)), "koblitz"},
		{"private key n", "nsec",
			mustPeer(t, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"), "koblitz"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := decode(test.prefix, test.text)
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("%v, want %q", err, test.want)
			}
			for i := 5; i+4 <= len(test.text) && test.prefix == "nsec"; i++ {
				if strings.Contains(err.Error(), test.text[i:i+4]) {
					t.Errorf("%v has a part of the text", err)
				}
			}
		})
	}

	wiped := koblitz.GenerateKey()
	wiped.Zeroize()
	for _, key := range []*koblitz.PrivateKey{nil, new(koblitz.PrivateKey), wiped} {
		if text, err := AppendSecret(nil, key); err == nil || text != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
	for _, key := range []*koblitz.XOnlyPublicKey{nil, new(koblitz.XOnlyPublicKey)} {
		if text, err := EncodePublic(key); err == nil || text != "" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// mustPeer returns go-nostr's nsec of a number in hexadecimal.
func mustPeer(t *testing.T, digits string) string {
	t.Helper()
	text, err := nip19.EncodePrivateKey(digits)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzParse checks that every accepted text is the text of its data, and that go-nostr decodes it
// to the same data.
func FuzzParse(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.text)
		f.Add(strings.ToUpper(v.text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, prefix := range []string{"nsec", "npub", "note"} {
			data, err := decode(prefix, text)
			if err != nil {
				continue
			}
			if got := encode(t, prefix, data); got != strings.ToLower(text) {
				t.Fatalf("%q is read as %x, which is written %q", text, data, got)
			}
			_, got, err := nip19.Decode(text)
			if err != nil || got != hex.EncodeToString(data) {
				t.Fatalf("%q: %x, and go-nostr says %v, %v", text, data, got, err)
			}
		}
	})
}
