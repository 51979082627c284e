package wire

import (
	"bytes"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// headers returns an encoded header of each number of fields that a fork has.
func headers(t testing.TB) (all [][]byte) {
	t.Helper()
	one, two := uint64(1), uint64(1<<40)
	h := &types.Header{ParentHash: common.Hash{1}, Difficulty: big.NewInt(1 << 50),
		Number: big.NewInt(300), GasLimit: 1, Time: 1700000000, Extra: []byte("extra")}
	for _, add := range []func(){
		func() {},
		func() { h.BaseFee = new(big.Int) },
		func() { h.WithdrawalsHash = &common.Hash{2} },
		func() { h.BlobGasUsed, h.ExcessBlobGas, h.ParentBeaconRoot = &one, &two, &common.Hash{3} },
		func() { h.RequestsHash = &common.Hash{4} },
		func() { h.BlockAccessListHash, h.SlotNumber = &common.Hash{5}, &two },
	} {
		add()
		b, err := rlp.EncodeToBytes(h)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// TestHeader checks that the headers of every fork have go-ethereum's fields, and that Append
// encodes them again.
func TestHeader(t *testing.T) {
	for i, raw := range headers(t) {
		var h Header
		if err := h.Decode(raw); err != nil {
			t.Fatal(i, err)
		}
		n := 0
		for n < HeaderFields && h[n] != nil {
			n++
		}
		for f := range h {
			gap := h
			gap[f] = nil
			if gap.IsComplete() != (f >= n || f == n-1 && n > 15) {
				t.Errorf("complete without field %v: %v", HeaderField(f), gap.IsComplete())
			}
		}
		if want := []int{15, 16, 17, 20, 21, 23}[i]; n != want {
			t.Errorf("%d fields, want %d", n, want)
		}
		if h.Uint64(Number) != 300 || h.Uint64(Timestamp) != 1700000000 || h.Uint64(GasUsed) != 0 ||
			string(h[ExtraData]) != "extra" || h[ParentHash][0] != 1 {
			t.Errorf("header %d: %x", i, h)
		}
		if got := h.Append([]byte{9}); !bytes.Equal(got[1:], raw) {
			t.Errorf("%x, want %x", got[1:], raw)
		}
	}
	if Timestamp.String() != "timestamp" || SlotNumber.String() != "slotNumber" ||
		HeaderField(-1).String() != "HeaderField(-1)" || !Difficulty.IsNumber() || Nonce.IsNumber() {
		t.Error("names or numbers of fields")
	}
}

// TestBadHeader changes a header, item by item. Decode must refuse what go-ethereum refuses.
func TestBadHeader(t *testing.T) {
	all := headers(t)
	raw := all[len(all)-1]
	content, _, err := SplitList(raw)
	if err != nil {
		t.Fatal(err)
	}
	var items [][]byte
	for len(content) > 0 {
		_, _, rest, err := Split(content)
		if err != nil {
			t.Fatal(err)
		}
		items, content = append(items, content[:len(content)-len(rest)]), rest
	}
	refused := 0
	for i := range items {
		for _, other := range [][]byte{nil, {0x80}, {0xc0}, {0}, {0x81, 1}, {5}, {0x82, 0, 1}, {0xb8},
			AppendString(nil, make([]byte, 9)), AppendString(nil, bytes.Repeat([]byte{1}, 9)),
			AppendString(nil, bytes.Repeat([]byte{1}, 32)), AppendString(nil, bytes.Repeat([]byte{1}, 33)),
			AppendString(nil, make([]byte, 256)), append(bytes.Clone(items[i]), 0x80)} {
			changed := bytes.Join([][]byte{bytes.Join(items[:i], nil), other,
				bytes.Join(items[i+1:], nil)}, nil)
			changed = WrapList(changed, 0)
			var h Header
			got, want := h.Decode(changed), rlp.DecodeBytes(changed, new(types.Header))
			// go-ethereum takes numbers of any length, and leaves their limit to Header.SanityCheck.
			var field *FieldError
			isLong := errors.As(got, &field) && errors.Is(got, ErrLength) &&
				(field.Field == "number" || field.Field == "difficulty" || field.Field == "baseFeePerGas")
			if (got == nil) != (want == nil) && !isLong {
				t.Errorf("field %v is %.20x: %v; go-ethereum says %v", HeaderField(i), other, got, want)
			}
			if got != nil {
				refused++
			}
		}
	}
	t.Logf("%d changes are refused", refused)
	var h Header
	for _, c := range []struct {
		raw  []byte
		want error
	}{
		{nil, ErrTooFew}, {[]byte{0xc0}, ErrTooFew}, {[]byte{0x80}, ErrExpectedList},
		{append(bytes.Clone(raw), 0), ErrTooMany}, {raw[:100], ErrTooLarge},
	} {
		if err := h.Decode(c.raw); !errors.Is(err, c.want) {
			t.Errorf("%.10x: %v, want %v", c.raw, err, c.want)
		}
	}
}
