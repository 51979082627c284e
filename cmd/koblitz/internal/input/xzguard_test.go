package input

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz"
)

// guarded returns the bytes of data that an xzGuard passes on, and its error.
func guarded(data []byte) ([]byte, error) {
	return io.ReadAll(newXZGuard(bytes.NewReader(data)))
}

// checked returns s compressed with xz in blocks of block bytes with the given type of check.
func checked(t *testing.T, s string, block int64, check byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := xz.WriterConfig{DictCap: 1 << 16, BlockSize: block, CheckSum: check,
		NoCheckSum: check == xz.None}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(z, s); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestXZGuard checks that the guard accepts streams with every check type and every kind of chunk,
// both alone and several with padding between them, and finds a truncation at any byte.
func TestXZGuard(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 900)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	var all []byte
	ends := map[int]bool{0: true} // offsets at which the file may end
	for _, check := range []byte{xz.CRC64, xz.CRC32, xz.SHA256, xz.None} {
		for _, s := range []string{"", text[:300], string(noise), text[:100] + string(noise[:450])} {
			for _, block := range []int64{1 << 40, 130} {
				all = append(all, checked(t, s, block, check)...)
				ends[len(all)] = true
			}
		}
		all = append(all, 0, 0, 0, 0)
		ends[len(all)] = true
		all = append(all, 0, 0, 0, 0)
		ends[len(all)] = true
	}
	for cut := 0; cut <= len(all); cut++ {
		data := all[:cut]
		if cut%7 != 0 && len(all)-cut > 3000 {
			continue
		}
		got, err := guarded(data)
		if want := error(nil); !ends[cut] {
			want = io.ErrUnexpectedEOF
			if err != want {
				t.Fatalf("cut to %d of %d: %v", cut, len(all), err)
			}
		} else if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("cut to %d of %d: %d bytes, %v", cut, len(all), len(got), err)
		}
		if !bytes.HasPrefix(data, got) {
			t.Fatalf("cut to %d of %d: other bytes", cut, len(all))
		}
	}
	got, err := io.ReadAll(newXZGuard(iotest.OneByteReader(bytes.NewReader(all))))
	if err != nil || !bytes.Equal(got, all) {
		t.Errorf("byte by byte: %d of %d, %v", len(got), len(all), err)
	}
	want := errors.New("broken")
	_, err = io.ReadAll(newXZGuard(io.MultiReader(bytes.NewReader(all[:len(all)-100]),
		iotest.ErrReader(want))))
	if err != want {
		t.Errorf("an error of the file: %v", err)
	}
}

// TestXZGuardErrors checks that the guard rejects streams that it cannot parse, whether or not the
// library would read them.
func TestXZGuardErrors(t *testing.T) {
	one := checked(t, "some text", 1<<40, xz.CRC32)
	const block = 12 // offset of the block header, which has 12 bytes before the first chunk
	index := bytes.LastIndex(one[:len(one)-12], []byte{0, 1})
	for name, c := range map[string]struct {
		at   int
		put  string
		want error
	}{
		"magic":              {0, "\xfc", errXZ},
		"the end of magic":   {5, "\x01", errXZ},
		"two filters":        {block + 1, "\x01", errXZ},
		"four filters":       {block + 1, "\x03", errXZ},
		"another filter":     {block + 2, "\x03", errXZ},
		"two properties":     {block + 3, "\x02", errXZ},
		"41 for dictionary":  {block + 4, "\x29", errXZ},
		"40 for dictionary":  {block + 4, "\x28", errDictionary},
		"64 MiB":             {block + 4, "\x1c", errDictionary},
		"48 MiB":             {block + 4, "\x1b", errDictionary},
		"32 MiB":             {block + 4, "\x1a", nil},
		"control 3":          {block + 12, "\x03", errXZ},
		"control 0x7f":       {block + 12, "\x7f", errXZ},
		"too many records":   {index + 1, "\x02", errXZ},
		"no records":         {index + 1, "\x00", errXZ},
		"a number too long":  {index + 1, "\x81\x80\x80\x80\x80\x80\x80\x80\x80", errXZ},
		"reserved flags":     {block + 1, "\x04", nil}, // only the library rejects it
		"a longer chunk":     {block + 13, "\xff\xff", io.ErrUnexpectedEOF},
		"a longer header":    {block, "\xff", io.ErrUnexpectedEOF},
		"the check's number": {7, "\x0a", io.ErrUnexpectedEOF},
	} {
		data := slices.Concat(one[:c.at], []byte(c.put), one[c.at+len(c.put):])
		if _, err := guarded(data); err != c.want {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	// This block header is too short for the filter that it announces.
	if _, err := xzDictionary([]byte{0, 0x21, 1}); err != errXZ {
		t.Error(err)
	}
	g := newXZGuard(bytes.NewReader(bytes.Repeat(one[block:index], 2)))
	g.step, g.check, g.n = g.block, 4, maxXZBlocks-1
	got, err := io.ReadAll(g)
	if err == nil || !strings.Contains(err.Error(), "more than 131072 blocks in a stream") ||
		len(got) != index-block {
		t.Errorf("blocks: %v after %d bytes", err, len(got))
	}
	// The limit on the number of blocks holds for each stream, not for the file.
	if _, err := guarded(bytes.Repeat(one, 3)); err != nil {
		t.Error(err)
	}
}

func TestXZDictionary(t *testing.T) {
	for number, want := range map[byte]uint64{0: 4 << 10, 1: 6 << 10, 2: 8 << 10, 3: 12 << 10,
		22: 8 << 20, 26: 32 << 20, 27: 48 << 20, 28: 64 << 20, 39: 3 << 30, 40: 4 << 30} {
		for flags, sizes := range map[byte]string{0: "", 0x40: "\x85\x01", 0x80: "\xff\xff\xff\x7f",
			0xc0: "\x05\x80\x80\x80\x80\x80\x80\x80\x80\x01"} {
			b := slices.Concat([]byte{flags}, []byte(sizes), []byte{0x21, 1, number, 0, 0, 0})
			if got, err := xzDictionary(b); got != want || err != nil {
				t.Errorf("%x: %d, %v, want %d", b, got, err, want)
			}
		}
	}
}

func TestXZNumber(t *testing.T) {
	for s, want := range map[string]struct {
		v uint64
		n int
	}{
		"":                                     {0, 0},
		"\x80":                                 {0, 0},
		"\x00\xff":                             {0, 1},
		"\x7f":                                 {127, 1},
		"\x80\x01":                             {128, 2},
		"\x85\x02\x03":                         {261, 2},
		"\xff\xff\xff\xff\xff\xff\xff\xff\x7f": {math.MaxInt64, 9},
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": {0, 0},
	} {
		if v, n := xzNumber([]byte(s)); v != want.v || n != want.n {
			t.Errorf("%x: %d of %d bytes, want %+v", s, v, n, want)
		}
	}
}

// TestXZCollects checks that the memory of finished blocks stays bounded.
func TestXZCollects(t *testing.T) {
	one := xzed(t, "x", 1<<20, 1<<40)
	g := newXZGuard(bytes.NewReader(bytes.Repeat(one, 100)))
	most := uint64(0)
	for b := make([]byte, len(one)); ; {
		if _, err := g.Read(b); err != nil {
			break
		}
		most = max(most, g.taken)
	}
	if most > maxDictionary+stateMemory || most < maxDictionary-2<<20 {
		t.Errorf("%d bytes before a collection", most)
	}
}
