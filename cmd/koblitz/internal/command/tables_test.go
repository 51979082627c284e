package command

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/arrowstreamtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestTableTexts checks the error messages for tables without --columns, and for tables that check
// or stream does not read. They must tell the user what to do.
func TestTableTexts(t *testing.T) {
	table := columnstest.Signed(t, reading.ECDSA, 3)
	named := slices.Clone(table)
	named[1].Name, named[2].Name, named[3].Name = "digest", "pub_key", "sig"
	empty := slices.Clone(table)
	for i := range empty {
		empty[i].Values = nil
	}
	alike := append(slices.Clone(table), table[3])
	alike[4].Name = "S"
	stream := arrowstreamtest.Stream(arrowstreamtest.Binaries(table))
	alikeStream := arrowstreamtest.Stream(arrowstreamtest.Binaries(alike))
	feather := append([]byte("ARROW1\x00\x00"), stream...) // without the footer
	parquet := func(table []columnstest.Column) []byte {
		return parquettest.Write(t, table, parquettest.Layout{})
	}
	two := slices.Clone(alike)
	two[3].Name, two[4].Name = "sig_", "sigx"
	exchanged := parquet(two) // the last texts are the paths of columns in the last row group
	x := bytes.LastIndex(exchanged, []byte("sigx"))
	copy(exchanged[bytes.LastIndex(exchanged, []byte("sig_")):], "sigx")
	copy(exchanged[x:], "sig_")
	hexed := columnstest.AsText(named, columnstest.Forms["hex"])
	const columns, alikeText = "--columns hash=h,key=k,sig=s",
		`the names of columns "s" and "S" differ in case alone: rename one`
	for _, test := range []struct {
		name, args string // arguments before the file; check is the default command
		in         []byte
		want       string
	}{
		{"Parquet, cut off", "check", parquet(named)[:1000],
			"(Parquet): say what its columns hold, as in 'koblitz check --columns hash=NAME,key=NAME"},
		{"Parquet, packed", "check", commandtest.Gzipped(t, parquet(named)),
			"this looks like a table (Parquet)"},
		{"CSV", "check", columnstest.CSV(hexed, "\r\n"), "this looks like a table (CSV): say what its " +
			"columns hold, as in 'koblitz check --columns hash=NAME,key=NAME,signature=NAME FILE'; "},
		{"CSV, two columns", "check", []byte("hash,sig\n00,00\n"), "(CSV)"},
		{"JSON", "check", columnstest.JSONL(hexed), "this looks like a table (JSON lines): say what " +
			"its columns hold, as in 'koblitz check --columns hash=NAME,key=NAME,signature=NAME FILE'; " +
			`there are "note", "digest", "pub_key", "sig"`},
		{"JSON, one line cut off", "check", []byte(`{"hash":"00","pubkey":"00","sig":"0`),
			`(JSON lines): say what its columns hold`},
		{"text", "check", []byte("some text, and more\n"), "or the columns of a table with --columns"},
		{"Feather", "check", feather, "this is a file of Arrow (Feather), which check does not " +
			"read: write it as Parquet, or as a stream of Arrow for 'koblitz stream'"},
		{"Feather with columns", "check " + columns, feather, "write it as Parquet, or as a"},
		{"Feather, version 1", "check " + columns, []byte("FEA1...."), "write it as Parquet, or as a"},
		{"a stream", "check", stream, "'koblitz stream --columns …' reads it from standard input"},
		{"a stream with columns", "check " + columns, stream, "'koblitz stream --columns …' reads it"},
		{"no rows", "check " + columns, parquet(empty), "no rows: a table without rows"},
		{"names alike", "check " + columns, parquet(alike), alikeText},
		{"paths exchanged", "check --columns hash=h,key=k,sig=sig_", exchanged,
			`column 4 of the row group is "sigx", and of the file "sig_"`},
		{"names alike in a stream", "stream " + columns, alikeStream, alikeText},
		{"Parquet into stream", "stream " + columns, parquet(table), "stdin: this is no stream of " +
			"Arrow IPC, as pyarrow.ipc.new_stream writes it; 'koblitz check --columns …' reads Parquet"},
	} {
		args := strings.Fields(test.args)
		if args[0] == "check" {
			args = append(args, write(t, filepath.Join(t.TempDir(), test.name), test.in))
		}
		expect(t, cli.ExitUnreadable, []string{test.want}, string(test.in), args...)
	}
	// Malformed events must not be mistaken for tables. The same holds for input whose format is
	// given with --format.
	for _, text := range []string{"{}\n", `{"id":"00","pubkey":"00","kind":1}` + "\n",
		`{"a":"00","b":{"id":"00"}}` + "\n"} {
		expect(t, cli.ExitUnreadable, []string{"the format is not recognized"}, text, "check", "-")
	}
	expect(t, cli.ExitInvalid, []string{"malformed"}, "{\"a\":1,\"b\":2}\n[\"EVENT\",{}]\n", "check",
		"-")
	expect(t, cli.ExitInvalid, []string{"malformed"}, string(columnstest.JSONL(hexed)), "check",
		"--format", "nostr", "-")
}

// TestHashTypes checks that a DER or BIP-340 signature followed by the hash type byte of a Bitcoin
// script is malformed, and that the reason mentions this byte.
func TestHashTypes(t *testing.T) {
	key := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("x"))
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	bip340, err := schnorr.Sign(key, hash[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	compressed := [33]byte(key.PublicKey().Bytes())
	const strip = "looks like the hash type (sighash) of a Bitcoin script: strip it"
	for _, test := range []struct {
		scheme string
		key    []byte
		sig    []byte
		last   byte
		hint   bool
	}{
		{"ecdsa", compressed[:], sig.DER(), 0x01, true},
		{"ecdsa", compressed[:], sig.DER(), 0x83, true},
		{"ecdsa", compressed[:], sig.DER(), 0x04, false},
		{"ecdsa", compressed[:], sig.DER()[:60], 0x01, false},
		{"bip340", compressed[1:], bip340, 0x01, true},
		{"bip340", compressed[1:], bip340, 0x84, false},
		{"bip340", compressed[1:], bip340[:62], 0x01, false},
	} {
		with := append(bytes.Clone(test.sig), test.last)
		for _, args := range [][]string{
			{"check", "--columns", "hash=h,key=k,sig=s", "--format", "columns-" + test.scheme, "-"},
			{"check", "--one-by-one", "--columns", "hash=h,key=k,sig=s", "--format",
				"columns-" + test.scheme, "-"},
			{"verify", "--scheme", test.scheme, "--hash", "none", "--pub", fmt.Sprintf("%x", test.key),
				"--sig", fmt.Sprintf("%x", with), fmt.Sprintf("%x", hash)},
		} {
			table := fmt.Sprintf("h,k,s\n%x,%x,%x\n", hash, test.key, with)
			stdout, _ := expect(t, cli.ExitInvalid, []string{"malformed"}, table, args...)
			hint := fmt.Sprintf("%02x %s", test.last, strip)
			if strings.Contains(stdout, hint) != test.hint {
				t.Errorf("%s: hint wanted: %t\n%s", args, test.hint, stdout)
			}
		}
	}
}
