package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"
)

// sameSplit compares Split and SplitUint64 with go-ethereum's. Neither go-ethereum nor Split
// returns a list with truncated content.
func sameSplit(t *testing.T, b []byte) (good bool) {
	t.Helper()
	isList, content, rest, err := Split(b)
	kind, wantContent, wantRest, want := rlp.Split(b)
	if (err == nil) != (want == nil) || err == nil && (isList != (kind == rlp.List) ||
		!bytes.Equal(content, wantContent) || !bytes.Equal(rest, wantRest)) {
		t.Fatalf("%x: %v, %x, %x, %v; go-ethereum has %v, %x, %x, %v", b, isList, content, rest, err,
			kind, wantContent, wantRest, want)
	}
	if errors.Is(err, ErrCanonSize) != errors.Is(want, rlp.ErrCanonSize) {
		t.Fatalf("%x: %v; go-ethereum says %v", b, err, want)
	}
	n, rest, err := SplitUint64(b)
	wantN, wantRest, want := rlp.SplitUint64(b)
	if (err == nil) != (want == nil) || err == nil && (n != wantN || !bytes.Equal(rest, wantRest)) ||
		errors.Is(err, ErrCanonInt) != errors.Is(want, rlp.ErrCanonInt) {
		t.Fatalf("%x: %d, %x, %v; go-ethereum has %d, %x, %v", b, n, rest, err, wantN, wantRest, want)
	}
	return err == nil
}

// TestSplit compares Split with go-ethereum's, on every head with lengths around its limits.
func TestSplit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := 0
	for first := range 256 {
		for range 200 {
			b := make([]byte, random.IntN(70))
			for i := range b {
				b[i] = []byte{0, 0, 1, 0x37, 0x38, 0x7f, 0x80, 0xff, byte(random.Uint32())}[random.IntN(9)]
			}
			if sameSplit(t, append([]byte{byte(first)}, b...)) {
				numbers++
			}
		}
	}
	for _, size := range []int{0, 1, 55, 56, 255, 256, 65535, 65536} {
		content := bytes.Repeat([]byte{0xaa}, size)
		for _, list := range []bool{false, true} {
			b := append(AppendHead(nil, list, size), content...)
			sameSplit(t, b)
			sameSplit(t, b[:len(b)-min(1, size)])
			sameSplit(t, append(b, 1))
		}
	}
	if sameSplit(t, nil) || numbers < 1000 {
		t.Errorf("%d numbers", numbers)
	}
}

// TestAppend compares the encodings of strings, numbers and lists with go-ethereum's.
func TestAppend(t *testing.T) {
	before := []byte("before")
	check := func(got []byte, value any) {
		t.Helper()
		want, err := rlp.EncodeToBytes(value)
		if err != nil || !bytes.Equal(got[len(before):], want) || !bytes.HasPrefix(got, before) {
			t.Errorf("%.80x, want %.80x, %v", got, want, err)
		}
	}
	for _, size := range []int{0, 1, 2, 55, 56, 255, 256, 65535, 65536, 1<<24 - 1, 1 << 24} {
		for _, c := range []byte{0, 0x7f, 0x80} {
			content := bytes.Repeat([]byte{c}, size)
			check(AppendString(bytes.Clone(before), content), content)
			items := []rlp.RawValue{bytes.Repeat([]byte{c & 0x7f}, size)}
			check(WrapList(append(bytes.Clone(before), items[0]...), len(before)), items)
		}
	}
	for shift := range 64 {
		for _, n := range []uint64{0, 1 << shift, 1<<shift - 1, 1<<shift + 1} {
			check(AppendUint64(bytes.Clone(before), n), n)
		}
	}
}

// FuzzSplit compares Split with go-ethereum's.
func FuzzSplit(f *testing.F) {
	f.Add([]byte{0xb8, 56})
	f.Add([]byte{0x81, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) { sameSplit(t, b) })
}
