// Package nip44 encrypts messages between two keys and decrypts them (NIP-44, version 2): ECDH,
// HKDF-SHA-256, ChaCha20 with padding, and HMAC-SHA-256.
//
// A payload is authentic only together with the signature of its event. Verify the event before
// decryption.
//
// The time to derive keys and to decrypt does not depend on keys. The package overwrites keys of
// messages and the state of its hashes and ciphers after use, but not the stack of the functions of
// crypto/sha256 and golang.org/x/crypto/chacha20.
package nip44

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"strings"

	"golang.org/x/crypto/chacha20"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/nostr/internal/ct"
)

// MaxPlaintext is the maximum length of a message in bytes. NIP-44 allows 4 GiB and asks programs
// to set a limit. Programs from before July 2026 refuse messages of more than 65,535 bytes.
const MaxPlaintext = 1 << 20

var (
	// ErrVersion is the error for a payload of a version that the package does not know.
	ErrVersion = errors.New("nip44: the payload has an unknown version")

	// ErrMAC is the error for a payload that was not made with the key, or was changed.
	ErrMAC = errors.New("nip44: the payload was not made with this key, or was changed")
)

// A Key is a conversation key, which two parties share. It is secret: every fmt verb prints a fixed
// text. The zero value encrypts and decrypts nothing. Many goroutines may use a Key, except
// Zeroize. Copies of a Key share its secret.
type Key struct{ secret *secret }

type secret struct {
	bytes [32]byte
	set   bool // false after Zeroize
}

// NewKey returns the key that own shares with peer. The owner of peer's private key gets the same
// key from own's public key. There is an error if either is nil or a zero value, or if own is
// zeroized.
func NewKey(own *koblitz.PrivateKey, peer *koblitz.XOnlyPublicKey) (*Key, error) {
	shared, err := ecdh.AppendSharedXOnly(make([]byte, 0, 32), own, peer)
	if err != nil {
		return nil, err
	}
	defer clear(shared)
	k := &secret{set: true}
	appendMAC(k.bytes[:0], []byte("nip44-v2"), shared) // HKDF-Extract
	return &Key{k}, nil
}

// ParseKey returns the key that Bytes has returned, 32 bytes.
func ParseKey(b []byte) (*Key, error) {
	if len(b) != 32 {
		return nil, fmt.Errorf("nip44: a key of %d bytes, want 32", len(b))
	}
	return &Key{&secret{[32]byte(b), true}}, nil
}

// Bytes returns the key, or nil for a key that is nil, a zero value or zeroized. The caller should
// overwrite the result after use.
func (k *Key) Bytes() []byte {
	if k.isZero() {
		return nil
	}
	return append([]byte(nil), k.secret.bytes[:]...)
}

// Zeroize overwrites the key in memory. After that it is like a zero value.
func (k *Key) Zeroize() {
	if !k.isZero() {
		*k.secret = secret{}
	}
}

func (k *Key) isZero() bool { return k == nil || k.secret == nil || !k.secret.set }

// Format writes a text that does not depend on the key.
func (k Key) Format(f fmt.State, verb rune) { io.WriteString(f, "nip44.Key(redacted)") }

// Encrypt returns the payload of a message of 1 to MaxPlaintext bytes. Two payloads of the same
// message differ. Time depends on the length.
func (k *Key) Encrypt(plaintext []byte) (string, error) {
	var nonce [32]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return "", err
	}
	return k.encrypt(plaintext, &nonce)
}

func (k *Key) encrypt(plaintext []byte, nonce *[32]byte) (string, error) {
	if k.isZero() {
		return "", koblitz.ErrZeroKey
	}
	n := len(plaintext)
	if n < 1 || n > MaxPlaintext {
		return "", fmt.Errorf("nip44: a message of %d bytes, want 1 to %d", n, MaxPlaintext)
	}
	b := make([]byte, 0, 1+32+6+paddedLength(n)+32)
	b = append(append(b, version), nonce[:]...)
	if n < 1<<16 {
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	} else {
		b = binary.BigEndian.AppendUint32(append(b, 0, 0), uint32(n))
	}
	padded := append(b[33:], plaintext...)
	padded = padded[:len(padded)+paddedLength(n)-n]
	m := k.message(nonce[:])
	defer m.wipe()
	m.cipher.XORKeyStream(padded, padded)
	b = b[:33+len(padded)]
	b = appendMAC(b, m.mac[:], b[1:])
	ct.Declassify(b) // the payload is public
	return base64.StdEncoding.EncodeToString(b), nil
}

const (
	version    = 2
	minData    = 1 + 32 + 2 + 32 + 32
	maxData    = 1 + 32 + 6 + MaxPlaintext + 32
	minPayload = (minData + 2) / 3 * 4
	maxPayload = (maxData + 2) / 3 * 4
)

