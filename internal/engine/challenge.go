package engine

import "github.com/koblitz-go/koblitz/internal/hash"

// Unhashed is what the challenge of a BIP-340 signature is the hash of, for messages of
// 32 bytes: the x coordinates of R and P, big-endian, and the message.
type Unhashed struct{ R, P, Message [32]byte }

// challenges are rows of BIP-340 that have all but their challenge: those of messages
// of 32 bytes are hashed sixteen at a time, which takes a quarter of the time. It
// holds copies of what is to be hashed. The zero value is ready.
type challenges struct {
	n       int
	at      [hash.Sixteen]int // places of the rows
	r, p, m [32 * hash.Sixteen]byte
}

// fewChallenges is up to how many challenges one by one take less time than sixteen.
const fewChallenges = 3

// add takes row i of rows, whose key and signature were set: r is the x coordinate of
// its nonce point, p that of its key, and m its message. When there are sixteen rows
// their challenges are set.
func (c *challenges) add(rows []Row, i int, r, p, m *[32]byte) {
	k := 32 * c.n
	c.at[c.n] = i
	copy(c.r[k:], r[:])
	copy(c.p[k:], p[:])
	copy(c.m[k:], m[:])
	if c.n++; c.n == hash.Sixteen {
		c.flush(rows)
	}
}

// flush sets the challenges of all rows that were added.
func (c *challenges) flush(rows []Row) {
	if c.n == 0 {
		return
	}
	var e [hash.Sixteen][32]byte
	if c.n <= fewChallenges {
		for k := range c.n {
			b := 32 * k
			hash.Challenge(&e[k], (*[32]byte)(c.r[b:]), (*[32]byte)(c.p[b:]), c.m[b:b+32])
		}
	} else {
		// Columns past c.n still hold an earlier group's bytes: sixteen hashes cost
		// the same, and their results are dropped.
		hash.Challenges(&e, hash.Rows{Data: c.r[:], Stride: 32}, hash.Rows{Data: c.p[:], Stride: 32}, hash.Rows{Data: c.m[:], Stride: 32})
	}
	for k, i := range c.at[:c.n] {
		rows[i].SetChallenge(&e[k])
	}
	c.n = 0
}
