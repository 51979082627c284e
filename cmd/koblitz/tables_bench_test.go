package main

import (
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check/ratio"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// BenchmarkTables measures the speed of check on a table and that of package batch on the same rows
// in memory, both with two workers. It reports the quotient as ratio.
func BenchmarkTables(b *testing.B) {
	const n = 100_000
	for scheme, columns := range tableArgs {
		table := signedTable(b, scheme, n)
		var flat [3][]byte // one array for each of the first three columns
		for c := range flat {
			for _, v := range table[1+c].Values {
				flat[c] = append(flat[c], v...)
			}
		}
		api := func() {
			verdicts := make([]batch.Verdict, n)
			var err error
			switch scheme {
			case rows.ECDSA:
				r := batch.ECDSARows{Hashes: batch.Packed(flat[0], 32),
					Keys:       batch.EncodedKeys(batch.Packed(flat[1], 33)),
					Signatures: batch.Packed(flat[2], 64), S: batch.AnyS}
				_, err = r.Verify(b.Context(), verdicts, &batch.Options{Workers: 2})
			case rows.Schnorr:
				r := batch.SchnorrRows{Messages: batch.Packed(flat[0], 32),
					Keys: batch.EncodedKeys(batch.Packed(flat[1], 32)), Signatures: batch.Packed(flat[2], 64)}
				_, err = r.Verify(b.Context(), verdicts, &batch.Options{Workers: 2})
			case rows.Recover:
				r := batch.RecoverRows{Hashes: batch.Packed(flat[0], 32),
					Signatures: batch.Packed(flat[2], 65), S: batch.AnyS}
				_, err = r.EthereumAddresses(b.Context(), make([]byte, 20*n), verdicts,
					&batch.Options{Workers: 2})
			}
			if err != nil || verdicts[n-1] != batch.Valid {
				b.Fatal(err, verdicts[n-1])
			}
		}
		files := tableFiles(b, table)
		table = nil // if kept, every garbage collection would scan the table
		for name, file := range files {
			b.Run(strings.Split(columns, "=")[0]+strings.Repeat("-sender", map[bool]int{true: 1}[scheme ==
				rows.Recover])+"/"+name, func(b *testing.B) {
				ratio.Compare(b, n, api, func() {
					status := run(b.Context(), []string{"check", "--workers", "2", "--columns",
						columns, file}, strings.NewReader(""), io.Discard, io.Discard)
					if status != exitOK {
						b.Fatal("status", status)
					}
				})
			})
		}
	}
}
