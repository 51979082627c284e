package hash

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// text returns n random bytes, in a slice whose capacity is n.
func text(r *rand.Rand, n int) []byte {
	msg := make([]byte, n)
	for i := range msg {
		msg[i] = byte(r.Uint32())
	}
	return slices.Clip(msg)
}

// checkEach checks that Keccak256Each computes the digests that package reference computes.
func checkEach(t *testing.T, r *rand.Rand, messages [][]byte) {
	t.Helper()
	checkDigests(t, r, "Keccak-256", messages, Keccak256Each, func(msg []byte) []byte {
		return reference.Keccak256(msg, 1)
	})
}

// checkDigests compares the digests of hashAll, a function for many messages, with those of
// hashOne, a function for a single message.
func checkDigests(t *testing.T, r *rand.Rand, name string, messages [][]byte,
	hashAll func([][32]byte, [][]byte), hashOne func([]byte) []byte) {
	t.Helper()
	out := make([][32]byte, len(messages)+1)
	for i := range out {
		out[i] = random(r) // old contents, which the function must overwrite
	}
	behind := out[len(messages)]
	hashAll(out, messages)
	for i, msg := range messages {
		if want := hashOne(msg); !bytes.Equal(out[i][:], want) {
			t.Fatalf("%s of message %d of %d, of %d bytes: %x, want %x", name, i, len(messages),
				len(msg), out[i], want)
		}
	}
	if out[len(messages)] != behind {
		t.Error("a result without a message was written")
	}
}

// TestKeccak256Each checks that each digest is the Keccak256 of its message. It hashes messages of
// every length up to three blocks in one call, and every number of messages up to 40, of equal and
// of random lengths.
func TestKeccak256Each(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		var lengths [][]byte
		for n := range 3*keccakRate + 2 {
			lengths = append(lengths, text(r, n))
		}
		checkEach(t, r, lengths)
		slices.Reverse(lengths)
		checkEach(t, r, lengths)
		for count := range 41 {
			same, mixed := make([][]byte, count), make([][]byte, count)
			size := r.IntN(3 * keccakRate)
			for i := range count {
				same[i], mixed[i] = text(r, size), text(r, r.IntN(8*keccakRate))
			}
			checkEach(t, r, same)
			checkEach(t, r, mixed)
		}
		// One message is longer than all others. It is in a different lane in each round.
		for long := range 2 * keccakLanes {
			messages := make([][]byte, 2*keccakLanes)
			for i := range messages {
				messages[i] = text(r, r.IntN(keccakRate))
			}
			messages[long] = text(r, 20*keccakRate)
			checkEach(t, r, messages)
		}
	}, cputest.Portable, cputest.AVX512F)
}

// TestKeccak256EachShares checks that messages that are in the same memory or overlap get the right
// digests.
func TestKeccak256EachShares(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 8))
		whole := text(r, 3*keccakRate)
		var messages [][]byte
		for range 30 {
			from := r.IntN(len(whole))
			messages = append(messages, whole, whole[from:], whole[:from], nil)
		}
		checkEach(t, r, messages)
	}, cputest.Portable, cputest.AVX512F)
}

// TestKeccak256EachShort checks that Keccak256Each writes no digest if out is shorter than
// messages.
func TestKeccak256EachShort(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		out := make([][32]byte, 9, 10)
		defer func() {
			if recover() == nil {
				t.Error("ten messages had nine results")
			}
			if out[0] != [32]byte{} {
				t.Error("a message was hashed")
			}
		}()
		Keccak256Each(out, make([][]byte, 10))
	}, cputest.Portable, cputest.AVX512F)
}

// TestAbsorb checks that the kernel that absorbs a block and its portable version give the state
// that package reference computes in every lane, for new states and for states that have absorbed
// other blocks.
func TestAbsorb(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 9))
		for range 50 {
			var state, want [25][keccakLanes]uint64
			var blocks [keccakLanes]*[keccakRate]byte
			keep := r.Uint64N(1 << keccakLanes)
			for j := range blocks {
				blocks[j] = (*[keccakRate]byte)(text(r, keccakRate))
				var sum [5][5]uint64
				for i := range state {
					state[i][j] = r.Uint64()
					if keep>>j&1 == 1 {
						sum[i%5][i/5] = state[i][j]
					}
				}
				for i, b := range blocks[j] {
					sum[i/8%5][i/8/5] ^= uint64(b) << (8 * (i % 8))
				}
				reference.KeccakPermute(&sum)
				for i := range want {
					want[i][j] = sum[i%5][i/5]
				}
			}
			generic := state
			absorb(&state, &blocks, keep)
			absorbGeneric(&generic, &blocks, keep)
			if state != want {
				t.Fatalf("keep %#x: states differ from the oracle's", keep)
			}
			if generic != want {
				t.Fatalf("keep %#x: states of absorbGeneric differ from the oracle's", keep)
			}
		}
	}, cputest.Portable, cputest.AVX512F)
}

// FuzzKeccak256Each checks that any messages get the digests that package reference computes. It
// cuts its input into messages: a byte is half the length of the message that follows it.
func FuzzKeccak256Each(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(append([]byte{1, 0, 135, 136, 137, 255, 3, 9, 0, 200}, make([]byte, 900)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var messages [][]byte
		for count := min(40, len(data)/2); count > 0 && len(data) > 0; count-- {
			n := min(2*int(data[0]), len(data)-1)
			messages = append(messages, data[1:1+n])
			data = data[1+n:]
		}
		out := make([][32]byte, len(messages))
		Keccak256Each(out, messages)
		for i, msg := range messages {
			if want := reference.Keccak256(msg, 1); !bytes.Equal(out[i][:], want) {
				t.Errorf("message %d: %x, want %x", i, out[i], want)
			}
		}
	})
}

func BenchmarkKeccak256Each(b *testing.B) {
	for _, size := range []int{64, 110, 1352} {
		for _, count := range []int{1, 2, 8, 64} {
			b.Run(fmt.Sprintf("%d/%d", size, count), func(b *testing.B) {
				messages := make([][]byte, count)
				for i := range messages {
					messages[i] = make([]byte, size)
				}
				out := make([][32]byte, count)
				b.ReportAllocs()
				for b.Loop() {
					Keccak256Each(out, messages)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/message")
			})
		}
	}
}

func BenchmarkAbsorb(b *testing.B) {
	var state [25][keccakLanes]uint64
	var blocks [keccakLanes]*[keccakRate]byte
	for j := range blocks {
		blocks[j] = new([keccakRate]byte)
	}
	b.ReportAllocs()
	for b.Loop() {
		absorb(&state, &blocks, 1<<keccakLanes-1)
	}
}
