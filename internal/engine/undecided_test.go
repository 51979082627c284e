package engine

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// TestIsUndecided checks that isUndecided on columns and on parsed rows gives the same answer for
// every row.
func TestIsUndecided(t *testing.T) {
	r := rand.New(rand.NewSource(32))
	const p, n, half = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
		"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
		"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
	number := func(b []byte) {
		switch r.Intn(5) {
		case 0:
			clear(b)
		case 1, 2:
			x, _ := new(big.Int).SetString([]string{p, n, half}[r.Intn(3)], 16)
			x.Add(x, big.NewInt(int64(r.Intn(3)-1)))
			x.FillBytes(b)
		case 3:
			r.Read(b)
			copy(b, "\xff\xff\xff\xff\xff\xff\xff\xff")
		default:
			r.Read(b)
		}
	}
	var points [][65]byte
	for _, key := range someKeys(r, 20) {
		var b [65]byte
		p := multipleOfG(key)
		putUncompressed(&b, &p)
		points = append(points, b)
	}
	undecided := 0
	for range 20000 {
		var m [32]byte
		var key [33]byte
		var sig [64]byte
		number(key[1:])
		number(sig[:32])
		number(sig[32:])
		key[0] = byte(1 + r.Intn(4))
		id := []byte{byte(r.Intn(5))}
		c := &device.Call{Kind: Schnorr, Rows: 1, Rules: device.Rules(r.Intn(2)) * device.LowS}
		c.Columns = [4]device.Column{{Data: m[:]}, {Data: key[1:]}, {Data: sig[:]}}
		if r.Intn(2) == 0 {
			c.Kind, c.Columns[1].Data, c.Columns[3].Data = ECDSA, key[:], id
		}
		if c.Kind == ECDSA && r.Intn(2) == 0 {
			c.Rules |= device.Uncompressed
			b := points[r.Intn(len(points))]
			if r.Intn(4) == 0 {
				b[r.Intn(len(b))] ^= 1 << r.Intn(8)
			}
			if r.Intn(8) == 0 {
				number(b[1:33])
			}
			c.Columns[1].Data = b[:]
		}
		s := newColumns(c, Options{})
		rows := newRows(1)
		s.parse(&rows, 0, 1, 0)
		if got, want := s.scheme.isUndecided(c, 0), rows.isUndecided(0); got != want {
			t.Fatalf("kind %d: key %x, signature %x, id %d: %v, want %v", c.Kind, key, sig, id, got, want)
		}
		if rows.isUndecided(0) {
			undecided++
		}
	}
	if undecided < 1000 || undecided > 19000 {
		t.Errorf("%d of 20000 rows are undecided", undecided)
	}
}
