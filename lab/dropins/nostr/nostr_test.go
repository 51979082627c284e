// Package nostr benchmarks how a nostr relay verifies an incoming event.
package nostr

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{{Name: "check", Open: check}}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

// check returns the operation that verifies the signature of a short note. Each note is signed by a
// different key.
func check() rows.Rows {
	r := rows.Random()
	var events []nostr.Event
	for i := range rows.Count {
		e := nostr.Event{
			CreatedAt: nostr.Timestamp(1_700_000_000 + i),
			Kind:      nostr.KindTextNote,
			Tags:      nostr.Tags{{"e", hex.EncodeToString(reference.Bytes(r, 32))}, {"t", "bench"}},
			Content:   fmt.Sprintf("A note, %d, of about a hundred letters, which is what many are.", i),
		}
		if err := e.Sign(hex.EncodeToString(reference.Bytes(r, 32))); err != nil {
			panic(err)
		}
		events = append(events, e)
	}
	row := 0
	return rows.Rows{
		Run: func(i int) error {
			row = i
			ok, err := events[i].CheckSignature()
			if err != nil {
				return err
			}
			return rows.Accepted(ok)
		},
		Result: func() []byte { return []byte(events[row].Sig) },
		Wrong: func(i int) bool {
			e := events[i]
			e.Content += "!"
			ok, _ := e.CheckSignature()
			return !ok
		},
	}
}
