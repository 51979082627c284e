package hash

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// digest returns the digest of a transcript by the definition in its documentation, independently
// of the code of Transcript.
func digest(rows [][RowSize]byte) []byte {
	m := len(rows) / Sixteen
	msg := binary.BigEndian.AppendUint64(nil, uint64(len(rows)))
	if m > 0 {
		for j := range Sixteen {
			var lane []byte
			for i := range m {
				lane = append(lane, rows[Sixteen*i+j][:]...)
			}
			sum := sha256.Sum256(lane)
			msg = append(msg, sum[:]...)
		}
	}
	for _, row := range rows[Sixteen*m:] {
		msg = append(msg, row[:]...)
	}
	return reference.TaggedHash("koblitz/batch", msg)
}

func TestTranscript(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for _, n := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 100, 1000} {
			rows := make([][RowSize]byte, n)
			var tr Transcript
			for i := range rows {
				r.Read(rows[i][:])
				*tr.Next() = rows[i]
			}
			var got [32]byte
			tr.Sum(&got)
			if want := digest(rows); got != [32]byte(want) {
				t.Errorf("%d rows: %x, want %x", n, got, want)
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

func TestJoin(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for n := range 5 {
		digests := make([][32]byte, n)
		msg := binary.BigEndian.AppendUint64(nil, uint64(1000*n))
		for i := range digests {
			r.Read(digests[i][:])
			msg = append(msg, digests[i][:]...)
		}
		var got [32]byte
		Join(&got, uint64(1000*n), digests)
		if want := reference.TaggedHash("koblitz/batch/parts", msg); got != [32]byte(want) {
			t.Errorf("%d parts: %x, want %x", n, got, want)
		}
	}
}

func TestExpand(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(2))
		for _, counter := range []uint64{0, 16, 1<<32 - 5, 1 << 40, 1<<64 - 3} {
			var seed [32]byte
			r.Read(seed[:])
			var got [Sixteen][32]byte
			Expand(&got, &seed, counter)
			for j := range got {
				want := sha256.Sum256(binary.BigEndian.AppendUint64(seed[:], counter+uint64(j)))
				if got[j] != want {
					t.Errorf("counter %d + %d: %x, want %x", counter, j, got[j], want)
				}
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}
