package nostr

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/forkjoin/forkjointest"
	"github.com/koblitz-go/koblitz/schnorr"
)

// testPrivateKey returns the private key of author i.
func testPrivateKey(t testing.TB, i int) *koblitz.PrivateKey {
	t.Helper()
	secret := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i)))
	key, err := koblitz.ParsePrivateKey(secret[:])
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signedEvents returns n signed events of up to 300 authors: notes of typical lengths, reactions
// and lists of contacts.
func signedEvents(t testing.TB, n int) []*Event {
	t.Helper()
	events := make([]*Event, n)
	for i := range events {
		name := fmt.Sprintf("%064x", i)
		e := &Event{CreatedAt: 1700000000 + int64(i), Kind: 1,
			Tags:    [][]string{{"e", name, "", "reply"}, {"p", name}},
			Content: strings.Repeat("a note \"with\" words, ", i%20) + "\n" + fmt.Sprint(i)}
		switch {
		case i%5 == 0:
			e.Kind, e.Content = 7, "+"
		case i%50 == 1:
			e.Kind, e.Content, e.Tags = 3, "", nil
			for range 100 {
				e.Tags = append(e.Tags, []string{"p", name})
			}
		}
		if err := e.Sign(testPrivateKey(t, i%300)); err != nil {
			t.Fatal(err)
		}
		events[i] = e
	}
	return events
}

