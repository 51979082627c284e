package hash

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// checkSHA256Each compares the digests of SHA256Each and DoubleSHA256Each with the standard
// library's.
func checkSHA256Each(t *testing.T, r *rand.Rand, messages [][]byte) {
	t.Helper()
	sum := func(msg []byte) []byte {
		digest := sha256.Sum256(msg)
		return digest[:]
	}
	checkDigests(t, r, "SHA-256", messages, SHA256Each, sum)
	checkDigests(t, r, "twice SHA-256", messages, DoubleSHA256Each, func(msg []byte) []byte {
		return sum(sum(msg))
	})
}

// TestSHA256Each checks that each digest is the SHA-256 of its message. It hashes messages of every
// length up to 300 bytes in one call, and every number of messages up to 40, of equal and of random
// lengths.
func TestSHA256Each(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 11))
		var lengths [][]byte
		for n := range 301 {
			lengths = append(lengths, text(r, n))
		}
		checkSHA256Each(t, r, lengths)
		slices.Reverse(lengths)
		checkSHA256Each(t, r, lengths)
		for count := range 41 {
			same, mixed := make([][]byte, count), make([][]byte, count)
			size := r.IntN(300)
			for i := range count {
				same[i], mixed[i] = text(r, size), text(r, r.IntN(800))
			}
			checkSHA256Each(t, r, same)
			checkSHA256Each(t, r, mixed)
		}
		// One message is longer than all others. It is in a different lane in each round. With 100
		// blocks it has less than a sixth of all blocks; with 1,000 blocks it is hashed without
		// lanes, unless there are only two lanes.
		for long := range 2 * Sixteen {
			messages := make([][]byte, 8*Sixteen)
			for i := range messages {
				messages[i] = text(r, 300)
			}
			messages[long] = text(r, 64*100-9)
			checkSHA256Each(t, r, messages)
			messages[long] = text(r, 64*1000-9)
			checkSHA256Each(t, r, messages)
		}
		// If there are sixteen lanes, the long messages are hashed without them, and only the short
		// message is left for the lanes.
		checkSHA256Each(t, r, [][]byte{text(r, 1000), text(r, 999), nil})
		checkSHA256Each(t, r, [][]byte{text(r, 1000), text(r, 9), nil})
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestSHA256EachShares checks that messages that are in the same memory or overlap get the right
// digests.
func TestSHA256EachShares(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(12, 12))
		whole := text(r, 400)
		var messages [][]byte
		for range 30 {
			from := r.IntN(len(whole))
			messages = append(messages, whole, whole[from:], whole[:from], nil)
		}
		checkSHA256Each(t, r, messages)
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestSHA256EachShort checks that SHA256Each writes no digest if out is shorter than messages.
func TestSHA256EachShort(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		out := make([][32]byte, 19, 20)
		defer func() {
			if recover() == nil {
				t.Error("twenty messages had nineteen results")
			}
			if out[0] != [32]byte{} {
				t.Error("a message was hashed")
			}
		}()
		SHA256Each(out, make([][]byte, 20))
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestLoadEach checks that the kernel and the portable version read the right words of sixteen
// blocks.
func TestLoadEach(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 13))
		for range 20 {
			var blocks [Sixteen]*[64]byte
			for j := range blocks {
				blocks[j] = (*[64]byte)(text(r, 64))
			}
			var words, generic [2][8][Sixteen]uint32
			loadEach(&words, &blocks)
			loadEachGeneric(&generic, &blocks)
			for j := range blocks {
				for i := range 16 {
					b := blocks[j][4*i:]
					want := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
					if words[i/8][i%8][j] != want || generic[i/8][i%8][j] != want {
						t.Fatalf("word %d of block %d: %#x and %#x, want %#x", i, j, words[i/8][i%8][j],
							generic[i/8][i%8][j], want)
					}
				}
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// FuzzSHA256Each checks that any messages get the digests that the standard library computes. It
// cuts its input into messages: a byte is the length of the message that follows it.
func FuzzSHA256Each(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(append([]byte{1, 0, 55, 56, 63, 64, 65, 119, 120, 255}, make([]byte, 900)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var messages [][]byte
		for count := min(60, len(data)/2); count > 0 && len(data) > 0; count-- {
			n := min(int(data[0]), len(data)-1)
			messages = append(messages, data[1:1+n])
			data = data[1+n:]
		}
		checkSHA256Each(t, rand.New(rand.NewPCG(14, 14)), messages)
	})
}

func BenchmarkSHA256Each(b *testing.B) {
	for _, size := range []int{32, 64, 190, 250, 1000} {
		for _, count := range []int{1, 2, 4, 16, 64} {
			b.Run(fmt.Sprintf("%d/%d", size, count), func(b *testing.B) {
				messages := make([][]byte, count)
				for i := range messages {
					messages[i] = make([]byte, size)
				}
				out := make([][32]byte, count)
				b.ReportAllocs()
				for b.Loop() {
					SHA256Each(out, messages)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/message")
			})
		}
	}
}

func BenchmarkCompress(b *testing.B) {
	var state [8][Sixteen]uint32
	var words [2][8][Sixteen]uint32
	b.ReportAllocs()
	for b.Loop() {
		compress(&state, &words)
	}
}

func BenchmarkLoadEach(b *testing.B) {
	var words [2][8][Sixteen]uint32
	var blocks [Sixteen]*[64]byte
	for j := range blocks {
		blocks[j] = new([64]byte)
	}
	b.ReportAllocs()
	for b.Loop() {
		loadEach(&words, &blocks)
	}
}
