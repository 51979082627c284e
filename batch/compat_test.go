package batch_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func key(r row) []byte { return r.key }
func msg(r row) []byte { return r.msg }
func sig(r row) []byte { return r.sig }

func random(r *rand.Rand, n int) []byte { return reference.Bytes(r, n) }

func isValid(r row) bool { return r.want == batch.Valid }

// column returns a field of the rows as a column.
func column(r *rand.Rand, rows []row, field func(row) []byte) batch.Column {
	var data []byte
	for _, row := range rows {
		data = append(data, field(row)...)
	}
	return batch.Packed(data, len(field(rows[0])))
}

// compare checks that the verdicts of rows are those of the functions for one signature.
func compare(t *testing.T, rows []row, lowS bool, got []batch.Verdict, valid int, err error) {
	t.Helper()
	for i, r := range rows {
		want := r.want
		if lowS {
			want = r.low
		}
		if got[i] != want {
			t.Errorf("row %d of %d (%s): %v, want %v", i, len(rows), r.what, got[i], want)
		}
		if want == batch.Valid {
			valid--
		}
	}
	if valid != 0 || err != nil {
		t.Errorf("%d too many are valid, %v", valid, err)
	}
}

// otherLengths returns BIP-340 rows with messages of any length.
var otherLengths = sync.OnceValue(func() []row { return rowsOf(kindNamed("Schnorr")) })

// recoveryIDs returns the correct recovery ids of ECDSA rows, and 0 for rows that have none.
func recoveryIDs(rows []row) []byte {
	ids := make([]byte, len(rows))
	for i, r := range rows {
		for id := range byte(4) {
			k, err := ecdsa.Recover(r.msg, join(r.sig, []byte{id}))
			if err == nil && (slices.Equal(k.Bytes(), r.key) || slices.Equal(k.UncompressedBytes(), r.key)) {
				ids[i] = id
			}
		}
	}
	return ids
}

// judgedGood returns a row with a valid ECDSA signature by the private key k.
func judgedGood(k *koblitz.PrivateKey) row {
	hash := []byte("thirty-two bytes, for want of it")
	sig := reference.Must(ecdsa.Sign(k, hash, nil))
	return judgeRow(row{key: k.PublicKey().Bytes(), msg: hash, sig: sig.Bytes()})
}
