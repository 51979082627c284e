package batch_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// TestShapes checks that columns, verdicts and results of wrong sizes give an error that names the
// argument and the size, and that nothing is written.
func TestShapes(t *testing.T) {
	b := make([]byte, 2000)
	good := func(width int) batch.Column { return batch.Packed(b[:10*width], width) }
	indices := make([]uint32, 10)
	bg := context.Background()
	type verify func(verdicts []batch.Verdict, dst []byte) (int, error)
	keys := func(c batch.Column) verify {
		return func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: batch.EncodedKeys(c), Signatures: good(64),
				S: batch.AnyS}.Verify(bg, v, nil)
		}
	}
	for _, test := range []struct {
		name string
		n    int
		call verify
		want string
	}{
		{"half a row", 10, keys(batch.Packed(b[:329], 33)), "Keys: row 9 has 32 bytes, want 33"},
		{"one row too few", 10, keys(batch.Packed(b[:297], 33)), "Keys: 9 rows, want 10"},
		{"one verdict too many", 11, keys(good(33)), "Hashes: 10 rows, want 11"},
		{"one verdict too few", 9, keys(good(33)), "Hashes: 10 rows, want 9"},
		{"no verdicts", 0, keys(good(33)), "Hashes: 10 rows, want 0"},
		{"half a field", 10, keys(batch.Strided(b[:932], 33, 100)),
			"Keys: row 9 has 32 bytes, want 33"},
		{"a byte of a field", 10, keys(batch.Strided(b[:901], 33, 100)), "Keys: row 9 has 1 bytes"},
		{"one field too few", 10, keys(batch.Strided(b[:900], 33, 100)), "Keys: 9 rows, want 10"},
		{"one field too many", 10, keys(batch.Strided(b[:1033], 33, 100)), "Keys: 11 rows, want 10"},
		{"left out", 10, keys(batch.Column{}), "Keys: no column; Packed, Strided or Same makes one"},
		{"left out, no verdicts", 0, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: batch.Same(b[:32]), Signatures: batch.Same(b[:64]),
				S: batch.AnyS}.Verify(bg, v, nil)
		}, "Keys: no column; Packed, Strided or Same makes one"},
		{"nothing, packed", 10, keys(batch.Packed(nil, 33)), "Keys: 0 rows, want 10"},
		{"nothing, with a stride", 10, keys(batch.Strided(nil, 33, 100)), "Keys: 0 rows, want 10"},
		{"nothing, the same", 10, keys(batch.Same(nil)), "Keys: a width of 0, want 33"},
		{"the same and short", 10, keys(batch.Same(b[:32])), "Keys: a width of 32, want 33"},
		{"the same and long", 10, keys(batch.Same(b[:34])), "Keys: a width of 34, want 33"},
		{"one value, not Same", 10, keys(batch.Packed(b[:33], 33)), "Keys: 1 rows, want 10"},
		{"wide", 10, keys(batch.Packed(b[:340], 34)), "Keys: a width of 34, want 33"},
		{"no width", 10, keys(batch.Packed(b, 0)), "Keys: a width of 0, want 33"},
		{"negative width", 10, keys(batch.Packed(b, -33)), "Keys: a width of -33, want 33"},
		{"least width", 10, keys(batch.Packed(b, math.MinInt)), "want 33"},
		{"no stride", 10, keys(batch.Strided(b, 33, 0)), "Keys: a stride of 0, want at least 33"},
		{"negative stride", 10, keys(batch.Strided(b, 33, -33)), "a stride of -33, want at least 33"},
		{"least stride", 10, keys(batch.Strided(b, 33, math.MinInt)), "want at least 33"},
		{"overlapping rows", 10, keys(batch.Strided(b, 33, 32)), "a stride of 32, want at least 33"},
		{"a signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: batch.EncodedKeys(good(33)),
				Signatures: good(65), S: batch.AnyS}.Verify(bg, v, nil)
		}, "Signatures: a width of 65, want 64"},
		{"recovery ids", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: batch.EncodedKeys(good(33)),
				Signatures:  good(64),
				RecoveryIDs: good(2), S: batch.AnyS}.Verify(bg, v, nil)
		}, "RecoveryIDs: a width of 2, want 1"},
		{"too few recovery ids", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: batch.EncodedKeys(good(33)),
				Signatures:  good(64),
				RecoveryIDs: batch.Packed(b[:9], 1), S: batch.AnyS}.Verify(bg, v, nil)
		}, "RecoveryIDs: 9 rows, want 10"},
		{"a recovery id of no byte", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Keys: batch.EncodedKeys(good(33)),
				Signatures:  good(64),
				RecoveryIDs: batch.Same(nil), S: batch.AnyS}.Verify(bg, v, nil)
		}, "RecoveryIDs: a width of 0, want 1"},
		{"Schnorr message", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(31), Keys: batch.EncodedKeys(good(32)),
				Signatures: good(64)}.Verify(bg, v, nil)
		}, "Messages: a width of 31, want 32"},
		{"Schnorr key", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Keys: batch.EncodedKeys(good(33)),
				Signatures: good(64)}.Verify(bg, v, nil)
		}, "Keys: a width of 33, want 32"},
		{"Schnorr signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Keys: batch.EncodedKeys(good(32)),
				Signatures: batch.Packed(b[:639], 64)}.Verify(bg, v, nil)
		}, "Signatures: row 9 has 63 bytes, want 64"},
		{"hash of a recoverable signature", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: good(31), Signatures: good(65), S: batch.AnyS}.Recover(bg,
				dst, v, nil)
		}, "Hashes: a width of 31, want 32"},
		{"recoverable signature", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: good(32), Signatures: good(64), S: batch.AnyS}.Recover(bg,
				dst, v, nil)
		}, "Signatures: a width of 64, want 65"},
		{"long dst", 9, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: batch.Same(b[:32]),
				Signatures: batch.Packed(b[:585], 65), S: batch.AnyS}.Recover(bg, dst, v, nil)
		}, "dst: 650 bytes, want 65 times 9, the number of verdicts"},
		{"dst of addresses", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			rows := batch.RecoverRows{Hashes: good(32), Signatures: good(65), S: batch.AnyS}
			return rows.EthereumAddresses(bg, dst, v, nil)
		}, "dst: 650 bytes, want 20 times 10, the number of verdicts"},
		{"hash of an address", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			rows := batch.RecoverRows{Hashes: good(31), Signatures: good(65), S: batch.AnyS}
			return rows.EthereumAddresses(bg, dst[:200], v, nil)
		}, "Hashes: a width of 31, want 32"},
		{"short dst", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.KeyRows{Keys: good(33)}.Decompress(bg, dst[:649], v, nil)
		}, "dst: 649 bytes, want 65 times 10, the number of verdicts"},
		{"no dst", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.KeyRows{Keys: good(33)}.Decompress(bg, nil, v, nil)
		}, "dst: 0 bytes, want 65 times 10, the number of verdicts"},
		{"encoding", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.EllswiftRows{Encodings: good(32)}.XOnlyPublicKeys(bg, dst[:320], v, nil)
		}, "Encodings: a width of 32, want 64"},
		{"dst of encodings", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.EllswiftRows{Encodings: good(64)}.XOnlyPublicKeys(bg, dst, v, nil)
		}, "dst: 650 bytes, want 32 times 10, the number of verdicts"},
		{"key to decompress", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.KeyRows{Keys: good(32)}.Decompress(bg, dst, v, nil)
		}, "Keys: a width of 32, want 33"},
		{"indices", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Signatures: good(64),
				Keys: batch.PreparedKeys(nil, make([]uint32, 9)), S: batch.AnyS}.Verify(bg, v, nil)
		}, "Keys: 9 indices, want 10"},
		{"empty indices", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Signatures: good(64),
				Keys: batch.PreparedKeys(nil, []uint32{})}.Verify(bg, v, nil)
		}, "Keys: 0 indices, want 10"},
		{"no indices", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Signatures: good(64),
				Keys: batch.PreparedKeys(nil, nil)}.Verify(bg, v, nil)
		}, "Keys: prepared keys without indices"},
		{"no indices, no verdicts", 0, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: batch.Same(b[:32]), Signatures: batch.Same(b[:64]),
				Keys: batch.PreparedKeys(nil, nil)}.Verify(bg, v, nil)
		}, "Keys: prepared keys without indices"},
		{"no keys", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Signatures: good(64)}.Verify(bg, v, nil)
		}, "Keys: no column"},
		{"prepared keys and ids", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Signatures: good(64), RecoveryIDs: good(1),
				Keys: batch.PreparedKeys(nil, indices), S: batch.AnyS}.Verify(bg, v, nil)
		}, "RecoveryIDs: not allowed with prepared keys"},
		{"no rule", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Signatures: good(64),
				Keys: batch.EncodedKeys(good(33))}.Verify(bg, v, nil)
		}, "S: no rule for s, want AnyS or LowS"},
		{"a rule that there is not", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.RecoverRows{Hashes: good(32), Signatures: good(65), S: 3}.Recover(bg, dst, v,
				nil)
		}, "S: no rule for s, want AnyS or LowS"},
		{"Exact without equations", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			rows := batch.RecoverRows{Hashes: good(32), Signatures: good(65), S: batch.AnyS}
			return rows.Recover(bg, dst, v, &batch.Options{Exact: true})
		}, "Exact: the call verifies no signatures and has no equations"},
		{"Exact, Decompress", 10, func(v []batch.Verdict, dst []byte) (int, error) {
			return batch.KeyRows{Keys: good(33)}.Decompress(bg, dst, v, &batch.Options{Exact: true})
		}, "Exact: the call verifies no signatures and has no equations"},
		{"prepared signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(32), Signatures: good(32),
				Keys: batch.PreparedKeys(nil, indices)}.Verify(bg, v, nil)
		}, "Signatures: a width of 32, want 64"},
		{"prepared message", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.SchnorrRows{Messages: good(1), Signatures: good(64),
				Keys: batch.PreparedKeys(nil, indices)}.Verify(bg, v, nil)
		}, "Messages: a width of 1, want 32"},
		{"prepared hash", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(1), Signatures: good(64),
				Keys: batch.PreparedKeys(nil, indices), S: batch.AnyS}.Verify(bg, v, nil)
		}, "Hashes: a width of 1, want 32"},
		{"prepared ECDSA signature", 10, func(v []batch.Verdict, _ []byte) (int, error) {
			return batch.ECDSARows{Hashes: good(32), Signatures: good(32),
				Keys: batch.PreparedKeys(nil, indices), S: batch.AnyS}.Verify(bg, v, nil)
		}, "Signatures: a width of 32, want 64"},
	} {
		verdicts, dst := dirty(test.n), make([]byte, 650)
		before := slices.Clone(verdicts)
		valid, err := test.call(verdicts, dst)
		if valid != 0 || err == nil || !strings.HasPrefix(err.Error(), "batch: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d, %v\nwant %s", test.name, valid, err, test.want)
		}
		if !slices.Equal(verdicts, before) || !slices.Equal(dst, make([]byte, 650)) {
			t.Errorf("%s: something was written", test.name)
		}
	}
}

