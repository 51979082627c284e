package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// fileSum returns the size and the SHA-256 digest of a file.
func fileSum(t testing.TB, name string) (bytes int64, sum string) {
	text := readFile(t, name)
	return int64(len(text)), fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// TestEvidence compares the sizes, digests and blocks in a report with values computed by other
// code. The report must name each file and the files that were read beside it.
func TestEvidence(t *testing.T) {
	dir := t.TempDir()
	raw := write(t, filepath.Join(dir, "raw"), bitcointest.Unpack(t, sample.Block))
	rawSpent := write(t, filepath.Join(dir, "raw.spent"), bitcointest.Unpack(t, sample.Spent))
	zipped := write(t, filepath.Join(dir, "rows.gz"), commandtest.Gzipped(t,
		bytes.Repeat(commandtest.BIP340Row(t, 1), 50)))
	events := nostrFile(t)

	export := ethereumExport(t)
	var first, last *types.Block
	for s := rlp.NewStream(strings.NewReader(readFile(t, export)), 0); ; {
		var b types.Block
		if err := s.Decode(&b); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if last = &b; first == nil {
			first = &b
		}
	}
	core := filepath.Join(commandtest.CoreFolder, "getblock.json")
	var get struct {
		Height int64
		Hash   string
	}
	clitest.Must(0, json.Unmarshal([]byte(readFile(t, core)), &get))
	const sampleHash = "0000000000000000054a714e580b16c583701712ab91060e92dbde6eb1e052a8"
	chain := func(network string, first, last int64, tip string, parts int64) *reading.Blocks {
		return &reading.Blocks{Network: network, Count: last - first + 1, First: &first, Last: &last,
			Tip: tip, Parts: parts, Unvouched: parts}
	}
	for i, test := range []struct {
		args   []string // arguments; the last one is the file
		format flags.Format
		with   string
		chain  *reading.Blocks
	}{
		{[]string{"--spent", rawSpent, raw}, flags.BlockRaw, rawSpent,
			chain("bitcoin mainnet", 277647, 277647, sampleHash, 0)},
		{[]string{"--network", "regtest", core}, flags.BlockJSON, "",
			chain("bitcoin regtest", get.Height, get.Height, get.Hash, 0)},
		{[]string{"--network", "3503995874084926", export}, flags.EthereumRLP, "",
			chain("ethereum, chain id 3503995874084926", first.Number().Int64(), last.Number().Int64(),
				last.Hash().Hex(), 1)},
		{[]string{mainnetBlock(18189758)}, flags.EthereumRLP, "",
			chain("ethereum mainnet, chain id 1", 18189758, 18189758,
				"0x802acf5c350f4252e31d83c431fcb259470250fa0edf49e8391cfee014239820", 1)},
		{[]string{"--format", "packed-bip340", "--compression", "gzip", zipped}, flags.PackedBIP340, "",
			nil},
		{[]string{events}, flags.Nostr, "", nil},
	} {
		file := test.args[len(test.args)-1]
		size, sum := fileSum(t, file)
		want := state.Input{File: file, Format: string(test.format), Chain: test.chain}
		want.Bytes, want.SHA256 = size, sum
		form := string(test.format)
		if file == zipped {
			want.Compression = "gzip"
			form += ", gzip"
		}
		r := checkJSON(t, "", append([]string{"--sha256"}, test.args...)...)
		want.Counts = r.Counts
		if test.with != "" {
			size, sum := fileSum(t, test.with)
			want.With = append(want.With, r.Inputs[0].With[0])
			if w := want.With[0]; string(w.Name) != test.with || w.Bytes != size || w.SHA256 != sum {
				t.Errorf("%s: with %+v", file, w)
			}
		}
		if len(r.Inputs) != 1 || !reflect.DeepEqual(r.Inputs[0], want) {
			t.Errorf("%s:\n%+v, want\n%+v", file, r.Inputs, want)
		}
		chains := []reading.Blocks{}
		if test.chain != nil {
			chains = append(chains, *test.chain)
		}
		if !reflect.DeepEqual(r.Chains, chains) {
			t.Errorf("%s: %+v, want %+v", file, r.Chains, chains)
		}

		// The text report has the same values. It has the digest only with --sha256.
		line := fmt.Sprintf("file           %s (%s, %d bytes, sha256 %s)\n", file, form, size, sum)
		words := []string{line, "\nrun            "}
		if test.chain != nil {
			words = append(words, "\nchain          "+test.chain.String()+"\n")
		}
		expect(t, r.Exit, words, "", append([]string{"check", "--sha256"}, test.args...)...)
		if i%oneIn(3) != 0 {
			continue
		}
		stdout, _ := expect(t, r.Exit, nil, "", append([]string{"check"}, test.args...)...)
		if strings.Contains(stdout, "sha256") ||
			!strings.Contains(stdout, fmt.Sprintf("%d bytes", size)) {
			t.Errorf("%s, without the digest:\n%s", file, stdout)
		}
	}

	// Standard input gets the same digest. Input that is cut off gets none.
	text := readFile(t, zipped)
	size, sum := fileSum(t, zipped)
	r := checkJSON(t, text, "--sha256", "--format", "packed-bip340", "--compression", "gzip",
		"-")
	if in := r.Inputs[0]; in.File != "-" || in.Bytes != size || in.SHA256 != sum {
		t.Errorf("standard input: %+v", in)
	}
	cut := write(t, filepath.Join(dir, "cut.gz"), []byte(text[:len(text)-20]))
	r = checkJSON(t, "", "--sha256", "--format", "packed-bip340", "--compression", "gzip",
		cut)
	if in := r.Inputs[0]; r.Exit != cli.ExitUnreadable || in.Bytes != size-20 || in.SHA256 != "" {
		t.Errorf("cut off: %+v, exit %d", in, r.Exit)
	}
	// Bytes after the end of the compressed data count in the file's size and digest.
	trailing := write(t, filepath.Join(dir, "trailing"), append([]byte(readFile(t, core)), " \n\n"...))
	size, sum = fileSum(t, trailing)
	r = checkJSON(t, "", "--sha256", "--network", "regtest", trailing)
	if in := r.Inputs[0]; in.Bytes != size || in.SHA256 != sum {
		t.Errorf("trailing space: %+v", in)
	}

	// With several files, each file has a line in the report, and the chains of all are merged.
	stdout, _ := expect(t, cli.ExitInvalid, []string{"\nfiles          3\n",
		"\nchain          bitcoin mainnet: 2 blocks, 277647, tip " + sampleHash + "\n"}, "",
		"check", "--sha256", raw, raw, events)
	for _, file := range []string{raw, events} {
		size, sum := fileSum(t, file)
		if !strings.Contains(stdout, fmt.Sprintf(", %d bytes, sha256 %s", size, sum)) {
			t.Errorf("nothing of %s in\n%s", file, stdout)
		}
	}

	r = checkJSON(t, "", "--sample", "--sha256")
	block, _ := sampleFiles(t)
	if _, sum := fileSum(t, block); r.Inputs[0].SHA256 != sum || len(r.Inputs[0].With) != 1 {
		t.Errorf("sample: %+v", r.Inputs[0])
	}
	//layers:allow the run began before
	if since := time.Since(r.Begun); since < 0 || since > time.Hour ||
		r.Begun.Location() != time.UTC || r.Go != runtime.Version() ||
		r.Version != cli.Version() || !strings.Contains(r.Platform, "/") {
		t.Errorf("begun %v, %+v", r.Begun, r.Build)
	}
}

// TestEvidenceFolder checks that the report lists each blk*.dat file with its rev*.dat file.
func TestEvidenceFolder(t *testing.T) {
	dir := commandtest.CoreBlocks(t)
	stdout, _ := expect(t, cli.ExitNotCheckable, []string{"files          3\n",
		"chain          bitcoin regtest: 108 blocks, 0 to 107, tip "}, "", "check", "--sha256", dir)
	r := checkJSON(t, "", "--sha256", dir)
	if len(r.Inputs) != 3 || len(r.Chains) != 1 {
		t.Fatalf("%+v", r)
	}
	var blocks int64
	for i, in := range r.Inputs {
		blocks += in.Chain.Count
		for name, has := range map[string]string{fmt.Sprintf("blk%05d.dat", i): in.SHA256,
			fmt.Sprintf("rev%05d.dat", i): in.With[0].SHA256} {
			if _, sum := fileSum(t, filepath.Join(dir, name)); has != sum || !strings.Contains(stdout, sum) {
				t.Errorf("%s has the digest %s, want %s", name, has, sum)
			}
		}
	}
	if blocks != r.Chains[0].Count || blocks != 108 {
		t.Errorf("%d blocks, %+v", blocks, r.Chains)
	}
	// With a range of heights the report has only that part of the chain.
	r = checkJSON(t, "", "--from", "3", "--to", "100", dir)
	if c := r.Chains[0]; c.Count != 98 || *c.First != 3 || *c.Last != 100 || len(c.Tip) != 64 {
		t.Errorf("%+v", c)
	}
}

// TestEvidenceShorter checks that a file of a folder that has become shorter is an error when its
// digest is computed, and never io.EOF, which would end its input without a digest or an error.
func TestEvidenceShorter(t *testing.T) {
	name := write(t, filepath.Join(t.TempDir(), "blk"), make([]byte, 1000))
	s := &sources{o: &checkOptions{sha256: true}}
	r := &describedReader{Reader: bitcoin.NoUndo(reading.Source{}), tell: func(whole bool) error {
		_, err := s.contentOfFile(name, 1001, whole)
		return err
	}}
	_, err := r.Next()
	for err == nil {
		_, err = r.Next()
	}
	if err == io.EOF || !strings.Contains(err.Error(), name+": the file has become shorter") {
		t.Errorf("%v", err)
	}
}
