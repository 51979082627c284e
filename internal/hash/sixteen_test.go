package hash

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestSixteen checks that Challenges and SharedSecrets compute the same hashes as Challenge and
// SharedSecret, for every number of rows.
func TestSixteen(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for i := range 100 {
			rows := [Sixteen * RowSize]byte(reference.Bytes(r, Sixteen*RowSize))
			var points [Sixteen][33]byte
			for j := range points {
				points[j] = [33]byte(rows[j*RowSize:])
			}
			var got, secrets [Sixteen][32]byte
			n, k := i%(Sixteen+1), r.Uint32()
			Challenges(&got, &rows, n)
			SharedSecrets(&secrets, &points, k, n)
			for j := range n {
				row := rows[j*RowSize:]
				var want, secret [32]byte
				Challenge(&want, (*[32]byte)(row), (*[32]byte)(row[32:]), row[64:96])
				SharedSecret(&secret, &points[j], k)
				if got[j] != want || secrets[j] != secret {
					t.Fatalf("%d rows, row %d: %x and %x, want %x and %x", n, j, got[j], secrets[j],
						want, secret)
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

// TestNonceLanes checks that NonceLanes derives the same nonces as Nonces, and as MaskKey and
// Nonce, for every number of rows.
func TestNonceLanes(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		var m NonceLanes
		for n := range Sixteen + 1 {
			for j := range n {
				m.Keys[j], m.Hashes[j], m.Aux[j] = random(r), random(r), random(r)
			}
			m.Rows = [Sixteen * RowSize]byte(reference.Bytes(r, Sixteen*RowSize))
			rows := m.Rows
			var want [Sixteen][32]byte
			for j := range n {
				var s Nonces
				s.Init(&m.Keys[j], &m.Hashes[j], nil)
				s.Next(&want[j])
			}
			m.RFC6979(n)
			if m.Nonces != want || m.Copies != want {
				t.Errorf("RFC 6979, %d rows: %x and %x, want %x", n, m.Nonces, m.Copies, want)
			}
			for j := range n {
				row := rows[j*RowSize:]
				MaskKey((*[32]byte)(row), &m.Aux[j])
				Nonce(&want[j], (*[32]byte)(row), (*[32]byte)(row[32:]), row[64:96])
			}
			m.BIP340(n)
			if m.Nonces != want || m.Copies != want {
				t.Errorf("BIP-340, %d rows: %x and %x, want %x", n, m.Nonces, m.Copies, want)
			}
		}
		if m.Wipe(); m != (NonceLanes{}) {
			t.Error("Wipe left something")
		}
	}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
}
