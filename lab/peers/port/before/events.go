package before

import (
	"context"

	"github.com/nbd-wtf/go-nostr"
)

// A Relay checks the events that its clients send, each in a goroutine of its own.
type Relay struct{}

// Check reports whether the signature of an event is good. An event with a malformed key or
// signature is not good.
func (r *Relay) Check(_ context.Context, event *nostr.Event) (bool, error) {
	good, err := event.CheckSignature()
	return good && err == nil, nil
}

// CheckAll reports for each event whether it is good. The events may come from a file, for example.
func CheckAll(_ context.Context, events []nostr.Event) ([]bool, error) {
	all := make([]bool, len(events))
	for i := range events {
		good, err := events[i].CheckSignature()
		all[i] = good && err == nil
	}
	return all, nil
}
