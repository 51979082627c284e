package check

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// TestEveryBitOfARow checks that after any bit of the second of three packed rows is flipped, the
// report lists exactly this row as a failure. The bit may be in the message, key or signature.
func TestEveryBitOfARow(t *testing.T) {
	for format, row := range map[string]func(testing.TB,
		byte) []byte{"packed-bip340": commandtest.BIP340Row, "packed-ecdsa": commandtest.ECDSARow} {
		data := bytes.Join([][]byte{row(t, 1), row(t, 2), row(t, 3)}, nil)
		width := len(data) / 3
		if r := checkJSON(t, string(data), "--format", format, "-"); r.numbers() != [9]int64{3, 3} {
			t.Fatalf("%+v", r)
		}
		for bit := width * 8; bit < 2*width*8; bit += oneIn(29) {
			data[bit/8] ^= 1 << (bit % 8)
			r := checkJSON(t, string(data), "--format", format, "-")
			data[bit/8] ^= 1 << (bit % 8)
			if r.Exit != cli.ExitInvalid || r.Rows != 3 || r.Valid != 2 || len(r.Failures) != 1 ||
				*r.Failures[0].Row != 1 || *r.Failures[0].Offset != int64(width) || r.Failures[0].Reason == "" {
				t.Fatalf("%s, bit %d of byte %d: %+v", format, bit%8, bit/8-width, r)
			}
		}
	}
}

// eventRange returns the offsets in line at which the event begins and ends.
func eventRange(line []byte) (from, to int) {
	return bytes.IndexByte(line, '{'), bytes.LastIndexByte(line, '}') + 1
}

