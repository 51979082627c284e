package hash

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A manyHash hashes many messages. The function one returns the digest of one message.
type manyHash struct {
	name string
	all  func(out [][32]byte, messages [][]byte)
	one  func(msg []byte) [32]byte
}

// each lists the functions for many messages.
var each = []manyHash{
	{"Keccak-256", Keccak256Each, func(msg []byte) [32]byte {
		return [32]byte(reference.Keccak256(msg, 1))
	}},
	{"SHA-256", SHA256Each, sha256.Sum256},
	{"twice SHA-256", DoubleSHA256Each, func(msg []byte) [32]byte {
		sum := sha256.Sum256(msg)
		return sha256.Sum256(sum[:])
	}},
}

// checkEach checks the given functions for many messages, or all of them if none is given.
func checkEach(t *testing.T, r *rand.Rand, messages [][]byte, functions ...manyHash) {
	t.Helper()
	if functions == nil {
		functions = each
	}
	for _, f := range functions {
		out := make([][32]byte, len(messages)+1)
		for i := range out {
			out[i] = random(r) // old contents, which the function must overwrite
		}
		behind := out[len(messages)]
		f.all(out, messages)
		for i, msg := range messages {
			if want := f.one(msg); out[i] != want {
				t.Fatalf("%s of message %d of %d, of %d bytes: %x, want %x", f.name, i, len(messages),
					len(msg), out[i], want)
			}
		}
		if out[len(messages)] != behind {
			t.Errorf("%s: a result without a message was written", f.name)
		}
	}
}

// texts returns the given number of random messages, with the lengths that length returns. Their
// slices have no spare capacity.
func texts(r *rand.Rand, count int, length func() int) [][]byte {
	messages := make([][]byte, count)
	for i := range messages {
		messages[i] = slices.Clip(reference.Bytes(r, length()))
	}
	return messages
}

// TestEach checks the digests of many messages: of every length up to three blocks of Keccak-256 in
// one call, every number of messages up to 40, of equal and of random lengths, and messages that
// are in the same memory or overlap.
func TestEach(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		n := -1
		lengths := texts(r, 3*keccakRate+2, func() int { n++; return n })
		checkEach(t, r, lengths)
		for _, msg := range lengths {
			got := random(r) // old contents, which Keccak256 must overwrite
			if Keccak256(&got, msg); got != each[0].one(msg) {
				t.Fatalf("the Keccak-256 of %x is %x", msg, got)
			}
		}
		slices.Reverse(lengths)
		checkEach(t, r, lengths)
		for count := range 41 {
			size := r.IntN(3 * keccakRate)
			checkEach(t, r, texts(r, count, func() int { return size }))
			checkEach(t, r, texts(r, count, func() int { return r.IntN(8 * keccakRate) }))
		}
		// One message is longer than all others. It is in a different lane in each round. In the calls
		// of SHA-256 with 128 messages, it has less than a sixth of all blocks, or is hashed without
		// lanes, unless there are only two lanes.
		for long := range 2 * Sixteen {
			few := texts(r, 2*keccakLanes, func() int { return r.IntN(keccakRate) })
			few[long%len(few)] = reference.Bytes(r, 20*keccakRate)
			checkEach(t, r, few)
			many := texts(r, 8*Sixteen, func() int { return 300 })
			many[long] = reference.Bytes(r, 64*100-9)
			checkEach(t, r, many, each[1:]...)
			many[long] = reference.Bytes(r, 64*1000-9)
			checkEach(t, r, many, each[1:]...)
		}
		// If there are sixteen lanes, the long messages are hashed without them, and only the short
		// message is left for the lanes.
		long := reference.Bytes(r, 1000)
		checkEach(t, r, [][]byte{long, long[1:], nil})
		checkEach(t, r, [][]byte{long, long[:9], nil})
		var shared [][]byte
		for range 30 {
			from := r.IntN(len(long))
			shared = append(shared, long, long[from:], long[:from], nil)
		}
		checkEach(t, r, shared)
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestEachShort checks that no digest is written if there are fewer results than messages.
func TestEachShort(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		for _, f := range each {
			func() {
				out := make([][32]byte, 19, 20)
				defer func() {
					if recover() == nil || out[0] != [32]byte{} {
						t.Errorf("%s: twenty messages had nineteen results", f.name)
					}
				}()
				f.all(out, make([][]byte, 20))
			}()
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// FuzzEach checks the digests of any messages. It cuts its input into messages: a byte is the
// length of the message that follows it.
func FuzzEach(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(append([]byte{1, 0, 55, 56, 63, 64, 65, 119, 120, 135, 136, 137, 255}, make([]byte, 900)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var messages [][]byte
		for count := min(60, len(data)/2); count > 0 && len(data) > 0; count-- {
			n := min(int(data[0]), len(data)-1)
			messages = append(messages, data[1:1+n])
			data = data[1+n:]
		}
		checkEach(t, rand.New(rand.NewPCG(14, 14)), messages)
	})
}
