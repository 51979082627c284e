package nostr

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// errAny stands in a model for an error whose text does not matter: the row is no event.
var errAny = errors.New("no event")

// FuzzBatch adds rows to a batch in every way, verifies and resets it, and compares it with a list
// of the rows' errors.
func FuzzBatch(f *testing.F) {
	events := signedEvents(f, 40)
	want := make([]error, len(events))
	bad, errs := damaged(events[3])
	events, want = append(events, bad...), append(want, errs...)
	all := texts(f, events)
	r := rand.New(rand.NewPCG(51, 51))
	for i := range 24 {
		data := make([]byte, 40+6*i)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := NewBatch(1, &batch.Options{Workers: 1 + len(data)%2})
		var model []error // by row: the error that it has after Verify
		verify := func(ctx context.Context) {
			t.Helper()
			verdicts := make([]batch.Verdict, len(model))
			valid, err := b.Verify(ctx, verdicts)
			if ended := ctx.Err() != nil; ended != (err != nil) || err != nil && !errors.Is(err, ctx.Err()) {
				t.Fatalf("context: %v, Verify: %v", ctx.Err(), err)
			}
			count := 0
			for i, v := range verdicts {
				got := b.Err(i)
				switch {
				case model[i] == errAny:
					if v != batch.Malformed || got == nil || errors.Is(got, ErrID) ||
						errors.Is(got, ErrSignature) || got == errUnchecked {
						t.Fatalf("row %d is no event: %v, %v", i, v, got)
					}
				case err != nil && v == batch.Unchecked:
					if got != errUnchecked {
						t.Fatalf("row %d: unchecked, %v", i, got)
					}
				case !errors.Is(got, model[i]) || (v == batch.Valid) != (got == nil):
					t.Fatalf("row %d: %v, %v, want %v", i, v, got, model[i])
				}
				if v == batch.Valid {
					count++
				}
			}
			if valid != count {
				t.Fatalf("%d valid, want %d", valid, count)
			}
			if _, err := b.Verify(ctx, make([]batch.Verdict, len(model)+1)); err == nil {
				t.Fatal("one verdict more than rows is no error")
			}
		}
		for data = data[:min(len(data), 600)]; len(data) >= 2; data = data[2:] {
			i := int(data[1]) % len(events)
			switch data[0] % 16 {
			default:
				text := slices.Clone(all[i])
				if err := b.Add(text); err != nil {
					t.Fatal(err)
				}
				clear(text)
				model = append(model, want[i])
			case 3, 4, 5:
				e := *events[i]
				b.AddEvent(&e)
				e = Event{}
				model = append(model, want[i])
			case 6, 7, 8:
				p, err := parse(all[i])
				if err != nil {
					t.Fatal(err)
				}
				b.AddParsed(p)
				p.Reset(nil)
				model = append(model, want[i])
			case 9: // a text that ends early
				if err := b.Add(all[i][:len(all[i])-1-int(data[0]>>4)]); err == nil {
					t.Fatal("a part of an event is an event")
				}
				model = append(model, errAny)
			case 10:
				b.AddParsed(new(Parser))
				model = append(model, errAny)
			case 11:
				e := *events[i]
				e.Content = "\xff"
				b.AddEvent(&e)
				model = append(model, errAny)
			case 12, 13:
				verify(context.Background())
			case 14:
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				verify(ctx)
			case 15:
				b.Reset()
				model = model[:0]
			}
			if b.Len() != len(model) {
				t.Fatalf("%d rows, want %d", b.Len(), len(model))
			}
		}
		verify(context.Background())
	})
}