// texts returns the JSON of each event.
func texts(t testing.TB, events []*Event) [][]byte {
	t.Helper()
	var all [][]byte
	for _, e := range events {
		text, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

func TestSign(t *testing.T) {
	key := testPrivateKey(t, 1)
	e := Event{CreatedAt: -1, Kind: 65535, Content: "\x00\x1f\u2028<",
		Tags: [][]string{{}, {"\\", ""}}}
	if err := e.Sign(key); err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256([]byte(`[0,"` + hex.EncodeToString(key.XOnlyPublicKey().Bytes()) +
		`",-1,65535,[[],["\\",""]],"` + "\x00\x1f\u2028<" + `"]`))
	if e.ID != want {
		t.Errorf("id %x, want %x", e.ID, want)
	}
	if err := e.Verify(); err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var got Event
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSignRefuses checks that Sign leaves no signature for text that is not UTF-8 and for keys that
// are zero values or wiped.
func TestSignRefuses(t *testing.T) {
	wiped := testPrivateKey(t, 1)
	wiped.Zeroize()
	good := testPrivateKey(t, 2)
	for name, test := range map[string]struct {
		event Event
		key   *koblitz.PrivateKey
		want  string
	}{
		"nil":     {Event{}, nil, koblitz.ErrZeroKey.Error()},
		"zero":    {Event{}, new(koblitz.PrivateKey), koblitz.ErrZeroKey.Error()},
		"wiped":   {Event{}, wiped, koblitz.ErrZeroKey.Error()},
		"content": {Event{Content: "\xff"}, good, "content"},
		"tag":     {Event{Tags: [][]string{{}, {"e", "\xed\xa0\x80"}}}, good, "tag 1"},
	} {
		e := test.event
		e.ID[0], e.PubKey[0], e.Sig[0] = 1, 1, 1
		err := e.Sign(test.key)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(e, test.event) {
			t.Errorf("%s: %+v", name, e)
		}
		if err := e.Verify(); err == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

// damaged returns copies of a valid event that are not valid, and the error for each.
func damaged(valid *Event) (events []*Event, want []error) {
	for i, change := range []func(e *Event){
		func(e *Event) { e.ID[31] ^= 1 },
		func(e *Event) { e.CreatedAt++ },
		func(e *Event) { e.Kind++ },
		func(e *Event) { e.Tags = append(e.Tags[:1:1], []string{"e"}) },
		func(e *Event) { e.Content += " " },
		func(e *Event) { e.PubKey[0] ^= 1 },
		func(e *Event) { e.Sig[63] ^= 1 },
		func(e *Event) { e.Sig = [64]byte{} },
		func(e *Event) { e.PubKey = [32]byte{31: 5}; e.ID = e.ComputeID() }, // 5 is no x-coordinate
		func(e *Event) { e.Content = "forged"; e.ID = e.ComputeID() },
	} {
		e := *valid
		change(&e)
		events = append(events, &e)
		if want = append(want, ErrID); i >= 6 {
			want[i] = ErrSignature
		}
	}
	return events, want
}

func TestVerify(t *testing.T) {
	valid := signedEvents(t, 8)[3]
	q := batch.NewQueue(nil)
	defer q.Close()
	ctx := context.Background()
	if err := errors.Join(valid.Verify(), valid.VerifyIn(ctx, q)); err != nil {
		t.Fatal(err)
	}
	events, want := damaged(valid)
	for i, e := range events {
		if err := e.Verify(); err != want[i] {
			t.Errorf("%d: %v, want %v", i, err, want[i])
		}
		err := e.VerifyIn(ctx, q)
		if !errors.Is(err, want[i]) {
			t.Errorf("%d: %v in a queue, want %v", i, err, want[i])
		}
		noKey := strings.HasSuffix(err.Error(), ": "+batch.KeyNotOnCurve.String())
		if bad := e.PubKey == [32]byte{31: 5}; bad != noKey {
			t.Errorf("%d: %v in a queue", i, err)
		}
	}
	if new(Event).Verify() == nil {
		t.Error("the zero value is valid")
	}
	q.Close()
	if err := valid.VerifyIn(ctx, q); err != batch.ErrClosed {
		t.Errorf("%v in a closed queue", err)
	}
	if err := valid.VerifyIn(ctx, nil); err != batch.ErrClosed {
		t.Errorf("%v in no queue", err)
	}
}

// TestVerifyNotUTF8 checks that an event with a correct id and signature is refused if a text of it
// is not UTF-8. In JSON such an event would have another text.
func TestVerifyNotUTF8(t *testing.T) {
	key := testPrivateKey(t, 3)
	q := batch.NewQueue(nil)
	defer q.Close()
	b := NewBatch(0, nil)
	for _, e := range []*Event{{Content: "\xff"}, {Tags: [][]string{{"e", "\xed\xa0\x80"}}}} {
		key.XOnlyPublicKey().AppendBytes(e.PubKey[:0])
		e.ID = e.ComputeID()
		if _, err := schnorr.AppendSign(e.Sig[:0], key, e.ID[:], nil); err != nil {
			t.Fatal(err)
		}
		b.AddEvent(e)
		text, jsonErr := e.AppendJSON([]byte("x"))
		if e.Verify() == nil || e.VerifyIn(context.Background(), q) == nil || jsonErr == nil ||
			string(text) != "x" {
			t.Errorf("%+v is accepted", e)
		}
	}
	verdicts := make([]batch.Verdict, 2)
	if valid, err := b.Verify(context.Background(), verdicts); valid != 0 || err != nil ||
		verdicts[0] != batch.Malformed || verdicts[1] != batch.Malformed {
		t.Errorf("%v, %v", verdicts, err)
	}
}

// TestBatch checks the verdicts and errors of valid, damaged and malformed events, added in every
// way, in batches of several lengths.
func TestBatch(t *testing.T) {
	ctx := context.Background()
	b := NewBatch(-1, nil)
	for _, n := range []int{0, 1, 2, 31, 300} {
		events := signedEvents(t, n)
		want := make([]error, n)
		if n > 1 {
			bad, errs := damaged(events[n-1])
			events, want = append(events, bad...), append(want, errs...)
		}
		for _, way := range []string{"texts", "events", "parsed"} {
			b.Reset()
			for i, text := range texts(t, events) {
				var p Parser
				switch way {
				case "texts":
					if err := b.Add(text); err != nil {
						t.Fatal(err)
					}
					clear(text) // the batch must not use it any more
				case "events":
					b.AddEvent(events[i])
				case "parsed":
					p.Reset(fmt.Appendf(nil, `["EVENT",%s]`, text))
					if event, err := p.Next(); !event {
						t.Fatal(err)
					}
					b.AddParsed(&p)
				}
			}
			verdicts := make([]batch.Verdict, b.Len())
			valid, err := b.Verify(ctx, verdicts)
			if err != nil || valid != n || b.Len() != len(events) {
				t.Fatalf("%d %s: %d of %d valid, %v", n, way, valid, b.Len(), err)
			}
			for i := range events {
				got := b.Err(i)
				if !errors.Is(got, want[i]) || (verdicts[i] == batch.Valid) != (got == nil) {
					t.Errorf("%s: %d: %v, %v, want %v", way, i, verdicts[i], got, want[i])
				}
			}
		}
	}
}

func TestBatchMalformed(t *testing.T) {
	ctx := context.Background()
	events := signedEvents(t, 5)
	all := texts(t, events)
	all[1] = []byte("{")
	all[3] = append(all[3], '1')
	verdicts := make([]batch.Verdict, len(all))
	var reasons []batch.Reason // Err returns those of all rows
	valid, err := VerifyJSON(ctx, all, verdicts, &batch.Options{Workers: 1, Reasons: &reasons})
	want := []batch.Verdict{batch.Valid, batch.Malformed, batch.Valid, batch.Malformed, batch.Valid}
	if valid != 3 || err != nil || !reflect.DeepEqual(verdicts, want) || len(reasons) > 0 {
		t.Errorf("%d, %v, %v, %v", valid, err, verdicts, reasons)
	}

	b := NewBatch(0, nil)
	var e *ParseError
	if err := b.Add(all[1]); !errors.As(err, &e) || b.Err(0) != err {
		t.Errorf("%v, %v", err, b.Err(0))
	}
	b.AddParsed(new(Parser))
	b.AddEvent(&Event{Content: "\xff"})
	if err := b.Add(all[0]); err != nil || b.Err(3) != errUnchecked {
		t.Errorf("%v, %v", err, b.Err(3))
	}
	verdicts = make([]batch.Verdict, 4)
	if valid, err := b.Verify(ctx, verdicts); valid != 1 || err != nil || b.Err(1) == nil ||
		b.Err(2) == nil || b.Err(3) != nil || verdicts[2] != batch.Malformed {
		t.Errorf("%d, %v, %v", valid, err, verdicts)
	}
	if _, err := b.Verify(ctx, verdicts[1:]); err == nil {
		t.Error("too few verdicts are no error")
	}
}

// TestBatchCanceled checks that no row is valid after a cancellation, and that the same batch can
// be verified again.
func TestBatchCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := NewBatch(20, nil)
	for _, e := range signedEvents(t, 20) {
		b.AddEvent(e)
	}
	verdicts := make([]batch.Verdict, 20)
	for i := range verdicts {
		verdicts[i] = batch.Valid
	}
	if valid, err := b.Verify(ctx, verdicts); valid != 0 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d, %v", valid, err)
	}
	for i, v := range verdicts {
		if v != batch.Unchecked || b.Err(i) != errUnchecked {
			t.Errorf("%d: %v, %v", i, v, b.Err(i))
		}
	}
	if valid, err := b.Verify(context.Background(), verdicts); valid != 20 || err != nil {
		t.Errorf("%d, %v", valid, err)
	}
}

// TestContexts checks every function that takes a context: see forkjointest.Contexts.
func TestContexts(t *testing.T) {
	events := signedEvents(t, 300)
	verdicts := make([]batch.Verdict, len(events))
	b, texts := NewBatch(0, &batch.Options{Workers: 2}), make([][]byte, len(events))
	for i, e := range events {
		b.AddEvent(e)
		texts[i], _ = e.AppendJSON(nil)
	}
	malformed := NewBatch(0, nil) // a batch without an event that could be valid
	malformed.Add(nil)
	if n, err := malformed.Verify(context.Context(nil), verdicts[:1]); n != 0 || err != nil {
		t.Errorf("nil context: %d, %v", n, err)
	}
	valid := func(count int, err error) (int, int, error) {
		found := 0
		for _, v := range verdicts {
			if v == batch.Valid {
				found++
			}
		}
		clear(verdicts)
		return count, found, err
	}
	q := batch.NewQueue(nil)
	defer q.Close()
	forkjointest.Contexts(t, map[string]forkjointest.Call{
		"nostr.Batch.Verify": func(ctx context.Context) (int, int, error) {
			return valid(b.Verify(ctx, verdicts))
		},
		"nostr.Event.VerifyIn": func(ctx context.Context) (int, int, error) {
			err := events[0].VerifyIn(ctx, q)
			return forkjointest.One(err == nil, err)
		},
		"nostr.VerifyJSON": func(ctx context.Context) (int, int, error) {
			return valid(VerifyJSON(ctx, texts, verdicts, &batch.Options{Workers: 2}))
		},
	}, "../api/nostr.txt")
}

// TestBatchAllocations checks that a batch that is used again allocates nothing for an event. A
// call of Verify allocates scratch memory, whatever the number of events.
func TestBatchAllocations(t *testing.T) {
	all := texts(t, signedEvents(t, 1000))
	b := NewBatch(len(all), &batch.Options{Workers: 1})
	allocations := func(texts [][]byte) float64 {
		verdicts := make([]batch.Verdict, len(texts))
		return testing.AllocsPerRun(5, func() {
			b.Reset()
			for _, text := range texts {
				b.Add(text)
			}
			if valid, err := b.Verify(context.Background(), verdicts); valid != len(texts) || err != nil {
				t.Fatal(valid, err)
			}
		})
	}
	few, many := allocations(all[:200]), allocations(all)
	if many > few+50 {
		t.Errorf("%v allocations for 1,000 events, and %v for 200", many, few)
	}
	t.Logf("%v allocations for 1,000 events, and %v for 200", many, few)
}

// TestVerifyConcurrent verifies the same events by many goroutines: alone, through one queue, and
// in batches of their own.
func TestVerifyConcurrent(t *testing.T) {
	events := signedEvents(t, 20)
	all := texts(t, events)
	q := batch.NewQueue(nil)
	defer q.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k, e := range events {
				if err := errors.Join(e.Verify(), e.VerifyIn(context.Background(), q)); err != nil {
					t.Error(k, err)
				}
			}
			verdicts := make([]batch.Verdict, len(all))
			valid, err := VerifyJSON(context.Background(), all, verdicts, nil)
			if valid != len(all) || err != nil {
				t.Error(i, valid, err)
			}
		})
	}
	wg.Wait()
}
