package after

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/nbd-wtf/go-nostr"

	"github.com/koblitz-go/koblitz/batch"
)

// A Relay checks the events that its clients send, each in a goroutine of its own. Those that come
// at the same time share a batch.
type Relay struct{ queue batch.Queue }

// Check reports whether the signature of an event is good. An event whose key or signature is
// no such thing is not good.
func (r *Relay) Check(ctx context.Context, event *nostr.Event) (bool, error) {
	key, hash, sig := fields(event)
	return r.queue.VerifySchnorrBytes(ctx, key, hash[:], sig)
}

// CheckAll says of each event, such as those of a file, whether it is good.
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

// fields returns the key of an event, its id, computed from what it says, and the signature. What
// is not hexadecimal becomes nil, which is no key and no signature.
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