// TestStrided checks that the data of a strided column may end anywhere after the field of the last
// row.
func TestStrided(t *testing.T) {
	r := rand.New(rand.NewPCG(70, 70))
	const rows, before, after = 3, 5, 7
	stride := before + 32 + after
	key := koblitz.GenerateKey().Bytes()
	for _, n := range []int{1, rows} {
		records := random(r, n*stride)
		for i := range n {
			copy(records[i*stride+before:], key)
		}
		data := records[before:]
		for end := range len(data) + 1 {
			got, dst := dirty(n), make([]byte, 65*n)
			valid, err := batch.ScalarRows{Scalars: batch.Strided(data[:end], 32,
				stride)}.PublicKeysVartime(
				context.Background(), dst, got, nil)
			last := (n-1)*stride + 32
			if whole := end >= last; whole != (err == nil) || whole != (valid == n) {
				t.Errorf("%d of %d bytes, the last field ends at %d: %d valid, %v", end, len(data), last,
					valid, err)
			}
		}
	}
}

// TestWideStride checks that a call accepts only one row if the stride is so large that the offset
// of a second row would overflow.
func TestWideStride(t *testing.T) {
	b := make([]byte, 64)
	for _, stride := range []int{math.MaxInt, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt32,
		math.MaxInt - 63} {
		rows := batch.SchnorrRows{Messages: batch.Strided(b, 32, stride),
			Keys: batch.EncodedKeys(batch.Strided(b, 32, stride)), Signatures: batch.Strided(b, 64,
				stride)}
		for _, n := range []int{0, 1, 2, 3, 100} {
			if _, err := rows.Verify(context.Background(), dirty(n), nil); (err == nil) != (n == 1) {
				t.Errorf("%d rows with a stride of %d: %v", n, stride, err)
			}
		}
	}
}