// TestEveryBitOfAnEvent checks that after any bit of the second of three lines is flipped, the
// report lists a failure in this line and two valid events. The bit may be in the punctuation of
// JSON, too.
func TestEveryBitOfAnEvent(t *testing.T) {
	data, err := os.ReadFile(nostrFile(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	shortest := lines[0]
	for _, line := range lines {
		if bytes.HasPrefix(line, []byte(`["EVENT"`)) && bytes.HasSuffix(line, []byte("]\n")) &&
			len(line) < len(shortest) {
			shortest = line
		}
	}
	three := bytes.Repeat(shortest, 3)
	if r := checkJSON(t, string(three), "-"); r.numbers() != [9]int64{3, 3} {
		t.Fatalf("%+v", r)
	}
	from, to := eventRange(shortest)
	for bit := (len(shortest) + from) * 8; bit < (len(shortest)+to)*8; bit += oneIn(29) {
		three[bit/8] ^= 1 << (bit % 8)
		r := checkJSON(t, string(three), "--format", "nostr", "-")
		splits := three[bit/8] == '\n' // a line end in the middle of the line makes two bad lines
		three[bit/8] ^= 1 << (bit % 8)
		if r.Exit != cli.ExitInvalid || r.Valid != 2 || r.Failures[0].Line != 2 || len(r.Failures) != 1 &&
			!splits {
			t.Fatalf("bit %d of byte %d (%q): %+v", bit%8, bit/8-len(shortest), three[bit/8], r)
		}
	}
	t.Logf("covers %d bits", (to-from)*8/oneIn(29))
}

// TestSomeBitsOfTheEvents flips random bits in the file of real events, one at a time, and checks
// that the report lists a failure in the changed line.
func TestSomeBitsOfTheEvents(t *testing.T) {
	data, err := os.ReadFile(nostrFile(t))
	if err != nil {
		t.Fatal(err)
	}
	before := checkJSON(t, string(data), "-")
	lines := bytes.SplitAfter(data, []byte("\n"))
	r := rand.New(rand.NewPCG(3, 4))
	for range 12 / oneIn(4) {
		var n int
		isEvent := func(line []byte) bool {
			return bytes.HasPrefix(line, []byte(`["EVENT"`)) && bytes.HasSuffix(line, []byte("]\n"))
		}
		for n = r.IntN(len(lines)); !isEvent(lines[n]); n = r.IntN(len(lines)) {
		}
		from, to := eventRange(lines[n])
		at := from + r.IntN(to-from)
		old := lines[n][at]
		lines[n][at] ^= 1 << r.IntN(8)
		now := checkJSON(t, string(data), "-")
		lines[n][at] = old
		found := false
		for _, f := range now.Failures {
			found = found || f.Line == n+1
		}
		if now.Valid != before.Valid-1 || !found {
			t.Errorf("line %d, byte %d: %+v", n+1, at, now)
		}
	}
}

// TestSwapped checks that a row with the valid signature of another message is reported as invalid.
func TestSwapped(t *testing.T) {
	for format, row := range map[string]func(testing.TB,
		byte) []byte{"packed-bip340": commandtest.BIP340Row, "packed-ecdsa": commandtest.ECDSARow} {
		a, b := row(t, 1), row(t, 2)
		swapped := string(a[:len(a)-64]) + string(b[len(b)-64:]) + string(b)
		r := checkJSON(t, swapped, "--format", format, "-")
		if r.numbers() != [9]int64{2, 1, 1} || *r.Failures[0].Row != 0 ||
			r.Failures[0].Verdict != "invalid" {
			t.Errorf("%s: %+v", format, r)
		}
	}
}

// TestSomeBitsOfTheBlock flips random bits in signatures and keys of the real block, one at a time.
// It checks that the report lists the input with the bit and the block's wrong Merkle root. (The
// tests of package bitcoin flip every bit.)
func TestSomeBitsOfTheBlock(t *testing.T) {
	_, spent := sampleFiles(t)
	good := bitcointest.Unpack(t, sample.Block)
	raw := bytes.Clone(good)
	r := rand.New(rand.NewPCG(5, 6))
	for range 10 / oneIn(3) {
		// Search for the push of a compressed or uncompressed key after a signature with hash type
		// 1.
		at := r.IntN(len(raw) - 200)
		i := at + bytes.Index(raw[at:], []byte{0x01, 0x41, 0x04})
		if i < at {
			continue
		}
		for _, k := range []int{i - 8, i + 10, i + 60} { // in s, and in the key's x and y
			raw[k] ^= 1 << r.IntN(8)
			got := checkJSON(t, string(raw), "--spent", spent, "-")
			if got.Exit != cli.ExitInvalid || got.Valid != 731 || len(got.Failures) != 2 ||
				got.Failures[1].Kind != "block" || !strings.Contains(got.Failures[1].Reason, "Merkle root") {
				t.Fatalf("byte %d: %+v", k, got)
			}
			f := got.Failures[0]
			if *f.Block != 277647 || len(f.Tx) != 64 || f.Input == nil || f.Reason == "" ||
				f.File != "stdin" || f.Kind != "p2pkh" {
				t.Errorf("byte %d: %+v", k, f)
			}
			raw[k] = good[k]
		}
	}
}

// TestNostrDocuments checks that the real events get the same verdicts in a JSON array, compact or
// indented, as in a file with one event a line. check must detect the format.
func TestNostrDocuments(t *testing.T) {
	var lines []string
	for line := range strings.Lines(readFile(t, nostrFile(t))) {
		var envelope []json.RawMessage
		if json.Unmarshal([]byte(line), &envelope) == nil && string(envelope[0]) == `"EVENT"` {
			lines = append(lines, string(envelope[len(envelope)-1]))
		}
	}
	want := checkJSON(t, "", write(t, "lines", []byte(strings.Join(lines, "\n"))))
	if want.Valid < 500 || want.Rows != int64(len(lines)) {
		t.Fatalf("%+v of %d lines", want.summary, len(lines))
	}
	list := "[" + strings.Join(lines, ",") + "]"
	var printed bytes.Buffer
	if err := json.Indent(&printed, []byte(list), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": list, "printed": printed.String(),
		"printed, one by one": strings.Trim(strings.ReplaceAll(printed.String(), "\n  },\n", "\n  }\n"),
			"[]\n")} {
		for _, more := range [][]string{nil, {"--format", "nostr"}} {
			got := checkJSON(t, "", append(more, write(t, "events", []byte(text)))...)
			if got.numbers() != want.numbers() || got.Formats[0] != "nostr" {
				t.Errorf("%s: %v, want %v; %v", name, got.numbers(), want.numbers(), got.Unreadable)
			}
		}
	}
}
