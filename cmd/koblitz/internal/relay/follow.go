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
	// maxTries is the maximum number of consecutive connection attempts of a followed subscription
	// before it ends with an error. A connection that still delivers something after a minute
	// resets the count.
	maxTries = 10

	// maxPause is the longest pause before a connection attempt, as a multiple of the first pause:
	// a minute.
	maxPause = 60

	// overlap is how many seconds before the newest received event a new subscription starts.
	// Relays receive events some time after their creation.
	overlap = 300
)

// A following is the state of a subscription that continues over several connections.
type following struct {
	base   Filter
	stored bool  // the relay has sent all that it had
	newest int64 // time of the newest event that came, by the clock here at most; 0: there was none
	began  int64 // time of the first connection
	seen   recent
	tries  int   // connections since the last one that stood
	err    error // why the last connection was lost; nil while there is one
}

func newFollowing(base Filter) *following {
	return &following{base: base, began: time.Now().Unix(), seen: recent{in: make(map[eventHash]int)}}
}

// add records an event of subscription n. It reports whether an earlier subscription delivered the
// same event.
func (f *following) add(created int64, event []byte, n int) (known bool) {
	f.newest = max(f.newest, min(created, time.Now().Unix()))
	return f.seen.add(sha256.Sum256(event), n)
}

// filter returns the filter for the next connection: for events from shortly before the newest
// received one. A limit applies only to the events stored when the run began.
func (f *following) filter() Filter {
	if !f.stored {
		return f.base
	}
	from := f.newest
	if from == 0 && f.base.limited() {
		from = f.began
	}
	if from == 0 {
		return f.base // all that it selects came later
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

// isFinal reports whether a connection that ended with err must not be replaced, because the relay
// broke a rule.
func isFinal(err error) bool {
	return errors.Is(err, websocket.ErrMessageTooBig) || errors.Is(err, errBinary)
}

// drop handles the loss of a connection. It returns the error that ends the reading, or nil if
// another connection will be made.
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

// again reconnects after a pause, which doubles with each attempt.
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

// maxRecent is the number of events kept to detect repetitions after a reconnection.
const maxRecent = 1 << 16

// An eventHash is the SHA-256 of an event's bytes, independent of the ID that it claims.
type eventHash = [sha256.Size]byte

// recent holds the last maxRecent events, each with the number of its subscription.
type recent struct {
	in    map[eventHash]int
	order []eventHash
	next  int // the place in order of the next one, once there are maxRecent
}

// add adds an event of subscription n. It reports whether an earlier subscription delivered it.
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
