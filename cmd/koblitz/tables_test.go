package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// signedTable is n rows that are signed: columns h, k and s, and for recovery a in place of k.
func signedTable(t testing.TB, scheme rows.Scheme, n int) []columnstest.Column {
	t.Helper()
	table := []columnstest.Column{{Name: "note"}, {Name: "h"}, {Name: "k"}, {Name: "s"}}
	if scheme == rows.Recover {
		table[2].Name = "a"
	}
	var keys []*koblitz.PrivateKey
	for i := range min(n, 50) {
		secret := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		key, err := koblitz.NewPrivateKey(secret[:])
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	for i := range n {
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
		key := keys[i%len(keys)]
		var who, sig []byte
		var err error
		switch scheme {
		case rows.ECDSA:
			compressed := key.PublicKey().Compressed()
			who = compressed[:]
			var s *ecdsa.Signature
			if s, err = ecdsa.Sign(key, hash[:]); err == nil {
				sig = s.AppendBytes(nil)
			}
		case rows.Schnorr:
			who = key.XOnlyPublicKey().Bytes()
			sig, err = schnorr.Sign(key, hash[:], nil)
		case rows.Recover:
			keccak := sha3.NewLegacyKeccak256()
			full := key.PublicKey().UncompressedBytes()
			keccak.Write(full[1:])
			who = keccak.Sum(nil)[12:]
			sig, err = ecdsa.SignRecoverable(key, hash[:])
		}
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range [][]byte{fmt.Appendf(nil, "row %d", i), hash[:], who, sig} {
			table[c].Values = append(table[c].Values, bytes.Clone(v))
		}
	}
	return table
}

// tableArgs are the arguments for such a table.
var tableArgs = map[rows.Scheme]string{
	rows.ECDSA:   "hash=h,key=k,signature=s",
	rows.Schnorr: "message=h,key=k,signature=s",
	rows.Recover: "hash=h,signature=s,sender=a",
}

// tableFiles writes a table in every format, and returns the files by their names.
func tableFiles(t testing.TB, table []columnstest.Column) map[string]string {
	t.Helper()
	dir := t.TempDir()
	hexed := columnstest.AsText(table, columnstest.Forms["hex"])
	based := columnstest.AsText(table, columnstest.Forms["base64"])
	files := map[string]string{}
	for name, data := range map[string][]byte{
		"bytes.parquet":  parquettest.Write(t, table, parquettest.Layout{Group: 1000}),
		"fixed.parquet":  parquettest.Write(t, table, parquettest.Layout{Fixed: true, Required: true}),
		"hex.parquet":    parquettest.Write(t, hexed, parquettest.Layout{Text: true}),
		"base64.parquet": parquettest.Write(t, based, parquettest.Layout{Text: true}),
		"hex.csv":        columnstest.CSV(hexed, "\n"),
		"base64.csv":     columnstest.CSV(based, "\r\n"),
		"hex.jsonl":      columnstest.JSONL(hexed),
		"base64.jsonl":   columnstest.JSONL(based),
	} {
		files[name] = write(t, filepath.Join(dir, name), data)
	}
	return files
}

// TestTables checks the same rows, of which some are wrong, in every format and as every kind.
func TestTables(t *testing.T) {
	for scheme, columns := range tableArgs {
		table := signedTable(t, scheme, 2500)
		table[3].Values[7][40] ^= 1 // a signature that does not fit, or another signer's
		files := tableFiles(t, table)
		for name, file := range files {
			r := checkJSON(t, "", "--senders", "--columns", columns, file)
			want := [9]int64{2500, 2499, 1}
			if r.numbers() != want || r.Exit != exitInvalid || len(r.Failures) != 1 {
				t.Errorf("%s, %s: %v, exit %d, %+v", columns, name, r.numbers(), r.Exit, r.Failures)
				continue
			}
			f := r.Failures[0]
			place := f.Row != nil && *f.Row == 7
			if !strings.HasSuffix(name, ".parquet") {
				place = f.Line == 8 || strings.HasSuffix(name, ".csv") && f.Line == 9
			}
			if !place || f.File != file {
				t.Errorf("%s, %s: %+v", columns, name, f)
			}
			if scheme == rows.Recover && len(r.Senders) != 2499 {
				t.Errorf("%s: %d senders", name, len(r.Senders))
			}
			single := checkJSON(t, "", "--columns", columns, "--one-by-one", file)
			if single.numbers() != want {
				t.Errorf("%s, %s, one by one: %v", columns, name, single.numbers())
			}
		}
		// Packed and from standard input; several files at once.
		text, err := os.ReadFile(files["hex.jsonl"])
		if err != nil {
			t.Fatal(err)
		}
		r := checkJSON(t, string(gzipped(t, text)), "--columns", columns, "-", files["hex.csv"],
			files["bytes.parquet"])
		if r.numbers() != [9]int64{7500, 7497, 3} || r.Files != 3 || len(r.Formats) != 1 {
			t.Errorf("three files: %v, %d files, formats %v", r.numbers(), r.Files, r.Formats)
		}
	}
}

// TestTableKinds: the same columns as other kinds, with all encodings of signatures and keys.
func TestTableKinds(t *testing.T) {
	key := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("x"))
	sig, err := ecdsa.Sign(key, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	recoverable, err := ecdsa.SignRecoverable(key, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	ethereum := bytes.Clone(recoverable)
	ethereum[64] += 27
	wrong := bytes.Clone(recoverable)
	wrong[64] ^= 1
	bip340, err := schnorr.Sign(key, hash[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	compressed := key.PublicKey().Compressed()
	full := key.PublicKey().UncompressedBytes()
	for _, test := range []struct {
		args string
		key  []byte
		sig  []byte
		want string
	}{
		{"", compressed[:], sig.AppendBytes(nil), "valid 1"},
		{"", full[:], sig.AppendBytes(nil), "valid 1"},
		{"", compressed[:], sig.DER(), "valid 1"},
		{"", full[:], sig.DER(), "valid 1"},
		{"", full[:], sig.DER()[1:], "malformed 1"},
		{"", compressed[:], recoverable, "malformed 1"},
		{"", compressed[1:], sig.AppendBytes(nil), "malformed 1"},
		{"", append([]byte{5}, compressed[1:]...), sig.AppendBytes(nil), "malformed 1"},
		{"--format columns-recover", compressed[:], recoverable, "valid 1"},
		{"--format columns-recover", full[:], ethereum, "valid 1"},
		{"--format columns-recover", full[:], wrong, "invalid 1"},
		{"--format columns-recover", full[1:], recoverable, "malformed 1"},
		{"--format columns-recover", append([]byte{5}, compressed[1:]...), recoverable, "malformed 1"},
		{"--format columns-bip340", compressed[1:], bip340, "valid 1"},
		{"--format columns-bip340", compressed[:], bip340, "malformed 1"},
		{"--format columns-bip340", compressed[1:], sig.AppendBytes(nil), "invalid 1"},
	} {
		text := fmt.Sprintf("h,k,s\n%x,0x%X,%s\n", hash, test.key,
			base64.StdEncoding.EncodeToString(test.sig))
		args := append(strings.Fields("check --columns hash=h,key=k,sig=s -"),
			strings.Fields(test.args)...)
		_, stdout, _ := cli(t, text, args...)
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), test.want) {
			t.Errorf("%s, key %x, signature %x: want %s\n%s", test.args, test.key, test.sig, test.want,
				stdout)
		}
	}
}

// TestTableUsage: what does not go together, and files that are no tables.
func TestTableUsage(t *testing.T) {
	parquet := parquettest.Write(t, signedTable(t, rows.ECDSA, 3), parquettest.Layout{})
	file := write(t, "t.parquet", parquet)
	packed := write(t, "t.parquet.gz", gzipped(t, parquet))
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"--format columns-ecdsa FILE", exitUsage, "--format columns-ecdsa needs --columns"},
		{"--encoding hex FILE", exitUsage, "--encoding goes with --columns"},
		{"--columns hash,key FILE", exitUsage, "--columns: which column holds the signature?"},
		{"--columns hash,key,sig --encoding oct FILE", exitUsage, `unknown encoding "oct"`},
		{"--columns hash,key,sig --format nostr FILE", exitUsage, "does not go with --format nostr"},
		{"--columns hash=h,key=k,sig=s PACKED", exitUnreadable, "a file that is not packed"},
		{"--columns hash=h,key=k,sig=s -", exitUnreadable, "a file that is not packed"},
		{"--columns hash,key,sig FILE", exitUnreadable,
			`no column "hash"; there are "note", "h", "k", "s"`},
		{"--columns hash=note,key=k,sig=s --encoding hex FILE", exitInvalid, `column "note": not hex`},
		{"--columns hash=h,key=k,sig=s FILE", exitOK, "valid          3\n"},
		{"--columns hash=h,key=k,sig=s --columns-x FILE", exitUsage, "unknown flag"},
	} {
		args := strings.Fields(strings.NewReplacer("FILE", file, "PACKED", packed).Replace(test.args))
		wantCLI(t, test.status, []string{test.want}, string(parquet), append([]string{"check"},
			args...)...)
	}
}
