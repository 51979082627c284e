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

// add opens the file, appends blocks of the chain up to height to-1, and closes it. If every is
// above 0, it saves after this many blocks.
func add(disk durable.FS, name string, chain byte, to int32, every int32) error {
	w, _, err := OpenWriter(disk, name, consensus.Regtest, -1, 5)
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
		got, err := f.Block(h)
		if err != nil {
			t.Fatal(err)
		}
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

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t")
	for _, to := range []int32{5, 6, 20, 20, 33} {
		if err := add(durable.OS{}, name, 1, to, 7); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, 1, to)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	w, dropped, err := OpenWriter(durable.OS{}, name, consensus.Regtest, 5, 9)
	if err != nil || dropped != 0 {
		t.Fatal(dropped, err)
	}
	if _, _, err := OpenWriter(durable.OS{}, name, consensus.Regtest, -1, 5); !refused(err) ||
		!strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("opened twice: %v", err)
	}
	for _, c := range []struct{ height, next int32 }{{100, 33}, {30, 30}, {31, 30}, {12, 12}} {
		if err := w.Rewind(c.height); err != nil || w.Next() != c.next {
			t.Errorf("rewound to %d: %d, %v", c.height, w.Next(), err)
		}
	}
	for h := int32(12); h < 20; h++ {
		if err := w.Append(testBlock(1, h)); err != nil {
			t.Fatal(err)
		}
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
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	same(t, f, 2, 9000)
}

func refused(err error) bool {
	var r durable.RefusedError
	return errors.As(err, &r)
}

// TestRefused checks that a Writer leaves files that do not fit as they are.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if err := add(durable.OS{}, good, 1, 9, 0); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if err := add(durable.OS{}, other, 1, 9, 0); err != nil {
		t.Fatal(err)
	}
	otherIndex, err := os.ReadFile(other + IndexSuffix)
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(good + IndexSuffix)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		data, index []byte
		network     consensus.Network
		first       int32
		want        string
	}{
		{data, index, consensus.Signet, -1, "has the tweaks of regtest, and these blocks are of signet"},
		{data, index, consensus.Regtest, 6, "begins at block 5, and not at 6"},
		{data, nil, consensus.Regtest, -1, "is missing or empty"},
		{data, otherIndex, consensus.Regtest, -1, "their headers differ"},
		{[]byte("hello"), nil, consensus.Regtest, -1, "not a file of tweaks"},
		{index, data, consensus.Regtest, -1, "not a file of tweaks"},
		{data, data, consensus.Regtest, -1, "not the index of a file of tweaks"},
	} {
		name := filepath.Join(dir, fmt.Sprint(i))
		for file, content := range map[string][]byte{name: c.data, name + IndexSuffix: c.index} {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := OpenWriter(durable.OS{}, name, c.network, c.first, 5)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("case %d: %v, want %q", i, err, c.want)
		}
		for file, content := range map[string][]byte{name: c.data, name + IndexSuffix: c.index} {
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
				t.Errorf("case %d: %s has changed, %v", i, file, err)
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

func (m meeting) Rename(from, to string) error {
	m.call()
	return m.OS.Rename(from, to)
}

func (m meeting) SyncDir(name string) error {
	m.call()
	return m.OS.SyncDir(name)
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
			second, _, refusal = OpenWriter(durable.OS{}, name, consensus.Regtest, -1, 5)
		}}, name, consensus.Regtest, -1, 5)
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
		if err := errors.Join(winner.Append(testBlock(1, 5)), winner.Save(), winner.Close()); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, 1, 6)
		f.Close()
	}
}

// TestDamage changes each byte of both files. A reader must find each change, or the block must be
// as it was. A Writer drops damaged blocks at the end.
func TestDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t")
	if err := add(durable.OS{}, name, 1, 16, 0); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{name, name + IndexSuffix} {
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			found := false
			f, err := Open(name)
			if found = err != nil; !found {
				for h := f.First(); h < f.Next(); h++ {
					if _, err := f.Block(h); err != nil {
						found = true
					}
				}
				f.Close()
			}
			if !found {
				t.Errorf("%s: byte %d changed, and not found", file, i)
			}
		}
		for n := range len(good) { // truncated files
			if err := os.WriteFile(file, good[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(name)
			if (err == nil) != (n >= headerSize) {
				t.Fatalf("%s of %d bytes: %v", file, n, err)
			}
			if err != nil {
				continue
			}
			for h := f.First(); h < f.Next(); h++ {
				if b, err := f.Block(h); err == nil && !bytes.Equal(b.Tweaks, testBlock(1, h).Tweaks) {
					t.Errorf("%s of %d bytes: block %d is wrong", file, n, h)
				}
			}
			f.Close()
		}
		if err := os.WriteFile(file, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The last block with a tweak is 15, and its row is at the end.
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	w, dropped, err := OpenWriter(durable.OS{}, name, consensus.Regtest, -1, 5)
	if err != nil || dropped != 1 || w.Next() != 15 {
		t.Fatalf("%d blocks dropped, %v", dropped, err)
	}
	w.Close()
	if err := add(durable.OS{}, name, 1, 16, 0); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	same(t, f, 1, 16)
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
}

func testPower(t *testing.T, chance *rand.Rand) {
	const to = 40
	whole := forgetful.New(-1)
	if err := add(whole, "t", 1, to, 3); err != nil {
		t.Fatal(err)
	}
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
			w, dropped, err := OpenWriter(disk, "t", consensus.Regtest, -1, 5)
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
	if err := add(durable.OS{}, name, 1, 9, 0); err != nil {
		t.Fatal(err)
	}
	w, _, err := OpenWriter(durable.OS{}, name, consensus.Regtest, -1, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(testBlock(1, 9)); err != nil {
		t.Fatal(err)
	}
	if err := w.files[0].Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := w.Save()
		if again := w.Append(testBlock(1, 10)); err == nil || again != err || w.Save() != err {
			t.Errorf("%v, and then %v", err, again)
		}
	}
	w.files[1].Close()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	same(t, f, 1, 9)
}

func TestAdd(t *testing.T) {
	var b Block
	if b.Add(make([]byte, 32), 0) == nil || b.Add(make([]byte, 33), math.MaxUint16+1) == nil {
		t.Error("no error")
	}
	for i := range maxTweaks {
		if err := b.Add(make([]byte, 33), i); err != nil {
			t.Fatal(err)
		}
	}
	if b.Add(make([]byte, 33), maxTweaks) == nil {
		t.Error("no error for one tweak too many")
	}
}

// A memory is a file in memory.
type memory struct{ *bytes.Reader }

func (m memory) Size() (int64, error) { return m.Reader.Size(), nil }

// FuzzOpen checks that any two files give blocks or errors.
func FuzzOpen(f *testing.F) {
	name := filepath.Join(f.TempDir(), "t")
	if err := add(durable.OS{}, name, 1, 12, 0); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	index, err := os.ReadFile(name + IndexSuffix)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, index)
	f.Add(data[:60], index[:100])
	f.Fuzz(func(t *testing.T, data, index []byte) {
		file, err := open("t", memory{bytes.NewReader(data)}, memory{bytes.NewReader(index)})
		if err != nil {
			return
		}
		for h := file.First(); h < file.Next(); h++ {
			if b, err := file.Block(h); err == nil && len(b.Tweaks) != len(b.Positions)*TweakSize {
				t.Errorf("%d bytes of %d tweaks", len(b.Tweaks), len(b.Positions))
			}
		}
	})
}
