package after

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/nbd-wtf/go-nostr"

	"github.com/koblitz-go/koblitz/batch"
)

// A Relay checks the events that its clients send, each in a goroutine of its own. Events that come
// at the same time are verified in one batch.
type Relay struct{ queue batch.Queue }

// Check reports whether the signature of an event is good. An event with a malformed key or
// signature is not good.
func (r *Relay) Check(ctx context.Context, event *nostr.Event) (bool, error) {
	key, hash, sig := fields(event)
	return r.queue.VerifySchnorrBytes(ctx, key, hash[:], sig)
}

// CheckAll reports for each event whether it is good. The events may come from a file, for example.
func CheckAll(ctx context.Context, events []nostr.Event) ([]bool, error) {
	rows := batch.NewSchnorr(len(events), nil)
	for i := range events {
		key, hash, sig := fields(&events[i])
		rows.AddBytes(key, hash[:], sig)
	}
	verdicts := make([]batch.Verdict, rows.Len())
	if _, err := rows.Verify(ctx, verdicts); err != nil {
		return nil, err
	}
	all := make([]bool, len(events))
	for i, v := range verdicts {
		all[i] = v == batch.Valid
	}
	return all, nil
}

// fields returns an event's key, its id, which fields computes from the event's content, and its
// signature. A key or signature that is not hexadecimal becomes nil, which is invalid.
func fields(event *nostr.Event) (key []byte, hash [32]byte, sig []byte) {
	key, err := hex.DecodeString(event.PubKey)
	if err != nil {
		key = nil
	}
	if sig, err = hex.DecodeString(event.Sig); err != nil {
		sig = nil
	}
	return key, sha256.Sum256(event.Serialize()), sig
}
