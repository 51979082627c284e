package relay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxTries is the maximum number of consecutive connection attempts for a followed
	// subscription. After that the reading ends with an error. A connection on which data still
	// arrives after a minute resets the count.
	maxTries = 10

	// maxPause is the longest pause before a connection attempt, as a multiple of the first pause.
	// It amounts to a minute.
	maxPause = 60

	// overlap is the number of seconds by which a new subscription goes back before the newest
	// received event. Relays receive events some time after their creation.
	overlap = 300
)

// A following is the state of a subscription that continues over several connections.
type following struct {
	base   Filter
	stored bool  // the relay has sent all events that it had stored
	newest int64 // creation time of the newest received event, at most now; 0 if none
	began  int64 // time of the first connection attempt
	seen   recent
	tries  int   // connection attempts since the last connection for which stood returned true
	err    error // why the last connection was lost; nil while connected
}

func newFollowing(base Filter) *following {
	return &following{base: base, began: time.Now().Unix(), seen: recent{in: make(map[eventHash]int)}}
}

// add records an event of subscription n, whose creation time is the argument created. known
// reports whether an earlier subscription delivered the same event.
func (f *following) add(created int64, event []byte, n int) (known bool) {
	f.newest = max(f.newest, min(created, time.Now().Unix()))
	return f.seen.add(sha256.Sum256(event), n)
}

// filter returns the filter for the next connection. It selects events from shortly before the
// newest received one on. A limit of the user applies only to the events stored when the run began.
func (f *following) filter() Filter {
	if !f.stored {
		return f.base
	}
	from := f.newest
	if from == 0 && f.base.limited() {
		from = f.began
	}
	if from == 0 {
		return f.base // no stored event matched, so all events are new
	}
	from = max(0, from-overlap)
	next := maps.Clone(f.base)
	delete(next, "limit")
	var since float64
	if json.Unmarshal(f.base["since"], &since) != nil || since < float64(from) {
		next["since"] = json.RawMessage(strconv.FormatInt(from, 10))
	}
	return next
}

// isFinal reports whether err means that the relay broke a rule of the protocol. Then the
// connection that ended with err must not be replaced.
func isFinal(err error) bool {
	return errors.Is(err, websocket.ErrMessageTooBig) || errors.Is(err, errBinary)
}

// drop handles the loss of a connection with the error err. It returns the error that ends the
// reading, or nil if the client will reconnect.
func (r *reader) drop(err error) error {
	final := isFinal(err)
	err = r.lost(err)
	if r.following == nil || final || r.parent.Err() != nil {
		return err
	}
	f := r.following
	if r.connection.stood() {
		f.tries = 0
	}
	f.err = err
	r.connection.close()
	if r.client.Lost != nil {
		r.client.Lost(err)
	}
	return nil
}

// again reconnects after a pause, which doubles with each attempt. It returns an error if it gives
// up.
func (r *reader) again() error {
	f := r.following
	for ; f.err != nil; f.tries++ {
		if f.tries == maxTries {
			return f.err
		}
		select {
		case <-r.parent.Done():
			return r.fail(context.Cause(r.parent))
		case <-time.After(r.client.pause * time.Duration(min(1<<f.tries, maxPause))):
		}
		err := r.begin(f.filter())
		if r.parent.Err() != nil {
			return err
		}
		f.err = err
	}
	return nil
}

// maxRecent is the number of events that are remembered in order to detect repetitions after a
// reconnection.
const maxRecent = 1 << 16

// An eventHash is the SHA-256 of an event's bytes. It does not depend on the id that the event
// claims.
type eventHash = [sha256.Size]byte

// recent holds the hashes of the last maxRecent events. Each has the number of the subscription
// that delivered it.
type recent struct {
	in    map[eventHash]int
	order []eventHash
	next  int // index in order of the next hash to replace, once order is full
}

// add adds an event of subscription n. known reports whether an earlier subscription delivered it.
func (r *recent) add(hash eventHash, n int) (known bool) {
	if before, ok := r.in[hash]; ok {
		return before < n
	}
	r.in[hash] = n
	if len(r.order) < maxRecent {
		r.order = append(r.order, hash)
		return false
	}
	delete(r.in, r.order[r.next])
	r.order[r.next] = hash
	r.next = (r.next + 1) % maxRecent
	return false
}
