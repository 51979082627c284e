package tweakfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
)

// testBlock returns the block at the given height of a chain. It has height%4 tweaks.
func testBlock(chain byte, height int32) *Block {
	seed := []byte{chain, byte(height), byte(height >> 8)}
	b := &Block{Hash: chainhash.Hash(sha256.Sum256(seed))}
	for i := range int(height % 4) {
		tweak := sha256.Sum256(append(seed, byte(i)))
		if err := b.Add(append([]byte{2}, tweak[:]...), 3*i+1); err != nil {
			panic(err)
		}
	}
	return b
}

// must returns v, and panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// add opens the file, appends blocks of the chain up to height to-1, and closes it. If every is
// above 0, it saves after this many blocks.
func add(disk durable.FS, name string, chain byte, to int32, every int32) error {
	w, _, err := OpenWriter(disk, name, consensus.Regtest, 5)
	if err != nil {
		return err
	}
	defer w.Close()
	for h := w.Next(); h < to; h++ {
		if err := w.Append(testBlock(chain, h)); err != nil {
			return err
		}
		if every > 0 && h%every == 0 {
			if err := w.Save(); err != nil {
				return err
			}
		}
	}
	return w.Save()
}

// same checks that the file has the blocks 5 to to-1 of the chain.
func same(t *testing.T, f *File, chain byte, to int32) {
	t.Helper()
	if f.Network() != consensus.Regtest || f.First() != 5 || f.Next() != to {
		t.Fatalf("%v, blocks %d to %d, want 5 to %d", f.Network(), f.First(), f.Next()-1, to-1)
	}
	tweaks := int64(0)
	for h := int32(5); h < to; h++ {
		want := testBlock(chain, h)
		got := must(f.Block(h))
		tweaks += int64(len(want.Positions))
		if n, err := f.Tweaks(h); n != tweaks || err != nil {
			t.Errorf("block %d: %d tweaks, %v, want %d", h, n, err, tweaks)
		}
		if hash, err := f.Hash(h); hash != want.Hash || err != nil {
			t.Errorf("block %d: hash %v, %v", h, hash, err)
		}
		if got.Hash != want.Hash || !bytes.Equal(got.Tweaks, want.Tweaks) ||
			fmt.Sprint(got.Positions) != fmt.Sprint(want.Positions) {
			t.Errorf("block %d: %v, want %v", h, got, want)
		}
	}
	for _, h := range []int32{math.MinInt32, -1, 0, 4, to, math.MaxInt32} {
		if _, err := f.Block(h); err == nil {
			t.Errorf("there is a block %d", h)
		}
	}
}

// sameFile is same for the file called name.
func sameFile(t *testing.T, name string, chain byte, to int32) {
	t.Helper()
	f := must(Open(name))
	same(t, f, chain, to)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t")
	for _, to := range []int32{5, 6, 20, 20, 33} {
		must(0, add(durable.OS{}, name, 1, to, 7))
		sameFile(t, name, 1, to)
	}
	w, dropped, err := OpenWriter(durable.OS{}, name, consensus.Regtest, 9)
	if err != nil || dropped != 0 {
		t.Fatal(dropped, err)
	}
	if _, _, err := OpenWriter(durable.OS{}, name, consensus.Regtest, 5); !refused(err) ||
		!strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("opened twice: %v", err)
	}
	for _, c := range []struct{ height, next int32 }{{100, 33}, {30, 30}, {31, 30}, {12, 12}} {
		if err := w.Rewind(c.height); err != nil || w.Next() != c.next {
			t.Errorf("rewound to %d: %d, %v", c.height, w.Next(), err)
		}
	}
	for h := int32(12); h < 20; h++ {
		must(0, w.Append(testBlock(1, h)))
	}
	if err := w.Rewind(-7); err != nil || w.Next() != 5 || w.Count() != 0 {
		t.Errorf("rewound to the start: %d, %v", w.Next(), err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := add(durable.OS{}, name, 2, 9000, 0); err != nil { // more than maxUnsaved
		t.Fatal(err)
	}
	sameFile(t, name, 2, 9000)
}

func refused(err error) bool {
	var r durable.RefusedError
	return errors.As(err, &r)
}

// TestRefused checks that a Writer leaves files that do not fit as they are.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	files := func(name string) (data, index []byte) {
		name = filepath.Join(dir, name)
		must(0, add(durable.OS{}, name, 1, 9, 0))
		return must(os.ReadFile(name)), must(os.ReadFile(name + IndexSuffix))
	}
	data, index := files("good")
	_, otherIndex := files("other")
	for i, c := range []struct {
		data, index []byte
		network     consensus.Network
		want        string
	}{
		{data, index, consensus.Signet, "has the tweaks of regtest, and these blocks are of signet"},
		{data, nil, consensus.Regtest, "is missing"},
		{data, []byte{}, consensus.Regtest, "not the index of a file of tweaks"},
		{data, otherIndex, consensus.Regtest, "their headers differ"},
		{[]byte("hello"), []byte{}, consensus.Regtest, "not a file of tweaks"},
		{index, data, consensus.Regtest, "not a file of tweaks"},
		{data, data, consensus.Regtest, "not the index of a file of tweaks"},
		{data[:8], []byte("hello"), consensus.Regtest, "not the index of a file of tweaks"},
		{append(data[:47:47], data[46:]...), index, consensus.Regtest, "the checksum of the header"},
	} {
		name := filepath.Join(dir, fmt.Sprint(i))
		contents := map[string][]byte{name: c.data, name + IndexSuffix: c.index}
		for file, content := range contents {
			if content != nil && os.WriteFile(file, content, 0o600) != nil {
				t.Fatal("a file is not written")
			}
		}
		_, _, err := OpenWriter(durable.OS{}, name, c.network, 5)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("case %d: %v, want %q", i, err, c.want)
		}
		for file, content := range contents {
			if now, _ := os.ReadFile(file); !bytes.Equal(now, content) {
				t.Errorf("case %d: %s has changed", i, file)
			}
		}
	}
}

