package batch_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// TestShapes has shapes that do not fit: an error that says what and where, and nothing
// is written.
func TestShapes(t *testing.T) {
	b := make([]byte, 1000)
	good := func(width int) batch.Column { return batch.Packed(b[:10*width], width) }
	bg := context.Background()
	type verify func(verdicts []batch.Verdict, dst []byte) (int, error)
	ecdsaWith := func(c batch.Column) verify {
		return func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: c, Signatures: good(64)}.Verify(bg, v)
		}
	}
	for _, test := range []struct {
		name string
		n    int
		call verify
		want string
	}{
		{"short", 10, ecdsaWith(batch.Packed(b[:329], 33)),
			"batch: Keys: 329 bytes, want at least 330 " +
				"for 10 rows of 33 with a stride of 33; row 9 does not fit"},
		{"one row too many", 11, ecdsaWith(good(33)),
			"batch: Hashes: 320 bytes, want at least 352 " +
				"for 11 rows of 32 with a stride of 32; row 10 does not fit"},
		{"wide stride", 10, ecdsaWith(batch.Column{Data: b[:33+4*100+99], Stride: 100}),
			"batch: Keys: 532 bytes, want at least 933 " +
				"for 10 rows of 33 with a stride of 100; row 5 does not fit"},
		{"empty", 1, ecdsaWith(batch.Column{}),
			"batch: Keys: 0 bytes, want at least 33 " +
				"for 1 rows of 33 with a stride of 0; row 0 does not fit"},
		{"fixed and short", 10, ecdsaWith(batch.Column{Data: b[:32]}),
			"batch: Keys: 32 bytes, want at least 33 " +
				"for 10 rows of 33 with a stride of 0; row 0 does not fit"},
		{"negative stride", 10, ecdsaWith(batch.Column{Data: b, Stride: -33}),
			"batch: Keys: a stride of -33, want 0 or at least 33"},
		{"overlapping rows", 10, ecdsaWith(batch.Column{Data: b, Stride: 32}),
			"batch: Keys: a stride of 32, want 0 or at least 33"},
		{"bad stride, no rows", 0, ecdsaWith(batch.Column{Stride: 1}),
			"batch: Keys: a stride of 1, want 0 or at least 33"},
		{"a signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: good(33), Signatures: good(63)}.Verify(bg, v)
		}, "batch: Signatures: a stride of 63, want 0 or at least 64"},
		{"Schnorr message", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(31), Keys: good(32), Signatures: good(64)}.Verify(bg, v)
		}, "batch: Messages: a stride of 31, want 0 or at least 32"},
		{"Schnorr key", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Keys: good(31), Signatures: good(64)}.Verify(bg, v)
		}, "batch: Keys: a stride of 31, want 0 or at least 32"},
		{"Schnorr signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Keys: good(32),
				Signatures: batch.Packed(b[:639], 64)}.Verify(bg, v)
		}, "batch: Signatures: 639 bytes, want at least 640 " +
			"for 10 rows of 64 with a stride of 64; row 9 does not fit"},
		{"hash of a recoverable signature", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: good(31), Signatures: good(65)}.Recover(bg, dst, v)
		}, "batch: Hashes: a stride of 31, want 0 or at least 32"},
		{"recoverable signature", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: good(32), Signatures: good(64)}.Recover(bg, dst, v)
		}, "batch: Signatures: a stride of 64, want 0 or at least 65"},
		{"long dst", 9, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: good(32), Signatures: good(65)}.Recover(bg, dst, v)
		}, "batch: dst: 650 bytes, want 65 times 9, the number of verdicts"},
		{"dst of addresses", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			rows := batch.RecoverRows{Hashes: good(32), Signatures: good(65)}
			return rows.EthereumAddresses(bg, dst, v)
		}, "batch: dst: 650 bytes, want 20 times 10, the number of verdicts"},
		{"hash of an address", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			rows := batch.RecoverRows{Hashes: good(31), Signatures: good(65)}
			return rows.EthereumAddresses(bg, dst[:200], v)
		}, "batch: Hashes: a stride of 31, want 0 or at least 32"},
		{"short dst", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.KeyRows{Keys: good(33)}.Decompress(bg, dst[:649], v)
		}, "batch: dst: 649 bytes, want 65 times 10, the number of verdicts"},
		{"key to decompress", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.KeyRows{Keys: good(32)}.Decompress(bg, dst, v)
		}, "batch: Keys: a stride of 32, want 0 or at least 33"},
		{"indices", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.PreparedECDSARows{Hashes: good(32), Signatures: good(64),
				Indices: make([]uint32, 9)}.Verify(bg, v)
		}, "batch: Indices: 9 rows, want 10, the number of verdicts"},
		{"no indices", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.PreparedSchnorrRows{Messages: good(32), Signatures: good(64),
				Indices: []uint32{}}.Verify(bg, v)
		}, "batch: Indices: 0 rows, want 10, the number of verdicts"},
		{"prepared signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.PreparedSchnorrRows{Messages: good(32), Signatures: good(32)}.Verify(bg, v)
		}, "batch: Signatures: a stride of 32, want 0 or at least 64"},
		{"prepared message", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.PreparedSchnorrRows{Messages: good(1), Signatures: good(64)}.Verify(bg, v)
		}, "batch: Messages: a stride of 1, want 0 or at least 32"},
		{"prepared hash", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.PreparedECDSARows{Hashes: good(1), Signatures: good(64)}.Verify(bg, v)
		}, "batch: Hashes: a stride of 1, want 0 or at least 32"},
		{"prepared ECDSA signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.PreparedECDSARows{Hashes: good(32), Signatures: good(32)}.Verify(bg, v)
		}, "batch: Signatures: a stride of 32, want 0 or at least 64"},
	} {
		verdicts, dst := dirty(test.n), make([]byte, 650)
		before := slices.Clone(verdicts)
		valid, err := test.call(verdicts, dst)
		if valid != 0 || err == nil || err.Error() != test.want {
			t.Errorf("%s: %d, %v\nwant %s", test.name, valid, err, test.want)
		}
		if !slices.Equal(verdicts, before) || !slices.Equal(dst, make([]byte, 650)) {
			t.Errorf("%s: something was written", test.name)
		}
	}
}

