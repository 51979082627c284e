package after

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/nbd-wtf/go-nostr"

	"github.com/koblitz-go/koblitz/lab/port/before"
)

// event returns a signed event, which may be invalid.
func (s source) event(t *testing.T, i int) nostr.Event {
	t.Helper()
	e := nostr.Event{
		CreatedAt: nostr.Timestamp(1_700_000_000 + i), Kind: 1,
		Content: fmt.Sprintf("note %d \"quoted\" <ü>", i), Tags: nostr.Tags{{"e", "x"}},
	}
	if err := e.Sign(hex.EncodeToString(s.secret())); err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(e.Sig)
	if err != nil {
		t.Fatal(err)
	}
	switch i % 16 {
	case 1:
		e.Content += "."
	case 2:
		e.Sig = hex.EncodeToString(s.flip(raw))
	case 3:
		e.Sig = e.Sig[:126]
	case 4:
		e.Sig += "00"
	case 5:
		e.Sig = "x" + e.Sig[1:]
	case 6:
		e.PubKey = strings.Repeat("0", 64)
	case 7:
		e.PubKey = e.PubKey[:63]
	case 8:
		e.PubKey = strings.Repeat("f", 64)
	case 9:
		e.Sig = ""
	case 10:
		e.PubKey = ""
	case 11:
		e.PubKey, e.Sig = strings.ToUpper(e.PubKey), strings.ToUpper(e.Sig)
	case 12:
		e.ID = "another"
	case 13: // only the beginning can be decoded: 64 bytes and a bad digit
		e.Sig += "x"
	case 14: // likewise the key, which is part of the id's hash
		key, _ := btcec.PrivKeyFromBytes(s.secret())
		e.PubKey = hex.EncodeToString(schnorr.SerializePubKey(key.PubKey())) + "x"
		id := sha256.Sum256(e.Serialize())
		sig, err := schnorr.Sign(key, id[:])
		if err != nil {
			t.Fatal(err)
		}
		e.Sig = hex.EncodeToString(sig.Serialize())
	}
	return e
}

func TestEvents(t *testing.T) {
	s := newSource(11)
	ctx := context.Background()
	events := make([]nostr.Event, 320)
	for i := range events {
		events[i] = s.event(t, i)
	}
	want, err := before.CheckAll(ctx, events)
	if err != nil {
		t.Fatal(err)
	}
	got, err := CheckAll(ctx, events)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, before %v", got, want)
	}
	good := 0
	for _, ok := range want {
		if ok {
			good++
		}
	}
	if good < 50 || good > 100 {
		t.Errorf("%d events are good", good)
	}
	if none, err := CheckAll(ctx, nil); err != nil || len(none) != 0 {
		t.Errorf("no events: %v, %v", none, err)
	}

	var old before.Relay
	var relay Relay
	var wait sync.WaitGroup
	for i := range events {
		wait.Go(func() {
			ok1, err1 := old.Check(ctx, &events[i])
			ok2, err2 := relay.Check(ctx, &events[i])
			if ok1 != ok2 || ok1 != want[i] || err1 != nil || err2 != nil {
				t.Errorf("event %d: %v, %v, before %v, %v", i, ok2, err2, ok1, err1)
			}
		})
	}
	wait.Wait()
}