// A meeting is a file system that calls other before call number at that names a file, from 0.
type meeting struct {
	durable.OS
	at    *int
	other func()
}

func (m meeting) call() {
	if *m.at--; *m.at == -1 {
		m.other()
	}
}

func (m meeting) Open(name string) (durable.File, error) {
	m.call()
	return m.OS.Open(name)
}

func (m meeting) Create(name string) (durable.File, error) {
	m.call()
	return m.OS.Create(name)
}

// TestTwoWriters starts a second Writer before each step in which the first creates its files. One
// of them must be refused, and the file has the blocks of the other.
func TestTwoWriters(t *testing.T) {
	for at := 0; ; at++ {
		name := filepath.Join(t.TempDir(), "t")
		var second *Writer
		var refusal error
		left := at
		first, _, err := OpenWriter(meeting{at: &left, other: func() {
			second, _, refusal = OpenWriter(durable.OS{}, name, consensus.Regtest, 5)
		}}, name, consensus.Regtest, 5)
		winner := first
		if second != nil {
			winner, refusal = second, err
		}
		if left >= 0 {
			if first.Close(); at < 5 {
				t.Errorf("only %d steps", at)
			}
			break
		}
		if (first == nil) == (second == nil) || !refused(refusal) {
			t.Fatalf("step %d: %v, %v, %v", at, err, second, refusal)
		}
		must(0, errors.Join(winner.Append(testBlock(1, 5)), winner.Save(), winner.Close()))
		sameFile(t, name, 1, 6)
	}
}

// TestDamage changes each byte of both files. A reader must find each change, or the block must be
// as it was. A Writer drops damaged blocks at the end.
func TestDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t")
	must(0, add(durable.OS{}, name, 1, 16, 0))
	write := func(file string, content []byte) {
		must(0, os.WriteFile(file, content, 0o600))
	}
	// wrong returns the number of blocks that cannot be read, or 1 if the file cannot be opened.
	wrong := func() (n int) {
		f, err := Open(name)
		if err != nil {
			return 1
		}
		defer f.Close()
		for h := f.First(); h < f.Next(); h++ {
			if b, err := f.Block(h); err != nil {
				n++
			} else if !bytes.Equal(b.Tweaks, testBlock(1, h).Tweaks) {
				t.Errorf("block %d has other tweaks", h)
			}
		}
		return n
	}
	for _, file := range []string{name, name + IndexSuffix} {
		good := must(os.ReadFile(file))
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			if write(file, bad); wrong() == 0 {
				t.Errorf("%s: byte %d changed, and not found", file, i)
			}
			write(file, good[:i])
			if n := wrong(); i < headerSize && n == 0 {
				t.Errorf("%s of %d bytes is read", file, i)
			}
		}
		write(file, good)
	}
	// The last block with a tweak is 15, and its row is at the end.
	data := must(os.ReadFile(name))
	data[len(data)-1] ^= 1
	write(name, data)
	w, dropped, err := OpenWriter(durable.OS{}, name, consensus.Regtest, 5)
	if err != nil || dropped != 1 || w.Next() != 15 {
		t.Fatalf("%d blocks dropped, %v", dropped, err)
	}
	w.Close()
	must(0, add(durable.OS{}, name, 1, 16, 0))
	sameFile(t, name, 1, 16)
}