// TestOverlap checks that results which share a byte with a column are refused, and that adjacent
// ones are accepted.
func TestOverlap(t *testing.T) {
	const n = 4
	bg := context.Background()
	for what, test := range map[string]struct {
		width, result int
		call          func(c batch.Column, dst []byte, v []batch.Verdict) (int, error)
	}{
		"Decompress": {33, 65, func(c batch.Column, dst []byte, v []batch.Verdict) (int, error) {
			return batch.KeyRows{Keys: c}.Decompress(bg, dst, v, nil)
		}},
		"EllswiftRows": {64, 32, func(c batch.Column, dst []byte, v []batch.Verdict) (int, error) {
			return batch.EllswiftRows{Encodings: c}.XOnlyPublicKeys(bg, dst, v, nil)
		}},
		"PublicKeysVartime": {32, 65, func(c batch.Column, dst []byte, v []batch.Verdict) (int, error) {
			return batch.ScalarRows{Scalars: c}.PublicKeysVartime(bg, dst, v, nil)
		}},
		"Recover, hashes": {32, 65, func(c batch.Column, dst []byte, v []batch.Verdict) (int, error) {
			return batch.RecoverRows{Hashes: c, Signatures: batch.Same(make([]byte, 65)),
				S: batch.AnyS}.Recover(bg, dst, v, nil)
		}},
		"Recover, signatures": {65, 65, func(c batch.Column, dst []byte, v []batch.Verdict) (int,
			error) {
			return batch.RecoverRows{Hashes: batch.Same(make([]byte, 32)), Signatures: c,
				S: batch.AnyS}.Recover(bg, dst, v, nil)
		}},
		"EthereumAddresses, hashes": {32, 20,
			func(c batch.Column, dst []byte, v []batch.Verdict) (int, error) {
				rows := batch.RecoverRows{Hashes: c, Signatures: batch.Same(make([]byte, 65)),
					S: batch.AnyS}
				return rows.EthereumAddresses(bg, dst, v, nil)
			}},
		"EthereumAddresses, signatures": {65, 20,
			func(c batch.Column, dst []byte, v []batch.Verdict) (int, error) {
				rows := batch.RecoverRows{Hashes: batch.Same(make([]byte, 32)), Signatures: c,
					S: batch.AnyS}
				return rows.EthereumAddresses(bg, dst, v, nil)
			}},
	} {
		for _, one := range []bool{false, true} {
			size := n * test.width
			if one {
				size = test.width
			}
			memory := make([]byte, size+2*n*test.result)
			from := n * test.result
			data := memory[from : from+size]
			c := batch.Packed(data, test.width)
			if one {
				c = batch.Same(data)
			}
			for at := range len(memory) - n*test.result + 1 {
				clear(memory)
				// The capacity is limited to the length, so that the overlap cannot be detected by
				// comparing where capacities end.
				dst, got := memory[at:at+n*test.result:at+n*test.result], dirty(n)
				beside := at+n*test.result <= from || at >= from+size
				_, err := test.call(c, dst, got)
				if beside != (err == nil) {
					t.Errorf("%s: column at %d to %d, results from %d: %v", what, from, from+size, at, err)
				}
				if err != nil && (got[0] != 0x77 || !slices.Equal(memory, make([]byte, len(memory)))) {
					t.Errorf("%s: something was written", what)
				}
			}
		}
	}
}

