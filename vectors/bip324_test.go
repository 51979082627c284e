package vectors

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/koblitz-go/koblitz"
	dropin "github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ellswift"
)

// loadCSV returns the rows of a CSV file in testdata, each as a map from the names in the first row
// to fields.
func loadCSV(t *testing.T, name string, fields int) (rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(load(t, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	count(t, "columns of "+name, len(all[0]), fields)
	for _, values := range all[1:] {
		row := map[string]string{}
		for i, v := range values {
			row[all[0][i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

// TestBIP324Decode decodes every encoding of BIP-324's vectors.
func TestBIP324Decode(t *testing.T) {
	rows := loadCSV(t, "bip324_decode.csv", 3)
	count(t, "encodings", len(rows), 76)
	for i, row := range rows {
		key, err := ellswift.Decode(unhex(t, row["ellswift"]))
		if err != nil || hex.EncodeToString(key.XOnlyPublicKey().Bytes()) != row["x"] {
			t.Errorf("row %d (%s): %v, %v, want %s", i, row["comment"], key, err, row["x"])
		}
	}
}

// TestBIP324Inverse checks the eight branches of the inverse map, and that those with a result
// decode to x.
func TestBIP324Inverse(t *testing.T) {
	rows := loadCSV(t, "bip324_inverse.csv", 11)
	count(t, "rows", len(rows), 32)
	element := func(s string) *secp256k1.FieldVal {
		f := new(secp256k1.FieldVal)
		f.SetByteSlice(unhex(t, s))
		return f
	}
	found := 0
	for i, row := range rows {
		for branch := range 8 {
			got, want := "", row["case"+strconv.Itoa(branch)+"_t"]
			if v := dropin.XSwiftECInv(element(row["u"]), element(row["x"]), branch); v != nil {
				got = hex.EncodeToString(v.Bytes()[:])
			}
			if got != want {
				t.Errorf("row %d (%s), branch %d: %q, want %q", i, row["comment"], branch, got, want)
			}
			if want == "" {
				continue
			}
			found++
			key, err := ellswift.Decode(unhex(t, row["u"]+want))
			if err != nil || hex.EncodeToString(key.XOnlyPublicKey().Bytes()) != row["x"] {
				t.Errorf("row %d, branch %d: decodes to %v, %v, want %s", i, branch, key, err, row["x"])
			}
		}
	}
	count(t, "branches with a result", found, 98)
}

// TestBIP324Packets derives the keys of each connection in BIP-324's vectors, on both sides where
// the vector has the private key, and encrypts the packet.
func TestBIP324Packets(t *testing.T) {
	rows := loadCSV(t, "bip324_packets.csv", 22)
	count(t, "packets", len(rows), 7)
	for i, row := range rows {
		field := func(name string) []byte { return unhex(t, row[name]) }
		same := func(name string, got []byte) {
			t.Helper()
			if hex.EncodeToString(got) != row[name] {
				t.Errorf("row %d: %s is %x, want %s", i, name, got, row[name])
			}
		}
		key, initiating := privateKey(t, row["in_priv_ours"]), row["in_initiating"] == "1"
		ours, theirs := field("in_ellswift_ours"), field("in_ellswift_theirs")
		same("mid_x_ours", key.XOnlyPublicKey().Bytes())
		own, peer := decoded(t, ours), decoded(t, theirs)
		same("mid_x_ours", own.XOnlyPublicKey().Bytes())
		same("mid_x_theirs", peer.XOnlyPublicKey().Bytes())
		x, err := ecdh.SharedX(key, peer)
		if err != nil {
			t.Fatal(err)
		}
		same("mid_x_shared", x)
		secret, err := ellswift.SharedSecret(key, ours, theirs, initiating)
		if err != nil {
			t.Fatal(err)
		}
		same("mid_shared_secret", secret)

		expand := func(info string) []byte {
			salt := append([]byte("bitcoin_v2_shared_secret"), 0xf9, 0xbe, 0xb4, 0xd9) // mainnet
			b, err := hkdf.Key(sha256.New, secret, salt, info, 32)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		keyL, keyP := expand("responder_L"), expand("responder_P")
		same("mid_responder_l", keyL)
		same("mid_responder_p", keyP)
		same("mid_initiator_l", expand("initiator_L"))
		same("mid_initiator_p", expand("initiator_P"))
		same("out_session_id", expand("session_id"))
		terminators := expand("garbage_terminators")
		send, receive := terminators[16:], terminators[:16]
		if initiating {
			keyL, keyP = expand("initiator_L"), expand("initiator_P")
			send, receive = receive, send
		}
		same("mid_send_garbage_terminator", send)
		same("mid_recv_garbage_terminator", receive)

		number := func(name string) int {
			n, err := strconv.Atoi(row[name])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		c := newPacketCipher(t, keyL, keyP)
		for range number("in_idx") {
			c.seal(nil, nil, false)
		}
		contents := bytes.Repeat(field("in_contents"), number("in_multiply"))
		packet := c.seal(contents, field("in_aad"), row["in_ignore"] == "1")
		if want := row["out_ciphertext"]; want != "" {
			same("out_ciphertext", packet)
		} else if end := field("out_ciphertext_endswith"); len(end) == 0 ||
			!bytes.HasSuffix(packet, end) {
			t.Errorf("row %d: the packet does not end in %x", i, end)
		}
	}
}

func decoded(t *testing.T, b []byte) *koblitz.PublicKey {
	t.Helper()
	key, err := ellswift.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// rekeyInterval is the number of packets after which BIP-324 changes the keys.
const rekeyInterval = 224

// A packetCipher encrypts the packets of one direction of a connection (BIP-324, "Packet encryption
// overview"): lengths with FSChaCha20, and contents with FSChaCha20Poly1305.
type packetCipher struct {
	t      *testing.T
	length *chacha20.Cipher
	aead   cipher.AEAD
	packet int
}

func newPacketCipher(t *testing.T, keyL, keyP []byte) *packetCipher {
	c := &packetCipher{t: t}
	c.rekey(keyL, keyP)
	return c
}

// nonce returns the nonce of the present packet with the given first four bytes.
func (c *packetCipher) nonce(first uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, first)
	return binary.LittleEndian.AppendUint64(b, uint64(c.packet/rekeyInterval))
}

func (c *packetCipher) rekey(keyL, keyP []byte) {
	var err error
	if c.length, err = chacha20.NewUnauthenticatedCipher(keyL, c.nonce(0)); err != nil {
		c.t.Fatal(err)
	}
	if c.aead, err = chacha20poly1305.New(keyP); err != nil {
		c.t.Fatal(err)
	}
}

// seal returns the next packet.
func (c *packetCipher) seal(contents, aad []byte, ignore bool) []byte {
	header := byte(0)
	if ignore {
		header = 0x80
	}
	n := len(contents)
	packet := []byte{byte(n), byte(n >> 8), byte(n >> 16)}
	c.length.XORKeyStream(packet, packet)
	plain := slices.Concat([]byte{header}, contents)
	packet = c.aead.Seal(packet, c.nonce(uint32(c.packet%rekeyInterval)), plain, aad)
	if (c.packet+1)%rekeyInterval != 0 {
		c.packet++
		return packet
	}
	keyL := make([]byte, 32)
	c.length.XORKeyStream(keyL, keyL)
	keyP := c.aead.Seal(nil, c.nonce(0xffffffff), make([]byte, 32), nil)[:32]
	c.packet++
	c.rekey(keyL, keyP)
	return packet
}
