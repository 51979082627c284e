package batch

import (
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/hash"
)

// pending are rows of BIP-340 that have all but their challenge, because
// challenges of messages of 32 bytes are cheaper sixteen at a time. It holds
// copies of what is to be hashed.
type pending struct {
	n       int
	at      [hash.Sixteen]int // places of the rows
	r, p, m [32 * hash.Sixteen]byte
}

// fewPending is up to how many challenges one by one take less time than sixteen.
const fewPending = 3

// add takes the row in place i of rows, whose key and signature were set.
func (q *pending) add(rows []engine.Row, i int, msg *[32]byte) {
	k := 32 * q.n
	q.at[q.n] = i
	rows[i].PutNonceX((*[32]byte)(q.r[k:]))
	rows[i].PutX((*[32]byte)(q.p[k:]))
	copy(q.m[k:], msg[:])
	if q.n++; q.n == hash.Sixteen {
		q.flush(rows)
	}
}

// flush sets the challenges of all rows.
func (q *pending) flush(rows []engine.Row) {
	var e [hash.Sixteen][32]byte
	if q.n <= fewPending {
		for k := range q.n {
			b := 32 * k
			hash.Challenge(&e[k], (*[32]byte)(q.r[b:]), (*[32]byte)(q.p[b:]), q.m[b:b+32])
		}
	} else {
		// What is beyond the last row was something once, and is of no interest.
		hash.Challenges(&e, hash.Rows{Data: q.r[:], Stride: 32}, hash.Rows{Data: q.p[:], Stride: 32}, hash.Rows{Data: q.m[:], Stride: 32})
	}
	for k, i := range q.at[:q.n] {
		rows[i].SetChallenge(&e[k])
	}
	q.n = 0
}