// Decrypt returns the message in a payload.
//
// The error is ErrVersion, ErrMAC, or an error that says what is wrong with the text or the
// padding.
func (k *Key) Decrypt(payload string) ([]byte, error) {
	if k.isZero() {
		return nil, koblitz.ErrZeroKey
	}
	switch n := len(payload); {
	case n > 0 && payload[0] == '#':
		return nil, ErrVersion
	case n < minPayload || n > maxPayload:
		return nil, fmt.Errorf("nip44: a payload of %d characters, want %d to %d", n, minPayload,
			maxPayload)
	}
	if i := strings.IndexAny(payload, "\r\n"); i >= 0 { // package base64 skips these
		return nil, fmt.Errorf("nip44: at offset %d: not a character of base64", i)
	}
	b, err := base64.StdEncoding.Strict().DecodeString(payload)
	switch {
	case err != nil:
		return nil, fmt.Errorf("nip44: %w", err)
	case len(b) < minData:
		return nil, fmt.Errorf("nip44: a payload of %d bytes, want at least %d", len(b), minData)
	case b[0] != version:
		return nil, ErrVersion
	}
	m := k.message(b[1:33])
	defer m.wipe()
	body, tag := b[:len(b)-32], b[len(b)-32:]
	want := appendMAC(nil, m.mac[:], body[1:])
	if ct.Outcome(subtle.ConstantTimeCompare(tag, want)) != 1 {
		return nil, ErrMAC
	}
	padded := body[33:]
	m.cipher.XORKeyStream(padded, padded)
	ct.Declassify(padded[:2]) // the message's length, which the caller learns
	n, rest := uint64(binary.BigEndian.Uint16(padded)), padded[2:]
	if n == 0 {
		ct.Declassify(rest[:4]) // the same
		n, rest = uint64(binary.BigEndian.Uint32(rest)), rest[4:]
		if n < 1<<16 {
			n = 0
		}
	}
	if n == 0 || n > uint64(len(rest)) || len(rest) != paddedLength(int(n)) {
		clear(padded)
		return nil, errors.New("nip44: the padding is not that of the message's length")
	}
	return rest[:n:n], nil
}

// message holds the keys of one message.
type message struct {
	cipher *chacha20.Cipher
	mac    [32]byte
}

// message derives the keys of the message with the given nonce.
func (k *Key) message(nonce []byte) *message {
	var keys [96]byte
	defer clear(keys[:])
	k.expand(&keys, nonce)
	m := &message{mac: [32]byte(keys[44:])}
	m.cipher, _ = chacha20.NewUnauthenticatedCipher(keys[:32], keys[32:44]) // the lengths are right
	return m
}

// expand sets keys to the output of HKDF-Expand (RFC 5869). Only the first 76 bytes are used.
func (k *Key) expand(keys *[96]byte, nonce []byte) {
	for i := range 3 {
		last := keys[max(0, 32*(i-1)) : 32*i]
		appendMAC(keys[32*i:32*i:32*i+32], k.secret.bytes[:], last, nonce, []byte{byte(i + 1)})
	}
}

func (m *message) wipe() {
	clear(m.mac[:])
	*m.cipher = chacha20.Cipher{}
}

// appendMAC appends the HMAC-SHA-256 of the parts (RFC 2104) to dst. The key has at most 64 bytes.
// Unlike crypto/hmac, it overwrites its state.
func appendMAC(dst, key []byte, parts ...[]byte) []byte {
	h := sha256.New()
	var state struct {
		pad  [64]byte
		hash [32]byte
	}
	copy(state.pad[:], key)
	for i := range state.pad {
		state.pad[i] ^= 0x36
	}
	h.Write(state.pad[:])
	for _, part := range parts {
		h.Write(part)
	}
	h.Sum(state.hash[:0])
	h.Reset()
	for i := range state.pad {
		state.pad[i] ^= 0x36 ^ 0x5c
	}
	h.Write(state.pad[:])
	h.Write(state.hash[:])
	dst = h.Sum(dst)
	clear(state.pad[:])
	clear(state.hash[:])
	wipe(h)
	return dst
}

// wipe overwrites the state of a SHA-256: the hash so far, and the buffer with the last bytes of
// the message.
func wipe(h hash.Hash) {
	var zeros [sha256.BlockSize]byte
	h.Reset()
	h.Write(zeros[1:]) // one byte less than a block goes to the buffer
	h.Write(zeros[:1])
}

// paddedLength returns the length to which a message of n bytes is padded.
func paddedLength(n int) int {
	if n <= 32 {
		return 32
	}
	chunk := max(32, 1<<bits.Len(uint(n-1))/8)
	return (n + chunk - 1) &^ (chunk - 1) // chunk is a power of two
}
