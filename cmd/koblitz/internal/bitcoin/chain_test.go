package bitcoin

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	// This import keeps the data's module in go.mod; the package itself is not used.
	"github.com/btcsuite/btcd/chainhash/v2"
	_ "github.com/btcsuite/btcd/ossec"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/utxo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// firstBlocks returns the first 14,132 blocks of mainnet in the format of a blk*.dat file.
func firstBlocks(t testing.TB) []byte {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/btcsuite/btcd").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "blockchain", "testdata",
		"blk_0_to_14131.dat"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFirstBlocks(t *testing.T) {
	firstBlocksWith(t, 100000)
	if deep() {
		firstBlocksWith(t, utxo.OutputMemory)
	}
}

func firstBlocksWith(t *testing.T, memory int64) {
	c := NewChain(ample())
	c.SetOutputMemory(memory)
	defer c.Close()
	got := run(c.File(source("blk00000.dat", firstBlocks(t))))
	if got.err != nil {
		t.Fatal(got.err)
	}
	if c.outputs.Tip != 14131 || c.shelf.n != 0 {
		t.Errorf("the last block has height %d, %d are left; want 14131 and none", c.outputs.Tip,
			c.shelf.n)
	}
	if got.verdicts != (counts{rows.Valid: 865}) || got.high != 426 {
		t.Errorf("verdicts %v, %d with a high s; want 865 valid, 426 of them high", got.verdicts,
			got.high)
	}
}

// recordOf returns the block as a record of a blk*.dat file: magic, the size, and the block.
func recordOf(magic [4]byte, block []byte) []byte {
	b := binary.LittleEndian.AppendUint32(magic[:], uint32(len(block)))
	return append(b, block...)
}

// records splits the content of a blk*.dat file into its records.
func records(b []byte) (all [][]byte) {
	for len(b) > 8 && b[0] != 0 {
		n := 8 + binary.LittleEndian.Uint32(b[4:])
		all = append(all, b[:n])
		b = b[n:]
	}
	return all
}

// runChain reads the files with c, and then the blocks that did not connect. It returns a tally (a
// summary of the verdicts) for each file and one for these blocks.
func runChain(t testing.TB, c *Chain, files ...[]byte) (all []tally) {
	for i, f := range files {
		all = append(all, run(c.File(source(fmt.Sprintf("blk%05d.dat", i), f))))
	}
	all = append(all, run(c.Rest()))
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return all
}

func newTestChain(memory int) *Chain {
	c := NewChain(ample())
	c.shelf.memory = memory
	if memory != shelfMemory {
		c.SetOutputMemory(20000)
	}
	return c
}

// TestOrderOfBlocks checks that the order of blocks does not matter: it shuffles them as a node
// does, spreads them over several files, and forces waiting blocks into the temporary file.
func TestOrderOfBlocks(t *testing.T) {
	folder := t.TempDir() // a folder that no other program uses
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder) // the same variable on Windows
	all := records(firstBlocks(t))
	rnd := rand.New(rand.NewPCG(1, 2))
	mixed := slices.Clone(all)
	for i := 1; i < len(mixed); i += 500 {
		part := mixed[i:min(i+500, len(mixed))]
		rnd.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	backward := slices.Clone(all)
	slices.Reverse(backward[1:])
	key := [8]byte{1, 2, 3, 0xff, 0, 5, 6, 7}
	for name, c := range map[string]struct {
		memory  int
		key     [8]byte
		records [][]byte
	}{
		"mixed":             {shelfMemory, [8]byte{}, mixed},
		"mixed, obfuscated": {shelfMemory, key, mixed},
		"mixed, on disk":    {5000, [8]byte{}, mixed},
		"backward":          {shelfMemory, [8]byte{}, backward},
		"backward, on disk": {0, key, backward},
		"each one twice":    {0, [8]byte{}, append(slices.Clone(mixed), mixed...)},
	} {
		if !deep() && name != "mixed" && name != "backward, on disk" {
			continue // these two cover blocks that wait in memory and on disk, and obfuscation
		}
		t.Run(name, func(t *testing.T) {
			var files [][]byte
			for _, part := range [][][]byte{c.records[:5000], c.records[5000:5001], c.records[5001:]} {
				f := bytes.Join(part, nil)
				framing.Unmask(f, c.key, 0)
				files = append(files, append(f, make([]byte, 100)...))
			}
			ch := newTestChain(c.memory)
			if f, ok := Detect(files[0]); !ok || f != FormatBlkFile {
				t.Errorf("detected as %v", f)
			}
			got := runChain(t, ch, files...)
			for i, f := range files {
				if !ch.Detect(f) {
					t.Errorf("file %d is not recognised", i)
				}
			}
			units, valid, again := 0, 0, 0
			for _, g := range got {
				if g.err != nil {
					t.Fatal(g.err)
				}
				units, valid, again = units+g.units, valid+g.verdicts[rows.Valid],
					again+g.verdicts[rows.PassedOver]
			}
			if units != 865+again || valid != 865 || again != len(c.records)-len(all) ||
				ch.outputs.Tip != 14131 {
				t.Errorf("%d units, %d valid, %d again, height %d", units, valid, again, ch.outputs.Tip)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestChainFlippedBits checks that each flipped bit in the transactions of block 170, the first
// block of mainnet that spends an output, is detected.
func TestChainFlippedBits(t *testing.T) {
	all := records(firstBlocks(t))[:171]
	at := int64(len(bytes.Join(all[:170], nil)))
	last := all[170]
	c := wireform.Cursor{Data: last[8:], At: wireform.HeaderSize}
	c.Transactions()
	wireform.ParseTx(&c)
	txAt := c.At
	tx, _ := wireform.ParseTx(&c)
	sig := tx.TxIn[0].SignatureScript
	for bit := 0; bit < 8*len(last[8+txAt:]); bit += oneIn(29) {
		b := bytes.Clone(bytes.Join(all, nil))
		b[at+8+int64(txAt)+int64(bit/8)] ^= 1 << (bit % 8)
		got := runChain(t, NewChain(ample()), b)[0]
		if got.err != nil {
			t.Fatal(got.err)
		}
		i := txAt + bit/8
		off := bytes.Index(last[8:], sig)
		lax := i == off+2 // the DER sequence's length, which lax DER ignores
		if got.verdicts[rows.Valid] != 0 && !lax || got.verdicts[rows.Malformed] == 0 {
			t.Fatalf("bit %d flipped: %v", bit, got.verdicts)
		}
		for k, u := range got.bad {
			w := u.Where
			if block := u.Kind == "block" && w.Tx == ""; block != (k == len(got.bad)-1) || w.Block != 170 ||
				!block && w.Offset < at+8+int64(txAt) || w.File != "blk00000.dat" {
				t.Errorf("bit %d flipped: found at %+v", bit, w)
			}
		}
	}
	// Now change the output that block 170 spends.
	b := bytes.Clone(bytes.Join(all, nil))
	spent := bytes.Index(b, all[9][8+wireform.HeaderSize+60:]) // in the coinbase of block 9
	b[spent+40] ^= 1
	got := runChain(t, NewChain(ample()), b)[0]
	const spends = "spends output 0 of " +
		"0437cd7f8525ceed2324359c2d0ba26006d92d856a9c20fa0241106ee5a597c9, which is not in the files, " +
		"or can never be spent"
	const damaged = "do not hash to its header's Merkle root"
	if got.err != nil || len(got.bad) != 2 || got.verdicts[rows.NotCheckable] != 1 ||
		got.bad[1].Reason != spends ||
		got.verdicts[rows.Malformed] != 1 || got.bad[0].Where.Block != 9 ||
		!strings.Contains(got.bad[0].Reason, damaged) {
		t.Errorf("%v, %v, %+v", got.err, got.verdicts, got.bad)
	}
}

// TestChainDamage damages a file in each way that the reader distinguishes, and checks that each
// damage gives the right error.
func TestChainDamage(t *testing.T) {
	all := records(firstBlocks(t))[:200]
	whole := bytes.Join(all, nil)
	ends := map[int]bool{}
	n := 0
	for _, r := range all {
		n += len(r)
		ends[n] = true
	}
	start := len(bytes.Join(all[:169], nil))
	last := start
	for cut := start; cut < len(whole); cut += oneIn(29) {
		got := runChain(t, NewChain(ample()), whole[:cut])[0]
		for i := last + 1; i <= cut; i++ {
			if ends[i] {
				last = i
			}
		}
		if cut == last {
			if got.err != nil {
				t.Fatalf("cut at %d: %v", cut, got.err)
			}
		} else {
			errorAt(t, got.err, "blk00000.dat", int64(last))
		}
		if want := map[bool]int{true: 1}[cut >= start+len(all[169])+
			len(all[170])]; got.verdicts[rows.Valid] < want {
			t.Fatalf("cut at %d: %v", cut, got.verdicts)
		}
		if cut > start+1500 {
			cut += 96
		}
	}
	damage := func(f func(b []byte) []byte) tally {
		return runChain(t, NewChain(ample()), f(bytes.Clone(whole)))[0]
	}
	errorAt(t, damage(func(b []byte) []byte { return b[len(all[0]):] }).err, "blk00000.dat", 0)
	errorAt(t, damage(func(b []byte) []byte { return nil }).err, "blk00000.dat", 0)
	got := damage(func(b []byte) []byte { b[start] ^= 1; return b })
	errorAt(t, got.err, "blk00000.dat", int64(start))
	got = damage(func(b []byte) []byte { b[start+7] = 1; return b })
	errorAt(t, got.err, "blk00000.dat", int64(start+4))
	got = damage(func(b []byte) []byte { b[start+4], b[start+5] = 80, 0; return b })
	errorAt(t, got.err, "blk00000.dat", int64(start+4))
	// Zeros between records, and after the last one, must be skipped without an error.
	for _, end := range []int{3, 1 << 17} {
		got = damage(func(b []byte) []byte {
			return slices.Concat(b[:start], make([]byte, 1<<17), b[start:], make([]byte, end))
		})
		if n := got.verdicts[rows.Valid]; got.err != nil || n == 0 || len(got.bad) > 0 {
			t.Errorf("padding of %d bytes: %v, %v", end, got.err, got.verdicts)
		}
	}
	valid := got.verdicts[rows.Valid]
	// Make a block invalid. The blocks after it must still connect.
	got = damage(func(b []byte) []byte { b[start+8+80] = 2; return b })
	if got.err != nil || got.verdicts[rows.Malformed] != 1 || got.verdicts[rows.Valid] != valid ||
		got.bad[0].Where.Block != 169 {
		t.Errorf("a broken block: %v, %v, %+v", got.err, got.verdicts, got.bad)
	}
	// Leave out a block. The blocks after it wait for it until the end of the files.
	two := runChain(t, NewChain(ample()), slices.Concat(whole[:start], whole[start+len(all[169]):]))
	if two[0].err != nil || two[0].units != 0 || two[1].verdicts[rows.NotCheckable] != valid ||
		two[1].units != valid {
		t.Errorf("a missing block: %v, %v", two[0].verdicts, two[1].verdicts)
	} else if r := two[1].bad[0].Reason; !strings.Contains(r, "does not connect") {
		t.Error(r)
	}
}

// TestForks checks that two branches may spend the same output, and that a spent output is no
// longer known after ForkDepth blocks.
func TestForks(t *testing.T) {
	for _, memory := range []int64{utxo.OutputMemory, 1000} {
		forksWith(t, memory)
	}
}

func forksWith(t *testing.T, memory int64) {
	magic := consensus.Regtest.Magic()
	var file []byte
	add := func(prev chainhash.Hash, height int32, txs ...*wire.MsgTx) chainhash.Hash {
		b, h := blockOf(prev, uint32(1700000000+len(file)), append([]*wire.MsgTx{funding(nil, height)},
			txs...)...)
		file = append(file, recordOf(magic, b)...)
		return h
	}
	all := slices.DeleteFunc(spends(), func(s spend) bool { return s.name == "nobody can spend" })
	tx, _ := build(all, len(all))
	file = append(file, recordOf(magic, genesis())...)
	b, tip := blockOf(consensus.Regtest.Genesis(), 1600000000, funding(all, 1))
	file = append(file, recordOf(magic, b)...)
	one := add(tip, 2, tx)
	two := add(tip, 2, tx) // a second branch with the same spends
	add(one, 3)
	tip = add(two, 3)
	for h := range int32(utxo.ForkDepth) {
		tip = add(tip, 4+h)
	}
	add(tip, 4+utxo.ForkDepth, tx) // spends outputs that are no longer kept
	c := NewChain(ample())
	c.SetOutputMemory(memory)
	got := run(c.File(source("blk00000.dat", file)))
	if got.err != nil {
		t.Fatal(got.err)
	}
	defer c.Close()
	if c.network != consensus.Regtest || got.units != 3*len(all) ||
		got.verdicts[rows.NotCheckable] != len(all) {
		t.Errorf("%v: %d units, %v", c.network, got.units, got.verdicts)
	}
	for _, in := range tx.TxIn {
		if o, err := c.outputs.Spend(wireform.OutpointOf(in), 4+utxo.ForkDepth); o.Known || err != nil {
			t.Errorf("output %d is still there: %v", in.PreviousOutPoint.Index, err)
		}
	}
}

// TestFirstSpent checks that block 170, the first block that spends an output, is valid with a file
// of this output. The block is from before BIP 34, and nothing states its height.
func TestFirstSpent(t *testing.T) {
	all := records(firstBlocks(t))[:171]
	c := wireform.Cursor{Data: all[9][8:], At: wireform.HeaderSize}
	c.Transactions()
	coinbase, _ := wireform.ParseTx(&c)
	block, out := all[170][8:], coinbase.TxOut[0]
	file := bitcointest.SpentFile(blockIn(t, block), []*wire.TxOut{out})
	if got, want := hex.EncodeToString(file), "020001"+"00f2052a0100000043410411db93"; len(file) !=
		3+9+67 || !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	got := run(RawBlock(source("block", block), false, readSpent(t, file), onMainnet))
	if got.err != nil || got.verdicts != (counts{rows.Valid: 1}) {
		t.Errorf("%v, %v", got.err, got.verdicts)
	}
}

// TestNoPlaceForOutputs checks that it is an error if the unspent outputs do not fit in memory and
// the folder for temporary files does not exist.
func TestNoPlaceForOutputs(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, "/nowhere")
	}
	if _, err := os.Stat("/nowhere"); err == nil {
		t.Fatal("/nowhere is there")
	}
	c := NewChain(ample())
	c.SetOutputMemory(0)
	got := runChain(t, c, firstBlocks(t)[:1000])[0]
	if got.err == nil || !strings.Contains(got.err.Error(), "blk00000.dat: at byte ") ||
		!strings.Contains(got.err.Error(), "no temporary file for outputs") {
		t.Error(got.err)
	}
}