// TestNoRows checks that a call without rows succeeds if it gives a verdict per row, and fails if
// it gives one answer for all rows.
func TestNoRows(t *testing.T) {
	bg := context.Background()
	none := func(width int) batch.Column { return batch.Packed(nil, width) }
	s := batch.SchnorrRows{Messages: none(32), Keys: batch.EncodedKeys(none(32)),
		Signatures: none(64)}
	e := batch.ECDSARows{Hashes: none(32), Keys: batch.EncodedKeys(none(33)), Signatures: none(64),
		S: batch.AnyS}
	withIDs := e
	withIDs.RecoveryIDs = none(1)
	recover := batch.RecoverRows{Hashes: none(32), Signatures: none(65), S: batch.AnyS}
	for what, call := range map[string]func() (int, error){
		"SchnorrRows":        func() (int, error) { return s.Verify(bg, nil, nil) },
		"ECDSARows":          func() (int, error) { return e.Verify(bg, nil, nil) },
		"ECDSARows with ids": func() (int, error) { return withIDs.Verify(bg, nil, nil) },
		"RecoverRows":        func() (int, error) { return recover.Recover(bg, nil, nil, nil) },
		"RecoverRows addresses": func() (int, error) {
			return recover.EthereumAddresses(bg, nil, nil,
				nil)
		},
		"KeyRows": func() (int, error) {
			return batch.KeyRows{Keys: none(33)}.Decompress(bg, nil, nil, nil)
		},
		"EllswiftRows": func() (int, error) {
			return batch.EllswiftRows{Encodings: none(64)}.XOnlyPublicKeys(bg, nil, nil, nil)
		},
		"ScalarRows": func() (int, error) {
			return batch.ScalarRows{Scalars: none(32)}.PublicKeysVartime(bg, nil, nil, nil)
		},
		"ECDSARows, prepared": func() (int, error) {
			return batch.ECDSARows{Hashes: none(32), Signatures: none(64),
				Keys: batch.PreparedKeys(nil, []uint32{}), S: batch.AnyS}.Verify(bg, nil, nil)
		},
		"SchnorrRows, prepared": func() (int, error) {
			return batch.SchnorrRows{Messages: none(32), Signatures: none(64),
				Keys: batch.PreparedKeys(nil, []uint32{})}.Verify(bg, nil, nil)
		},
	} {
		if n, err := call(); n != 0 || err != nil {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	var accS batch.Schnorr
	accE := batch.NewECDSA(0, batch.AnyS, nil)
	for _, b := range []adder{&accS, accE, batch.NewSchnorr(3, nil),
		batch.NewECDSA(3, batch.AnyS, nil)} {
		if valid, err := b.Verify(bg, nil); valid != 0 || err != nil {
			t.Errorf("%T.Verify: %v, %v", b, valid, err)
		}
	}
	for what, call := range map[string]func() (bool, error){
		"SchnorrRows":        func() (bool, error) { return s.VerifyAll(bg, 0, nil) },
		"ECDSARows":          func() (bool, error) { return e.VerifyAll(bg, 0, nil) },
		"ECDSARows with ids": func() (bool, error) { return withIDs.VerifyAll(bg, 0, nil) },
		"Schnorr":            func() (bool, error) { return accS.VerifyAll(bg) },
		"ECDSA":              func() (bool, error) { return accE.VerifyAll(bg) },
		"NewSchnorr":         func() (bool, error) { return batch.NewSchnorr(3, nil).VerifyAll(bg) },
		"NewECDSA": func() (bool, error) {
			return batch.NewECDSA(3, batch.AnyS,
				&batch.Options{Exact: true}).VerifyAll(bg)
		},
		"emptied": func() (bool, error) {
			b := batch.NewSchnorr(1, nil)
			b.AddBytes(nil, nil, nil)
			b.Reset()
			return b.VerifyAll(bg)
		},
	} {
		if ok, err := call(); ok || err == nil {
			t.Errorf("one answer for no rows, %s: %v, %v", what, ok, err)
		}
	}
}

// TestPreparedWithoutKey checks that rows whose index refers to no key, or is beyond the set, are
// Malformed, and that the rows between them get their own verdicts.
func TestPreparedWithoutKey(t *testing.T) {
	k := koblitz.GenerateKey()
	set := []*koblitz.PreparedKey{nil, {}, k.PublicKey().Prepare(1024),
		(*koblitz.PublicKey)(nil).Prepare(0)}
	good := judgedGood(k)
	indices := []uint32{0, 2, 1, 2, 3, 4, 2, math.MaxUint32}
	want := []batch.Verdict{3, 1, 3, 1, 3, 3, 1, 3}
	got := dirty(len(indices))
	valid, err := batch.ECDSARows{
		Hashes: batch.Same(good.msg), Signatures: batch.Same(good.sig), Keys: batch.PreparedKeys(set,
			indices), S: batch.AnyS,
	}.Verify(context.Background(), got, nil)
	if valid != 3 || err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %d, %v, want %v", got, valid, err, want)
	}
	for _, set := range [][]*koblitz.PreparedKey{nil, {}, {nil}} {
		got := dirty(3)
		valid, err := batch.ECDSARows{
			Hashes: batch.Same(good.msg), Signatures: batch.Same(good.sig), Keys: batch.PreparedKeys(set,
				make([]uint32, 3)), S: batch.AnyS,
		}.Verify(context.Background(), got, nil)
		if valid != 0 || err != nil || !slices.Equal(got, []batch.Verdict{3, 3, 3}) {
			t.Errorf("%v, %d, %v", got, valid, err)
		}
	}
}

func TestVerdictString(t *testing.T) {
	for v, want := range map[batch.Verdict]string{
		batch.Unchecked: "unchecked", batch.Valid: "valid", batch.Invalid: "invalid",
		batch.Malformed: "malformed", 9: "device.Verdict(9)",
	} {
		if v.String() != want {
			t.Errorf("%d is %s, want %s", v, v, want)
		}
	}
	if batch.Unchecked != 0 {
		t.Error("the zero value is a verdict")
	}
}
