package main

import "github.com/koblitz-go/koblitz/internal/hash"

// hashes holds cases, functions that call the library with secrets, for package hash.
var hashes = []func(){
	hashTagged, hashExpand, hashCompressed, hashRFC6979, hashRFC6979Lengths, hashSixteen,
	hashTranscript, hashLeftmost, hashKeccak, hashEach,
}

func hashTagged() {
	a, key := secretArray(131), secretArray(132)
	hash.MaskKey(secretArray(144), a)
	ours, theirs := [64]byte(secretString(139, 64)), [64]byte(secretString(140, 64))
	hash.Ellswift(&bytes32, &ours, &theirs, key)
	for _, msg := range secretMessages(133) {
		hash.Nonce(&bytes32, a, key, msg)
		hash.Challenge(&bytes32, a, key, msg)
		hash.ChallengeAndNonce(&bytes32, secretArray(135), a, a, key, msg)
		hash.TapTweak(&bytes32, key, msg)
		hash.Tagged(&bytes32, "tag", msg, key[:])
	}
}

// hashExpand expands messages of every length. A tag of more than 255 bytes is hashed first.
func hashExpand() {
	for _, msg := range secretMessages(160) {
		hash.ExpandXMD(bytes32[:], msg, make([]byte, 20))
		hash.ExpandXMD(bytes32[:], msg, make([]byte, 256))
	}
}

func hashCompressed() {
	point := (*[33]byte)(append(secretBytes(138), 2))
	hash.AppendCompressed(bytes32[:0], point)
	hash.SharedSecret(&bytes32, point, 1)
	hash.Label(&bytes32, secretArray(145), 1)
}

func hashRFC6979() {
	var n hash.Nonces
	n.Init(secretArray(135), secretArray(136), secretBytes(137))
	n.Next(&bytes32)
	n.Next(&bytes32)
	n.Again(&bytes32)
	n.Wipe()
}

func hashRFC6979Lengths() {
	for _, extra := range secretMessages(151) {
		var n hash.Nonces
		n.Init(secretArray(156), secretArray(157), extra)
		n.Next(&bytes32)
	}
}

func hashLeftmost() {
	for _, digest := range secretMessages(273) {
		hash.Leftmost(&bytes32, digest)
	}
}

// hashKeccak hashes messages of every length in messageLengths, and some that are longer than one
// block, which has 136 bytes.
func hashKeccak() {
	for _, msg := range secretMessages(403) {
		hash.Keccak256(&bytes32, msg)
	}
	hash.Keccak256(&bytes32, secretString(433, 300))
	var out [20][32]byte
	messages := append(secretMessages(1300), secretString(1310, 300), secretString(1311, 136))
	for i := len(messages); i < len(out); i++ {
		messages = append(messages, secretString(1312+uint64(i), 20*i))
	}
	hash.Keccak256Each(out[:], messages)
	hash.Keccak256Each(out[:1], messages[:1])
}

// hashEach hashes many messages of up to three blocks, together with one long message. That message
// has more than a sixth of all blocks, so the library hashes it apart from the others.
func hashEach() {
	var out [40][32]byte
	messages := append(secretMessages(1400), secretString(1410, 3000))
	for i := len(messages); i < len(out); i++ {
		messages = append(messages, secretString(1411+uint64(i), 4*i))
	}
	hash.SHA256Each(out[:], messages)
	hash.DoubleSHA256Each(out[:], messages)
	hash.DoubleSHA256Each(out[:1], messages[:1])
}

// hashSixteen hashes sixteen rows at once, each in a lane of vectors.
func hashSixteen() {
	const rows = hash.Sixteen
	var out [rows][32]byte
	all := secretString(158, rows*hash.RowSize)
	hash.Challenges(&out, (*[rows * hash.RowSize]byte)(all), rows)
	hash.Expand(&out, secretArray(161), 1<<40)
	var points [rows][33]byte
	for i := range points {
		points[i] = [33]byte(secretString(170+uint64(i), 33))
	}
	hash.SharedSecrets(&out, &points, 1, rows)
	hash.Join(&bytes32, rows, out[:])
}

// hashTranscript hashes transcripts of fewer than sixteen rows, of sixteen, and of more.
func hashTranscript() {
	for _, n := range []int{0, 1, 16, 17, 33} {
		var t hash.Transcript
		for i := range n {
			copy(t.Next()[:], secretString(162+uint64(i), hash.RowSize))
		}
		t.Sum(&bytes32)
	}
}