// TestStrideOverflow has strides with which the last row begins beyond all numbers.
func TestStrideOverflow(t *testing.T) {
	b := make([]byte, 64)
	for _, stride := range []int{math.MaxInt, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt32,
		math.MaxInt - 63} {
		for _, n := range []int{2, 3, 5, 100} {
			c := batch.Column{Data: b, Stride: stride}
			if _, err := (batch.SchnorrRows{Messages: c, Keys: c,
				Signatures: c}).Verify(context.Background(), dirty(n)); err == nil {
				t.Errorf("%d rows with a stride of %d", n, stride)
			} else {
				t.Log(err)
			}
		}
		one := batch.Column{Data: b, Stride: stride}
		if _, err := (batch.SchnorrRows{Messages: one, Keys: one,
			Signatures: one}).Verify(context.Background(), dirty(1)); err != nil {
			t.Errorf("one row with a stride of %d: %v", stride, err)
		}
	}
}

// TestNoRows has no rows at all.
func TestNoRows(t *testing.T) {
	if n, err := (batch.SchnorrRows{}).Verify(context.Background(), nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := (batch.ECDSARows{}).Verify(context.Background(), nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := (batch.RecoverRows{}).Recover(context.Background(), nil, nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	n, err := batch.RecoverRows{}.EthereumAddresses(context.Background(), nil, nil)
	if n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := (batch.KeyRows{}).Decompress(context.Background(), nil, nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := (batch.PreparedECDSARows{}).Verify(context.Background(), nil); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// TestPreparedWithoutKey has rows that name no key, whose indices are beyond the set,
// among rows that do.
func TestPreparedWithoutKey(t *testing.T) {
	k := koblitz.GenerateKey()
	set := []*koblitz.PreparedKey{nil, {}, k.PublicKey().Prepare(1024),
		(*koblitz.PublicKey)(nil).Prepare(0)}
	good := judgedGood(k)
	indices := []uint32{0, 2, 1, 2, 3, 4, 2, math.MaxUint32}
	want := []batch.Verdict{3, 1, 3, 1, 3, 3, 1, 3}
	got := dirty(len(indices))
	valid, err := batch.PreparedECDSARows{
		Hashes: batch.Column{Data: good.msg}, Signatures: batch.Column{Data: good.sig}, Keys: set,
		Indices: indices,
	}.Verify(context.Background(), got)
	if valid != 3 || err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %d, %v, want %v", got, valid, err, want)
	}
	for _, set := range [][]*koblitz.PreparedKey{nil, {}, {nil}} {
		got := dirty(3)
		valid, err := batch.PreparedECDSARows{
			Hashes: batch.Column{Data: good.msg}, Signatures: batch.Column{Data: good.sig}, Keys: set,
		}.Verify(context.Background(), got)
		if valid != 0 || err != nil || !slices.Equal(got, []batch.Verdict{3, 3, 3}) {
			t.Errorf("%v, %d, %v", got, valid, err)
		}
	}
}

func TestVerdictString(t *testing.T) {
	for v, want := range map[batch.Verdict]string{
		batch.Unchecked: "unchecked", batch.Valid: "valid", batch.Invalid: "invalid",
		batch.Malformed: "malformed", 9: "batch.Verdict(9)",
	} {
		if v.String() != want {
			t.Errorf("%d is %s, want %s", v, v, want)
		}
	}
	if batch.Unchecked != 0 {
		t.Error("the zero value is a verdict")
	}
}
