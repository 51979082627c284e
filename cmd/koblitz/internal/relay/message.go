package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// quote returns the start of the relay's text in quotes, for an error.
func quote(text string) string { return `"` + printable.Short(text) + `"` }

// take processes a message. Messages that NIP-01 does not define are added to the batch too, which
// reports them.
func (r *reader) take(m message) error {
	if m.err != nil {
		return r.drop(m.err)
	}
	r.count++
	r.taken += int64(len(m.text))
	var parts [3]json.RawMessage // further parts are dropped
	var label, name, words string
	if json.Unmarshal(m.text, &parts) != nil || json.Unmarshal(parts[0], &label) != nil ||
		json.Unmarshal(parts[1], &name) != nil {
		label = ""
	}
	json.Unmarshal(parts[2], &words)
	known, err := false, error(nil)
	switch open := name == id(r.asked); {
	case label == "EVENT":
		r.events = true
		known, err = r.event(name, parts[2])
	case label == "EOSE" && open:
		err = r.stored()
	case label == "CLOSED" && open:
		err = r.fail(fmt.Errorf("the relay has ended the subscription: %s", quote(words)))
	case label == "NOTICE":
		r.notice = quote(name)
	}
	if !known {
		r.next.Add(m.text, r.count)
	}
	return err
}

// event checks an event of the subscription called name. known reports whether the event arrived
// before, or belongs to a subscription that has ended.
func (r *reader) event(name string, event []byte) (known bool, err error) {
	if name != id(r.asked) {
		for n := 1; n < r.asked; n++ {
			if name == id(n) {
				return true, nil // sent before the relay got our CLOSE of that subscription
			}
		}
		return false, r.fail(fmt.Errorf("an event of subscription %s, and %s is open", quote(name),
			id(r.asked)))
	}
	if r.pages == nil && r.following == nil {
		return false, nil
	}
	var e struct {
		Created *int64 `json:"created_at"`
	}
	if json.Unmarshal(event, &e) != nil || e.Created == nil {
		return false, nil // the event is malformed, and the batch will report that
	}
	if r.following != nil {
		return r.following.add(*e.Created, event, r.asked), nil
	}
	if known, err = r.pages.add(*e.Created, event); err != nil {
		err = r.fail(err)
	}
	return known, err
}

var errNoEvent = errors.New("the relay has sent no event: it has none that the filter selects, " +
	"or does not answer that filter; name kinds and a limit, as in --filter '" + DefaultFilter + "'")

// stored handles the relay's message that it has sent all stored events of the open subscription.
func (r *reader) stored() error {
	switch {
	case r.following != nil:
		r.following.stored = true
		return nil
	case r.pages == nil || !r.pages.end():
		if !r.events {
			return r.fail(errNoEvent)
		}
		return io.EOF
	}
	err := r.connection.send("CLOSE", id(r.asked))
	if err == nil {
		r.asked++
		err = r.connection.send("REQ", id(r.asked), r.pages.filter())
	}
	if err != nil {
		return r.lost(err)
	}
	return nil
}