// TestPower lets the power fail in each operation, with any memory of what was not synced. The next
// run must complete the file.
func TestPower(t *testing.T) {
	seeds := uint64(6)
	if os.Getenv("KOBLITZ_DEEP") != "" {
		seeds = 100
	}
	for seed := range seeds {
		testPower(t, rand.New(rand.NewPCG(seed, 2)))
	}
	disk := forgetful.New(-1)
	must(0, add(disk, "t", 1, 20, 0))
	disk = disk.Restart(forgetful.Nothing, nil, -1)
	w, dropped, err := OpenWriter(disk, "t", consensus.Regtest, 5)
	if err != nil || dropped != 0 {
		t.Fatalf("%d blocks that were saved are lost, %v", dropped, err)
	}
	same(t, &w.File, 1, 20)
	w.Close()
}

func testPower(t *testing.T, chance *rand.Rand) {
	const to = 40
	whole := forgetful.New(-1)
	must(0, add(whole, "t", 1, to, 3))
	for n := range whole.Operations() {
		for _, memory := range []forgetful.Memory{forgetful.Nothing, forgetful.All, forgetful.Some} {
			disk := forgetful.New(n)
			if err := add(disk, "t", 1, to, 3); !errors.Is(err, forgetful.ErrPower) {
				t.Fatalf("operation %d: %v", n, err)
			}
			disk = disk.Restart(memory, chance, -1)
			// If power is lost while the file begins, it may hold zeros, as a file of another program.
			if data, err := disk.ReadFile("t"); err == nil &&
				bytes.IndexByte(data[:min(len(data), len(dataMagic))], 0) >= 0 {
				if err := add(disk, "t", 1, to, 3); !refused(err) {
					t.Fatalf("after operation %d: %v", n, err)
				}
				disk.Remove("t")
			}
			if err := add(disk, "t", 1, to, 3); err != nil {
				t.Fatalf("after operation %d, memory %d: %v", n, memory, err)
			}
			w, dropped, err := OpenWriter(disk, "t", consensus.Regtest, 5)
			if err != nil || dropped != 0 {
				t.Fatal(dropped, err)
			}
			same(t, &w.File, 1, to)
			w.Close()
		}
	}
}

// TestWriteError checks that a Writer writes nothing after an error.
func TestWriteError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t")
	must(0, add(durable.OS{}, name, 1, 9, 0))
	w, _, err := OpenWriter(durable.OS{}, name, consensus.Regtest, 5)
	if err != nil {
		t.Fatal(err)
	}
	must(0, w.Append(testBlock(1, 9)))
	must(0, w.files[0].Close())
	for range 2 {
		err := w.Save()
		if again := w.Append(testBlock(1, 10)); err == nil || again != err || w.Save() != err {
			t.Errorf("%v, and then %v", err, again)
		}
	}
	w.files[1].Close()
	sameFile(t, name, 1, 9)
}

func TestAdd(t *testing.T) {
	var b Block
	if b.Add(make([]byte, 32), 0) == nil || b.Add(make([]byte, 33), math.MaxUint16+1) == nil {
		t.Error("no error")
	}
	for i := range maxTweaks {
		must(0, b.Add(make([]byte, 33), i))
	}
	if b.Add(make([]byte, 33), maxTweaks) == nil {
		t.Error("no error for one tweak too many")
	}
}

// A memory is a file in memory.
type memory struct{ *bytes.Reader }

func (m memory) Size() (int64, error) { return m.Reader.Size(), nil }

func (memory) Close() error { return nil }

// FuzzOpen checks that any two files give blocks or errors.
func FuzzOpen(f *testing.F) {
	name := filepath.Join(f.TempDir(), "t")
	must(0, add(durable.OS{}, name, 1, 12, 0))
	data, index := must(os.ReadFile(name)), must(os.ReadFile(name+IndexSuffix))
	f.Add(data, index)
	f.Add(data[:60], index[:100])
	f.Fuzz(func(t *testing.T, data, index []byte) {
		file := &File{data: memory{bytes.NewReader(data)}, index: memory{bytes.NewReader(index)}}
		if file.readHeads() != nil {
			return
		}
		for h := file.First(); h < file.Next(); h++ {
			if b, err := file.Block(h); err == nil && len(b.Tweaks) != len(b.Positions)*TweakSize {
				t.Errorf("%d bytes of %d tweaks", len(b.Tweaks), len(b.Positions))
			}
		}
	})
}
