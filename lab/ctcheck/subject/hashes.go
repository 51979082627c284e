package main

import (
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
)

// hashes lists functions of package hash.
var hashes = []any{
	hash.MaskKey, hash.Nonce, hash.Challenge, hash.ChallengeAndNonce, hash.TapTweak, hash.Ellswift,
	hash.Leftmost, hash.Keccak256, hash.AppendCompressed,
	func(msg []byte, key *[32]byte) { hash.Tagged(&bytes32, "tag", msg, key[:]) },
	func(point *[33]byte, key *[32]byte) {
		hash.SharedSecret(&bytes32, point, 1)
		hash.Label(&bytes32, key, 1)
	},
	hashExpand, hashRFC6979, hashNonceLanes, hashSixteen, hashTranscript, hashKeccak, hashEach,
}

// hashExpand expands a message. A tag of more than 255 bytes is hashed first.
func hashExpand(msg []byte) {
	hash.ExpandXMD(bytes32[:], msg, make([]byte, 20))
	hash.ExpandXMD(bytes32[:], msg, make([]byte, 256))
}

func hashRFC6979(key, digest *[32]byte, extra []byte) {
	var n hash.Nonces
	n.Init(key, digest, extra)
	n.Next(&bytes32)
	n.Next(&bytes32)
	n.Again(&bytes32)
	n.Wipe()
}

func hashNonceLanes(
	rows *[hash.Sixteen * hash.RowSize]byte, keys, hashes, aux *[hash.Sixteen][32]byte,
) {
	m := hash.NonceLanes{Rows: *rows, Keys: *keys, Hashes: *hashes, Aux: *aux}
	m.RFC6979(hash.Sixteen)
	m.BIP340(hash.Sixteen)
	m.Wipe()
}

// hashSixteen hashes sixteen rows at once, each in a lane of vectors.
func hashSixteen(
	rows *[hash.Sixteen * hash.RowSize]byte, seed *[32]byte, points *[hash.Sixteen][33]byte,
) {
	var out [hash.Sixteen][32]byte
	hash.Challenges(&out, rows, hash.Sixteen)
	hash.Expand(&out, seed, 1<<40)
	hash.SharedSecrets(&out, points, 1, hash.Sixteen)
	hash.Join(&bytes32, hash.Sixteen, out[:])
}

// hashTranscript hashes transcripts of fewer than sixteen rows, of sixteen, and of more.
func hashTranscript() {
	for _, n := range []int{0, 1, 16, 17, 33} {
		var t hash.Transcript
		for i := range n {
			copy(t.Next()[:], cases.Secret(162+uint64(i), hash.RowSize))
		}
		t.Sum(&bytes32)
	}
}

// hashKeccak hashes messages of every length in messageLengths, and some that are longer than one
// block, which has 136 bytes.
func hashKeccak() {
	hash.Keccak256(&bytes32, cases.Secret(433, 300))
	var out [20][32]byte
	messages := append(secretMessages(1300), cases.Secret(1310, 300), cases.Secret(1311, 136))
	for i := len(messages); i < len(out); i++ {
		messages = append(messages, cases.Secret(1312+uint64(i), 20*i))
	}
	hash.Keccak256Each(out[:], messages)
	hash.Keccak256Each(out[:1], messages[:1])
}

// hashEach hashes many messages of up to three blocks, together with one long message. That message
// has more than a sixth of all blocks, so the library hashes it apart from the others.
func hashEach() {
	var out [40][32]byte
	messages := append(secretMessages(1400), cases.Secret(1410, 3000))
	for i := len(messages); i < len(out); i++ {
		messages = append(messages, cases.Secret(1411+uint64(i), 4*i))
	}
	hash.SHA256Each(out[:], messages)
	hash.DoubleSHA256Each(out[:], messages)
	hash.DoubleSHA256Each(out[:1], messages[:1])
}
