package hash

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestSixteen checks that Challenges, MaskedNonces and SharedSecrets compute the same hashes as
// Challenge, MaskKey, Nonce and SharedSecret, for every number of rows.
func TestSixteen(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for i := range 100 {
			rows := [Sixteen * RowSize]byte(reference.Bytes(r, Sixteen*RowSize))
			var points [Sixteen][33]byte
			for j := range points {
				points[j] = [33]byte(rows[j*RowSize:])
			}
			var got, nonces, secrets, aux [Sixteen][32]byte
			for j := range aux {
				aux[j] = [32]byte(reference.Bytes(r, 32))
			}
			n, k := i%(Sixteen+1), r.Uint32()
			Challenges(&got, &rows, n)
			masked := rows
			MaskedNonces(&nonces, &masked, &aux, n)
			SharedSecrets(&secrets, &points, k, n)
			for j := range n {
				row := rows[j*RowSize:]
				var want, nonce, secret [32]byte
				key := (*[32]byte)(row)
				Challenge(&want, key, (*[32]byte)(row[32:]), row[64:96])
				SharedSecret(&secret, &points[j], k)
				MaskKey(key, &aux[j])
				Nonce(&nonce, key, (*[32]byte)(row[32:]), row[64:96])
				if got[j] != want || secrets[j] != secret || nonces[j] != nonce {
					t.Fatalf("%d rows, row %d: %x, %x and %x, want %x, %x and %x", n, j,
						got[j], secrets[j], nonces[j], want, secret, nonce)
				}
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}

// TestChallengesCount checks that Challenges panics before it reads rows that do not exist.
func TestChallengesCount(t *testing.T) {
	for _, n := range []int{-1, Sixteen + 1, 1 << 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a row outside its data was read")
				}
			}()
			Challenges(new([Sixteen][32]byte), new([Sixteen * RowSize]byte), n)
		})
	}
}

// TestFirstNonces checks that FirstNonces computes the same strings as Nonces, for every number of
// rows.
func TestFirstNonces(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		for n := range Sixteen + 1 {
			var got, keys, hashes [Sixteen][32]byte
			for j := range n {
				keys[j], hashes[j] = [32]byte(reference.Bytes(r, 32)), [32]byte(reference.Bytes(r, 32))
			}
			FirstNonces(&got, &keys, &hashes, n)
			for j := range n {
				var s Nonces
				var want [32]byte
				s.Init(&keys[j], &hashes[j], nil)
				if s.Next(&want); got[j] != want {
					t.Fatalf("%d rows, row %d: %x, want %x", n, j, got[j], want)
				}
			}
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}
